//! The texels of textures: patterns, pictures and numbers, their smaller levels, their bytes.

use crate::check::{Pattern, Texels, TextureFormat};
use crate::picture::Picture;

/// Every channel of every texel, row by row from v = 0, layer by layer.
///
/// # Errors
/// Where numbers are too few or too many, or a picture has another size.
pub fn channels(
    data: &Texels,
    picture: Option<&Picture>,
    format: TextureFormat,
    size: [u32; 3],
) -> Result<Vec<f64>, String> {
    let channels = format.channels();
    let texels = size.iter().map(|side| *side as usize).product::<usize>();
    match data {
        Texels::Inline(values) if values.len() == texels * channels => Ok(values.clone()),
        Texels::Inline(values) => {
            Err(format!("{} numbers, {channels} for each of {texels} texels are needed", values.len()))
        }
        Texels::Pattern(pattern) => Ok(made(*pattern, format, size)),
        Texels::File(_) => {
            let picture = picture.ok_or("the picture is missing")?;
            if [picture.width, picture.height, 1] != size {
                return Err(format!("the picture is {}x{}", picture.width, picture.height));
            }
            if whole(format) {
                return Err("a PNG has no integer texels".into());
            }
            // v = 0 is the picture's lowest row.
            let rows = picture.rgba.chunks_exact(picture.width as usize * 4).rev();
            let texels = rows.flat_map(|row| row.chunks_exact(4));
            Ok(texels
                .flat_map(|texel| texel[..channels].iter().map(|level| f64::from(*level) / 255.0))
                .collect())
        }
    }
}

fn made(pattern: Pattern, format: TextureFormat, size: [u32; 3]) -> Vec<f64> {
    let part = |n: u32, of: u32| if of > 1 { f64::from(n) / f64::from(of - 1) } else { 0.0 };
    let mut values = Vec::new();
    for z in 0..size[2] {
        for y in 0..size[1] {
            for x in 0..size[0] {
                let texel = match pattern {
                    Pattern::Ramp if whole(format) => [x, y, z, 1].map(f64::from),
                    Pattern::Ramp => [part(x, size[0]), part(y, size[1]), part(z, size[2]), 1.0],
                    Pattern::Checker => {
                        let level = f64::from((x + y + z) % 2);
                        [level, level, level, 1.0]
                    }
                };
                values.extend_from_slice(&texel[..format.channels()]);
            }
        }
    }
    values
}

/// The full level, then, with `mipmaps`, each half as large down to one texel.
pub fn levels(
    full: Vec<f64>,
    format: TextureFormat,
    size: [u32; 3],
    mipmaps: bool,
    deep: bool,
) -> Vec<Vec<f64>> {
    let mut levels = vec![full];
    let mut size = size;
    while mipmaps && (size[0] > 1 || size[1] > 1 || (deep && size[2] > 1)) {
        let half = |side: u32| (side / 2).max(1);
        let smaller = [half(size[0]), half(size[1]), if deep { half(size[2]) } else { size[2] }];
        let level = levels.last().map(|level| halved(level, format.channels(), size, smaller));
        levels.extend(level);
        size = smaller;
    }
    levels
}

fn halved(level: &[f64], channels: usize, from: [u32; 3], to: [u32; 3]) -> Vec<f64> {
    let mut values = Vec::new();
    // Where a side is 1 already, or layers are kept, the second texel is the first.
    let pair = |n: u32, axis: usize| {
        let scale = from[axis] / to[axis];
        [n * scale, (n * scale + scale.min(2) - 1).min(from[axis] - 1)]
    };
    for z in 0..to[2] {
        for y in 0..to[1] {
            for x in 0..to[0] {
                for channel in 0..channels {
                    let mut sum = 0.0;
                    for [z, y, x] in corners(pair(z, 2), pair(y, 1), pair(x, 0)) {
                        let texel = ((z * from[1] + y) * from[0] + x) as usize;
                        sum += level[texel * channels + channel];
                    }
                    values.push(sum / 8.0);
                }
            }
        }
    }
    values
}

fn corners(z: [u32; 2], y: [u32; 2], x: [u32; 2]) -> impl Iterator<Item = [u32; 3]> {
    (0..8).map(move |n| [z[n >> 2], y[n >> 1 & 1], x[n & 1]])
}

/// A level's bytes as the format has them.
pub fn encode(level: &[f64], format: TextureFormat, to: &mut Vec<u8>) {
    use TextureFormat::*;
    for value in level {
        match format {
            R8 | Rg8 | Rgba8 | Srgb8Alpha8 => to.push((value.clamp(0.0, 1.0) * 255.0).round() as u8),
            Depth32f => to.extend_from_slice(&(value.clamp(0.0, 1.0) as f32).to_le_bytes()),
            R32f | Rg32f | Rgba32f => to.extend_from_slice(&(*value as f32).to_le_bytes()),
            R32i | Rgba32i => to.extend_from_slice(&(*value as i32).to_le_bytes()),
            R32ui | Rgba32ui => to.extend_from_slice(&(*value as u32).to_le_bytes()),
        }
    }
}

fn whole(format: TextureFormat) -> bool {
    use TextureFormat::*;
    matches!(format, R32i | Rgba32i | R32ui | Rgba32ui)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_their_smaller_levels() {
        let made =
            channels(&Texels::Pattern(Pattern::Checker), None, TextureFormat::R8, [4, 2, 1]).expect("made");
        assert_eq!(made, [0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0]);
        let levels = levels(made, TextureFormat::R8, [4, 2, 1], true, false);
        assert_eq!(levels[1..], [vec![0.5, 0.5], vec![0.5]]);
        let mut bytes = Vec::new();
        encode(&levels[1], TextureFormat::R8, &mut bytes);
        assert_eq!(bytes, [128, 128]);
    }

    #[test]
    fn layers_are_kept_where_a_volume_is_halved() {
        let made =
            channels(&Texels::Pattern(Pattern::Ramp), None, TextureFormat::Rgba32i, [2, 2, 2]).expect("made");
        assert_eq!(made[28..], [1.0, 1.0, 1.0, 1.0]);
        let sizes = |deep| {
            let levels = levels(made.clone(), TextureFormat::Rgba32i, [2, 2, 2], true, deep);
            levels.iter().map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!((sizes(false), sizes(true)), (vec![32, 8], vec![32, 4]));
    }

    #[test]
    fn numbers_must_be_as_many_as_texels() {
        let few = channels(&Texels::Inline(vec![0.0; 3]), None, TextureFormat::Rgba8, [1, 1, 1]);
        assert_eq!(few, Err("3 numbers, 4 for each of 1 texels are needed".into()));
    }
}
