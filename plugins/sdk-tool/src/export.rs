//! The macro that makes a type a component's export. Off WebAssembly it checks the type and emits nothing.

/// Exports an [`Extension`](crate::Extension) as `abi-mcp:tool@0.1.0`, with the manifest that says what it asks for (a
/// string literal of JSON, or an `include_str!`; `wit/tool` says what may stand in it).
#[macro_export]
macro_rules! export_extension {
    ($extension:ty, $manifest:expr) => {
        const _: () = {
            const fn is_an_extension<T: $crate::Extension>() {}
            is_an_extension::<$extension>();
        };

        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code)]
        const _: () = {
            const MANIFEST: &str = $manifest;

            #[used]
            #[unsafe(link_section = "abi-mcp-manifest")]
            static SECTION: [u8; MANIFEST.len()] = {
                let mut bytes = [0; MANIFEST.len()];
                bytes.copy_from_slice(MANIFEST.as_bytes());
                bytes
            };

            type Exported = $crate::bindings::Component<$extension>;
    $crate::bindings::world::export!(Exported with_types_in $crate::bindings::world);
        };
    };
}
