//! Any bytes as the output of the JVM's runners.

#![no_main]

libfuzzer_sys::fuzz_target!(|raw: &[u8]| bv_fuzz::family("jvm", raw));
