#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ndskim_fuzz::ask(ndskim_fuzz::pointers, data));
