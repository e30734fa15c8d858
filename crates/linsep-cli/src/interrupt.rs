//! Ctrl-C: work that can end early does so; anything else ends at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Signals this soon after the first are the same one: timeout(1) sends two.
const ECHO: Duration = Duration::from_millis(300);

/// Whether the user asked to stop, and whether somebody is there to listen.
#[derive(Clone, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    heeded: Arc<AtomicBool>,
}

/// Watches for Ctrl-C and for a polite kill.
pub fn watch() -> Interrupt {
    let interrupt = Interrupt::default();
    let seen = interrupt.clone();
    let first: OnceLock<Instant> = OnceLock::new();
    // Without a handler, Ctrl-C ends the program as it always did.
    let _ = ctrlc::set_handler(move || {
        let again = first.get_or_init(Instant::now).elapsed() > ECHO;
        seen.asked.store(true, Ordering::Relaxed);
        if again || !seen.heeded.load(Ordering::Relaxed) {
            // Status of a program that SIGINT ended.
            std::process::exit(130);
        }
    });
    interrupt
}

impl Interrupt {
    /// From here on the work looks at the flag itself.
    pub fn heed(&self) -> &AtomicBool {
        self.heeded.store(true, Ordering::Relaxed);
        &self.asked
    }

    /// Returns true if the user asked to stop.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}
