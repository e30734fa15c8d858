//! Time that other programs on the machine disturb least.

/// Returns the CPU time of all threads of this process, in seconds.
#[cfg(unix)]
pub(super) fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec that lives through the call.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(failed, 0, "every Unix has this clock");
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Returns the time on the wall, in seconds: the next best thing.
#[cfg(not(unix))]
pub(super) fn cpu_seconds() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
