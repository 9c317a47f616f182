//! Where graphics drivers are looked for, and in which order.
//!
//! In: what the user asked for, and the environment. Out: places to try, each as the environment of a worker.
//! Nothing is opened here: a driver may hang or die while it is opened, and only a worker may.
//!
//! The order is what was asked for (`--icd`, `BV_GPU_ICD`, `--backend`), then Vulkan, then OpenGL by EGL, then a
//! SwiftShader library where browsers put theirs.

use crate::worker::Backend;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Where to look, as the user says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Wanted {
    /// Any Vulkan driver of the system
    Vulkan,
    /// OpenGL by EGL
    Egl,
    /// SwiftShader as browsers bring it along
    Swiftshader,
}

/// A place where a driver may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// How it was found: `vulkan`, `egl`, `swiftshader`, or the file that was asked for.
    pub found: String,
    /// What the worker opens.
    pub backend: Backend,
    /// Set in the worker's environment.
    pub environment: Vec<(&'static str, OsString)>,
    /// A Vulkan library that is its own loader.
    pub library: Option<PathBuf>,
}

/// The places to try, in order.
///
/// # Errors
/// Where the file that was asked for does not exist.
pub fn places(icd: Option<&Path>, wanted: Option<Wanted>) -> Result<Vec<Place>, String> {
    if let Some(file) = icd {
        if !file.is_file() {
            return Err(format!("no such driver: {}", file.display()));
        }
        return Ok(vec![asked(file)]);
    }
    let all = [Wanted::Vulkan, Wanted::Egl, Wanted::Swiftshader];
    let wanted = all.into_iter().filter(|one| wanted.is_none_or(|wanted| wanted == *one));
    Ok(wanted
        .flat_map(|one| match one {
            Wanted::Vulkan => vec![vulkan()],
            Wanted::Egl => vec![egl()],
            Wanted::Swiftshader => swiftshader().into_iter().collect(),
        })
        .collect())
}

/// A driver's manifest, or a library that is a driver and loader in one, as SwiftShader's is.
fn asked(file: &Path) -> Place {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let found = file.display().to_string();
    match file.extension().is_some_and(|ext| ext == "json") {
        true => Place { found, backend: Backend::Vulkan, environment: manifests(file.into()), library: None },
        false => Place { found, backend: Backend::Vulkan, environment: quiet(), library: Some(file) },
    }
}

fn vulkan() -> Place {
    let said = env::var_os("VK_DRIVER_FILES").or_else(|| env::var_os("VK_ICD_FILENAMES"));
    let environment = match software_manifests() {
        // Drivers of hardware that is not there cost half a second to load.
        Some(files) if said.is_none() && !has_hardware() => manifests(files),
        _ => quiet(),
    };
    Place { found: "vulkan".into(), backend: Backend::Vulkan, environment, library: None }
}

fn egl() -> Place {
    // Mesa's llvmpipe draws into 32-bit float targets in desktop OpenGL, but says so by version, not by the
    // extension that wgpu looks for.
    const FLOAT_TARGETS: &str = "+GL_ARB_color_buffer_float";
    let mut extensions = env::var_os("MESA_EXTENSION_OVERRIDE").unwrap_or_default();
    if !extensions.is_empty() {
        extensions.push(" ");
    }
    extensions.push(FLOAT_TARGETS);
    let mut environment = quiet();
    environment.push(("MESA_EXTENSION_OVERRIDE", extensions));
    Place { found: "egl".into(), backend: Backend::Gl, environment, library: None }
}

fn swiftshader() -> Option<Place> {
    let library = swiftshader_libraries().into_iter().find(|library| library.is_file())?;
    let found = format!("swiftshader {}", library.display());
    Some(Place { found, backend: Backend::Vulkan, environment: quiet(), library: Some(library) })
}

/// Where browsers and test runners put SwiftShader.
fn swiftshader_libraries() -> Vec<PathBuf> {
    const FOLDERS: [&str; 8] = [
        "/usr/lib/chromium",
        "/usr/lib/chromium-browser",
        "/usr/lib64/chromium-browser",
        "/opt/google/chrome",
        "/opt/chromium.org/chromium",
        "/opt/microsoft/msedge",
        "/opt/brave.com/brave",
        "/snap/chromium/current/usr/lib/chromium-browser",
    ];
    const NAME: &str =
        if cfg!(target_os = "macos") { "libvk_swiftshader.dylib" } else { "libvk_swiftshader.so" };
    let mut libraries: Vec<PathBuf> = FOLDERS.iter().map(|folder| Path::new(folder).join(NAME)).collect();
    if let Some(home) = env::var_os("HOME") {
        // Browsers of Playwright and Puppeteer: one folder a version, the newest last by name.
        for (store, inner) in [
            (".cache/ms-playwright", "chrome-linux"),
            (".cache/ms-playwright", "chrome-linux64"),
            (".cache/puppeteer/chrome", "chrome-linux64"),
        ] {
            let mut versions = folders(&Path::new(&home).join(store));
            versions.sort();
            libraries.extend(versions.into_iter().rev().map(|version| version.join(inner).join(NAME)));
        }
    }
    libraries
}

fn folders(within: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(within).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Whether the system shows a graphics device.
fn has_hardware() -> bool {
    const DEVICES: [&str; 4] = ["/dev/dri", "/dev/nvidiactl", "/dev/dxg", "/dev/mali0"];
    !cfg!(target_os = "linux") || DEVICES.iter().any(|device| Path::new(device).exists())
}

/// The manifests of software drivers, as a search path.
fn software_manifests() -> Option<OsString> {
    const FOLDERS: [&str; 3] =
        ["/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d"];
    let software = |file: &PathBuf| {
        let name = file.file_name().map(OsStr::to_ascii_lowercase).unwrap_or_default();
        let name = name.to_string_lossy();
        name.ends_with(".json") && (name.starts_with("lvp") || name.contains("swiftshader"))
    };
    let mut files: Vec<PathBuf> = FOLDERS.iter().flat_map(|folder| folders(Path::new(folder))).collect();
    files.retain(software);
    files.sort();
    if files.is_empty() { None } else { env::join_paths(files).ok() }
}

/// Both names of the variable: loaders before 1.3.207 know only the old one.
fn manifests(files: OsString) -> Vec<(&'static str, OsString)> {
    let mut environment = quiet();
    environment.extend([("VK_DRIVER_FILES", files.clone()), ("VK_ICD_FILENAMES", files)]);
    environment
}

/// Keeps drivers from writing under the home folder, and from complaining that a desktop is missing.
fn quiet() -> Vec<(&'static str, OsString)> {
    let mut environment = Vec::new();
    let defaults =
        [("MESA_SHADER_CACHE_DISABLE", "true".into()), ("XDG_RUNTIME_DIR", env::temp_dir().into_os_string())];
    for (name, value) in defaults {
        if env::var_os(name).is_none() {
            environment.push((name, value));
        }
    }
    environment
}

/// The variable in which the system's linker looks for libraries.
pub const LIBRARY_PATH: &str =
    if cfg!(target_os = "macos") { "DYLD_LIBRARY_PATH" } else { "LD_LIBRARY_PATH" };
/// The name under which a Vulkan loader is looked for.
pub const LOADER: &str = if cfg!(target_os = "macos") { "libvulkan.dylib" } else { "libvulkan.so.1" };
