//! Motion around the sun in small steps of time (leapfrog: kick, drift, kick).

use crate::vector::Vector;

/// The sun's pull, in cubic astronomical units a square day (Gauss).
pub const SUN: f64 = 0.000_295_912_208_285_591_1;

/// A planet on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planet {
    pub place: Vector,
    pub velocity: Vector,
}

impl Planet {
    /// A planet on a circle of this radius.
    pub fn on_circle(radius: f64) -> Planet {
        Planet { place: Vector::new(radius, 0.0), velocity: Vector::new(0.0, (SUN / radius).sqrt()) }
    }

    /// Kinetic and potential energy by unit of mass.
    pub fn energy(&self) -> f64 {
        self.velocity.dot(self.velocity) / 2.0 - SUN / self.place.length()
    }

    /// Angular momentum by unit of mass.
    pub fn spin(&self) -> f64 {
        self.place.cross(self.velocity)
    }

    /// Moves on by `days`.
    pub fn step(&mut self, days: f64) {
        self.kick(days / 2.0);
        self.place += self.velocity * days;
        self.kick(days);
    }

    fn kick(&mut self, days: f64) {
        self.velocity += pull(self.place) * days;
    }
}

/// Acceleration towards the sun.
pub fn pull(place: Vector) -> Vector {
    let distance = place.length();
    place * (-SUN / (distance * distance * distance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pull_points_to_the_sun() {
        let pull = pull(Vector::new(2.0, 0.0));
        assert!(pull.x < 0.0 && pull.y == 0.0);
    }

    #[test]
    fn the_pull_falls_with_the_square() {
        let (near, far) = (pull(Vector::new(1.0, 0.0)), pull(Vector::new(2.0, 0.0)));
        assert!((near.x / far.x - 4.0).abs() < 1e-12);
    }

    #[test]
    fn the_pull_has_no_side() {
        assert_eq!(pull(Vector::new(0.0, 1.0)).y, pull(Vector::new(1.0, 0.0)).x);
    }

    #[test]
    fn a_circle_is_bound() {
        assert!(Planet::on_circle(1.0).energy() < 0.0);
    }

    #[test]
    fn a_wider_circle_is_bound_less() {
        assert!(Planet::on_circle(5.2).energy() > Planet::on_circle(1.0).energy());
    }

    #[test]
    fn a_wider_circle_turns_more() {
        assert!(Planet::on_circle(5.2).spin() > Planet::on_circle(1.0).spin());
    }

    #[test]
    fn a_step_of_no_time_changes_nothing() {
        let mut earth = Planet::on_circle(1.0);
        earth.step(0.0);
        assert_eq!(earth, Planet::on_circle(1.0));
    }

    #[test]
    fn energy_is_kept_over_ten_years() {
        let mut earth = Planet::on_circle(1.0);
        let before = earth.energy();
        for day in 0..3_652 {
            earth.step(1.0);
            println!("day {day:4}: {:?}, energy {:e}", earth.place, earth.energy());
        }
        let drift = (earth.energy() / before - 1.0).abs();
        assert!(drift < 1e-6, "energy drifted by more than a millionth");
    }
}
