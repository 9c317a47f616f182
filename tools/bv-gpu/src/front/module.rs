//! From SPIR-V to a naga module that has been validated. Whatever naga cannot take is told, never passed over.

use super::deep;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

/// Reads and validates a module.
///
/// # Errors
/// What naga cannot take, in its own words.
pub fn read(words: &[u32]) -> Result<naga::Module, String> {
    let words = words.to_vec();
    let read = move || {
        let options = naga::front::spv::Options {
            adjust_coordinate_space: false,
            strict_capabilities: false,
            block_ctx_dump_prefix: None,
        };
        let mut module = naga::front::spv::Frontend::new(words.into_iter(), &options)
            .parse()
            .map_err(|error| format!("{error}"))?;
        let functions = module.functions.iter_mut().map(|(_, function)| function);
        let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
        for function in functions.chain(entries) {
            for (_, expression) in function.expressions.iter_mut() {
                // See `layered_size` in `spirv/lookups.rs`.
                if let naga::Expression::ImageQuery { query: query @ naga::ImageQuery::NumSamples, .. } =
                    expression
                {
                    *query = naga::ImageQuery::NumLayers;
                }
            }
        }
        validate(&module).map_err(|(_, message)| message)?;
        Ok(module)
    };
    // naga's reader asserts what other compilers' output always fulfils.
    deep::guarded(read).unwrap_or_else(|| Err("a construct that stops naga".to_owned()))
}

/// Validates a module for an adapter that does what WebGL2 asks for.
///
/// # Errors
/// Where it is wrong, and how, with its causes.
pub fn validate(module: &naga::Module) -> Result<ModuleInfo, (Option<naga::Span>, String)> {
    let capabilities = Capabilities::default() | Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    Validator::new(ValidationFlags::all(), capabilities).validate(module).map_err(|error| {
        let mut message = error.as_inner().to_string();
        let mut cause = std::error::Error::source(error.as_inner());
        while let Some(inner) = cause {
            message += &format!(": {inner}");
            cause = inner.source();
        }
        let span = error.spans().next().map(|(span, _)| *span);
        (span, message)
    })
}

/// What a module needs of an adapter beyond what WebGL2 asks for.
pub fn needs(module: &naga::Module) -> wgpu::DownlevelFlags {
    use naga::MathFunction::{Pack2x16float, Unpack2x16float};
    let functions = module.functions.iter().map(|(_, function)| function);
    let halves = functions.chain(module.entry_points.iter().map(|entry| &entry.function)).any(|function| {
        function.expressions.iter().any(|(_, expression)| {
            matches!(expression, naga::Expression::Math { fun: Pack2x16float | Unpack2x16float, .. })
        })
    });
    if halves { wgpu::DownlevelFlags::SHADER_F16_IN_F32 } else { wgpu::DownlevelFlags::empty() }
}
