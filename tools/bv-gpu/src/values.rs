//! Uniforms: what they are set to, how a vector changes them, and how they lie in their buffers.
//!
//! A value is its components in order, array by array, column by column. In a float uniform they are what a 32-bit
//! float holds, so that a counterexample says what the shader got.

use crate::front::{Scalar, Uniform, ValueType};
use crate::wire::Interface;
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;

/// Most components of one uniform: a uniform block's 16 KiB.
const COMPONENTS_MAX: usize = 4096;

/// What one vector sets: index among the uniforms, components.
pub type Setting = BTreeMap<usize, Vec<f64>>;

/// The uniforms of a program, with the values that every vector starts from.
#[derive(Debug, Clone)]
pub struct Uniforms {
    known: Vec<Known>,
    block_bytes: Vec<usize>,
    /// What the shaders' texts say, to tell a uniform that is declared and unused from one that is misspelt.
    texts: [String; 2],
}

#[derive(Debug, Clone)]
struct Known {
    name: String,
    ty: ValueType,
    elements: u32,
    base: Vec<f64>,
    /// Absent where the program does not use it.
    active: Option<Uniform>,
}

impl Uniforms {
    /// All uniforms 0, as WebGL has them after linking.
    pub fn new(interface: &Interface, texts: [String; 2]) -> Uniforms {
        let known = interface.uniforms.iter().map(|uniform| Known {
            name: uniform.name.clone(),
            ty: uniform.ty,
            elements: uniform.array.unwrap_or(1),
            base: vec![0.0; (uniform.ty.columns * uniform.ty.rows * uniform.array.unwrap_or(1)) as usize],
            active: Some(uniform.clone()),
        });
        let block_bytes = interface.blocks.iter().map(|block| block.size as usize).collect();
        Uniforms { known: known.collect(), block_bytes, texts }
    }

    /// Sets what every vector starts from.
    ///
    /// # Errors
    /// A name that no shader has, and a value that does not fit.
    pub fn set(&mut self, values: &Map<String, Value>) -> Result<(), String> {
        for (n, value) in self.read(values)? {
            self.known[n].base = value;
        }
        Ok(())
    }

    /// What a vector sets.
    ///
    /// # Errors
    /// As [`Uniforms::set`].
    pub fn read(&mut self, values: &Map<String, Value>) -> Result<Setting, String> {
        let mut setting = Setting::new();
        for (name, value) in values {
            let mut components = Vec::new();
            flatten(value, &mut components).map_err(|wrong| format!("uniform `{name}`: {wrong}"))?;
            let n = self.find(name, components.len())?;
            let known = &self.known[n];
            if components.len() != known.base.len() {
                let (has, needs) = (components.len(), known.base.len());
                return Err(format!("uniform `{name}` has {needs} components, not {has}"));
            }
            for component in &mut components {
                *component = fitting(*component, known.ty.scalar)
                    .map_err(|wrong| format!("uniform `{name}`: {wrong}"))?;
            }
            setting.insert(n, components);
        }
        Ok(setting)
    }

    /// The index of the uniform of this name. One that the shaders declare and do not use is taken too, with as
    /// many components as it is given: a shader that has forgotten it is what a rule may be about.
    ///
    /// # Errors
    /// Where no shader has the name.
    pub fn find(&mut self, name: &str, components: usize) -> Result<usize, String> {
        let plain = name.strip_suffix("[0]").unwrap_or(name);
        if let Some(n) = self.known.iter().position(|known| known.name == plain || known.name == name) {
            return Ok(n);
        }
        let head = plain.split(['.', '[']).next().unwrap_or(plain);
        let tail = plain.rsplit('.').next().unwrap_or(plain);
        let says = |word: &str| self.texts.iter().any(|text| has_word(text, word));
        if plain.is_empty() || !says(head) || !says(tail.split('[').next().unwrap_or(tail)) {
            return Err(format!("no shader has a uniform `{name}`"));
        }
        self.known.push(Known {
            name: plain.to_owned(),
            ty: ValueType { scalar: Scalar::Float, columns: 1, rows: components as u32 },
            elements: 1,
            base: vec![0.0; components],
            active: None,
        });
        Ok(self.known.len() - 1)
    }

    /// How many components the uniform has.
    pub fn components(&self, n: usize) -> usize {
        self.known[n].base.len()
    }

    /// The type of its components.
    pub fn scalar(&self, n: usize) -> Scalar {
        self.known[n].ty.scalar
    }

    /// Its name.
    pub fn name(&self, n: usize) -> &str {
        &self.known[n].name
    }

    /// What it is where the vector does not set it.
    pub fn base(&self, n: usize) -> &[f64] {
        &self.known[n].base
    }

    /// What it is under `setting`.
    pub fn value<'v>(&'v self, setting: &'v Setting, n: usize) -> &'v [f64] {
        setting.get(&n).map_or(&self.known[n].base, |value| value)
    }

    /// Uniform and component of `u_x`, `u_color.x`, `u_m[1][0]`, `lights[1].position.y`.
    pub fn component(&self, path: &str) -> Option<(usize, usize)> {
        let fits = |known: &&Known| {
            path.strip_prefix(known.name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let known = self.known.iter().filter(fits).max_by_key(|known| known.name.len())?;
        let n = self.known.iter().position(|other| other.name == known.name)?;
        let mut rest = &path[known.name.len()..];
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, after) = step(rest)?;
            steps.push(step);
            rest = after;
        }
        let (elements, columns, rows) = (known.elements, known.ty.columns, known.ty.rows);
        let is_array = known.active.as_ref().is_some_and(|uniform| uniform.array.is_some());
        let sizes = [(elements, is_array), (columns, columns > 1), (rows, rows > 1)];
        let mut at = 0;
        let mut steps = steps.into_iter();
        for (size, counts) in sizes {
            let index = if counts { steps.next()? } else { 0 };
            if index >= size {
                return None;
            }
            at = at * size + index;
        }
        steps.next().is_none().then_some((n, at as usize))
    }

    /// The uniform blocks under `setting`, one behind the other.
    pub fn pack(&self, setting: &Setting, to: &mut Vec<u8>) {
        let mut starts = Vec::new();
        let mut end = to.len();
        for bytes in &self.block_bytes {
            starts.push(end);
            end += bytes;
        }
        to.resize(end, 0);
        for (n, known) in self.known.iter().enumerate() {
            let Some(uniform) = &known.active else { continue };
            for (at, component) in self.value(setting, n).iter().enumerate() {
                let offset = starts[uniform.block] + offset(uniform, at as u32);
                if let Some(place) = to.get_mut(offset..offset + 4) {
                    place.copy_from_slice(&encoded(*component, known.ty.scalar));
                }
            }
        }
    }

    /// What `setting` changes, as a reader sees it.
    pub fn shown(&self, setting: &Setting) -> Map<String, Value> {
        let changed = setting.iter().filter(|(n, value)| self.known[**n].base != **value);
        changed.map(|(n, value)| (self.known[*n].name.clone(), self.shown_value(*n, value))).collect()
    }

    fn shown_value(&self, n: usize, value: &[f64]) -> Value {
        let scalar = self.known[n].ty.scalar;
        let one = |component: &f64| match scalar {
            Scalar::Bool => Value::Bool(*component != 0.0),
            _ => number(*component),
        };
        match value {
            [only] => one(only),
            several => several.iter().map(one).collect(),
        }
    }
}

/// A number as JSON, as short as a 32-bit float can be told; what JSON has no number for is a string.
pub fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 && !(value == 0.0 && value.is_sign_negative()) {
        return Value::from(value as i64);
    }
    let single = value as f32;
    let short = if f64::from(single) == value { single.to_string().parse().unwrap_or(value) } else { value };
    Number::from_f64(short).map_or_else(|| Value::from(value.to_string()), Value::Number)
}

/// A value as the uniform's type can hold it.
///
/// # Errors
/// What does not fit.
pub fn fitting(value: f64, scalar: Scalar) -> Result<f64, String> {
    let bounds = match scalar {
        Scalar::Float => {
            let single = value as f32;
            return match single.is_finite() {
                true => Ok(f64::from(single)),
                false => Err(format!("{value} is no 32-bit float")),
            };
        }
        Scalar::Int => (f64::from(i32::MIN), f64::from(i32::MAX)),
        Scalar::Uint => (0.0, f64::from(u32::MAX)),
        Scalar::Bool => (0.0, 1.0),
    };
    match value.fract() == 0.0 && (bounds.0..=bounds.1).contains(&value) {
        true => Ok(value),
        false => Err(format!("{value} is no {}", kind(scalar))),
    }
}

fn kind(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Float => "float",
        Scalar::Int => "int",
        Scalar::Uint => "uint",
        Scalar::Bool => "bool",
    }
}

/// Numbers and booleans of nested arrays, in order.
///
/// # Errors
/// Where something else is among them, or too much.
pub fn flatten(value: &Value, to: &mut Vec<f64>) -> Result<(), String> {
    if to.len() >= COMPONENTS_MAX {
        return Err(format!("more than {COMPONENTS_MAX} components"));
    }
    match value {
        Value::Number(n) => to.push(n.as_f64().unwrap_or(f64::NAN)),
        Value::Bool(b) => to.push(f64::from(u8::from(*b))),
        Value::Array(items) => items.iter().try_for_each(|item| flatten(item, to))?,
        other => return Err(format!("{other} is neither a number, a boolean nor an array of them")),
    }
    Ok(())
}

fn encoded(value: f64, scalar: Scalar) -> [u8; 4] {
    match scalar {
        Scalar::Float => (value as f32).to_le_bytes(),
        Scalar::Int => (value as i32).to_le_bytes(),
        Scalar::Uint | Scalar::Bool => (value as u32).to_le_bytes(),
    }
}

/// Bytes from the block's first to component `at`.
fn offset(uniform: &Uniform, at: u32) -> usize {
    let (columns, rows) = (uniform.ty.columns, uniform.ty.rows);
    let (element, column, row) = (at / (columns * rows), at / rows % columns, at % rows);
    let (along, across) = if uniform.row_major { (row, column) } else { (column, row) };
    (uniform.offset + element * uniform.array_stride + along * uniform.matrix_stride + across * 4) as usize
}

/// `.y` or `[1]` as an index, and what follows.
fn step(path: &str) -> Option<(u32, &str)> {
    if let Some(rest) = path.strip_prefix('[') {
        let (index, rest) = rest.split_once(']')?;
        return Some((index.parse().ok()?, rest));
    }
    let rest = path.strip_prefix('.')?;
    let name = rest.chars().next()?;
    let index = ["xrs", "ygt", "zbp", "waq"].iter().position(|names| names.contains(name))?;
    Some((index as u32, &rest[name.len_utf8()..]))
}

fn has_word(text: &str, word: &str) -> bool {
    let belongs = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(belongs) && !text[at + word.len()..].starts_with(belongs))
}
