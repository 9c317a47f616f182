//! The form of an object: a short header, then the masked bytes, compressed.
//!
//! ```text
//! "bvo"  flags u8  length u40 LE  [BLAKE3 of the masked bytes, 32 bytes]  zstd frame
//! ```
//!
//! The key is the BLAKE3 of the raw bytes. Where nothing was masked the stored bytes have that very hash and
//! the header holds none. Short ones are compressed with a dictionary that is part of this program, since
//! most traces are a few kilobytes of well-known phrases; `dictionaries/` says how it was made.

use crate::masking::Masking;
use crate::store::{Key, Put, Spool, Store};
use blake3::{Hash, Hasher};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use zstd::stream::{Decoder, Encoder};

/// The longest trace that is stored, in bytes; what is longer passes and is not kept.
pub const BYTES_MAX: u64 = 4 << 30;
/// Up to this many bytes an object is made at once, with the dictionary.
const SHORT_BYTES_MAX: usize = 256 << 10;
/// Levels of zstd: a short trace costs a few milliseconds at most, a long one must keep up with its pipe.
const SHORT_LEVEL: i32 = 9;
const LONG_LEVEL: i32 = 1;
/// What a decoder may need of memory, as a power of two: that of the levels above.
const WINDOW_LOG_MAX: u32 = 27;

/// Dictionaries are never changed, since objects were made with them; a better one gets the next number.
static DICTIONARY: &[u8] = include_bytes!("../dictionaries/1.zdict");

const MAGIC: &[u8; 3] = b"bvo";
const WITH_HASH: u8 = 1;
const WITH_DICTIONARY: u8 = 2;
const FLAGS: u8 = WITH_HASH | WITH_DICTIONARY;
const LENGTH_BYTES: usize = 5;
const SHORT_HEADER_BYTES: usize = MAGIC.len() + 1 + LENGTH_BYTES;
const LONG_HEADER_BYTES: u64 = SHORT_HEADER_BYTES as u64 + 32;

/// Keeps raw bytes, masked, under the hash of what they were.
///
/// # Errors
/// Those of the store.
pub fn keep(store: &dyn Store, raw: &[u8]) -> io::Result<Packed> {
    let mut packing = Packing::new(store);
    packing.take(raw)?;
    packing.end()
}

/// The stored bytes of the object `hash`.
///
/// # Errors
/// `NotFound` where there are none.
pub fn fetch(store: &dyn Store, hash: Hash) -> io::Result<Unpacking> {
    Unpacking::new(hash, store.get(Key::Object(hash))?)
}

/// An object in the making: raw bytes go in, piece by piece.
pub struct Packing<'store> {
    store: &'store dyn Store,
    raw: Hasher,
    bytes: u64,
    masking: Masking,
    body: Body,
}

/// The masked bytes so far.
enum Body {
    Short(Vec<u8>),
    Long(Box<Long>),
}

struct Long {
    spool: Spool,
    encoder: Encoder<'static, File>,
    stored: Hasher,
}

/// What became of the raw bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    /// BLAKE3 of the raw bytes, the object's name.
    pub hash: Hash,
    /// How many raw bytes.
    pub bytes: u64,
    /// Whether the object was there already.
    pub put: Put,
    /// Whether secrets were masked.
    pub masked: bool,
}

impl<'store> Packing<'store> {
    /// An object for `store`.
    pub fn new(store: &'store dyn Store) -> Packing<'store> {
        let body = Body::Short(Vec::new());
        Packing { store, raw: Hasher::new(), bytes: 0, masking: Masking::default(), body }
    }

    /// Takes the next raw bytes.
    ///
    /// # Errors
    /// Those of the store, and more than [`BYTES_MAX`].
    pub fn take(&mut self, piece: &[u8]) -> io::Result<()> {
        self.bytes += piece.len() as u64;
        if self.bytes > BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("over {BYTES_MAX} bytes")));
        }
        self.raw.update(piece);
        let Packing { masking, body, store, .. } = self;
        masking.take(piece, |masked| body.take(masked, *store))
    }

    /// The end of the bytes: puts the object, durably.
    ///
    /// # Errors
    /// Those of the store.
    pub fn end(self) -> io::Result<Packed> {
        let Packing { store, raw, bytes, masking, mut body } = self;
        let masked = masking.end(|rest| body.take(rest, store))?;
        let hash = raw.finalize();
        if store.touch(Key::Object(hash))? {
            return Ok(Packed { hash, bytes, put: Put::Present, masked });
        }
        let put = match body {
            Body::Short(short) => store.put(Key::Object(hash), &pack_short(&short, masked)?)?,
            Body::Long(long) => {
                let mut spool = long.spool;
                long.encoder.finish()?;
                spool.file.seek(SeekFrom::Start(0))?;
                spool.file.write_all(&header(WITH_HASH, bytes, Some(long.stored.finalize())))?;
                store.put_spool(Key::Object(hash), spool)?
            }
        };
        Ok(Packed { hash, bytes, put, masked })
    }
}

impl Body {
    fn take(&mut self, masked: &[u8], store: &dyn Store) -> io::Result<()> {
        if let Body::Short(short) = self {
            if short.len() + masked.len() <= SHORT_BYTES_MAX {
                short.extend_from_slice(masked);
                return Ok(());
            }
            let mut long = Long::new(store)?;
            long.take(short)?;
            *self = Body::Long(Box::new(long));
        }
        match self {
            Body::Long(long) => long.take(masked),
            Body::Short(_) => Ok(()),
        }
    }
}

impl Long {
    fn new(store: &dyn Store) -> io::Result<Long> {
        let mut spool = store.spool()?;
        // Its place; what stands there is known at the end.
        spool.file.seek(SeekFrom::Start(LONG_HEADER_BYTES))?;
        let encoder = Encoder::new(spool.file.try_clone()?, LONG_LEVEL)?;
        Ok(Long { spool, encoder, stored: Hasher::new() })
    }

    fn take(&mut self, masked: &[u8]) -> io::Result<()> {
        self.stored.update(masked);
        self.encoder.write_all(masked)
    }
}

fn pack_short(bytes: &[u8], masked: bool) -> io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::with_dictionary(SHORT_LEVEL, DICTIONARY)?;
    // The header says the length, and which dictionary.
    compressor.include_contentsize(false)?;
    compressor.include_dictid(false)?;
    let hash = masked.then(|| blake3::hash(bytes));
    let flags = WITH_DICTIONARY | if masked { WITH_HASH } else { 0 };
    let mut object = header(flags, bytes.len() as u64, hash);
    object.append(&mut compressor.compress(bytes)?);
    Ok(object)
}

fn header(flags: u8, length: u64, hash: Option<Hash>) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.push(flags);
    header.extend_from_slice(&length.to_le_bytes()[..LENGTH_BYTES]);
    if let Some(hash) = hash {
        header.extend_from_slice(hash.as_bytes());
    }
    header
}

/// An object that is being read: its stored bytes, the masks in them.
pub struct Unpacking {
    bytes: Box<dyn Read>,
    /// How many bytes are to come; more are not read.
    left: u64,
    expected: Hash,
    seen: Hasher,
    /// Whether secrets are masked in it.
    pub masked: bool,
    /// How many bytes it has.
    pub length: u64,
}

impl Unpacking {
    /// Begins to read the object `hash` from its stored form.
    ///
    /// # Errors
    /// Those of `object`, and a header that is none.
    pub fn new(hash: Hash, mut object: impl Read + 'static) -> io::Result<Unpacking> {
        let mut start = [0; SHORT_HEADER_BYTES];
        object.read_exact(&mut start).map_err(|_| damaged("it has no header"))?;
        let (magic, rest) = start.split_at(MAGIC.len());
        let flags = rest[0];
        if magic != MAGIC || flags & !FLAGS != 0 {
            return Err(damaged("its header is not known to this version"));
        }
        let mut length = [0; 8];
        length[..LENGTH_BYTES].copy_from_slice(&rest[1..]);
        let length = u64::from_le_bytes(length);
        if length > BYTES_MAX {
            return Err(damaged("it claims to be longer than any object"));
        }
        let mut expected = hash;
        if flags & WITH_HASH != 0 {
            let mut bytes = [0; 32];
            object.read_exact(&mut bytes).map_err(|_| damaged("its header is cut off"))?;
            expected = Hash::from_bytes(bytes);
        }
        let input = io::BufReader::new(object);
        let dictionary = if flags & WITH_DICTIONARY != 0 { DICTIONARY } else { &[] };
        let mut decoder = Decoder::with_dictionary(input, dictionary)?;
        decoder.window_log_max(WINDOW_LOG_MAX)?;
        let bytes = Box::new(decoder);
        let masked = expected != hash;
        Ok(Unpacking { bytes, left: length, expected, seen: Hasher::new(), masked, length })
    }

    /// Writes the stored bytes to `output`; at the end they are known to be those that were stored.
    ///
    /// # Errors
    /// Those of `output`; `InvalidData` where the object is damaged, which is known only after the write.
    pub fn copy(mut self, output: &mut impl Write) -> io::Result<()> {
        let mut piece = vec![0; 64 << 10];
        loop {
            let n = match self.bytes.read(&mut piece) {
                Ok(0) => break,
                Ok(n) => n,
                Err(wrong) if wrong.kind() == io::ErrorKind::Interrupted => continue,
                Err(wrong) => return Err(damaged(&wrong.to_string())),
            };
            self.left =
                self.left.checked_sub(n as u64).ok_or_else(|| damaged("it is longer than it says"))?;
            self.seen.update(&piece[..n]);
            output.write_all(&piece[..n])?;
        }
        if self.left > 0 || self.seen.finalize() != self.expected {
            return Err(damaged("its bytes are not those that were stored"));
        }
        Ok(())
    }
}

fn damaged(how: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the object is damaged: {how}"))
}
