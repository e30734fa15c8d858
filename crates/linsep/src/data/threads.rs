//! How many threads may be asked for.

/// Threads that may be asked for at most: more than nearly any machine runs, few enough for the system to start.
pub const MOST_THREADS: usize = 1024;

/// The variable by which rayon is asked for threads.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Errors if the environment asks for more threads than may be asked for.
pub fn check_environment() -> Result<(), String> {
    let asked = std::env::var(VARIABLE).ok().filter(|asked| is_too_many(asked));
    asked.map_or(Ok(()), |asked| {
        Err(format!("{VARIABLE} is {asked}; expected 1 to {MOST_THREADS}, or 0 for all cores"))
    })
}

fn is_too_many(asked: &str) -> bool {
    asked.parse::<usize>().is_ok_and(|threads| threads > MOST_THREADS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_threads() {
        assert!(is_too_many("1025") && is_too_many("100000"));
        assert!(!is_too_many("1024") && !is_too_many("0") && !is_too_many("many"));
    }
}
