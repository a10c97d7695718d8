//! The engine component of MEOS.
mod catalog;
mod compile;
mod data;
mod digest;
mod edits;
mod fetch;
mod link;
mod prepare;
mod recipe;
mod runtime;
mod stubs;
mod table;
use crate::{guests, tree::Tree};
use anyhow::Result;
pub(crate) fn run(tree: &Tree, _arguments: &[String]) -> Result<()> {
    let plugin = tree.root().join("plugins/meos-engine");
    let work = std::path::PathBuf::from(std::env::var("ENGINE_WORK").unwrap());
    let geos = std::env::var("GEOS").is_ok();
    let f = fetch::all(&plugin.join("sources"), &work)?;
    let src = prepare::layout(&f, &plugin, &work)?;
    println!("{:?}", catalog::write(&src.join("meos"), &work.join("catalog.json"))?);
    let catalog: serde_json::Value = serde_json::from_slice(&std::fs::read(work.join("catalog.json"))?)?;
    let table = table::generate(&catalog, "1.3.0rc1", geos)?;
    println!("{} in, {} out: {:?}", table.names.len(), table.left_out.len(), table.left_out);
    recipe::write(&work.join("generated/table.c"), &table.text)?;
    recipe::write(&work.join("generated/zones.c"), &data::zones(&f.zones)?)?;
    recipe::write(&work.join("generated/systems.c"), &data::reference_systems(&f.meos.join("meos/src/geo/spatial_ref_sys.csv"), &f.proj.join("src/ellps.cpp"))?)?;
    let mut units = recipe::units(&work, recipe::Flavour { geos })?;
    let h = recipe::headers(&src, &["meos", "include", "engine"])?;
    let mut names = vec!["table.c", "zones.c", "systems.c"];
    if !geos { recipe::write(&work.join("generated/stubs.c"), &stubs::generate(&std::fs::read_to_string(src.join("include/geos_c.h"))?)?)?; names.push("stubs.c"); }
    for n in names { units.push(recipe::generated(n, &h)); }
    println!("{} units", units.len());
    let c = compile::Compiler { zig: f.zig.clone(), work: work.clone() };
    println!("{}", c.compile(&units)?);
    let libs = link::c_library(&c)?;
    println!("{libs:?}");
    let glue = guests::static_library(tree, "abi-mcp-meos-engine")?;
    println!("{glue:?}");
    let objects: Vec<_> = units.iter().map(|u| u.object.clone()).collect();
    let m = link::link(&c, &objects, &glue, &libs)?;
    let o = link::optimise(&f, &work, &m)?;
    let comp = link::componentise(&tree.wit().join("engine/0.1.0"), &o)?;
    std::fs::write(work.join("engine.wasm"), comp)?;
    Ok(())
}
