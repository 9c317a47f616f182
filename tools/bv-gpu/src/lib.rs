//! Runs a WebGL2 shader headless, checks it, and names the uniform vector and pixel that break it.

pub mod check;
pub mod expr;
pub mod front;
pub mod wire;
pub mod worker;
