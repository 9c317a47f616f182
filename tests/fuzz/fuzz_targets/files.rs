//! Any bytes as the output of result files of many runners.

#![no_main]

libfuzzer_sys::fuzz_target!(|raw: &[u8]| bv_fuzz::family("files", raw));
