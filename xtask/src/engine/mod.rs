//! The engine component of MEOS. On this branch only its catalog.

pub(crate) mod catalog;

use anyhow::{Result, bail};
use std::path::Path;

/// `cargo xtask engine-catalog SOURCE OUT`: writes the catalog alone.
pub(crate) fn catalog_alone(arguments: &[String]) -> Result<()> {
    let [source, out] = arguments else { bail!("expected the folder of MEOS' sources and a file to write") };
    let summary = catalog::write(Path::new(source), catalog::Additions::default(), Path::new(out))?;
    println!("{} functions, {} of them exposable", summary.functions, summary.exposable);
    for (what, list) in [("cannot be read", &summary.unreadable), ("declared and not defined", &summary.undefined)] {
        for each in list {
            println!("  {what}: {each}");
        }
    }
    Ok(())
}
