//! The ways in which input can be read, all of which must give the same answers.

use ndskim::{Engine, Kernel, Scan, Validation};

/// One way of reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Configuration {
    pub(crate) engine: Engine,
    /// The kernel, for the engines that have several.
    pub(crate) kernel: Option<Kernel>,
    pub(crate) validation: Validation,
    pub(crate) threads: usize,
    pub(crate) block_size: usize,
}

impl Configuration {
    /// A scan that reads in this way.
    pub(crate) fn apply<'s>(&self, scan: Scan<'s>) -> Scan<'s> {
        let scan = scan.engine(self.engine).validation(self.validation);
        let scan = scan.threads(self.threads).block_size(self.block_size);
        self.kernel.into_iter().fold(scan, Scan::kernel)
    }

    /// A scan of bytes in this way.
    pub(crate) fn bytes<'s>(&self, bytes: &'s [u8]) -> Scan<'s> {
        self.apply(Scan::bytes(bytes))
    }
}

/// The engines, the first with every kernel that the machine has. Whoever adds an engine or a kernel adds it here.
fn engines() -> impl Iterator<Item = (Engine, Option<Kernel>)> {
    let kernels = Kernel::ALL.into_iter().filter(|kernel| kernel.is_available());
    kernels.map(|kernel| (Engine::Auto, Some(kernel))).chain([(Engine::Exact, None), (Engine::SimdJson, None)])
}

/// Block sizes around the sizes of vectors and windows, one byte, and one that holds every test's input.
const BLOCK_SIZES: [usize; 6] = [1, 7, 64, 300, 4096, 1 << 20];

/// The ways of reading that check every byte.
pub(crate) fn full() -> Vec<Configuration> {
    combine(&[Validation::Full])
}

/// All ways of reading.
pub(crate) fn all() -> Vec<Configuration> {
    combine(&[Validation::Full, Validation::Visited])
}

fn combine(modes: &[Validation]) -> Vec<Configuration> {
    let mut all = Vec::new();
    for (engine, kernel) in engines() {
        for &validation in modes {
            for (number, block_size) in BLOCK_SIZES.into_iter().enumerate() {
                all.push(Configuration { engine, kernel, validation, threads: 1 + number % 3, block_size });
            }
        }
    }
    all
}
