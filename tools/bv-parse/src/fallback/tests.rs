//! What is read out of the output of no known runner.
