//! Raw test output in, typed failures and a verdict out.

pub mod fallback;
pub mod formats;
pub mod held;
pub mod machine;
pub mod python;
