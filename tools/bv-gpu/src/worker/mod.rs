//! The second process: the compiler, the driver and the device, which may hang or die without us.
//!
//! In: [`Ask`]s on stdin. Out: [`Answer`]s on stdout. It ends when stdin does, whatever the device is busy with,
//! so that no endless shader outlives bv-gpu. It knows nothing of check files, rules or adapters elsewhere.

mod binding;
mod depth;
mod device;
mod draw;
mod endless;
mod introspect;
mod pipeline;

use crate::front::{self, Program, Rejection};
use crate::wire::{self, Answer, Ask, Scene, Trouble};
use device::Device;
use pipeline::Ready;
use std::fs::File;
use std::io::{self, BufReader};
use std::os::fd::AsFd;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Stack of the thread that compiles and draws: shader compilers recurse as deep as the shader does.
const STACK_BYTES: usize = 64 << 20;

/// Which driver the worker opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Backend {
    /// Vulkan, as the environment describes it.
    Vulkan,
    /// OpenGL by EGL.
    Gl,
    /// None: it only compiles.
    None,
}

/// Serves until stdin ends.
///
/// # Errors
/// Where stdin cannot be read or no thread can be made.
pub fn run(backend: Backend) -> io::Result<u8> {
    let speaker = Arc::new(Speaker::over_stdout()?);
    let told = Arc::clone(&speaker);
    std::panic::set_hook(Box::new(move |panic| {
        told.say(&Answer::Panicked(panic.to_string().replace('\n', ": ")), &[]);
        std::process::abort();
    }));

    let (opened, device) = channel();
    if backend != Backend::None {
        let speaker = Arc::clone(&speaker);
        // A driver takes its time to open; the compiler works beside it.
        thread::Builder::new().name("open".into()).spawn(move || {
            let device = Device::open(backend);
            speaker.say(&Answer::Adapter(device.as_ref().map(|d| d.told.clone()).map_err(Clone::clone)), &[]);
            // Nobody waits where the process is about to end.
            let _ = opened.send(device.ok());
        })?;
    }
    let (asked, asks) = channel();
    thread::Builder::new()
        .name("work".into())
        .stack_size(STACK_BYTES)
        .spawn(move || Worker { speaker, device, open: None, program: None, ready: None }.serve(&asks))?;

    let mut input = BufReader::new(io::stdin().lock());
    while let Some(ask) = wire::read::<Ask>(&mut input)? {
        if asked.send(ask).is_err() {
            break;
        }
    }
    Ok(bv_schemas::exit::PASSED)
}

/// Our end of the pipe. Drivers print on stdout too: what they call stdout is our stderr.
struct Speaker(Mutex<File>);

impl Speaker {
    fn over_stdout() -> io::Result<Speaker> {
        let own = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        rustix::stdio::dup2_stdout(io::stderr())?;
        Ok(Speaker(Mutex::new(own)))
    }

    fn say(&self, answer: &Answer, raw: &[u8]) {
        let mut to = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever closed the pipe kills us next.
        let _ = wire::write(&mut *to, answer, raw);
    }
}

struct Worker {
    speaker: Arc<Speaker>,
    device: Receiver<Option<Device>>,
    open: Option<Device>,
    program: Option<Program>,
    ready: Option<Ready>,
}

impl Worker {
    fn serve(mut self, asks: &Receiver<(Ask, Vec<u8>)>) {
        for (ask, raw) in asks {
            match ask {
                Ask::Compile { language, vertex, fragment } => {
                    let compiled = front::compile(language, &vertex, &fragment);
                    let answer = compiled.as_ref().map(introspect::interface).map_err(Rejection::clone);
                    self.program = compiled.ok();
                    self.ready = None;
                    self.speaker.say(&Answer::Compiled(Box::new(answer)), &[]);
                }
                Ask::Prepare(scene) => {
                    let prepared = self.prepare(*scene, &raw);
                    self.speaker.say(&Answer::Prepared(prepared), &[]);
                }
                Ask::Draw(vectors) => match self.draw(vectors, &raw) {
                    Ok(pixels) => self.speaker.say(&Answer::Drawn(Ok(())), &pixels),
                    Err(trouble) => self.speaker.say(&Answer::Drawn(Err(trouble)), &[]),
                },
            }
        }
    }

    fn prepare(&mut self, scene: Scene, raw: &[u8]) -> Result<(), Trouble> {
        self.ready = None;
        if self.open.is_none() {
            self.open = self.device.recv().ok().flatten();
        }
        let (Some(device), Some(program)) = (&self.open, &self.program) else {
            return Err(Trouble::Device("there is nothing to draw with".into()));
        };
        self.ready = Some(Ready::new(device, program, scene, raw)?);
        Ok(())
    }

    fn draw(&mut self, vectors: usize, raw: &[u8]) -> Result<Vec<u8>, Trouble> {
        match (&self.open, &self.ready) {
            (Some(device), Some(ready)) => draw::draw(device, ready, vectors, raw),
            _ => Err(Trouble::Device("nothing is ready to be drawn".into())),
        }
    }
}
