//! What the commands do, one a file.

pub mod archive;
pub mod bundle;
pub mod compact;
pub mod fsck;
pub mod gc;
pub mod live;
pub mod log;
pub mod restore;
pub mod search;
pub mod show;
pub mod stats;
pub mod tee;
