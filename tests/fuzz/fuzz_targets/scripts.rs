//! Any bytes as the output of the runners of Ruby, PHP and Perl, and TAP.

#![no_main]

libfuzzer_sys::fuzz_target!(|raw: &[u8]| bv_fuzz::family("scripts", raw));
