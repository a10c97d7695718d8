//! The macros that make a type a component's export. Off WebAssembly they check the type and emit nothing.

/// Exports a [`Mapper`](crate::Mapper) as `abi-mcp:mapper@0.1.0`.
///
/// A crate may also call [`export_errors!`](crate::export_errors) and [`export_engine!`](crate::export_engine): its
/// component then plays all those roles.
#[macro_export]
macro_rules! export_mapper {
    ($mapper:ty) => {
        const _: () = {
            const fn is_a_mapper<T: $crate::Mapper>() {}
            is_a_mapper::<$mapper>();
        };

        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code)]
        const _: () = {
            type Exported = $crate::bindings::Component<$mapper>;
    $crate::bindings::mapper_world::export!(Exported with_types_in $crate::bindings::mapper_world);
        };
    };
}

/// Exports a [`Projection`](crate::Projection), the optional part of `abi-mcp:mapper@0.1.0`.
///
/// For a crate that calls [`export_mapper!`](crate::export_mapper) too; alone it is no mapper.
#[macro_export]
macro_rules! export_projection {
    ($projection:ty) => {
        const _: () = {
            const fn is_a_projection<T: $crate::Projection>() {}
            is_a_projection::<$projection>();
        };

        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code)]
        const _: () = {
            type Exported = $crate::bindings::Component<$projection>;
    $crate::bindings::projection_world::export!(Exported with_types_in $crate::bindings::projection_world);
        };
    };
}

/// Exports an [`ErrorDecoder`](crate::ErrorDecoder) as `abi-mcp:errors@0.1.0`.
#[macro_export]
macro_rules! export_errors {
    ($decoder:ty) => {
        const _: () = {
            const fn is_a_decoder<T: $crate::ErrorDecoder>() {}
            is_a_decoder::<$decoder>();
        };

        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code)]
        const _: () = {
            type Exported = $crate::bindings::Component<$decoder>;
    $crate::bindings::errors_world::export!(Exported with_types_in $crate::bindings::errors_world);
        };
    };
}

/// Exports an [`Engine`](crate::Engine) as `abi-mcp:engine@0.1.0`.
#[macro_export]
macro_rules! export_engine {
    ($engine:ty) => {
        const _: () = {
            const fn is_an_engine<T: $crate::Engine>() {}
            is_an_engine::<$engine>();
        };

        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code)]
        const _: () = {
            type Exported = $crate::bindings::Component<$engine>;
    $crate::bindings::engine_world::export!(Exported with_types_in $crate::bindings::engine_world);
        };
    };
}
