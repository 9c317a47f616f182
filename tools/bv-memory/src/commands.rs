//! What the commands do, one a file.

pub mod archive;
pub mod compact;
pub mod live;
pub mod restore;
pub mod tee;
