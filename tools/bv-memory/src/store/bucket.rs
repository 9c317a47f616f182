//! A store in a bucket that speaks S3: what the machines of a CI fleet share.
//!
//! Objects and journals lie there under the same names as in a folder; the index and what is being written lie in
//! a folder of this machine's cache. A put is conditional (`If-None-Match: *`), so that the first of several
//! writers wins and the others learn of it. Credentials, region and endpoint come from the environment alone
//! (`AWS_*`, or the identity that the machine or the CI job has); none is ever written down.

use super::{Entry, Key, Kind, Put, Spool, Store};
use crate::id;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path as Location;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload, RetryConfig};
use std::fmt;
use std::fs::{self, File};
use std::future::Future;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::runtime::Runtime;

/// An object up to this length is one request, a longer one goes in parts of this length.
const PART_BYTES: usize = 16 << 20;
/// A bucket that does not answer must not hold up a CI job: how often a request is tried again, and for how long.
const RETRIES_MAX: usize = 4;
const RETRY_TIME_MAX: Duration = Duration::from_secs(20);

/// What was put within this time need not be put again: half of what gc leaves alone.
const YOUNG: Duration = Duration::from_secs(30 * 60);

/// An open bucket.
pub struct Bucket {
    url: String,
    prefix: Location,
    client: Arc<AmazonS3>,
    runtime: Arc<Runtime>,
    cache: PathBuf,
}

impl Bucket {
    /// Opens `s3://bucket/prefix`. Nothing is asked of the server yet.
    ///
    /// # Errors
    /// An address that names no bucket, an environment that cannot be used, no folder for the cache.
    pub fn open(url: &str) -> io::Result<Bucket> {
        let (bucket, prefix) = split(url).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("no s3://bucket/prefix: {url}"))
        })?;
        check_environment()?;
        // One per process; a second call finds it there.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let retry =
            RetryConfig { max_retries: RETRIES_MAX, retry_timeout: RETRY_TIME_MAX, ..RetryConfig::default() };
        let client =
            AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retry).build().map_err(told)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Bucket {
            url: url.to_owned(),
            prefix: Location::parse(prefix).map_err(|wrong| told(wrong.into()))?,
            client: Arc::new(client),
            runtime: Arc::new(runtime),
            cache: cache(url)?,
        })
    }

    fn location(&self, path: &str) -> Location {
        path.split('/').fold(self.prefix.clone(), |location, name| location.join(name))
    }

    fn wait<T>(&self, work: impl Future<Output = object_store::Result<T>>) -> io::Result<T> {
        self.runtime.block_on(work).map_err(told)
    }

    async fn write(&self, key: Key, bytes: Vec<u8>) -> object_store::Result<Put> {
        let location = self.location(&key.path());
        let payload = PutPayload::from(bytes);
        let create = PutOptions::from(PutMode::Create);
        match self.client.put_opts(&location, payload.clone(), create).await {
            Ok(_) => Ok(Put::Written),
            // There, or being written by somebody who may yet fail. What lies under a key is the same whoever
            // wrote it, so it is put once more: then it is there for certain, and its time is now.
            Err(object_store::Error::AlreadyExists { .. }) => {
                self.client.put(&location, payload).await.map(|_| Put::Present)
            }
            Err(wrong) => Err(wrong),
        }
    }

    async fn write_in_parts(&self, key: Key, file: &mut File) -> io::Result<()> {
        let mut upload = self.client.put_multipart(&self.location(&key.path())).await.map_err(told)?;
        let written = async {
            loop {
                let mut part = Vec::new();
                if file.take(PART_BYTES as u64).read_to_end(&mut part)? == 0 {
                    break;
                }
                upload.put_part(PutPayload::from(part)).await.map_err(told)?;
            }
            upload.complete().await.map_err(told)
        }
        .await;
        if written.is_err() {
            // The error is what is told; parts that stay behind are the bucket's lifecycle rules' business.
            let _ = upload.abort().await;
        }
        written.map(drop)
    }
}

impl Store for Bucket {
    fn put(&self, key: Key, bytes: &[u8]) -> io::Result<Put> {
        self.wait(self.write(key, bytes.to_vec()))
    }

    fn spool(&self) -> io::Result<Spool> {
        let path = self.cache.join(TMP).join(format!("{:016x}", id::random()));
        let mut options = File::options();
        let file = options.read(true).write(true).create_new(true).mode(0o600).open(&path)?;
        Ok(Spool { file, path })
    }

    fn put_spool(&self, key: Key, mut spool: Spool) -> io::Result<Put> {
        let length = spool.file.seek(SeekFrom::End(0))?;
        spool.file.seek(SeekFrom::Start(0))?;
        if length <= PART_BYTES as u64 {
            let mut bytes = Vec::new();
            spool.file.read_to_end(&mut bytes)?;
            return self.put(key, &bytes);
        }
        let there = self.has(key)?;
        self.runtime.block_on(self.write_in_parts(key, &mut spool.file))?;
        Ok(if there { Put::Present } else { Put::Written })
    }

    fn get(&self, key: Key) -> io::Result<Box<dyn Read + Send>> {
        let found = self.wait(self.client.get(&self.location(&key.path())))?;
        let pieces = found.into_stream().map(|piece| piece.map(|piece| piece.to_vec())).boxed();
        Ok(Box::new(Download { runtime: Arc::clone(&self.runtime), pieces, piece: io::Cursor::default() }))
    }

    fn has(&self, key: Key) -> io::Result<bool> {
        match self.wait(self.client.head(&self.location(&key.path()))) {
            Ok(_) => Ok(true),
            Err(wrong) if wrong.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(wrong) => Err(wrong),
        }
    }

    /// A bucket has no way to make a thing younger but to put it again. One that is too long for that counts as
    /// missing, so that its writer does.
    fn touch(&self, key: Key) -> io::Result<bool> {
        let meta = match self.wait(self.client.head(&self.location(&key.path()))) {
            Ok(meta) => meta,
            Err(wrong) if wrong.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(wrong) => return Err(wrong),
        };
        let put = SystemTime::from(meta.last_modified);
        if SystemTime::now().duration_since(put).is_ok_and(|age| age < YOUNG) {
            return Ok(true);
        }
        if meta.size > PART_BYTES as u64 {
            return Ok(false);
        }
        let mut bytes = Vec::new();
        self.get(key)?.read_to_end(&mut bytes)?;
        self.wait(self.client.put(&self.location(&key.path()), PutPayload::from(bytes))).map(|_| true)
    }

    fn list(&self, kind: Kind) -> io::Result<Vec<Entry>> {
        let folder = self.location(match kind {
            Kind::Objects => "objects",
            Kind::Journals => "journals",
        });
        let prefix_bytes = self.location("").as_ref().trim_end_matches('/').len();
        let mut listing = self.client.list(Some(&folder));
        let mut entries = Vec::new();
        while let Some(meta) = self.runtime.block_on(listing.next()).transpose().map_err(told)? {
            let path = meta.location.as_ref().get(prefix_bytes..).unwrap_or_default().trim_start_matches('/');
            if let Some(key) = Key::from_path(path) {
                entries.push(Entry { key, bytes: meta.size, put: meta.last_modified.into() });
            }
        }
        entries.sort_by_key(|entry| entry.key.path());
        Ok(entries)
    }

    fn delete(&self, key: Key) -> io::Result<()> {
        match self.wait(self.client.delete(&self.location(&key.path()))) {
            Err(wrong) if wrong.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// Uploads that were never finished are not seen here; a bucket's lifecycle rule takes them away.
    fn sweep(&self, before: SystemTime) -> io::Result<u64> {
        let mut swept = 0;
        for entry in fs::read_dir(self.cache.join(TMP))? {
            let entry = entry?;
            if entry.metadata()?.modified()? < before {
                fs::remove_file(entry.path())?;
                swept += 1;
            }
        }
        Ok(swept)
    }

    fn index_folder(&self) -> &Path {
        &self.cache
    }
}

/// The client holds credentials: they are in nobody's log.
impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bucket").field("url", &self.url).field("cache", &self.cache).finish_non_exhaustive()
    }
}

/// An object on its way here, piece by piece.
struct Download {
    runtime: Arc<Runtime>,
    pieces: BoxStream<'static, object_store::Result<Vec<u8>>>,
    piece: io::Cursor<Vec<u8>>,
}

impl Read for Download {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let n = self.piece.read(into)?;
            if n > 0 || into.is_empty() {
                return Ok(n);
            }
            match self.runtime.block_on(self.pieces.next()).transpose().map_err(told)? {
                Some(piece) => self.piece = io::Cursor::new(piece),
                None => return Ok(0),
            }
        }
    }
}

/// Bucket and prefix of `s3://bucket/prefix`.
fn split(url: &str) -> Option<(&str, &str)> {
    let rest = url.strip_prefix("s3://")?;
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    (!bucket.is_empty() && is_host(bucket)).then_some((bucket, prefix.trim_matches('/')))
}

/// The client builds addresses out of these and does not expect that they could be none.
fn check_environment() -> io::Result<()> {
    let told = |name: &str| std::env::var(name).ok();
    let fail =
        |name: &str, what: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{what}: {name}")));
    for name in ENDPOINTS {
        let url = told(name).map(|text| reqwest::Url::parse(&text).ok().filter(|url| url.has_host()));
        if url == Some(None) {
            return fail(name, "no http:// or https:// address in the environment");
        }
    }
    for name in ["AWS_REGION", "AWS_DEFAULT_REGION"] {
        if told(name).is_some_and(|region| region.is_empty() || !is_host(&region)) {
            return fail(name, "no region in the environment");
        }
    }
    Ok(())
}

/// Where the client looks for the server's address.
const ENDPOINTS: [&str; 3] = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"];

fn is_host(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
}

const TMP: &str = "tmp";

/// This machine's folder for what belongs to the bucket at `url`.
fn cache(url: &str) -> io::Result<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let root =
        absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache"))).ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, "no home folder for the index; set XDG_CACHE_HOME")
        })?;
    // Two endpoints may have a bucket of the same name.
    let endpoint = ENDPOINTS.iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default();
    let name = blake3::hash(format!("{url}\n{endpoint}").as_bytes()).to_hex();
    let folder = root.join("bv").join(format!("s3-{}", &name[..16]));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder.join(TMP))?;
    folder.canonicalize()
}

/// The server's words in one line, and the kind that callers look at.
fn told(wrong: object_store::Error) -> io::Error {
    let kind = match &wrong {
        object_store::Error::NotFound { .. } => io::ErrorKind::NotFound,
        object_store::Error::AlreadyExists { .. } => io::ErrorKind::AlreadyExists,
        object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. } => {
            io::ErrorKind::PermissionDenied
        }
        _ => io::ErrorKind::Other,
    };
    let words: Vec<String> = wrong.to_string().split_whitespace().map(str::to_owned).collect();
    io::Error::new(kind, format!("s3: {}", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_bucket_and_a_prefix() {
        for (url, expected) in [
            ("s3://b", Some(("b", ""))),
            ("s3://b/", Some(("b", ""))),
            ("s3://b/p/q/", Some(("b", "p/q"))),
            ("s3:///p", None),
            ("s3://", None),
            ("s3://a b/p", None),
            ("s3://a%62", None),
            ("b/p", None),
        ] {
            assert_eq!(split(url), expected, "{url}");
        }
    }
}
