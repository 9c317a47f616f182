//! A planar model of the solar system: when, where, and under which pull.

pub mod calendar;
pub mod quadtree;
pub mod step;
pub mod vector;
