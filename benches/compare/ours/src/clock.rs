//! Seconds of the wall and of the processor.

use std::time::Instant;

/// What a stretch of work took, or when it began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lap {
    started: Instant,
    started_cpu: f64,
    pub(crate) seconds: f64,
    pub(crate) cpu_seconds: f64,
}

impl Lap {
    pub(crate) fn start() -> Self {
        Self { started: Instant::now(), started_cpu: cpu_seconds(), seconds: 0.0, cpu_seconds: 0.0 }
    }

    pub(crate) fn stop(self) -> Self {
        let (seconds, cpu_seconds) = (self.started.elapsed().as_secs_f64(), cpu_seconds() - self.started_cpu);
        Self { seconds, cpu_seconds, ..self }
    }
}

/// Processor time of all threads of this process so far, user and system.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the answer, and the clock is one that Linux always has.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
