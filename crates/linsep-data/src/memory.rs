//! How much memory there is, so that what cannot fit is an error and not the end of the process.
//!
//! Where memory is promised before it exists, a request succeeds and the process is killed later. So large
//! requests are measured first against what the machine, the container and the limit on addresses leave.

use crate::error::{Error, ErrorKind};

/// Requests below this are not measured, since asking takes longer than filling them: blocks and chunks are
/// smaller, and what grows is measured earlier.
const SMALL: u64 = 16 << 20;
const SMALL_GROWTH: u64 = 4 << 20;

/// What chunks of text and threads need while values are gathered.
const HEADROOM: u64 = 32 << 20;
const HEADROOM_PER_THREAD: u64 = 16 << 20;

/// Errors if there is no memory for `bytes` more bytes.
pub fn require(bytes: u64) -> Result<(), Error> {
    if bytes >= SMALL && available().is_some_and(|free| bytes > free) {
        return Err(ErrorKind::NoMemory { bytes: bytes.saturating_add(headroom()) }.into());
    }
    // Where nobody tells what is left, the system does when it is asked.
    let asked = usize::try_from(bytes).ok();
    let mut probe: Vec<u8> = vec![];
    match asked.is_some_and(|asked| probe.try_reserve_exact(asked).is_ok()) {
        true => Ok(()),
        false => Err(ErrorKind::NoMemory { bytes }.into()),
    }
}

/// Errors if there is no memory for `count` more values.
pub fn require_values<T>(count: usize) -> Result<(), Error> {
    require((count as u64).saturating_mul(size_of::<T>() as u64))
}

/// Returns `count` copies of `value`. Errors, and does not abort, if there is no memory for them.
pub fn filled<T: Clone>(value: T, count: usize) -> Result<Vec<T>, Error> {
    require_values::<T>(count)?;
    Ok(vec![value; count])
}

/// Makes room for more values, so that the next ones are taken without asking again.
///
/// Errors, and does not abort, if there is no memory for them.
pub fn reserve<T>(all: &mut Vec<T>, more: usize) -> Result<(), Error> {
    if all.capacity() - all.len() >= more {
        return Ok(());
    }
    let size = size_of::<T>().max(1);
    let no_memory = |beside: u64| {
        let bytes = (more as u64).saturating_mul(size as u64).saturating_add(beside);
        Error::from(ErrorKind::NoMemory { bytes })
    };
    // As much again, so that few requests are made, but no more than half of what is left.
    let mut wanted = more.max(all.len());
    if wanted as u64 >= SMALL_GROWTH / size as u64
        && let Some(free) = available()
    {
        let most = usize::try_from(free).unwrap_or(usize::MAX) / size;
        if more > most {
            return Err(no_memory(headroom()));
        }
        wanted = wanted.min(more.max(most / 2));
    }
    let room = all.try_reserve_exact(wanted).or_else(|_| all.try_reserve_exact(more));
    room.map_err(|_| no_memory(0))
}

/// Adds values. Errors, and does not abort, if there is no memory for them.
pub fn extend<T: Copy>(all: &mut Vec<T>, more: &[T]) -> Result<(), Error> {
    reserve(all, more.len())?;
    all.extend_from_slice(more);
    Ok(())
}

/// Returns how many bytes can be asked for without harm, or `None` where nobody tells.
pub fn available() -> Option<u64> {
    left().map(|bytes| bytes.saturating_sub(headroom()))
}

fn headroom() -> u64 {
    HEADROOM + HEADROOM_PER_THREAD * rayon::current_num_threads() as u64
}

#[cfg(target_os = "linux")]
fn left() -> Option<u64> {
    let machine = read("/proc/meminfo").and_then(|text| of_machine(&text));
    let limits = read("/proc/self/limits").zip(read("/proc/self/status"));
    let addresses = limits.and_then(|(limits, status)| of_addresses(&limits, &status));
    let container = read("/proc/self/cgroup").and_then(|groups| of_groups(&groups, &read));
    [machine, addresses, container].into_iter().flatten().min()
}

#[cfg(not(target_os = "linux"))]
fn left() -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// Returns what the machine can give: free, or free once caches are dropped, or swapped.
#[cfg(any(target_os = "linux", test))]
fn of_machine(meminfo: &str) -> Option<u64> {
    let available = field(meminfo, "MemAvailable:")?;
    Some((available + field(meminfo, "SwapFree:").unwrap_or(0)) * 1024)
}

/// Returns how many addresses the limit of `ulimit -v` leaves, if there is one.
#[cfg(any(target_os = "linux", test))]
fn of_addresses(limits: &str, status: &str) -> Option<u64> {
    let limit = field(limits, "Max address space")?;
    Some(limit.saturating_sub(field(status, "VmSize:")? * 1024))
}

/// Returns the least that a group of processes leaves to this one, of either version.
#[cfg(any(target_os = "linux", test))]
fn of_groups(groups: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
    let left_in = |folder: &str, limit: &str, usage: &str, prefix: &str| {
        let number = |name: &str| read(&format!("{folder}/{name}"))?.trim().parse::<u64>().ok();
        let (limit, used) = (number(limit)?, number(usage)?);
        // Files that are cached count as used, and make way.
        let stat = read(&format!("{folder}/memory.stat")).unwrap_or_default();
        let cached = ["inactive_file", "active_file"]
            .map(|name| field(&stat, &format!("{prefix}{name}")).unwrap_or(0));
        let used = used.saturating_sub(cached.iter().sum());
        Some(limit.saturating_sub(used))
    };
    let mut least: Option<u64> = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(kinds), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, names) = match kinds {
            "" => ("/sys/fs/cgroup", ["memory.max", "memory.current", ""]),
            _ if kinds.split(',').any(|kind| kind == "memory") => (
                "/sys/fs/cgroup/memory",
                ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_"],
            ),
            _ => continue,
        };
        let mut path = path.trim_end_matches('/');
        loop {
            let found = left_in(&format!("{root}{path}"), names[0], names[1], names[2]);
            least = [least, found].into_iter().flatten().min();
            // The limit of a group holds for those in it.
            match path.rfind('/') {
                Some(end) => path = &path[..end],
                None => break,
            }
        }
    }
    least
}

/// Returns the first number after a name at the beginning of a line.
#[cfg(any(target_os = "linux", test))]
fn field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_fit_is_an_error_with_the_figure() {
        let error = require(1 << 60).unwrap_err().to_string();
        assert_eq!(error, "not enough memory: 1.2 EB more are needed");
        assert!(require(1).is_ok());
        let mut values: Vec<u64> = vec![1, 2];
        assert!(reserve(&mut values, 1 << 57).is_err());
        assert!(reserve(&mut values, usize::MAX / 2).is_err());
        assert!(reserve(&mut values, 100).is_ok() && values.capacity() >= 102);
        assert!(filled(0_u8, 1 << 60).is_err());
        assert_eq!(filled(7_u8, 3).unwrap(), [7, 7, 7]);
    }

    #[test]
    fn the_machine_and_the_limit_on_addresses() {
        let meminfo = "MemTotal: 1000 kB\nMemAvailable:     600 kB\nSwapFree: 1 kB\n";
        assert_eq!(of_machine(meminfo), Some(601 * 1024));
        assert_eq!(of_machine("MemTotal: 1000 kB\n"), None);
        let status = "Name:\tx\nVmSize:\t    100 kB\n";
        let limits = |soft: &str| format!("Max cpu time 1\nMax address space   {soft}   unlimited");
        assert_eq!(of_addresses(&limits("204800"), status), Some(100 * 1024));
        assert_eq!(of_addresses(&limits("1024"), status), Some(0));
        assert_eq!(of_addresses(&limits("unlimited"), status), None);
    }

    #[test]
    fn the_tightest_group_counts() {
        let files = |path: &str| {
            let text = match path {
                "/sys/fs/cgroup/a/b/memory.max" => "max\n",
                "/sys/fs/cgroup/a/b/memory.current" => "70",
                "/sys/fs/cgroup/a/memory.max" => "100\n",
                "/sys/fs/cgroup/a/memory.current" => "80\n",
                "/sys/fs/cgroup/a/memory.stat" => "anon 50\ninactive_file 20\nactive_file 10\n",
                "/sys/fs/cgroup/memory/c/memory.limit_in_bytes" => "1000",
                "/sys/fs/cgroup/memory/c/memory.usage_in_bytes" => "400",
                "/sys/fs/cgroup/memory/c/memory.stat" => "inactive_file 1\ntotal_active_file 5\n",
                _ => return None,
            };
            Some(text.to_string())
        };
        assert_eq!(of_groups("0::/a/b\n", &files), Some(50));
        assert_eq!(of_groups("9:cpu:/c\n4:memory:/c\n", &files), Some(605));
        assert_eq!(of_groups("0::/\n", &files), None);
        assert_eq!(of_groups("nonsense\n", &files), None);
    }
}
