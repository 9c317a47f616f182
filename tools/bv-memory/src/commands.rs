//! What the commands do, one a file.

pub mod restore;
pub mod tee;
