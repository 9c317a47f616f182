//! Civil dates as Julian day numbers, the astronomers' count of days.

/// A date of the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Date {
    pub year: i64,
    pub month: i64,
    pub day: i64,
}

impl Date {
    pub fn new(year: i64, month: i64, day: i64) -> Date {
        Date { year, month, day }
    }

    /// The Julian day that begins at noon of this date.
    pub fn julian_day(self) -> i64 {
        days_before_year(self.year) + day_of_year(self) + 1_721_425
    }
}

/// Whether the year has a 29th of February.
pub fn is_leap(year: i64) -> bool {
    year % 4 == 0 && year % 100 != 0
}

fn days_before_year(year: i64) -> i64 {
    let past = year - 1;
    past * 365 + past / 4 - past / 100 + past / 400
}

fn day_of_year(date: Date) -> i64 {
    const BEFORE_MONTH: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let leap_day = i64::from(date.month > 2 && is_leap(date.year));
    BEFORE_MONTH[date.month as usize - 1] + leap_day + date.day
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fourth_year_is_a_leap_year() {
        assert!(is_leap(2024));
        assert!(!is_leap(2023));
    }

    #[test]
    fn most_centuries_are_no_leap_years() {
        assert!(!is_leap(1900));
        assert!(!is_leap(2100));
    }

    #[test]
    fn the_year_starts_with_day_one() {
        assert_eq!(day_of_year(Date::new(2023, 1, 1)), 1);
    }

    #[test]
    fn the_year_ends_with_day_365() {
        assert_eq!(day_of_year(Date::new(2023, 12, 31)), 365);
    }

    #[test]
    fn a_leap_year_ends_with_day_366() {
        assert_eq!(day_of_year(Date::new(2024, 12, 31)), 366);
    }

    #[test]
    fn the_epoch_of_unix_is_known() {
        assert_eq!(Date::new(1970, 1, 1).julian_day(), 2_440_588);
    }

    #[test]
    fn the_epoch_j2000_is_known() {
        assert_eq!(Date::new(2000, 1, 1).julian_day(), 2_451_545);
    }

    #[test]
    fn the_leap_day_of_2000_is_counted() {
        assert_eq!(Date::new(2000, 3, 1).julian_day(), 2_451_605);
    }

    #[test]
    fn days_follow_each_other_over_the_turn_of_the_year() {
        let (last, first) = (Date::new(2022, 12, 31), Date::new(2023, 1, 1));
        assert_eq!(first.julian_day() - last.julian_day(), 1);
    }

    #[test]
    fn the_halley_perihelion_of_1986_is_known() {
        assert_eq!(Date::new(1986, 2, 9).julian_day(), 2_446_471);
    }
}
