//! Any bytes as the output of Python's runners.

#![no_main]

libfuzzer_sys::fuzz_target!(|raw: &[u8]| bv_fuzz::family("python", raw));
