//! Any bytes as the output of the formats of no other family.

#![no_main]

libfuzzer_sys::fuzz_target!(|raw: &[u8]| bv_fuzz::family("others", raw));
