//! Long work beside the interpreter: it is released meanwhile, and Ctrl-C is heeded.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::errors::PyFailure;

/// How often the calling thread looks for signals.
const POLL: Duration = Duration::from_millis(50);

/// What the work sends to the calling thread.
enum Message {
    /// A line of progress.
    Line(String),
    /// Something to be done with the interpreter.
    Call(Box<dyn for<'py> FnOnce(Python<'py>) -> PyResult<()> + Send>),
}

/// What the work tells the calling thread, and hears from it.
pub struct Wire {
    cancelled: Arc<AtomicBool>,
    messages: Sender<Message>,
    /// Whether someone listens to lines.
    told: bool,
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
        if self.told {
            // Nobody listens any more once the work is cancelled.
            let _ = self.messages.send(Message::Line(line()));
        }
    }

    /// Returns what a call of Python returns, made by the calling thread: it may hold what belongs to a
    /// thread, and hears signals. If the call raises, the work ends, and [`run`] raises the same.
    pub fn call<T: Send + 'static>(
        &self,
        call: impl for<'py> FnOnce(Python<'py>) -> PyResult<T> + Send + 'static,
    ) -> T {
        let (reply, replied) = channel();
        let call = move |py: Python<'_>| -> PyResult<()> {
            // Whoever asks waits for it.
            let _ = reply.send(call(py)?);
            Ok(())
        };
        // Without a receiver the call comes back as an error, and is dropped.
        let _ = self.messages.send(Message::Call(Box::new(call)));
        match replied.recv() {
            Ok(value) => value,
            Err(_) => std::panic::resume_unwind(Box::new("cancelled")),
        }
    }
}

/// Returns what `work` returns. It runs on a thread of its own with the interpreter released; the
/// calling thread waits, passes lines to `progress`, makes calls for the work, and cancels it when a signal,
/// `progress` or such a call raises.
pub fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Wire) -> Result<T, PyFailure> + Send,
) -> PyResult<T> {
    let cancelled = Arc::new(AtomicBool::new(false));
    // The channel ends with the work, whatever becomes of it.
    let (messages, mut received) = channel();
    let wire = Wire { cancelled: cancelled.clone(), messages, told: progress.is_some() };
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let wire = wire;
            in_pool(|| work(&wire))
        });
        let mut failure = None;
        loop {
            let next;
            (received, next) = py.detach(move || wait(received));
            let heed = |message: Option<Message>| -> PyResult<()> {
                match (message, progress) {
                    (Some(Message::Line(line)), Some(progress)) => {
                        progress.call1((line,))?;
                    }
                    (Some(Message::Call(call)), _) => call(py)?,
                    _ => {}
                }
                py.check_signals()
            };
            match next {
                Next::Over => break,
                // What comes after a failure is dropped: nobody waits for it.
                _ if failure.is_some() => {}
                Next::Message(message) => failure = heed(Some(message)).err(),
                Next::Nothing => failure = heed(None).err(),
            }
            if failure.is_some() {
                cancelled.store(true, Ordering::Relaxed);
            }
        }
        let result = py.detach(|| worker.join());
        match (failure, result) {
            (Some(failure), _) => Err(failure),
            (None, Ok(result)) => Ok(result?),
            (None, Err(_)) => Err(PyFailure::Panic.into()),
        }
    })
}

/// What the calling thread hears next.
enum Next {
    Message(Message),
    Nothing,
    Over,
}

/// Waits a little.
fn wait(received: Receiver<Message>) -> (Receiver<Message>, Next) {
    let next = match received.recv_timeout(POLL) {
        Ok(message) => Next::Message(message),
        Err(RecvTimeoutError::Timeout) => Next::Nothing,
        Err(RecvTimeoutError::Disconnected) => Next::Over,
    };
    (received, next)
}

/// The process that imported the module; a forked child has another number.
static IMPORTED_BY: AtomicU32 = AtomicU32::new(0);

/// Remembers the process in which rayon's own threads live.
///
/// Errors if the environment asks for more threads than can be started.
pub fn remember_process() -> PyResult<()> {
    IMPORTED_BY.store(std::process::id(), Ordering::Relaxed);
    linsep::data::threads::check_environment().map_err(PyValueError::new_err)
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
