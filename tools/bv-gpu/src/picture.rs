//! Pictures: what a draw gives, PNG files, and how two of them differ.

use crate::check::{SIDE_MAX, TargetFormat};
use bv_schemas::Reason;
use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::path::{Path, PathBuf};

/// Pixels as they were drawn, row 0 first.
#[derive(Debug, Clone, Copy)]
pub struct Pixels<'p> {
    /// How they are encoded.
    pub format: TargetFormat,
    /// Width and height.
    pub size: [u32; 2],
    /// Row by row, without padding.
    pub bytes: &'p [u8],
}

impl Pixels<'_> {
    /// The four channels of a pixel of the picture.
    pub fn at(&self, x: u32, y: u32) -> [f64; 4] {
        let bytes = self.format.bytes();
        let at = (y as usize * self.size[0] as usize + x as usize) * bytes;
        let pixel = &self.bytes[at..at + bytes];
        let word = |n: usize| [pixel[n * 4], pixel[n * 4 + 1], pixel[n * 4 + 2], pixel[n * 4 + 3]];
        let each = [0, 1, 2, 3];
        match self.format {
            // In 32 bits, as a shader that looked the texel up would see it.
            TargetFormat::Rgba8 => each.map(|n| f64::from(f32::from(pixel[n]) / 255.0)),
            TargetFormat::Rgba32f => each.map(|n| f64::from(f32::from_le_bytes(word(n)))),
            TargetFormat::Rgba32i => each.map(|n| f64::from(i32::from_le_bytes(word(n)))),
            TargetFormat::Rgba32ui => each.map(|n| f64::from(u32::from_le_bytes(word(n)))),
        }
    }

    /// As a PNG has them: 8 bits a channel, what is over them cut off; the last row first where `flipped`.
    pub fn picture(&self, flipped: bool) -> Picture {
        let [width, height] = self.size;
        let mut rgba = Vec::new();
        for row in 0..height {
            let y = if flipped { height - 1 - row } else { row };
            for x in 0..width {
                rgba.extend(self.at(x, y).map(|channel| (channel.clamp(0.0, 1.0) * 255.0).round() as u8));
            }
        }
        Picture { width, height, rgba }
    }
}

/// A picture of 8 bits a channel, its top row first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Red, green, blue and alpha of each pixel.
    pub rgba: Vec<u8>,
}

/// How two pictures of one size differ, in levels of 255.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The largest of any channel.
    pub largest: u8,
    /// How many pixels differ by more than was asked.
    pub outliers: u64,
    /// Root of the mean of the squares of all channels.
    pub rmse: f64,
    /// Per pixel, the largest of its channels.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// How `other`, of the same size, differs; `max` is where a pixel becomes an outlier.
    pub fn difference(&self, other: &Picture, max: f64) -> Difference {
        let mut squares = 0.0;
        let mut pixels = Vec::new();
        for (one, two) in self.rgba.chunks_exact(4).zip(other.rgba.chunks_exact(4)) {
            let levels = one.iter().zip(two).map(|(a, b)| a.abs_diff(*b));
            squares += levels.clone().map(|level| f64::from(level).powi(2)).sum::<f64>();
            pixels.push(levels.max().unwrap_or(0));
        }
        Difference {
            largest: pixels.iter().copied().max().unwrap_or(0),
            outliers: pixels.iter().filter(|level| f64::from(**level) > max).count() as u64,
            rmse: (squares / self.rgba.len().max(1) as f64).sqrt(),
            pixels,
        }
    }

    /// Writes a PNG.
    ///
    /// # Errors
    /// Those of the file.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(&self.rgba).map_err(io::Error::other)
    }
}

/// Reads a PNG of any kind.
///
/// # Errors
/// Where it is missing, no PNG, or larger than a texture may be.
pub fn read(path: &Path) -> Result<Picture, (Reason, String)> {
    let bad = |wrong: String| (Reason::BadInput, format!("{}: {wrong}", path.display()));
    let file =
        File::open(path).map_err(|wrong| (Reason::MissingFile, format!("{}: {wrong}", path.display())))?;
    let mut decoder = png::Decoder::new(BufReader::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|wrong| bad(wrong.to_string()))?;
    let (width, height) = (reader.info().width, reader.info().height);
    if width > SIDE_MAX || height > SIDE_MAX {
        return Err(bad(format!("{width}x{height} pixels, {SIDE_MAX} each at most")));
    }
    let bytes = reader.output_buffer_size().ok_or_else(|| bad("too large".into()))?;
    let mut pixels = vec![0; bytes];
    let frame = reader.next_frame(&mut pixels).map_err(|wrong| bad(wrong.to_string()))?;
    pixels.truncate(frame.buffer_size());
    let rgba = match frame.color_type {
        png::ColorType::Rgba => pixels,
        png::ColorType::GrayscaleAlpha => {
            pixels.chunks_exact(2).flat_map(|pixel| [pixel[0], pixel[0], pixel[0], pixel[1]]).collect()
        }
        other => return Err(bad(format!("a PNG of {other:?} pixels"))),
    };
    Ok(Picture { width, height, rgba })
}

/// Writes what a failed comparison is about beside the reference: `a.png` gets `a.expected.png`,
/// `a.observed.png` and `a.difference.png` (brighter where the two differ more).
///
/// # Errors
/// Those of the files.
pub fn leave(reference: &Path, expected: &Picture, observed: &Picture) -> io::Result<()> {
    expected.write(&beside(reference, "expected"))?;
    observed.write(&beside(reference, "observed"))?;
    if (expected.width, expected.height) != (observed.width, observed.height) {
        return Ok(());
    }
    let difference = expected.difference(observed, 0.0);
    let largest = u32::from(difference.largest.max(1));
    let grey = difference.pixels.iter().map(|level| (u32::from(*level) * 255 / largest) as u8);
    let rgba = grey.flat_map(|level| [level, level, level, 255]).collect();
    Picture { width: expected.width, height: expected.height, rgba }.write(&beside(reference, "difference"))
}

fn beside(reference: &Path, what: &str) -> PathBuf {
    reference.with_extension(format!("{what}.png"))
}
