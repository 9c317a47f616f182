//! Any bytes as one line: the cleaner.

#![no_main]

libfuzzer_sys::fuzz_target!(|raw: &[u8]| bv_fuzz::clean(raw));
