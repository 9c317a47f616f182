//! A stack of numbers, for a test of the inference.

mod stats;

pub use stats::mean;

pub fn largest(values: &[u32]) -> Option<u32> {
    values.iter().copied().max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_found() {
        assert_eq!(largest(&[1, 3, 2]), Some(3));
    }

    #[test]
    fn the_mean_is_in_the_middle() {
        let got = mean(&[2, 4]);
        assert_eq!(got, 3);
    }
}
