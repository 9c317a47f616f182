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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn uniform(name: &str, ty: (Scalar, u32, u32), array: Option<u32>, offset: u32) -> Uniform {
        let (scalar, columns, rows) = ty;
        Uniform {
            name: name.into(),
            ty: ValueType { scalar, columns, rows },
            array,
            block: 0,
            offset,
            array_stride: if array.is_some() { 16 } else { 0 },
            matrix_stride: if columns > 1 { 16 } else { 0 },
            row_major: false,
        }
    }

    fn uniforms() -> Uniforms {
        let interface = Interface {
            uniforms: vec![
                uniform("u_x", (Scalar::Float, 1, 1), None, 0),
                uniform("u_on", (Scalar::Bool, 1, 1), None, 4),
                uniform("u_c", (Scalar::Float, 1, 3), None, 16),
                uniform("u_m", (Scalar::Float, 2, 2), None, 32),
                uniform("u_w", (Scalar::Int, 1, 1), Some(2), 64),
            ],
            blocks: vec![crate::front::Block {
                name: None,
                group: 0,
                binding: 0,
                size: 96,
                visibility: wgpu::ShaderStages::FRAGMENT,
            }],
            samplers: Vec::new(),
            attributes: Vec::new(),
            outputs: Vec::new(),
            point_size: false,
            point_coord: false,
            flat: false,
            only_loop: None,
        };
        Uniforms::new(&interface, ["uniform float u_unused;".into(), String::new()])
    }

    fn read(value: Value) -> Result<Map<String, Value>, String> {
        let mut uniforms = uniforms();
        let Value::Object(values) = value else { panic!("an object") };
        uniforms.read(&values).map(|setting| uniforms.shown(&setting))
    }

    #[test]
    fn values_are_taken_as_the_shader_gets_them() {
        let shown = read(
            json!({"u_x": 0.1, "u_on": true, "u_c": [1, 2, 3], "u_m": [[1, 2], [3, 4]], "u_w": [7, -8]}),
        );
        let expected =
            json!({"u_x": 0.1, "u_on": true, "u_c": [1, 2, 3], "u_m": [1, 2, 3, 4], "u_w": [7, -8]});
        assert_eq!(shown.map(Value::Object), Ok(expected));
        // What is 0 already changes nothing; a uniform that is declared and unused is taken.
        assert_eq!(read(json!({"u_x": 0, "u_unused": 5})).map(Value::Object), Ok(json!({"u_unused": 5})));
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let wrong = |value| read(value).expect_err("it does not fit");
        assert_eq!(wrong(json!({"u_q": 1})), "no shader has a uniform `u_q`");
        assert_eq!(wrong(json!({"u_c": [1, 2]})), "uniform `u_c` has 3 components, not 2");
        assert_eq!(wrong(json!({"u_w": [0.5, 1]})), "uniform `u_w`: 0.5 is no int");
        assert_eq!(wrong(json!({"u_on": 2})), "uniform `u_on`: 2 is no bool");
        assert_eq!(
            wrong(json!({"u_x": 1e39})),
            "uniform `u_x`: 1000000000000000000000000000000000000000 is no 32-bit float"
        );
        assert_eq!(
            wrong(json!({"u_x": "1"})),
            "uniform `u_x`: \"1\" is neither a number, a boolean nor an array of them"
        );
    }

    #[test]
    fn every_component_lies_where_the_block_has_it() {
        let mut uniforms = uniforms();
        let Value::Object(values) =
            json!({"u_x": 1, "u_on": 1, "u_c": [2, 3, 4], "u_m": [5, 6, 7, 8], "u_w": [9, -1]})
        else {
            panic!("an object")
        };
        let setting = uniforms.read(&values).expect("it fits");
        let mut bytes = vec![0xff];
        uniforms.pack(&setting, &mut bytes);
        assert_eq!(bytes.len(), 97);
        let float = |at: usize| f32::from_le_bytes(bytes[at + 1..at + 5].try_into().expect("four bytes"));
        let int = |at: usize| i32::from_le_bytes(bytes[at + 1..at + 5].try_into().expect("four bytes"));
        assert_eq!((float(0), int(4)), (1.0, 1));
        assert_eq!([float(16), float(20), float(24)], [2.0, 3.0, 4.0]);
        assert_eq!([float(32), float(36), float(48), float(52)], [5.0, 6.0, 7.0, 8.0]);
        assert_eq!([int(64), int(80)], [9, -1]);
    }

    #[test]
    fn components_have_names() {
        let uniforms = uniforms();
        let check = |path: &str, expected| assert_eq!(uniforms.component(path), expected, "{path}");
        check("u_x", Some((0, 0)));
        check("u_c.z", Some((2, 2)));
        check("u_c[1]", Some((2, 1)));
        check("u_m[1].y", Some((3, 3)));
        check("u_w[1]", Some((4, 1)));
        for none in
            ["u_c", "u_c.w", "u_c.q", "u_m[1]", "u_w[2]", "u_x.x", "u_xx", "u_c.x.y", "u_w[99999999999]"]
        {
            check(none, None);
        }
    }

    #[test]
    fn numbers_are_as_short_as_a_float_can_be_told() {
        for (value, expected) in [
            (f64::from(0.1_f32), json!(0.1)),
            (3.0, json!(3)),
            (-0.0, json!(-0.0)),
            (0.1, json!(0.1)),
            (1.0 / 3.0, json!(1.0 / 3.0)),
            (f64::NAN, json!("NaN")),
            (f64::NEG_INFINITY, json!("-inf")),
        ] {
            assert_eq!(number(value), expected);
        }
    }
}
