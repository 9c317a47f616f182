//! Vectors in the plane of the ecliptic.

use std::ops::{Add, AddAssign, Mul, Sub};

/// A position in astronomical units, or a velocity in astronomical units a day.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vector {
    pub x: f64,
    pub y: f64,
}

impl Vector {
    pub const ZERO: Vector = Vector { x: 0.0, y: 0.0 };

    pub fn new(x: f64, y: f64) -> Vector {
        Vector { x, y }
    }

    pub fn dot(self, other: Vector) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// The component that points out of the plane.
    pub fn cross(self, other: Vector) -> f64 {
        self.x * other.y - self.y * other.x
    }

    pub fn length(self) -> f64 {
        self.dot(self).sqrt()
    }
}

impl Add for Vector {
    type Output = Vector;

    fn add(self, other: Vector) -> Vector {
        Vector::new(self.x + other.x, self.y + other.y)
    }
}

impl AddAssign for Vector {
    fn add_assign(&mut self, other: Vector) {
        *self = *self + other;
    }
}

impl Sub for Vector {
    type Output = Vector;

    fn sub(self, other: Vector) -> Vector {
        Vector::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Vector {
    type Output = Vector;

    fn mul(self, factor: f64) -> Vector {
        Vector::new(self.x * factor, self.y * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addition_goes_by_component() {
        assert_eq!(Vector::new(1.0, 2.0) + Vector::new(3.0, 4.0), Vector::new(4.0, 6.0));
    }

    #[test]
    fn subtraction_undoes_addition() {
        let (a, b) = (Vector::new(1.5, -2.0), Vector::new(0.25, 8.0));
        assert_eq!(a + b - b, a);
    }

    #[test]
    fn zero_is_neutral() {
        let a = Vector::new(-1.0, 7.0);
        assert_eq!(a + Vector::ZERO, a);
    }

    #[test]
    fn scaling_goes_by_component() {
        assert_eq!(Vector::new(1.0, -2.0) * 3.0, Vector::new(3.0, -6.0));
    }

    #[test]
    fn length_is_pythagorean() {
        assert_eq!(Vector::new(3.0, 4.0).length(), 5.0);
    }

    #[test]
    fn dot_of_perpendicular_vectors_vanishes() {
        assert_eq!(Vector::new(2.0, 1.0).dot(Vector::new(-1.0, 2.0)), 0.0);
    }

    #[test]
    fn cross_of_parallel_vectors_vanishes() {
        assert_eq!(Vector::new(2.0, 1.0).cross(Vector::new(4.0, 2.0)), 0.0);
    }

    #[test]
    fn cross_changes_sign_with_the_order() {
        let (a, b) = (Vector::new(1.0, 2.0), Vector::new(3.0, 5.0));
        assert_eq!(a.cross(b), -b.cross(a));
    }
}
