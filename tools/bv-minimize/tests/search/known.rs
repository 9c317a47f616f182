//! What must hold for any input and any program.
