//! A worker that answers in time: started where a driver is found, killed when it is late, started again when the
//! next question comes.

use crate::adapters::{LIBRARY_PATH, LOADER, Place};
use crate::front::{Language, Rejection, Source};
use crate::wire::{self, Adapter, Answer, Ask, Interface, Scene, Trouble};
use crate::worker::Backend;
use bv_schemas::Limit;
use bv_schemas::child::Group;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use tempfile::TempDir;

/// What a worker's last words may weigh.
const WORDS_BYTES_MAX: usize = 2048;

/// How a worker ended without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Death {
    /// It did not answer within the limit and was killed.
    Late(Limit),
    /// A loop made more turns than this, where the driver would have ended it and gone on.
    Endless(u32),
    /// It died: the signal or exit status, and its last words.
    Crashed {
        /// `SIGSEGV`, `panic`, `exit 1`.
        how: String,
        /// What it said last, one line; may be empty.
        words: String,
    },
}

/// An answer, or why none came; the outer error is ours.
pub type Answered<T> = io::Result<Result<T, Death>>;

/// Talks to one worker at a time.
#[derive(Debug)]
pub struct Session {
    limit: Limit,
    /// Places not tried yet; the first is the one in use once it has answered.
    places: Vec<Place>,
    /// Why the places before were of no use.
    passed_over: Vec<String>,
    adapter: Option<Adapter>,
    worker: Option<Worker>,
    /// To be repeated to a new worker.
    compile: Option<(Language, Source, Source)>,
    prepare: Option<(Scene, Vec<u8>)>,
}

impl Session {
    /// A session that will look for a driver in `places` and give every answer `limit`.
    pub fn new(places: Vec<Place>, limit: Limit) -> Session {
        Session {
            limit,
            places,
            passed_over: Vec::new(),
            adapter: None,
            worker: None,
            compile: None,
            prepare: None,
        }
    }

    /// Starts the worker before its first question, so that the driver opens meanwhile.
    ///
    /// # Errors
    /// Where no process can be started.
    pub fn start(&mut self) -> io::Result<()> {
        if self.worker.is_none() {
            self.worker = Some(Worker::start(self.places.first())?);
        }
        Ok(())
    }

    /// The adapter in use, looked for at the first call.
    ///
    /// # Errors
    /// The inner one is why there is none.
    pub fn adapter(&mut self) -> io::Result<Result<Adapter, String>> {
        while self.adapter.is_none() && !self.places.is_empty() {
            if self.worker.as_ref().is_some_and(|worker| worker.blind) {
                self.worker = None;
            }
            self.start()?;
            match self.answer()? {
                Ok((answer, _)) => self.keep(answer),
                Err(death) => self.pass_over(&death.to_string()),
            }
        }
        Ok(self.adapter.clone().ok_or_else(|| match self.passed_over.is_empty() {
            true => "there is nowhere to look for one".into(),
            false => self.passed_over.join("; "),
        }))
    }

    /// Has the program compiled and linked while others things are asked; [`Session::compiled`] has the answer.
    ///
    /// # Errors
    /// Where no process can be started.
    pub fn compile(&mut self, language: Language, vertex: Source, fragment: Source) -> io::Result<()> {
        self.compile = Some((language, vertex, fragment));
        self.prepare = None;
        self.start()?;
        self.ask_to_compile()
    }

    /// The program's interface, or what is wrong with it.
    ///
    /// # Errors
    /// Where no process can be started.
    pub fn compiled(&mut self) -> Answered<Result<Interface, Rejection>> {
        self.start()?;
        if !self.worker.as_ref().is_some_and(|worker| worker.asked) {
            self.ask_to_compile()?;
        }
        if let Some(compiled) = self.worker.as_mut().and_then(|worker| worker.compiled.take()) {
            return Ok(Ok(compiled));
        }
        self.wait_for(|answer, _| match answer {
            Answer::Compiled(compiled) => Some(*compiled),
            _ => None,
        })
    }

    /// Makes ready to draw the program compiled last.
    ///
    /// # Errors
    /// Where no process can be started.
    pub fn prepare(&mut self, scene: Scene, raw: Vec<u8>) -> Answered<Result<(), Trouble>> {
        self.prepare = Some((scene, raw));
        self.prepared()
    }

    /// Draws `vectors`, whose uniform blocks lie one behind the other.
    ///
    /// # Errors
    /// Where no process can be started.
    pub fn draw(&mut self, vectors: usize, blocks: &[u8]) -> Answered<Result<Vec<u8>, Trouble>> {
        if self.worker.is_none() {
            match self.again()? {
                Ok(Ok(())) => {}
                Ok(Err(trouble)) => return Ok(Ok(Err(trouble))),
                Err(death) => return Ok(Err(death)),
            }
        }
        self.send(&Ask::Draw(vectors), blocks)?;
        let drawn = self.wait_for(|answer, raw| match answer {
            Answer::Drawn(drawn) => Some(drawn.map(|()| raw)),
            _ => None,
        })?;
        Ok(match drawn {
            Ok(Err(Trouble::Endless(turns))) => Err(Death::Endless(turns)),
            drawn => drawn,
        })
    }

    fn ask_to_compile(&mut self) -> io::Result<()> {
        let Some((language, vertex, fragment)) = self.compile.clone() else { return Ok(()) };
        self.send(&Ask::Compile { language, vertex, fragment }, &[])?;
        if let Some(worker) = &mut self.worker {
            (worker.asked, worker.compiled) = (true, None);
        }
        Ok(())
    }

    fn prepared(&mut self) -> Answered<Result<(), Trouble>> {
        if !self.worker.as_ref().is_some_and(|worker| worker.asked) {
            return self.again();
        }
        let Some((scene, raw)) = self.prepare.clone() else { return Ok(Err(Death::nothing())) };
        self.send(&Ask::Prepare(Box::new(scene)), &raw)?;
        self.wait_for(|answer, _| match answer {
            Answer::Prepared(prepared) => Some(prepared),
            _ => None,
        })
    }

    /// Brings a new worker to where the one before was.
    fn again(&mut self) -> Answered<Result<(), Trouble>> {
        self.start()?;
        match self.compiled()? {
            Ok(Ok(_)) => self.prepared(),
            Ok(Err(_)) => Ok(Err(Death::nothing())),
            Err(death) => Ok(Err(death)),
        }
    }

    fn send(&mut self, ask: &Ask, raw: &[u8]) -> io::Result<()> {
        match self.worker.as_mut().map(|worker| wire::write(&mut worker.stdin, ask, raw)) {
            // That it is dead is found out when its answer is waited for.
            Some(Err(wrong)) if wrong.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Some(result) => result,
            None => Ok(()),
        }
    }

    /// Waits for the answer that `wanted` takes; the adapter's is kept on the way.
    fn wait_for<T>(&mut self, wanted: impl Fn(Answer, Vec<u8>) -> Option<T>) -> Answered<T> {
        loop {
            match self.answer()? {
                Ok((answer @ Answer::Adapter(_), _)) => self.keep(answer),
                Ok((answer, raw)) => match wanted(answer, raw) {
                    Some(answer) => return Ok(Ok(answer)),
                    None => return Ok(Err(self.ended())),
                },
                Err(death) => return Ok(Err(death)),
            }
        }
    }

    /// Keeps what was not waited for just now.
    fn keep(&mut self, answer: Answer) {
        match (answer, &mut self.worker) {
            (Answer::Adapter(Ok(adapter)), _) => self.adapter = Some(adapter),
            (Answer::Adapter(Err(why)), _) => self.pass_over(&why),
            (Answer::Compiled(compiled), Some(worker)) => worker.compiled = Some(*compiled),
            _ => {}
        }
    }

    /// The driver in use is none; the compiler beside it, if it lives, serves on.
    fn pass_over(&mut self, why: &str) {
        if !self.places.is_empty() {
            let place = self.places.remove(0);
            self.passed_over.push(format!("{}: {why}", place.found));
        }
        if let Some(worker) = &mut self.worker {
            worker.blind = true;
        }
    }

    /// The next answer. A worker that gives none is no more after this.
    fn answer(&mut self) -> Answered<(Answer, Vec<u8>)> {
        let limit = self.limit.duration();
        let Some(worker) = self.worker.as_ref() else { return Ok(Err(Death::nothing())) };
        match worker.answers.recv_timeout(limit) {
            Ok(Ok((Answer::Panicked(words), _))) => {
                self.worker = None;
                Ok(Err(Death::Crashed { how: "panic".into(), words }))
            }
            Ok(Ok(answer)) => Ok(Ok(answer)),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => Ok(Err(self.ended())),
            Err(RecvTimeoutError::Timeout) => {
                self.worker = None;
                Ok(Err(Death::Late(self.limit.clone())))
            }
        }
    }

    /// What the system says of a worker that has closed its end.
    fn ended(&mut self) -> Death {
        match self.worker.take() {
            Some(worker) => worker.ended(),
            None => Death::nothing(),
        }
    }
}

impl Death {
    fn nothing() -> Death {
        Death::Crashed { how: "no worker".into(), words: String::new() }
    }
}

impl std::fmt::Display for Death {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Death::Late(limit) => write!(f, "no answer within {limit}"),
            Death::Endless(turns) => {
                write!(
                    f,
                    "more than {turns} loop turns for one pixel or vertex (llvmpipe would cut the loop off)"
                )
            }
            Death::Crashed { how, words } if words.is_empty() => {
                write!(f, "the graphics process died: {how}")
            }
            Death::Crashed { how, words } => write!(f, "the graphics process died: {how}: {words}"),
        }
    }
}

/// A running worker. Dropped, it is killed.
#[derive(Debug)]
struct Worker {
    group: Group,
    stdin: ChildStdin,
    answers: Receiver<io::Result<(Answer, Vec<u8>)>>,
    words: Option<JoinHandle<Vec<u8>>>,
    /// Where a library poses as the Vulkan loader.
    _posing: Option<TempDir>,
    /// Whether it was asked to compile the program that is wanted.
    asked: bool,
    /// Its answer, where it came before it was waited for.
    compiled: Option<Result<Interface, Rejection>>,
    /// Whether its driver was of no use; it only compiles then.
    blind: bool,
}

impl Worker {
    fn start(place: Option<&Place>) -> io::Result<Worker> {
        let backend = place.map_or(Backend::None, |place| place.backend);
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("worker").arg(match backend {
            Backend::Vulkan => "vulkan",
            Backend::Gl => "gl",
            Backend::None => "none",
        });
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut posing = None;
        if let Some(place) = place {
            command.envs(place.environment.iter().map(|(name, value)| (name, value)));
            if let Some(library) = &place.library {
                let folder = loader(library)?;
                command.env(LIBRARY_PATH, folder.path());
                posing = Some(folder);
            }
        }
        let mut group = Group::spawn(&mut command)?;
        let missing = || io::Error::other("a pipe is missing");
        let stdin = group.take_stdin().ok_or_else(missing)?;
        let mut stdout = group.take_stdout().ok_or_else(missing)?;
        let stderr = group.take_stderr().ok_or_else(missing)?;
        let (told, answers) = channel();
        thread::Builder::new().name("answers".into()).spawn(move || {
            while let Some(answer) = wire::read(&mut stdout).transpose() {
                let last = answer.is_err();
                if told.send(answer).is_err() || last {
                    return;
                }
            }
        })?;
        let words = thread::Builder::new().name("words".into()).spawn(move || last_words(stderr))?;
        Ok(Worker {
            group,
            stdin,
            answers,
            words: Some(words),
            _posing: posing,
            asked: false,
            compiled: None,
            blind: false,
        })
    }

    fn ended(mut self) -> Death {
        // It closed its end and is dying by itself, or does nothing that we could wait for.
        let ended = self.group.end();
        let words = self.words.take().and_then(|words| words.join().ok()).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).split_whitespace().collect::<Vec<_>>().join(" ");
        let how = match ended.map(|status| (status.signal(), status.code())) {
            Ok((Some(signal), _)) => signal_name(signal),
            Ok((_, Some(code))) => format!("exit {code}"),
            _ => "unknown".into(),
        };
        Death::Crashed { how, words }
    }
}

fn signal_name(signal: i32) -> String {
    use rustix::process::Signal;
    const NAMES: [(Signal, &str); 8] = [
        (Signal::SEGV, "SIGSEGV"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::ILL, "SIGILL"),
        (Signal::KILL, "SIGKILL"),
        (Signal::TERM, "SIGTERM"),
        (Signal::TRAP, "SIGTRAP"),
    ];
    let known = NAMES.iter().find(|(known, _)| known.as_raw() == signal);
    known.map_or_else(|| format!("signal {signal}"), |(_, name)| (*name).to_owned())
}

/// The end of what a driver says on stderr.
fn last_words(mut stderr: ChildStderr) -> Vec<u8> {
    let mut words = Vec::new();
    let mut chunk = [0; 4096];
    while let Ok(n @ 1..) = stderr.read(&mut chunk) {
        words.extend_from_slice(&chunk[..n]);
        let over = words.len().saturating_sub(WORDS_BYTES_MAX);
        words.drain(..over);
    }
    words
}

/// A folder in which a driver's library bears the loader's name.
fn loader(library: &Path) -> io::Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("bv-gpu-").tempdir()?;
    std::os::unix::fs::symlink(library, folder.path().join(LOADER))?;
    Ok(folder)
}
