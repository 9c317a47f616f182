//! A rule made ready to judge pictures: names resolved, values checked, references read.

use crate::check::{Order, Rule, RuleKind, TargetFormat, Tolerance};
use crate::expr::{Condition, Formula, shown};
use crate::picture::{Picture, Pixels};
use crate::values::{Setting, Uniforms, fitting, flatten};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// A rule that is held against pictures.
#[derive(Debug)]
pub struct Judge {
    /// The rule's id.
    pub id: String,
    /// Which of the targets is looked at.
    pub target: usize,
    /// The only vector that is looked at.
    pub only: Option<u64>,
    /// What must hold, in words.
    pub words: String,
    tolerance: Tolerance,
    asks: Asks,
}

#[derive(Debug)]
enum Asks {
    Probe {
        area: [u32; 4],
        order: Order,
        values: Vec<f64>,
    },
    Every {
        condition: Condition,
        names: Vec<Name>,
    },
    Same {
        condition: Condition,
        names: Vec<Name>,
        changed: Vec<(usize, Vec<Change>)>,
    },
    Image {
        path: PathBuf,
        reference: Picture,
        flipped: bool,
        max: Option<f64>,
        outliers: u64,
        rmse: Option<f64>,
    },
}

/// What a name of an expression stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Name {
    /// Picture (0 or 1) and channel.
    Channel(usize, usize),
    /// Coordinate of the pixel.
    Pixel(usize),
    /// Uniform and component.
    Uniform(usize, usize),
}

/// A component of the second vector.
#[derive(Debug)]
enum Change {
    Value(f64),
    Formula(Formula, Vec<Name>),
}

/// What was seen where a rule does not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// The first pixel in the order of rows.
    pub px: [u32; 2],
    /// The pixel, or the two sides.
    pub observed: String,
}

/// What a judge is made from, beside its rule.
#[derive(Debug)]
pub struct Court<'c> {
    /// The uniforms.
    pub uniforms: &'c mut Uniforms,
    /// Output names with their targets' formats, in the order of the targets.
    pub outputs: &'c [(String, TargetFormat)],
    /// Size of the target.
    pub size: [u32; 2],
    /// Whether row 0 is a picture's lowest.
    pub flipped: bool,
}

impl Judge {
    /// Makes a rule ready. `reference` is the picture of an `image` rule.
    ///
    /// # Errors
    /// What in the rule fits neither program nor target.
    pub fn new(
        rule: &Rule,
        court: &mut Court<'_>,
        reference: Option<(PathBuf, Picture)>,
    ) -> Result<Option<Judge>, String> {
        judge(rule, court, reference).map_err(|wrong| format!("rule `{}`: {wrong}", rule.id))
    }

    /// The vector that is held against `setting`, where the rule has two.
    pub fn other(&self, setting: &Setting, uniforms: &Uniforms) -> Option<Setting> {
        let Asks::Same { changed, .. } = &self.asks else { return None };
        let mut other = setting.clone();
        for (n, changes) in changed {
            let value = |change: &Change| match change {
                Change::Value(value) => *value,
                Change::Formula(formula, names) => {
                    let slots: Vec<f64> =
                        names.iter().map(|name| of_uniform(*name, setting, uniforms)).collect();
                    let value = formula.value(&slots);
                    // What an integer cannot hold is cut off, as a program that sets the uniform would do.
                    fitting(value, uniforms.scalar(*n))
                        .or_else(|_| fitting(value.trunc(), uniforms.scalar(*n)))
                        .unwrap_or(0.0)
                }
            };
            other.insert(*n, changes.iter().map(value).collect());
        }
        Some(other)
    }

    /// Whether the vector may be made simpler: a reference picture belongs to one vector alone.
    pub fn shrinks(&self) -> bool {
        !matches!(self.asks, Asks::Image { .. })
    }

    /// The reference picture's file, the picture, and what stands against it.
    pub fn reference(&self, pixels: &Pixels<'_>) -> Option<(&Path, &Picture, Picture)> {
        match &self.asks {
            Asks::Image { path, reference, flipped, .. } => Some((path, reference, pixels.picture(*flipped))),
            _ => None,
        }
    }

    /// Where the rule does not hold of the picture (and of the second one).
    pub fn violation(
        &self,
        pictures: [Pixels<'_>; 2],
        setting: &Setting,
        uniforms: &Uniforms,
    ) -> Option<Violation> {
        match &self.asks {
            Asks::Probe { area, order, values } => self.probe(pictures[0], *area, *order, values),
            Asks::Every { condition, names } | Asks::Same { condition, names, .. } => {
                self.every(pictures, condition, names, setting, uniforms)
            }
            Asks::Image { .. } => self.image(pictures[0]),
        }
    }

    fn probe(&self, pixels: Pixels<'_>, area: [u32; 4], order: Order, values: &[f64]) -> Option<Violation> {
        let [left, bottom, width, height] = area;
        for y in bottom..bottom + height {
            for x in left..left + width {
                let pixel = pixels.at(x, y);
                let mut each = pixel
                    .iter()
                    .zip(values)
                    .map(|(channel, value)| order.holds(*channel, *value, self.tolerance.slack(*value)));
                let holds =
                    if order == Order::Ne { each.any(|holds| holds) } else { each.all(|holds| holds) };
                if !holds {
                    return Some(Violation { px: [x, y], observed: list(&pixel[..values.len()]) });
                }
            }
        }
        None
    }

    fn every(
        &self,
        pictures: [Pixels<'_>; 2],
        condition: &Condition,
        names: &[Name],
        setting: &Setting,
        uniforms: &Uniforms,
    ) -> Option<Violation> {
        let mut slots: Vec<f64> = names.iter().map(|name| of_uniform(*name, setting, uniforms)).collect();
        let both = matches!(self.asks, Asks::Same { .. });
        let [width, height] = pictures[0].size;
        for y in 0..height {
            for x in 0..width {
                let one = pictures[0].at(x, y);
                let two = if both { pictures[1].at(x, y) } else { one };
                for (slot, name) in slots.iter_mut().zip(names) {
                    match name {
                        Name::Channel(picture, channel) => *slot = [one, two][*picture][*channel],
                        Name::Pixel(axis) => *slot = f64::from([x, y][*axis]),
                        Name::Uniform(..) => {}
                    }
                }
                if !condition.holds(&slots, &self.tolerance) {
                    let sides = condition.sides(&slots, &self.tolerance);
                    let seen = match both {
                        true => format!("a {}, b {}", list(&one), list(&two)),
                        false => format!("rgba {}", list(&one)),
                    };
                    let observed = sides.map_or(seen.clone(), |sides| format!("{sides}, {seen}"));
                    return Some(Violation { px: [x, y], observed });
                }
            }
        }
        None
    }

    fn image(&self, pixels: Pixels<'_>) -> Option<Violation> {
        let Asks::Image { reference, flipped, max, outliers, rmse, .. } = &self.asks else { return None };
        let [width, height] = pixels.size;
        if (reference.width, reference.height) != (width, height) {
            let observed = format!("{width}x{height} pixels, not {}x{}", reference.width, reference.height);
            return Some(Violation { px: [0, 0], observed });
        }
        let bound = max.unwrap_or(0.0);
        let difference = reference.difference(&pixels.picture(*flipped), bound);
        let too_many = max.is_some() && difference.outliers > *outliers;
        let too_far = rmse.is_some_and(|most| difference.rmse > most);
        if !too_many && !too_far {
            return None;
        }
        // The first in the order of `readPixels`, which begins with the lowest row.
        let row = |y: u32| if *flipped { height - 1 - y } else { y };
        let differs = |x: u32, y: u32| f64::from(difference.pixels[(row(y) * width + x) as usize]) > bound;
        let all = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
        let px = all.into_iter().find(|[x, y]| differs(*x, *y)).unwrap_or([0, 0]);
        let observed = format!(
            "max {}, outliers {}, rmse {:.3}, rgba {}",
            difference.largest,
            difference.outliers,
            difference.rmse,
            list(&pixels.at(px[0], px[1]))
        );
        Some(Violation { px, observed })
    }
}

fn judge(
    rule: &Rule,
    court: &mut Court<'_>,
    reference: Option<(PathBuf, Picture)>,
) -> Result<Option<Judge>, String> {
    let target = match &rule.output {
        None => 0,
        Some(name) => {
            let found = court.outputs.iter().position(|(output, _)| output == name);
            found.ok_or_else(|| format!("the fragment shader has no output `{name}`"))?
        }
    };
    let format = court.outputs.get(target).map_or(TargetFormat::Rgba8, |(_, format)| *format);
    let tolerance = rule.tol.unwrap_or_else(|| usual(format));
    let (asks, words) = match rule.kind()? {
        RuleKind::Front(_) => return Ok(None),
        RuleKind::Probe { area, order, values } => {
            let [x, y, width, height] = area;
            let beyond =
                |from: u32, many: u32, side: u32| from.checked_add(many).is_none_or(|end| end > side);
            if beyond(x, width, court.size[0]) || beyond(y, height, court.size[1]) {
                return Err("the probe lies outside of the target".into());
            }
            let words = format!("{} {}{}", order.symbol(), list(&values), tolerance.words());
            (Asks::Probe { area, order, values }, words)
        }
        RuleKind::Every(text) => {
            let mut names = Vec::new();
            let condition =
                Condition::read(&text, &mut |name| slot(&mut names, pixel_name(name, court.uniforms)))?;
            (Asks::Every { condition, names }, format!("{text}{}", tolerance.words()))
        }
        RuleKind::Same { changed, holds } => {
            let words = holds.clone().unwrap_or_else(|| "b == a".into());
            let text = holds.unwrap_or_else(|| "b.r == a.r && b.g == a.g && b.b == a.b && b.a == a.a".into());
            let mut names = Vec::new();
            let changed = changes(&changed, court.uniforms)?;
            let condition =
                Condition::read(&text, &mut |name| slot(&mut names, pair_name(name, court.uniforms)))?;
            (Asks::Same { condition, names, changed }, format!("{words}{}", tolerance.words()))
        }
        RuleKind::Image { file, max, outliers, rmse } => {
            let words = bounds(&file, max, outliers, rmse);
            let Some((path, reference)) = reference else { return Ok(None) };
            (Asks::Image { path, reference, flipped: court.flipped, max, outliers, rmse }, words)
        }
    };
    let only = rule.vector.or(matches!(asks, Asks::Image { .. }).then_some(0));
    Ok(Some(Judge { id: rule.id.clone(), target, only, words, tolerance, asks }))
}

/// What holds without a `tol`: the rounding of the target, and of the shader's own 32-bit arithmetic.
fn usual(format: TargetFormat) -> Tolerance {
    match format {
        TargetFormat::Rgba8 => Tolerance { lsb: 1.0, ..Tolerance::default() },
        TargetFormat::Rgba32f => Tolerance { ulp: 4.0, ..Tolerance::default() },
        TargetFormat::Rgba32i | TargetFormat::Rgba32ui => Tolerance::default(),
    }
}

fn bounds(file: &str, max: Option<f64>, outliers: u64, rmse: Option<f64>) -> String {
    let mut words = file.to_owned();
    if let Some(max) = max {
        words += &format!(", max {max}");
    }
    if outliers > 0 {
        words += &format!(", outliers {outliers}");
    }
    if let Some(rmse) = rmse {
        words += &format!(", rmse {rmse}");
    }
    words
}

fn changes(
    changed: &Map<String, Value>,
    uniforms: &mut Uniforms,
) -> Result<Vec<(usize, Vec<Change>)>, String> {
    if changed.is_empty() {
        return Err("`same` changes nothing".into());
    }
    let mut all = Vec::new();
    for (name, value) in changed {
        let parts = match value {
            Value::Array(parts) => parts.clone(),
            one => vec![one.clone()],
        };
        let mut read = Vec::new();
        for part in &parts {
            match part {
                Value::String(text) => {
                    let mut names = Vec::new();
                    let formula = Formula::read(text, &mut |name| {
                        let (n, component) = uniforms.component(name)?;
                        slot(&mut names, Some(Name::Uniform(n, component)))
                    });
                    read.push(Change::Formula(formula.map_err(|wrong| format!("`{text}`: {wrong}"))?, names));
                }
                other => {
                    let mut values = Vec::new();
                    flatten(other, &mut values)?;
                    read.extend(values.into_iter().map(Change::Value));
                }
            }
        }
        let n = uniforms.find(name, read.len())?;
        if read.len() != uniforms.components(n) {
            return Err(format!(
                "uniform `{name}` has {} components, not {}",
                uniforms.components(n),
                read.len()
            ));
        }
        for change in &mut read {
            if let Change::Value(value) = change {
                *value = fitting(*value, uniforms.scalar(n))
                    .map_err(|wrong| format!("uniform `{name}`: {wrong}"))?;
            }
        }
        all.push((n, read));
    }
    Ok(all)
}

/// The slot of a name, a new one where it is seen first.
fn slot(names: &mut Vec<Name>, name: Option<Name>) -> Option<usize> {
    let name = name?;
    let known = names.iter().position(|known| *known == name);
    Some(known.unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    }))
}

fn pixel_name(name: &str, uniforms: &Uniforms) -> Option<Name> {
    match name {
        "x" => Some(Name::Pixel(0)),
        "y" => Some(Name::Pixel(1)),
        _ => channel(name)
            .map(|channel| Name::Channel(0, channel))
            .or_else(|| uniforms.component(name).map(|(n, component)| Name::Uniform(n, component))),
    }
}

fn pair_name(name: &str, uniforms: &Uniforms) -> Option<Name> {
    match name.split_once('.') {
        Some(("a", of)) => channel(of).map(|channel| Name::Channel(0, channel)),
        Some(("b", of)) => channel(of).map(|channel| Name::Channel(1, channel)),
        _ => pixel_name(name, uniforms).filter(|name| !matches!(name, Name::Channel(..))),
    }
}

fn channel(name: &str) -> Option<usize> {
    ["r", "g", "b", "a"].iter().position(|channel| *channel == name)
}

fn of_uniform(name: Name, setting: &Setting, uniforms: &Uniforms) -> f64 {
    match name {
        Name::Uniform(n, component) => uniforms.value(setting, n)[component],
        Name::Channel(..) | Name::Pixel(_) => 0.0,
    }
}

/// `[0.5,0,0,1]`
fn list(values: &[f64]) -> String {
    let each: Vec<String> = values.iter().map(|value| shown(*value)).collect();
    format!("[{}]", each.join(","))
}
