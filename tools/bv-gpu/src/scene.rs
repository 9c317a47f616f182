//! From a check file and a program's interface to all that a worker draws with.
//!
//! Pictures and numbers become bytes here, so that the worker reads no file.

use crate::check::{
    Attribute, Check, Covering, Filter, Lookup, Mode, OtherAttribute, SIDE_MAX, TargetFormat, Texels,
    Texture, TextureFormat,
};
use crate::front::{self, Dimension, Sampler, Scalar};
use crate::picture;
use crate::texels;
use crate::values::{fitting, flatten};
use crate::wire::{Interface, Part, Scene, Stream, TextureShape};
use bv_schemas::Reason;
use std::path::Path;

/// Most vertices, indices or instances of a draw.
const VERTICES_MAX: usize = 1 << 22;

/// Why there is no scene.
pub type Wrong = (Reason, String);

/// The scene, and the bytes that go with it. `last_first` turns shapes so that a driver that gives `flat` values the
/// first vertex's gives them WebGL's, which is the last one's.
///
/// # Errors
/// What is wrong with the check or missing beside it.
pub fn scene(
    check: &Check,
    interface: &Interface,
    folder: &Path,
    last_first: bool,
) -> Result<(Scene, Vec<u8>), Wrong> {
    if check.draw.mode == Mode::Points && (interface.point_size || interface.point_coord) {
        // Points are one pixel here, whatever the shader says.
        let feature = if interface.point_size { "gl_PointSize" } else { "gl_PointCoord" };
        return Err((Reason::UnsupportedFeature, format!("points with {feature}")));
    }
    let mut raw = Vec::new();
    let textures = textures(check, interface, folder, &mut raw)?;
    let drawn = geometry(check, interface).map_err(|wrong| (Reason::BadInput, wrong))?;
    raw.extend_from_slice(&drawn.vertices.0);
    raw.extend_from_slice(&drawn.instances.0);
    let mut mode = check.draw.mode;
    let mut indices = check.draw.indices.as_ref().map(|all| all[..drawn.count as usize].to_vec());
    if interface.flat && last_first {
        let order = indices.unwrap_or_else(|| (0..drawn.count).collect());
        (mode, indices) = turned(mode, &order);
    }
    for index in indices.iter().flatten() {
        raw.extend_from_slice(&index.to_le_bytes());
    }
    let scene = Scene {
        size: check.target.size,
        targets: targets(check, interface).map_err(|wrong| (Reason::BadInput, wrong))?,
        clear: check.target.clear,
        blend: check.target.blend,
        depth: check.target.depth,
        cull: check.draw.cull,
        mode,
        textures,
        vertices: drawn.vertices.1,
        instances: drawn.instances.1,
        count: indices.as_ref().map_or(drawn.count, |all| all.len() as u32),
        instance_count: drawn.instance_count,
        indexed: indices.is_some(),
    };
    Ok((scene, raw))
}

/// The same shapes with the last vertex of each first. The order around a triangle stays.
fn turned(mode: Mode, order: &[u32]) -> (Mode, Option<Vec<u32>>) {
    match mode {
        Mode::Triangles => {
            (mode, Some(order.chunks_exact(3).flat_map(|each| [each[2], each[0], each[1]]).collect()))
        }
        Mode::TriangleStrip => {
            let triangle = |(n, each): (usize, &[u32])| match n % 2 {
                0 => [each[2], each[0], each[1]],
                _ => [each[2], each[1], each[0]],
            };
            (Mode::Triangles, Some(order.windows(3).enumerate().flat_map(triangle).collect()))
        }
        Mode::Lines => (mode, Some(order.chunks_exact(2).flat_map(|each| [each[1], each[0]]).collect())),
        Mode::LineStrip => {
            (Mode::Lines, Some(order.windows(2).flat_map(|each| [each[1], each[0]]).collect()))
        }
        Mode::Points => (mode, Some(order.to_vec())),
    }
}

fn targets(check: &Check, interface: &Interface) -> Result<Vec<Option<TargetFormat>>, String> {
    for name in check.target.formats.keys() {
        if !interface.outputs.iter().any(|output| output.name == *name) {
            return Err(format!("`target.formats`: the fragment shader has no output `{name}`"));
        }
    }
    let mut targets = Vec::new();
    for output in &interface.outputs {
        let named = check.target.formats.get(&output.name).copied();
        let format = match output.ty.scalar {
            Scalar::Int => named.unwrap_or(TargetFormat::Rgba32i),
            Scalar::Uint | Scalar::Bool => named.unwrap_or(TargetFormat::Rgba32ui),
            Scalar::Float => named.or(check.target.format).unwrap_or(TargetFormat::Rgba8),
        };
        let fits = match format {
            TargetFormat::Rgba8 | TargetFormat::Rgba32f => output.ty.scalar == Scalar::Float,
            TargetFormat::Rgba32i => output.ty.scalar == Scalar::Int,
            TargetFormat::Rgba32ui => matches!(output.ty.scalar, Scalar::Uint | Scalar::Bool),
        };
        if !fits {
            return Err(format!("`target`: output `{}` is of another type than its format", output.name));
        }
        let at = output.location as usize;
        if targets.len() <= at {
            targets.resize(at + 1, None);
        }
        targets[at] = Some(format);
    }
    if targets.is_empty() {
        return Err("the fragment shader has no output".into());
    }
    Ok(targets)
}

fn textures(
    check: &Check,
    interface: &Interface,
    folder: &Path,
    raw: &mut Vec<u8>,
) -> Result<Vec<TextureShape>, Wrong> {
    let mut shapes = Vec::new();
    for sampler in &interface.samplers {
        let named = check.textures.get(&sampler.name);
        let array = || check.textures.get(sampler.name.split('[').next().unwrap_or_default());
        let Some(texture) = named.or_else(array) else {
            return Err((
                Reason::BadInput,
                format!("`textures` has nothing for the sampler `{}`", sampler.name),
            ));
        };
        let shape = texture_of(texture, sampler, folder, raw)
            .map_err(|(reason, wrong)| (reason, format!("texture `{}`: {wrong}", sampler.name)))?;
        shapes.push(shape);
    }
    Ok(shapes)
}

fn texture_of(
    texture: &Texture,
    sampler: &Sampler,
    folder: &Path,
    raw: &mut Vec<u8>,
) -> Result<TextureShape, Wrong> {
    let bad = |wrong: &str| (Reason::BadInput, wrong.to_owned());
    let format = texture.format.unwrap_or(match (sampler.shadow, sampler.scalar) {
        (true, _) => TextureFormat::Depth32f,
        (_, Scalar::Int) => TextureFormat::Rgba32i,
        (_, Scalar::Uint) => TextureFormat::Rgba32ui,
        _ => TextureFormat::Rgba8,
    });
    if sampled_as(format) != sampler.scalar || (sampler.shadow && format != TextureFormat::Depth32f) {
        return Err(bad("its format is not what the sampler looks up"));
    }
    if texture.filter == Filter::Linear && sampler.scalar != Scalar::Float {
        return Err(bad("integers cannot be filtered"));
    }
    let picture = match &texture.data {
        Texels::File(name) => Some(picture::read(&folder.join(name))?),
        _ => None,
    };
    let given = texture.size.clone().or_else(|| picture.as_ref().map(|p| vec![p.width, p.height]));
    let given = given.ok_or_else(|| bad("`size` is missing"))?;
    let layered = matches!(sampler.dimension, Dimension::D2Array | Dimension::D3);
    let size = match (&given[..], sampler.dimension) {
        ([w, h, d], _) if layered => [*w, *h, *d],
        ([w, h], _) if layered => [*w, *h, 1],
        ([w, h], Dimension::Cube) => [*w, *h, 6],
        ([w, h], _) => [*w, *h, 1],
        _ => {
            return Err(bad(
                "`size` is [width, height], and [width, height, layers] for 3D and array textures",
            ));
        }
    };
    if size.iter().any(|side| !(1..=SIDE_MAX).contains(side)) {
        return Err((Reason::BadInput, format!("`size` is 1 to {SIDE_MAX} each")));
    }
    if sampler.dimension == Dimension::Cube && size[0] != size[1] {
        return Err(bad("a cube's faces are square"));
    }
    let channels =
        texels::channels(&texture.data, picture.as_ref(), format, size).map_err(|wrong| bad(&wrong))?;
    let levels = texels::levels(channels, format, size, texture.mipmaps, sampler.dimension == Dimension::D3);
    for level in &levels {
        texels::encode(level, format, raw);
    }
    let lookup = Lookup { filter: texture.filter, wrap: texture.wrap, compare: texture.compare };
    Ok(TextureShape { size, levels: levels.len() as u32, format, lookup })
}

fn sampled_as(format: TextureFormat) -> Scalar {
    match format {
        TextureFormat::R32i | TextureFormat::Rgba32i => Scalar::Int,
        TextureFormat::R32ui | TextureFormat::Rgba32ui => Scalar::Uint,
        _ => Scalar::Float,
    }
}

/// What is drawn.
struct Geometry {
    vertices: (Vec<u8>, Stream),
    instances: (Vec<u8>, Stream),
    count: u32,
    instance_count: u32,
}

/// One attribute's entries, one behind the other, as many components each.
struct Entries<'i> {
    attribute: &'i front::Attribute,
    values: Vec<f64>,
    /// How many; absent for one value for all.
    many: Option<usize>,
}

fn geometry(check: &Check, interface: &Interface) -> Result<Geometry, String> {
    let mut by_vertex = Vec::new();
    let mut by_instance = Vec::new();
    for attribute in &interface.attributes {
        let entries = match check.attributes.get(&attribute.name) {
            None if check.attributes.is_empty() && interface.attributes.len() == 1 => {
                (covering(attribute, Covering::Fullscreen)?, true)
            }
            None => return Err(format!("`attributes` has nothing for `{}`", attribute.name)),
            Some(given) => entries(attribute, given)?,
        };
        if entries.1 { by_vertex.push(entries.0) } else { by_instance.push(entries.0) }
    }
    let vertices = agreed(&by_vertex)?;
    let instance_count = match (check.draw.instances, agreed(&by_instance)?) {
        (Some(asked), Some(given)) if asked as usize > given => {
            return Err(format!("`draw.instances` is {asked}, the attributes give {given}"));
        }
        (Some(asked), _) => asked,
        (None, given) => given.unwrap_or(1) as u32,
    };
    let drawn = match &check.draw.indices {
        Some(indices) => {
            if let (Some(beyond), Some(given)) = (indices.iter().max(), vertices)
                && *beyond as usize >= given
            {
                return Err(format!("`draw.indices` names vertex {beyond}, the attributes give {given}"));
            }
            Some(indices.len())
        }
        None => vertices,
    };
    let count = match (check.draw.count, drawn) {
        (Some(asked), Some(given)) if asked as usize > given => {
            return Err(format!("`draw.count` is {asked}, there are {given}"));
        }
        (Some(asked), _) => asked,
        (None, given) => given.unwrap_or(3) as u32,
    };
    if count as usize > VERTICES_MAX || instance_count as usize > VERTICES_MAX {
        return Err(format!("more than {VERTICES_MAX} vertices or instances"));
    }
    Ok(Geometry {
        vertices: interleaved(&by_vertex, vertices.unwrap_or(0)),
        instances: interleaved(&by_instance, instance_count as usize),
        count,
        instance_count,
    })
}

/// The entries, and whether they step by vertex.
fn entries<'i>(attribute: &'i front::Attribute, given: &Attribute) -> Result<(Entries<'i>, bool), String> {
    let each = (attribute.ty.columns * attribute.ty.rows) as usize;
    let read = |values: &[serde_json::Value]| {
        let mut flat = Vec::new();
        for value in values {
            flatten_entry(value, &mut flat)
                .map_err(|wrong| format!("attribute `{}`: {wrong}", attribute.name))?;
        }
        if flat.is_empty() || flat.len() % each != 0 {
            return Err(format!("attribute `{}` has {each} components, not {}", attribute.name, flat.len()));
        }
        if flat.len() / each > VERTICES_MAX {
            return Err(format!("attribute `{}` has more than {VERTICES_MAX} entries", attribute.name));
        }
        for value in &mut flat {
            *value = fitting(*value, attribute.ty.scalar)
                .map_err(|wrong| format!("attribute `{}`: {wrong}", attribute.name))?;
        }
        Ok(flat)
    };
    match given {
        Attribute::Covering(how) => Ok((covering(attribute, *how)?, true)),
        Attribute::Vertices(values) => {
            let values = read(values)?;
            let many = Some(values.len() / each);
            Ok((Entries { attribute, values, many }, true))
        }
        Attribute::Other(OtherAttribute::PerInstance(values)) => {
            let values = read(values)?;
            let many = Some(values.len() / each);
            Ok((Entries { attribute, values, many }, false))
        }
        Attribute::Other(OtherAttribute::Value(values)) => {
            let values = read(values)?;
            if values.len() != each {
                return Err(format!("attribute `{}`: `value` has {each} components", attribute.name));
            }
            Ok((Entries { attribute, values, many: None }, false))
        }
    }
}

/// As [`flatten`], whose bound is a uniform's.
fn flatten_entry(value: &serde_json::Value, to: &mut Vec<f64>) -> Result<(), String> {
    let mut entry = Vec::new();
    flatten(value, &mut entry)?;
    to.extend(entry);
    Ok(())
}

fn covering(attribute: &front::Attribute, how: Covering) -> Result<Entries<'_>, String> {
    let ty = attribute.ty;
    if ty.scalar != Scalar::Float || ty.columns != 1 || ty.rows < 2 {
        return Err(format!(
            "attribute `{}` is no vector of floats: it cannot cover the target",
            attribute.name
        ));
    }
    let corners = match how {
        Covering::Fullscreen => [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]],
        Covering::FullscreenUv => [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]],
    };
    let mut values = Vec::new();
    for [x, y] in corners {
        values.extend(&[x, y, 0.0, 1.0][..ty.rows as usize]);
    }
    Ok(Entries { attribute, values, many: Some(3) })
}

/// How many entries all have.
fn agreed(all: &[Entries<'_>]) -> Result<Option<usize>, String> {
    let mut agreed: Option<(&str, usize)> = None;
    for entries in all {
        let Some(many) = entries.many else { continue };
        match agreed {
            Some((first, other)) if other != many => {
                return Err(format!(
                    "attribute `{first}` has {other} entries, `{}` has {many}",
                    entries.attribute.name
                ));
            }
            _ => agreed = Some((&entries.attribute.name, many)),
        }
    }
    Ok(agreed.map(|(_, many)| many))
}

fn interleaved(all: &[Entries<'_>], many: usize) -> (Vec<u8>, Stream) {
    let mut stream = Stream::default();
    for entries in all {
        let ty = entries.attribute.ty;
        for column in 0..ty.columns {
            let location = entries.attribute.location + column;
            stream.parts.push(Part {
                location,
                offset: stream.stride,
                scalar: ty.scalar,
                components: ty.rows,
            });
            stream.stride += ty.rows * 4;
        }
    }
    let mut bytes = Vec::new();
    for n in 0..many {
        for entries in all {
            let each = (entries.attribute.ty.columns * entries.attribute.ty.rows) as usize;
            let from = if entries.many.is_some() { n * each } else { 0 };
            for value in entries.values.iter().skip(from).take(each) {
                bytes.extend_from_slice(&match entries.attribute.ty.scalar {
                    Scalar::Float => (*value as f32).to_le_bytes(),
                    Scalar::Int => (*value as i32).to_le_bytes(),
                    Scalar::Uint | Scalar::Bool => (*value as u32).to_le_bytes(),
                });
            }
        }
    }
    stream.bytes = bytes.len();
    (bytes, stream)
}
