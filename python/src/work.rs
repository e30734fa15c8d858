//! Long work beside the interpreter: it is released meanwhile, and Ctrl-C is heeded.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::errors::Failure;

/// How often the calling thread looks for signals.
const POLL: Duration = Duration::from_millis(50);

/// What the work tells the calling thread, and hears from it.
pub struct Wire {
    cancelled: Arc<AtomicBool>,
    messages: Option<Sender<String>>,
}

impl Wire {
    /// Returns the flag that asks the work to end.
    pub fn cancelled(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// Ends the work here and now if it is cancelled. For what has no other way to be ended: the stack
    /// is unwound without a message, and [`run`] returns what cancelled it.
    pub fn heed(&self) {
        if self.cancelled.load(Ordering::Relaxed) {
            std::panic::resume_unwind(Box::new("cancelled"));
        }
    }

    /// Passes a line of progress on, if someone listens.
    pub fn say(&self, line: impl FnOnce() -> String) {
        if let Some(messages) = &self.messages {
            // Nobody listens any more once the work is cancelled.
            let _ = messages.send(line());
        }
    }
}

/// Returns what `work` returns. It runs on a thread of its own with the interpreter released; the
/// calling thread waits, passes lines to `progress`, and cancels the work when a signal or
/// `progress` raises.
pub fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Wire) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let (messages, mut lines) = channel();
    // The channel ends with the work, whatever becomes of it.
    let (alive, mut ended) = channel::<()>();
    let wire =
        Wire { cancelled: cancelled.clone(), messages: progress.is_some().then_some(messages) };
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let _alive = alive;
            in_pool(|| work(&wire))
        });
        let mut failure = None;
        loop {
            let over;
            (ended, over) = py.detach(move || wait(ended));
            let heed = || -> PyResult<()> {
                while let (Some(progress), Ok(line)) = (progress, lines.try_recv()) {
                    progress.call1((line,))?;
                }
                py.check_signals()
            };
            if failure.is_none()
                && let Err(error) = heed()
            {
                cancelled.store(true, Ordering::Relaxed);
                failure = Some(error);
                lines = channel().1;
            }
            if over {
                break;
            }
        }
        let result = py.detach(|| worker.join());
        match (failure, result) {
            (Some(failure), _) => Err(failure),
            (None, Ok(result)) => Ok(result?),
            (None, Err(_)) => Err(Failure::Panic.into()),
        }
    })
}

/// Waits a little; returns true once the other end is gone.
fn wait(ended: Receiver<()>) -> (Receiver<()>, bool) {
    let over = ended.recv_timeout(POLL) == Err(RecvTimeoutError::Disconnected);
    (ended, over)
}

/// The process that imported the module; a forked child has another number.
static IMPORTED_BY: AtomicU32 = AtomicU32::new(0);

/// Remembers the process in which rayon's own threads live.
pub fn remember_process() {
    IMPORTED_BY.store(std::process::id(), Ordering::Relaxed);
}

/// Runs the work where parallel loops find threads. A forked child has none of the threads of
/// rayon's own pool and would wait for them for ever, so it gets a pool of its own.
fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    static CHILD: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let process = std::process::id();
    if process == IMPORTED_BY.load(Ordering::Relaxed) {
        return work();
    }
    let pool = {
        let mut child = CHILD.lock().unwrap_or_else(PoisonError::into_inner);
        match &*child {
            Some((owner, pool)) if *owner == process => Some(pool.clone()),
            _ => {
                let pool = rayon::ThreadPoolBuilder::new().build().ok().map(Arc::new);
                // The pool of a parent cannot be ended here: its threads are not in this process.
                std::mem::forget(child.take());
                *child = pool.clone().map(|pool| (process, pool));
                pool
            }
        }
    };
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
