//! Exit codes. They are part of the contract: a meaning never changes.

/// bv-receipt: the run passed. Every other tool: it did its work.
pub const PASSED: u8 = 0;
/// bv-receipt: something failed.
pub const FAILED: u8 = 1;
/// Usage error, or input or output that could not be read or written.
pub const USAGE: u8 = 2;
/// bv-receipt: refused, nothing can be said of the code. bv-minimize: the input does not fail.
pub const REFUSED: u8 = 3;
/// bv-minimize: the oracle takes an empty input for the failure, so it does not look at its input.
pub const EMPTY: u8 = 4;
/// bv-run: the time limit ended the command (as `timeout(1)`).
pub const TIMEOUT: u8 = 124;
/// bv-run: the command was found and could not be started (as a shell).
pub const CANNOT_RUN: u8 = 126;
/// bv-run: the command was not found (as a shell).
pub const NOT_FOUND: u8 = 127;
/// bv-run: added to a signal's number where a signal ended the command (as a shell). bv-minimize: the same
/// where a signal ended the search.
pub const SIGNAL: u8 = 128;
