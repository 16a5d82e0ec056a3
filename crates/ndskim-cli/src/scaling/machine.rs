//! What a measurement was made on, as far as the system tells: nothing that names the machine or its owner.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZero;
use std::path::Path;

/// The machine and what runs on it.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// The model of the processor.
    pub(super) cpu: String,
    /// Hardware threads that this process may use.
    pub(super) cpus: usize,
    /// Cores, which are fewer if each has several hardware threads; no more than `cpus`.
    pub(super) cores: usize,
    /// Memory in bytes.
    pub(super) memory: Option<u64>,
    /// The last level of the cache in bytes, all of it.
    pub(super) cache: Option<u64>,
    /// The operating system and its version.
    pub(super) os: String,
}

impl Machine {
    /// This machine.
    pub(super) fn this() -> Self {
        let cpus = std::thread::available_parallelism().map_or(1, NonZero::get);
        let read = |path: &str| fs::read_to_string(path).ok();
        let cpu = read("/proc/cpuinfo").and_then(|text| field(&text, "model name").map(str::to_owned));
        let memory = read("/proc/meminfo").and_then(|text| kib(field(&text, "MemTotal")?.strip_suffix("kB")?.trim()));
        let release = read("/proc/sys/kernel/osrelease").map(|text| format!(" {}", text.trim()));
        let folders = cpu_folders(Path::new("/sys/devices/system/cpu"));
        let cores = distinct(&folders, "topology/thread_siblings_list").map_or(cpus, |cores| cores.len());
        Self {
            cpu: cpu.unwrap_or_else(|| "unknown processor".to_owned()),
            cpus,
            cores: cores.clamp(1, cpus),
            memory,
            cache: distinct(&folders, "cache/index3/shared_cpu_list").and_then(|caches| {
                let size = folders.first().and_then(|folder| fs::read_to_string(folder.join("cache/index3/size")).ok());
                Some(kib(size?.trim().strip_suffix('K')?)? * caches.len() as u64)
            }),
            os: format!("{}{}", capital(std::env::consts::OS), release.unwrap_or_default()),
        }
    }

    /// Powers of two up to the number of cores, the cores themselves, and the hardware threads if they are more.
    pub(super) fn sweep(&self) -> Vec<usize> {
        let powers = std::iter::successors(Some(1), |count| Some(count * 2)).take_while(|&count| count < self.cores);
        let mut counts: Vec<usize> = powers.chain([self.cores, self.cpus]).collect();
        counts.dedup();
        counts
    }
}

/// The value of a line `name : value`.
fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    lines
        .into_iter()
        .find(|(key, _)| key.trim() == name)
        .map(|(_, value)| value.trim())
        .filter(|value| !value.is_empty())
}

fn kib(text: &str) -> Option<u64> {
    text.parse::<u64>().ok()?.checked_mul(1024)
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The folders `cpu0`, `cpu1` and so on.
fn cpu_folders(system: &Path) -> Vec<std::path::PathBuf> {
    let is_cpu = |name: &str| name.strip_prefix("cpu").is_some_and(|number| number.parse::<u32>().is_ok());
    let entries = fs::read_dir(system).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name().to_str().is_some_and(is_cpu)).map(|entry| entry.path()).collect()
}

/// The different texts that a file has in these folders; `None` if it is in none of them.
fn distinct(folders: &[std::path::PathBuf], file: &str) -> Option<BTreeSet<String>> {
    let texts: BTreeSet<_> = folders.iter().filter_map(|folder| fs::read_to_string(folder.join(file)).ok()).collect();
    (!texts.is_empty()).then_some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sweep_is_powers_of_two_and_the_cores_themselves() {
        let sweep = |cores, cpus| Machine { cores, cpus, ..Machine::this() }.sweep();
        assert_eq!(sweep(1, 1), [1]);
        assert_eq!(sweep(2, 2), [1, 2]);
        assert_eq!(sweep(6, 12), [1, 2, 4, 6, 12]);
        assert_eq!(sweep(64, 64), [1, 2, 4, 8, 16, 32, 64]);
    }

    #[test]
    fn fields_are_found_by_their_names() {
        let text = "processor\t: 0\nmodel name\t: AMD EPYC\nMemTotal:       24576 kB\nempty:\n";
        assert_eq!(
            (field(text, "model name"), field(text, "empty"), field(text, "model")),
            (Some("AMD EPYC"), None, None)
        );
        assert_eq!(kib(field(text, "MemTotal").unwrap().strip_suffix("kB").unwrap().trim()), Some(24576 * 1024));
    }

    #[test]
    fn this_machine_has_a_core() {
        let machine = Machine::this();
        assert!(
            machine.cores >= 1 && machine.cpus >= machine.cores && !machine.cpu.is_empty() && !machine.os.is_empty()
        );
    }
}
