//! The rules of a check file.

use crate::front;
use serde::Deserialize;
use serde_json::{Map, Value};

/// One rule: `compile`, `link` or `limits` by its id alone, else one of `probe`, `every`, `image` and `same`.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name; the receipt's `failed_rule_id`.
    pub id: String,
    /// The output that is looked at, by its name in the fragment shader; left out, the first.
    pub output: Option<String>,
    /// The only vector that is looked at, from 0; left out, all (for `image`, the first).
    pub vector: Option<u64>,
    /// A pixel `[x, y]` or a rectangle `[x, y, width, height]`, in the order of `readPixels`: y goes up.
    #[cfg_attr(feature = "schema", schemars(length(min = 2, max = 4)))]
    pub probe: Option<Vec<u32>>,
    /// Probe: the channels equal these, the first one to four of them.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 4)))]
    pub eq: Option<Vec<f64>>,
    /// Probe: at least one channel differs.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 4)))]
    pub ne: Option<Vec<f64>>,
    /// Probe: each channel is less.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 4)))]
    pub lt: Option<Vec<f64>>,
    /// Probe: each channel is less or equal.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 4)))]
    pub le: Option<Vec<f64>>,
    /// Probe: each channel is greater.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 4)))]
    pub gt: Option<Vec<f64>>,
    /// Probe: each channel is greater or equal.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 4)))]
    pub ge: Option<Vec<f64>>,
    /// An expression that holds of every pixel, over `r`, `g`, `b`, `a`, `x`, `y` and the uniforms.
    pub every: Option<String>,
    /// A PNG that the picture looks like.
    pub image: Option<String>,
    /// Image: largest difference of a channel, in levels of 255 (2 unless `max` or `rmse` is given).
    pub max: Option<f64>,
    /// Image: how many pixels may differ by more than `max` (0).
    pub outliers: Option<u64>,
    /// Image: largest root of the mean squared difference, in levels of 255.
    pub rmse: Option<f64>,
    /// A relation between a vector (`a`) and a changed copy of it (`b`): uniform to value, or to an expression over
    /// the uniforms of `a`.
    pub same: Option<Map<String, Value>>,
    /// Same: what holds of every pixel of the two, over `a.r`, `b.r` and so on; left out, that they are equal.
    pub holds: Option<String>,
    /// How far two sides may be apart. Left out: 1 level where the target is `rgba8`, 4 units in the last place of a
    /// 32-bit float where it is `rgba32f`, nothing for integers.
    pub tol: Option<Tolerance>,
}

/// How far apart two sides may be; the widest of those given counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Tolerance {
    /// Absolutely.
    pub abs: f64,
    /// As a part of the right side.
    pub rel: f64,
    /// In units in the last place of a 32-bit float, at the right side.
    pub ulp: f64,
    /// In levels of an 8-bit channel, 1/255 each.
    pub lsb: f64,
}

/// What a rule asks.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleKind {
    /// The front end has nothing to say of this sort.
    Front(front::Rule),
    /// Pixels against constants.
    Probe {
        /// x, y, width, height.
        area: [u32; 4],
        /// How they are held to `values`.
        order: Order,
        /// One a channel, one to four.
        values: Vec<f64>,
    },
    /// An expression of each pixel.
    Every(String),
    /// A reference picture.
    Image {
        /// The PNG.
        file: String,
        /// Largest difference of a channel in levels, where it is asked.
        max: Option<f64>,
        /// Pixels over `max`.
        outliers: u64,
        /// Root mean square in levels, where it is asked.
        rmse: Option<f64>,
    },
    /// Two vectors in one relation.
    Same {
        /// What is changed in the second.
        changed: Map<String, Value>,
        /// The relation; absent for equality.
        holds: Option<String>,
    },
}

/// How a channel is held to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Order {
    /// As an expression writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Order::Eq => "==",
            Order::Ne => "!=",
            Order::Lt => "<",
            Order::Le => "<=",
            Order::Gt => ">",
            Order::Ge => ">=",
        }
    }

    /// Whether `left` stands so to `right`, give or take `slack`. Nothing holds of NaN.
    pub fn holds(self, left: f64, right: f64, slack: f64) -> bool {
        if left.is_nan() || right.is_nan() {
            return false;
        }
        // Infinities of one sign are equal, though their difference is NaN.
        let near = left == right || (left - right).abs() <= slack;
        match self {
            Order::Eq => near,
            Order::Ne => !near,
            Order::Lt => left < right + slack,
            Order::Le => left <= right + slack || near,
            Order::Gt => left > right - slack,
            Order::Ge => left >= right - slack || near,
        }
    }
}

impl Tolerance {
    /// How far from `right` the other side may be.
    pub fn slack(&self, right: f64) -> f64 {
        let relative = if right.is_finite() { self.rel * right.abs() } else { 0.0 };
        self.abs.max(relative).max(self.ulp * ulp(right)).max(self.lsb * LEVEL)
    }

    /// As a reader of the receipt needs it; empty without any.
    pub fn words(&self) -> String {
        let parts = [("abs", self.abs), ("rel", self.rel), ("ulp", self.ulp), ("lsb", self.lsb)];
        let said = parts.iter().filter(|(_, n)| *n > 0.0).map(|(name, n)| format!(" ±{n} {name}"));
        said.collect()
    }
}

/// One level of an 8-bit channel, and the rounding of two such channels in 32-bit floats.
const LEVEL: f64 = 1.0001 / 255.0;

/// Distance from `value` to the next 32-bit float away from 0.
fn ulp(value: f64) -> f64 {
    let near = (value.abs() as f32).clamp(f32::MIN_POSITIVE, f32::MAX);
    f64::from(near.next_up().min(f32::MAX)) - f64::from(near)
}

impl Rule {
    /// What the rule asks.
    ///
    /// # Errors
    /// Where it asks nothing, or two things, or a key belongs to another sort of rule.
    pub fn kind(&self) -> Result<RuleKind, String> {
        self.read_kind().map_err(|wrong| format!("rule `{}`: {wrong}", self.id))
    }

    fn read_kind(&self) -> Result<RuleKind, String> {
        if self.id.is_empty() {
            return Err("an `id` must not be empty".into());
        }
        let sorts = [
            ("probe", self.probe.is_some()),
            ("every", self.every.is_some()),
            ("image", self.image.is_some()),
            ("same", self.same.is_some()),
        ];
        let asked: Vec<&str> = sorts.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
        let sort = match asked[..] {
            [] => self.front()?,
            [one] => one,
            [one, other, ..] => return Err(format!("`{one}` and `{other}` are two rules")),
        };
        self.nothing_foreign(sort)?;
        self.tolerance_is_one()?;
        match sort {
            "compile" => Ok(RuleKind::Front(front::Rule::Compile)),
            "link" => Ok(RuleKind::Front(front::Rule::Link)),
            "limits" => Ok(RuleKind::Front(front::Rule::Limits)),
            "probe" => self.as_probe(),
            "every" => Ok(RuleKind::Every(self.every.clone().unwrap_or_default())),
            "image" => self.as_image(),
            _ => Ok(RuleKind::Same {
                changed: self.same.clone().unwrap_or_default(),
                holds: self.holds.clone(),
            }),
        }
    }

    fn front(&self) -> Result<&'static str, String> {
        ["compile", "link", "limits"]
            .into_iter()
            .find(|name| *name == self.id)
            .ok_or_else(|| "says neither `probe`, `every`, `image` nor `same`, and its id is neither `compile`, `link` nor `limits`".into())
    }

    fn orders(&self) -> [(Order, &'static str, &Option<Vec<f64>>); 6] {
        [
            (Order::Eq, "eq", &self.eq),
            (Order::Ne, "ne", &self.ne),
            (Order::Lt, "lt", &self.lt),
            (Order::Le, "le", &self.le),
            (Order::Gt, "gt", &self.gt),
            (Order::Ge, "ge", &self.ge),
        ]
    }

    fn nothing_foreign(&self, sort: &str) -> Result<(), String> {
        let front = matches!(sort, "compile" | "link" | "limits");
        let mut keys: Vec<(&str, bool, bool)> =
            self.orders().iter().map(|(_, key, value)| (*key, value.is_some(), sort == "probe")).collect();
        keys.extend([
            ("max", self.max.is_some(), sort == "image"),
            ("outliers", self.outliers.is_some(), sort == "image"),
            ("rmse", self.rmse.is_some(), sort == "image"),
            ("holds", self.holds.is_some(), sort == "same"),
            ("tol", self.tol.is_some(), !front && sort != "image"),
            ("output", self.output.is_some(), !front),
            ("vector", self.vector.is_some(), !front),
        ]);
        match keys.iter().find(|(_, is, may)| *is && !may) {
            Some((key, ..)) => Err(format!("`{key}` does not belong to `{sort}`")),
            None => Ok(()),
        }
    }

    fn tolerance_is_one(&self) -> Result<(), String> {
        let Some(tol) = self.tol else { return Ok(()) };
        match [tol.abs, tol.rel, tol.ulp, tol.lsb].iter().all(|n| n.is_finite() && *n >= 0.0) {
            true => Ok(()),
            false => Err("a tolerance is not negative".into()),
        }
    }

    fn as_probe(&self) -> Result<RuleKind, String> {
        let area = match self.probe.as_deref().unwrap_or_default() {
            [x, y] => [*x, *y, 1, 1],
            [x, y, w, h] if *w > 0 && *h > 0 => [*x, *y, *w, *h],
            _ => return Err("`probe` is [x, y] or [x, y, width, height]".into()),
        };
        let given: Vec<_> =
            self.orders().into_iter().filter_map(|(order, key, v)| Some((order, key, v.clone()?))).collect();
        match &given[..] {
            [] => Err("a probe needs one of `eq`, `ne`, `lt`, `le`, `gt` and `ge`".into()),
            [(order, key, values)] => match values.len() {
                1..=4 => Ok(RuleKind::Probe { area, order: *order, values: values.clone() }),
                n => Err(format!("`{key}` has {n} channels, 1 to 4 are possible")),
            },
            [(_, one, _), (_, other, _), ..] => Err(format!("`{one}` and `{other}` are two rules")),
        }
    }

    fn as_image(&self) -> Result<RuleKind, String> {
        let bounds = [("max", self.max), ("rmse", self.rmse)];
        if let Some((key, _)) = bounds.iter().find(|(_, n)| n.is_some_and(|n| !n.is_finite() || n < 0.0)) {
            return Err(format!("`{key}` is not negative"));
        }
        let max = if self.rmse.is_some() { self.max } else { Some(self.max.unwrap_or(2.0)) };
        if max.is_none() && self.outliers.is_some() {
            return Err("`outliers` needs `max`".into());
        }
        Ok(RuleKind::Image {
            file: self.image.clone().unwrap_or_default(),
            max,
            outliers: self.outliers.unwrap_or(0),
            rmse: self.rmse,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: &str, expected: Result<RuleKind, &str>) {
        let rule: Rule = serde_json::from_str(rule).expect("it has the shape of a rule");
        assert_eq!(rule.kind().as_ref().map_err(String::as_str), expected.as_ref().map_err(|wrong| *wrong));
    }

    #[test]
    fn a_rule_is_of_one_sort() {
        let probe =
            |area, order, values: &[f64]| Ok(RuleKind::Probe { area, order, values: values.to_vec() });
        check(r#"{"id": "link"}"#, Ok(RuleKind::Front(front::Rule::Link)));
        check(r#"{"id": "p", "probe": [1, 2], "ge": [0.5]}"#, probe([1, 2, 1, 1], Order::Ge, &[0.5]));
        check(
            r#"{"id": "p", "probe": [1, 2, 3, 4], "ne": [0, 1]}"#,
            probe([1, 2, 3, 4], Order::Ne, &[0.0, 1.0]),
        );
        let image = |max, outliers, rmse| Ok(RuleKind::Image { file: "a.png".into(), max, outliers, rmse });
        check(r#"{"id": "i", "image": "a.png"}"#, image(Some(2.0), 0, None));
        check(r#"{"id": "i", "image": "a.png", "rmse": 0.5}"#, image(None, 0, Some(0.5)));
        check(r#"{"id": "i", "image": "a.png", "max": 0, "outliers": 9}"#, image(Some(0.0), 9, None));
    }

    #[test]
    fn what_is_no_rule_is_told() {
        check(
            r#"{"id": "p", "probe": [1, 2]}"#,
            Err("rule `p`: a probe needs one of `eq`, `ne`, `lt`, `le`, `gt` and `ge`"),
        );
        check(
            r#"{"id": "p", "probe": [1], "eq": [1]}"#,
            Err("rule `p`: `probe` is [x, y] or [x, y, width, height]"),
        );
        check(
            r#"{"id": "p", "probe": [1, 2, 0, 1], "eq": [1]}"#,
            Err("rule `p`: `probe` is [x, y] or [x, y, width, height]"),
        );
        check(
            r#"{"id": "p", "probe": [1, 2], "eq": [1], "lt": [1]}"#,
            Err("rule `p`: `eq` and `lt` are two rules"),
        );
        check(
            r#"{"id": "p", "probe": [1, 2], "eq": []}"#,
            Err("rule `p`: `eq` has 0 channels, 1 to 4 are possible"),
        );
        check(
            r#"{"id": "p", "every": "finite", "image": "a.png"}"#,
            Err("rule `p`: `every` and `image` are two rules"),
        );
        check(r#"{"id": "link", "tol": {"abs": 1}}"#, Err("rule `link`: `tol` does not belong to `link`"));
        check(
            r#"{"id": "p", "every": "finite", "tol": {"abs": -1}}"#,
            Err("rule `p`: a tolerance is not negative"),
        );
        check(
            r#"{"id": "i", "image": "a.png", "rmse": 1, "outliers": 1}"#,
            Err("rule `i`: `outliers` needs `max`"),
        );
        check(r#"{"id": ""}"#, Err("rule ``: an `id` must not be empty"));
    }

    #[test]
    fn tolerances_reach_as_far_as_they_say() {
        let slack = |tolerance: Tolerance, right: f64| tolerance.slack(right);
        let none = Tolerance::default();
        assert_eq!(slack(none, 5.0), 0.0);
        assert_eq!(slack(Tolerance { abs: 0.5, rel: 0.25, ..none }, 4.0), 1.0);
        assert_eq!(slack(Tolerance { abs: 0.5, rel: 0.25, ..none }, f64::INFINITY), 0.5);
        assert_eq!(slack(Tolerance { ulp: 2.0, ..none }, 1.0), 2.0 * f64::from(f32::EPSILON));
        let level = Tolerance { lsb: 1.0, ..none };
        let channel = |level: u8| f64::from(f32::from(level) / 255.0);
        for n in 0..255 {
            assert!(Order::Eq.holds(channel(n), channel(n + 1), level.slack(channel(n + 1))), "{n}");
            let two = n.saturating_add(2);
            assert!(
                two - n < 2 || !Order::Eq.holds(channel(n), channel(two), level.slack(channel(two))),
                "{n}"
            );
        }
    }

    #[test]
    fn nothing_holds_of_nan_and_infinities_are_themselves() {
        for order in [Order::Eq, Order::Ne, Order::Lt, Order::Le, Order::Gt, Order::Ge] {
            assert!(!order.holds(f64::NAN, 0.0, 1.0) && !order.holds(0.0, f64::NAN, 1.0));
        }
        let inf = f64::INFINITY;
        assert!(
            Order::Eq.holds(inf, inf, 0.0)
                && Order::Le.holds(inf, inf, 0.0)
                && !Order::Ne.holds(inf, inf, 0.0)
        );
        assert!(!Order::Eq.holds(inf, -inf, 1.0) && Order::Lt.holds(-inf, inf, 0.0));
    }
}
