//! The state of the machine while a replica runs. It is recorded, and never used to drop data.

use bakeoff_confine::Child;
use bakeoff_source::digest_of_parts;
use std::fs;
use std::sync::OnceLock;

/// Returns the name of the processor.
pub fn cpu_model() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut lines = text.lines();
    let name = lines.find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| "unknown".to_owned(), |(_, name)| name.trim().to_owned())
}

/// Returns a name for this machine that tells it from others and reveals nothing else of it: a digest of the system's
/// own id for it, if it has one, and of the name of the processor.
pub fn machine_name() -> String {
    let id = fs::read_to_string("/etc/machine-id").unwrap_or_default();
    let (id, model) = (id.trim(), cpu_model());
    digest_of_parts([&b"bakeoff machine"[..], id.as_bytes(), model.as_bytes()])
}

/// Returns a name for this machine since its last boot, and for this program: the time of a piece of work depends on
/// its machine code, too.
pub fn probe_name() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let program = std::env::current_exe().and_then(fs::metadata);
    let program = program.map_or_else(
        |_| String::new(),
        |found| format!("{} {:?}", found.len(), found.modified().ok()),
    );
    let machine = machine_name();
    let parts = [machine.as_str(), boot.trim(), &program];
    let parts = parts.into_iter().map(str::as_bytes);
    digest_of_parts(std::iter::once(&b"bakeoff probe"[..]).chain(parts))
}

/// Returns the memory that was free for programs when this process first asked, in bytes; `u64::MAX` if the system does
/// not say.
pub fn available_bytes() -> u64 {
    static AVAILABLE: OnceLock<u64> = OnceLock::new();
    *AVAILABLE.get_or_init(|| {
        let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        parse_available(&text).unwrap_or(u64::MAX)
    })
}

fn parse_available(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Returns the one-minute load average.
pub fn load() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Returns the CPU time that the hypervisor stole on a core since boot, in ticks of 1/100 s.
pub(super) fn steal_ticks(core: Option<usize>) -> Option<u64> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let name = core.map_or_else(|| "cpu".to_owned(), |core| format!("cpu{core}"));
    let line = text
        .lines()
        .find(|line| line.split_whitespace().next() == Some(&name))?;
    line.split_whitespace().nth(8)?.parse().ok()
}

/// Returns the CPU time of a child so far, if it lives and the system tells.
pub(super) fn child_cpu(child: &Child) -> Option<std::time::Duration> {
    process_cpu(child.pid()?)
}

/// Returns the CPU time that a process has used.
pub(super) fn process_cpu(pid: u32) -> Option<std::time::Duration> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may hold anything, so the fields are counted from its end.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let user: u64 = fields.nth(11)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    let ticks = rustix::param::clock_ticks_per_second().max(1);
    Some(std::time::Duration::from_secs_f64(
        (user + system) as f64 / ticks as f64,
    ))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_free_memory_is_what_the_system_says_in_its_units() {
        let text = "MemTotal:  9 kB\nMemAvailable:   11534336 kB\nBuffers: 1 kB\n";
        assert_eq!(super::parse_available(text), Some(11 << 30));
        assert_eq!(super::parse_available("MemTotal: 9 kB\n"), None);
        assert_eq!(super::parse_available("MemAvailable: 9 pages\n"), None);
    }

    #[test]
    fn this_process_has_used_some_time() {
        let mut sum = 0_u64;
        for number in 0..50_000_000_u64 {
            sum = std::hint::black_box(sum ^ number);
        }
        assert!(super::process_cpu(std::process::id()).is_some_and(|cpu| !cpu.is_zero()));
    }
}
