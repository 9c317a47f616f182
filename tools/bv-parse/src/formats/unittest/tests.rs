//! Whole runs that a fixture folder would be too much for.
