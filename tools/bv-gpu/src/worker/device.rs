//! The adapter and the device, and a net under everything that is done with them.

use super::Backend;
use crate::wire::{Adapter, Trouble};
use pollster::block_on;
use std::sync::{Arc, Mutex, PoisonError};

/// An open device.
pub(super) struct Device {
    pub(super) told: Adapter,
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) downlevel: wgpu::DownlevelFlags,
    /// What went wrong outside of every scope.
    stray: Arc<Mutex<Option<String>>>,
}

/// Used where the adapter has them; a check that needs a sort of target or texture which is missing is refused.
const WISHED: wgpu::Features = wgpu::Features::FLOAT32_FILTERABLE
    .union(wgpu::Features::FLOAT32_BLENDABLE)
    .union(wgpu::Features::VERTEX_WRITABLE_STORAGE);

impl Device {
    /// Opens the first adapter of the backend, real ones before software.
    pub(super) fn open(backend: Backend) -> Result<Device, String> {
        let backends = match backend {
            Backend::Vulkan => wgpu::Backends::VULKAN,
            Backend::Gl => wgpu::Backends::GL,
            Backend::None => return Err("no driver is asked for".into()),
        };
        let mut description = wgpu::InstanceDescriptor::new_without_display_handle();
        description.backends = backends;
        // No validation layers: they are the library's own debugging aids, and slow.
        description.flags = wgpu::InstanceFlags::empty();
        let instance = wgpu::Instance::new(description);
        let mut adapters = block_on(instance.enumerate_adapters(backends));
        adapters.sort_by_key(|adapter| rank(adapter.get_info().device_type));
        let adapter = adapters.into_iter().next().ok_or("no adapter")?;
        let (device, queue) = block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: adapter.features() & WISHED,
            required_limits: adapter.limits(),
            ..Default::default()
        }))
        .map_err(|wrong| one_line(&wrong.to_string()))?;
        let stray = Arc::new(Mutex::new(None));
        let keep = Arc::clone(&stray);
        device.on_uncaptured_error(Arc::new(move |wrong: wgpu::Error| note(&keep, &wrong.to_string())));
        let keep = Arc::clone(&stray);
        device.set_device_lost_callback(move |reason, words| {
            note(&keep, &format!("the device is lost ({reason:?}): {words}"));
        });
        let downlevel = adapter.get_downlevel_capabilities().flags;
        Ok(Device { told: told(&adapter.get_info()), device, queue, downlevel, stray })
    }

    /// Does `work` and says what the library complained of meanwhile.
    pub(super) fn guarded<T>(&self, work: impl FnOnce() -> T) -> Result<T, Trouble> {
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let internal = self.device.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let done = work();
        let complaints = [block_on(validation.pop()), block_on(internal.pop()), block_on(memory.pop())];
        let complaint = complaints.into_iter().flatten().next().map(|wrong| wrong.to_string());
        let stray = self.stray.lock().unwrap_or_else(PoisonError::into_inner).take();
        match complaint.or(stray) {
            Some(words) => Err(Trouble::Device(one_line(&words))),
            None => Ok(done),
        }
    }
}

fn rank(kind: wgpu::DeviceType) -> u8 {
    match kind {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

fn told(info: &wgpu::AdapterInfo) -> Adapter {
    const SOFTWARE: [&str; 4] = ["llvmpipe", "lavapipe", "softpipe", "swiftshader"];
    let name = info.name.to_ascii_lowercase();
    let driver = format!("{} {}", info.driver, info.driver_info);
    Adapter {
        name: info.name.clone(),
        backend: match info.backend {
            wgpu::Backend::Gl => "gl".into(),
            other => other.to_string(),
        },
        driver: driver.trim().to_owned(),
        software: info.device_type == wgpu::DeviceType::Cpu
            || SOFTWARE.iter().any(|known| name.contains(known)),
    }
}

fn note(keep: &Mutex<Option<String>>, words: &str) {
    keep.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| one_line(words));
}

fn one_line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
