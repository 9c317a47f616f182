//! Vectors in, pictures out, over a session; a vector that kills or stops the worker is found.

use crate::check::TargetFormat;
use crate::picture::Pixels;
use crate::session::{Answered, Death, Session};
use crate::values::{Setting, Uniforms};
use crate::wire::Trouble;
use std::io;

/// A program ready to be drawn.
#[derive(Debug)]
pub struct Drawing<'s> {
    /// Where it is drawn.
    pub session: &'s mut Session,
    /// Every target's format.
    pub targets: Vec<TargetFormat>,
    /// Size of all of them.
    pub size: [u32; 2],
}

/// Why there are no pictures.
#[derive(Debug, Clone, PartialEq)]
pub enum Halt {
    /// The device said so.
    Trouble(Trouble),
    /// The worker died or was late; with the vector that alone does it, where one does.
    Death(Death, Option<Setting>),
}

/// The pictures of some vectors.
#[derive(Debug)]
pub struct Pictures {
    bytes: Vec<u8>,
    targets: Vec<TargetFormat>,
    size: [u32; 2],
}

impl Pictures {
    /// The picture of vector `n` in `target`.
    pub fn get(&self, n: usize, target: usize) -> Pixels<'_> {
        let pixels = self.size[0] as usize * self.size[1] as usize;
        let each: usize = self.targets.iter().map(|format| pixels * format.bytes()).sum();
        let before: usize = self.targets[..target].iter().map(|format| pixels * format.bytes()).sum();
        let from = n * each + before;
        let format = self.targets[target];
        Pixels { format, size: self.size, bytes: &self.bytes[from..from + pixels * format.bytes()] }
    }
}

impl Drawing<'_> {
    /// Bytes of one vector's pictures.
    pub fn picture_bytes(&self) -> usize {
        let pixels = self.size[0] as usize * self.size[1] as usize;
        self.targets.iter().map(|format| pixels * format.bytes()).sum()
    }

    /// Draws every vector.
    ///
    /// # Errors
    /// Those of the worker's pipes.
    pub fn pictures(
        &mut self,
        settings: &[Setting],
        uniforms: &Uniforms,
    ) -> io::Result<Result<Pictures, Halt>> {
        match self.attempt(settings, uniforms)? {
            Ok(drawn) => Ok(drawn.map_err(Halt::Trouble)),
            Err(death) => {
                let culprit = self.culprit(settings, uniforms)?;
                Ok(Err(Halt::Death(death, culprit)))
            }
        }
    }

    /// Draws every vector; where the worker dies, nothing is asked further.
    ///
    /// # Errors
    /// Those of the worker's pipes.
    pub fn attempt(
        &mut self,
        settings: &[Setting],
        uniforms: &Uniforms,
    ) -> Answered<Result<Pictures, Trouble>> {
        let whole = |bytes| Pictures { bytes, targets: self.targets.clone(), size: self.size };
        if settings.is_empty() {
            return Ok(Ok(Ok(whole(Vec::new()))));
        }
        let mut blocks = Vec::new();
        settings.iter().for_each(|setting| uniforms.pack(setting, &mut blocks));
        let drawn = match self.session.draw(settings.len(), &blocks)? {
            Ok(drawn) => drawn,
            Err(death) => return Ok(Err(death)),
        };
        Ok(Ok(match drawn {
            Ok(bytes) if bytes.len() != self.picture_bytes() * settings.len() => {
                Err(Trouble::Device("a picture is cut short".into()))
            }
            drawn => drawn.map(whole),
        }))
    }

    /// The first vector that kills or stops a worker by itself, by halving; each half that does costs one time
    /// limit.
    fn culprit(&mut self, settings: &[Setting], uniforms: &Uniforms) -> io::Result<Option<Setting>> {
        let mut suspects = settings;
        while suspects.len() > 1 {
            let (first, second) = suspects.split_at(suspects.len() / 2);
            suspects = if self.attempt(first, uniforms)?.is_err() { first } else { second };
        }
        // A single one is known to do it already.
        let confirmed = settings.len() == 1 || self.attempt(suspects, uniforms)?.is_err();
        Ok(suspects.first().filter(|_| confirmed).cloned())
    }
}
