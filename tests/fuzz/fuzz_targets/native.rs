//! Any bytes as the output of the runners and compilers of C and C++.

#![no_main]

libfuzzer_sys::fuzz_target!(|raw: &[u8]| bv_fuzz::family("native", raw));
