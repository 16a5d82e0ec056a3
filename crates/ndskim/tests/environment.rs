//! A kernel that the environment names and nobody has is refused by every end of a scan, not passed over by some.

use ndskim::{Error, Scan};

fn scan() -> Scan<'static> {
    Scan::bytes(b"1\n").threads(1)
}

#[test]
fn a_kernel_that_there_is_not_is_an_error_everywhere() {
    // SAFETY: this is the only test of its process, and no scan has begun that could read the environment meanwhile.
    unsafe { std::env::set_var("NDSKIM_KERNEL", "none") };
    let is_kernel = |error: Error| matches!(error, Error::Kernel(name) if name == "none");
    assert!(scan().for_each(|_| ()).is_err_and(is_kernel));
    assert!(scan().validate().is_err_and(is_kernel));
    assert!(scan().map_blocks(|_| (), |(), _| ()).is_err_and(is_kernel));
    let mut blocks = scan().blocks();
    assert!(blocks.next().is_err_and(is_kernel));
    assert!(blocks.next().is_ok_and(|block| block.is_none()), "there is nothing behind the error");
}
