//! Any bytes as a stream of records.

#![no_main]

libfuzzer_sys::fuzz_target!(|raw: &[u8]| bv_fuzz::receipt(raw));
