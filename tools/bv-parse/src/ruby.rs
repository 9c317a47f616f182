//! What Ruby and its two great test libraries print, whatever runner or report stands around it:
//! backtraces, and the words of failed expectations and assertions.

mod backtrace;
mod minitest;
mod rspec;

pub use backtrace::{frame, is_user_file, place};
pub use minitest::words;
pub use rspec::{Exception, exception};
