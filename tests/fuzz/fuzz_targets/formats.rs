//! Any bytes as a user's formats, a NUL, and a stream to read by them.

#![no_main]

libfuzzer_sys::fuzz_target!(|raw: &[u8]| bv_fuzz::formats(raw));
