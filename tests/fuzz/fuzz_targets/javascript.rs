//! Any bytes as the output of JavaScript's runners and checkers.

#![no_main]

libfuzzer_sys::fuzz_target!(|raw: &[u8]| bv_fuzz::family("javascript", raw));
