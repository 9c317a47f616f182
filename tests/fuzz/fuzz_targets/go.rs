//! Any bytes as the output of Go's runner.

#![no_main]

libfuzzer_sys::fuzz_target!(|raw: &[u8]| bv_fuzz::family("go", raw));
