//! Ctrl-C: work that can end early does so; anything else ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    // Without a handler, Ctrl-C ends the program as it always did.
    let _ = ctrlc::set_handler(move || {
        let again = seen.asked.swap(true, Ordering::Relaxed);
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
