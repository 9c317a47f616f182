//! The parts together.

use orrery::calendar::Date;
use orrery::quadtree::{Body, Quadtree};
use orrery::step::Planet;
use orrery::vector::Vector;

#[test]
fn the_planets_lie_within_the_map() {
    let mut map = Quadtree::new(64.0);
    for radius in [0.39, 0.72, 1.0, 1.52, 5.2, 9.54, 19.19, 30.07] {
        let place = Planet::on_circle(radius).place;
        assert!(map.insert(Body { place, mass: 1.0 }), "{radius}");
    }
    assert_eq!(map.mass(), 8.0);
}

#[test]
fn the_sun_keeps_the_centre() {
    let mut map = Quadtree::new(64.0);
    for place in [Vector::new(-1.0, -1.0), Vector::new(1.0, 1.0)] {
        map.insert(Body { place, mass: 0.5 });
    }
    assert_eq!(map.centre(), Some(Vector::ZERO));
}

#[test]
fn a_common_year_has_365_days() {
    let (from, to) = (Date::new(2022, 3, 1), Date::new(2023, 3, 1));
    assert_eq!(to.julian_day() - from.julian_day(), 365);
}

#[test]
fn a_day_of_steps_moves_the_earth_a_degree() {
    let mut earth = Planet::on_circle(1.0);
    for _ in 0..24 {
        earth.step(1.0 / 24.0);
    }
    let degrees = earth.place.y.asin().to_degrees();
    assert!((0.9..1.1).contains(&degrees), "{degrees}");
}
