//! Turns a core module into a component, in this process, and refuses imports it may not have.
//!
//! A guest that grew an import fails its build here, not a user's start-up.

use anyhow::{Context, Result, bail, ensure};
use wit_component::{ComponentEncoder, DecodedWasm};

/// Wraps `module`; `allowed` are prefixes of the interfaces it may import, `None` lifts the check.
pub(super) fn encode(module: &[u8], allowed: Option<&[String]>) -> Result<Vec<u8>> {
    let component = ComponentEncoder::default()
        .validate(true)
        .module(module)
        .context("the module says no contract: was it built with the SDK or with wit-bindgen?")?
        .encode()
        .context("the module does not fit the contract it names")?;
    if let Some(allowed) = allowed {
        for import in imports(&component)? {
            ensure!(
                allowed.iter().any(|prefix| import.starts_with(prefix)),
                "it imports `{import}`, which its manifest does not allow; mappers and error decoders import nothing"
            );
        }
    }
    Ok(component)
}

fn imports(component: &[u8]) -> Result<Vec<String>> {
    let DecodedWasm::Component(resolve, world) = wit_component::decode(component)? else {
        bail!("the encoder made a WIT package and no component");
    };
    let world = resolve.worlds.get(world).context("the component's own world is missing")?;
    Ok(world.imports.keys().map(|key| resolve.name_world_key(key)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wit_component::{StringEncoding, embed_component_metadata};
    use wit_parser::Resolve;

    /// A module that exports nothing and is made for a world with one import and no export.
    fn module_for(wit: &str) -> Result<Vec<u8>> {
        let mut resolve = Resolve::default();
        let package = resolve.push_str("test.wit", wit)?;
        let world = resolve.select_world(&[package], None)?;
        // The eight bytes of an empty module, and one imported function `a:b/c` `f` of type () -> ().
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        module.extend_from_slice(&[1, 4, 1, 0x60, 0, 0]);
        module.extend_from_slice(b"\x02\x0b\x01\x05a:b/c\x01f\x00\x00");
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)?;
        Ok(module)
    }

    const IMPORTING: &str = "package a:b; interface c { f: func(); } world w { import c; }";

    #[test]
    fn an_import_outside_the_manifest_fails_the_build_and_is_named() -> Result<()> {
        let module = module_for(IMPORTING)?;
        let refused = encode(&module, Some(&[])).map_err(|error| error.to_string());
        assert!(refused.is_err_and(|text| text.contains("`a:b/c`")));
        encode(&module, Some(&["a:b/".to_owned()]))?;
        encode(&module, None)?;
        Ok(())
    }

    #[test]
    fn a_module_without_a_contract_is_refused() {
        let refused = encode(b"\0asm\x01\0\0\0\0", Some(&[]));
        assert!(refused.is_err());
    }
}
