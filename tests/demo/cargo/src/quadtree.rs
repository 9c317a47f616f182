//! Bodies sorted by place, so that a far cluster pulls as one (Barnes and Hut).

use crate::vector::Vector;

/// A square is halved so often at most.
const DEPTH_MAX: usize = 24;

/// Side of the square at each depth, in astronomical units.
fn sides(side: f64) -> [f64; DEPTH_MAX] {
    let mut sides = [side; DEPTH_MAX];
    for depth in 1..DEPTH_MAX {
        sides[depth] = sides[depth - 1] / 2.0;
    }
    sides
}

/// A body that pulls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    pub place: Vector,
    pub mass: f64,
}

/// A square of the plane and what lies in it.
#[derive(Debug)]
pub struct Quadtree {
    sides: [f64; DEPTH_MAX],
    root: Square,
}

#[derive(Debug, Default)]
struct Square {
    mass: f64,
    moment: Vector,
    body: Option<Body>,
    quarters: Option<Box<[Square; 4]>>,
}

impl Quadtree {
    /// An empty square around the origin.
    pub fn new(side: f64) -> Quadtree {
        Quadtree { sides: sides(side), root: Square::default() }
    }

    /// Sorts a body in; one outside of the square is refused.
    pub fn insert(&mut self, body: Body) -> bool {
        let half = self.sides[0] / 2.0;
        if body.place.x.abs() > half || body.place.y.abs() > half {
            return false;
        }
        self.root.insert(body, Vector::ZERO, 0, &self.sides);
        true
    }

    pub fn mass(&self) -> f64 {
        self.root.mass
    }

    /// Where the whole has its centre of mass; `None` while nothing is in it.
    pub fn centre(&self) -> Option<Vector> {
        (self.root.mass > 0.0).then(|| self.root.moment * (1.0 / self.root.mass))
    }

    /// How often the plane is halved at most.
    pub fn depth(&self) -> usize {
        self.root.depth()
    }
}

impl Square {
    fn insert(&mut self, body: Body, centre: Vector, depth: usize, sides: &[f64; DEPTH_MAX]) {
        self.mass += body.mass;
        self.moment += body.place * body.mass;
        if self.quarters.is_none() && self.body.is_none() {
            self.body = Some(body);
            return;
        }
        if let Some(resident) = self.body.take() {
            self.descend(resident, centre, depth, sides);
        }
        self.descend(body, centre, depth, sides);
    }

    fn descend(&mut self, body: Body, centre: Vector, depth: usize, sides: &[f64; DEPTH_MAX]) {
        let quarters = self.quarters.get_or_insert_default();
        let (east, north) = (body.place.x >= centre.x, body.place.y >= centre.y);
        let offset = sides[depth + 1] / 2.0;
        let x = if east { offset } else { -offset };
        let y = if north { offset } else { -offset };
        let quarter = &mut quarters[usize::from(east) + 2 * usize::from(north)];
        quarter.insert(body, centre + Vector::new(x, y), depth + 1, sides);
    }

    fn depth(&self) -> usize {
        let deepest = |quarters: &[Square; 4]| quarters.iter().map(Square::depth).max();
        self.quarters.as_deref().and_then(deepest).map_or(0, |below| below + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(places: &[(f64, f64)]) -> Quadtree {
        let mut tree = Quadtree::new(64.0);
        for &(x, y) in places {
            let place = Vector::new(x, y);
            assert!(tree.insert(Body { place, mass: 1.0 }));
        }
        tree
    }

    #[test]
    fn an_empty_tree_has_no_centre() {
        assert_eq!(tree(&[]).centre(), None);
    }

    #[test]
    fn a_single_body_needs_no_division() {
        assert_eq!(tree(&[(3.0, 4.0)]).depth(), 0);
    }

    #[test]
    fn bodies_in_different_quarters_divide_once() {
        assert_eq!(tree(&[(3.0, 4.0), (-3.0, 4.0)]).depth(), 1);
    }

    #[test]
    fn close_bodies_divide_deeper() {
        assert_eq!(tree(&[(3.0, 3.0), (5.0, 5.0)]).depth(), 4);
    }

    #[test]
    fn mass_adds_up() {
        assert_eq!(tree(&[(1.0, 1.0), (2.0, -8.0), (-5.0, 0.5)]).mass(), 3.0);
    }

    #[test]
    fn the_centre_of_two_is_halfway() {
        let centre = tree(&[(1.0, 1.0), (3.0, -1.0)]).centre();
        assert_eq!(centre, Some(Vector::new(2.0, 0.0)));
    }

    #[test]
    fn a_body_outside_is_refused() {
        let place = Vector::new(40.0, 0.0);
        assert!(!Quadtree::new(64.0).insert(Body { place, mass: 1.0 }));
    }

    #[test]
    fn a_binary_at_one_place_is_kept_together() {
        assert_eq!(tree(&[(5.2, 0.1), (5.2, 0.1)]).mass(), 2.0);
    }
}
