//! The catalog as a whole: of a small library made up here, and of MEOS itself where its sources are at hand.
//!
//! `ABI_MCP_MEOS_SOURCE` names the folder of the crate `meos-src` (as `cargo vendor` leaves it); `ABI_MCP_CORPUS` the
//! folder of the shared corpus, else it is looked for beside the repository.

use super::{Additions, make, write};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Headers and sources of a library that keeps MEOS' conventions.
const FILES: [(&str, &str); 16] = [
    ("mobdb_version.txt", "MOBILITYDB_MAJOR_VERSION=9\nMOBILITYDB_MINOR_VERSION=8\nMOBILITYDB_MICRO_VERSION=7rc6\n"),
    (
        "meos/include/postgres_ext_defs.in.h",
        "typedef long int int64; typedef int64 TimestampTz;
         extern TimestampTz timestamptz_in(const char *str, int32 typmod);
         extern char *timestamptz_out(TimestampTz t);",
    ),
    (
        "meos/include/meos.h",
        "typedef enum { NONE, STEP = 2, LINEAR } interpType;
         typedef struct { int a; } Temporal;
         typedef struct { int b; } Span;
         extern Temporal *tint_in(const char *str);
         extern Temporal *tfloat_in(const char *str);
         extern char *temporal_out(const Temporal *temp, int maxdd);
         extern Span *tstzspan_in(const char *str);
         extern char *span_out(const Span *s, int maxdd);
         extern double tfloat_size(const Temporal *temp);
         extern bool tfloat_value_n(const Temporal *temp, int n, double *result);
         extern Temporal *temporal_shift(const Temporal *temp, TimestampTz origin, interpType interp);
         extern Span *temporal_spans(const Temporal *temp, int *count);
         extern Temporal *temporal_forgotten(const Temporal *temp);
         extern Temporal *temporal_planned(const Temporal *temp);
         extern void temporal_grow(Temporal *temp, double by);
         extern int temporal_visit(const Temporal *temp, int (*visit)(void *));",
    ),
    ("meos/include/temporal/meos_catalog.h", ""),
    ("meos/include/postgis_ext_defs.in.h", ""),
    ("meos/include/meos_geo.h", ""),
    ("meos/include/meos_internal.h", "extern int temporal_secret(const Temporal *temp);"),
    ("meos/include/meos_internal_geo.h", ""),
    ("meos/include/meos_cbuffer.h", ""),
    ("meos/include/meos_npoint.h", "extern int npoint_broken(int n)(void);"),
    ("meos/include/meos_pose.h", ""),
    ("meos/include/meos_rgeo.h", "extern int trgeo_turn(const Temporal *temp);"),
    (
        "meos/src/deep/all.c",
        r#"
        /** @ingroup meos_base_types
         * @brief Return a moment */
        TimestampTz timestamptz_in(const char *str, int32 typmod) { return 0; }
        char *timestamptz_out(TimestampTz t) { return 0; }
        Temporal *tint_in(const char *str) { return 0; }
        Temporal *tfloat_in(const char *str) { return 0; }
        char *temporal_out(const Temporal *temp, int maxdd) { return 0; }
        Span *tstzspan_in(const char *str) { return 0; }
        char *span_out(const Span *s, int maxdd) { return 0; }
        /**
         * @ingroup meos_temporal_accessor
         * @brief Return the size
         * of a value
         * @param[in] t Value, may be `NULL`
         * @return On error return -1.0
         * @csqlfn #Tfloat_size()
         */
        double tfloat_size(const Temporal *t) { VALIDATE_TFLOAT(t, -1.0); return 0; }
        /** @ingroup meos_temporal_accessor
         * @brief Return in the last argument the n-th value */
        bool tfloat_value_n(const Temporal *temp, int n, double *result) { VALIDATE_TFLOAT(temp, 0); return 0; }
        /** @ingroup meos_temporal_transf */
        Temporal *temporal_shift(const Temporal *temp, TimestampTz origin, interpType interp) { return 0; }
        /** @ingroup meos_temporal_bbox */
        Span *temporal_spans(const Temporal *temp, int *count) { return 0; }
        /** @ingroup meos_temporal_bbox */
        Temporal *temporal_planned(const Temporal *temp) { error("%s is not implemented"); return 0; }
        /** @ingroup meos_temporal_bbox */
        void temporal_grow(Temporal *temp, double by) { }
        /** @ingroup meos_temporal_bbox */
        int temporal_visit(const Temporal *temp, int (*visit)(void *)) { return 0; }
        /** @ingroup meos_rgeo_transf */
        int trgeo_turn(const Temporal *temp) { return 0; }
        /** @ingroup meos_internal_temporal */
        int temporal_secret(const Temporal *temp) { return 0; }
        "#,
    ),
    ("postgres/empty.c", ""),
    ("postgis/empty.c", ""),
    ("doc/chapter.xml", "<para><varname>size(ttype) = float</varname></para>"),
];

fn library() -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    for (name, text) in FILES {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
        std::fs::write(path, text)?;
    }
    Ok(folder)
}

fn functions(document: &Value) -> BTreeMap<&str, &Value> {
    let list = document["functions"].as_array().into_iter().flatten();
    list.filter_map(|function| Some((function["name"].as_str()?, function))).collect()
}

#[test]
fn a_function_s_entry_says_what_the_sources_say() -> Result<()> {
    let folder = library()?;
    let (document, summary) = make(folder.path(), Additions::default())?;
    let functions = functions(&document);
    let size = functions["tfloat_size"];
    assert_eq!(size["doc"], "Return the size of a value.");
    assert_eq!(
        (&size["api"], &size["category"], &size["sqlfn"]),
        (&json!("public"), &json!("transformation"), &json!("size"))
    );
    assert_eq!(size["params"][0]["doc"], "Value, may be NULL", "the definition calls it by another name");
    assert_eq!(size["shape"], json!({"nullable": ["temp"], "onError": "-1.0"}));
    assert_eq!(size["sqlSignatures"], json!([{"args": ["tfloat"], "ret": "float"}]));
    assert_eq!(size["wire"]["params"][0]["decode"], "tfloat_in");
    assert_eq!(size["network"], json!({"exposable": true, "method": "POST", "reason": null}));
    assert_eq!(document["meos"]["release"], "9.8.7rc6");
    assert_eq!((summary.functions, summary.undefined.as_slice()), (17, &["temporal_forgotten".to_owned()][..]));
    assert_eq!(summary.unreadable, ["meos_npoint.h:1: extern int npoint_broken ( int n ) ( void )"]);
    Ok(())
}

#[test]
fn moments_enumerations_results_by_address_and_arrays_travel() -> Result<()> {
    let folder = library()?;
    let (document, _) = make(folder.path(), Additions::default())?;
    let functions = functions(&document);
    let shift = &functions["temporal_shift"]["wire"]["params"];
    assert_eq!((&shift[1]["kind"], &shift[1]["decode"]), (&json!("serialized"), &json!("timestamptz_in")));
    assert_eq!(shift[1]["decode_aux"], json!([{"name": "typmod", "kind": "integer", "default": -1}]));
    assert_eq!(shift[2], json!({"name": "interp", "kind": "json", "json": "string", "enum": "interpType"}));
    let nth = &functions["tfloat_value_n"];
    let want = json!({
        "kind": "json", "json": "number", "from_outparam": "result", "out_ctype": "double *", "presence_return": true,
    });
    assert_eq!((&nth["wire"]["result"], &nth["category"]), (&want, &json!("accessor")));
    assert_eq!(nth["doc"], "Return the n-th value.");
    let spans = &functions["temporal_spans"]["wire"]["result"];
    assert_eq!(
        (&spans["kind"], &spans["layout"], &spans["count_outparam"]),
        (&json!("array"), &json!("structs"), &json!("count"))
    );
    Ok(())
}

#[test]
fn a_function_that_cannot_be_offered_says_why() -> Result<()> {
    let folder = library()?;
    let (document, summary) = make(folder.path(), Additions::default())?;
    let functions = functions(&document);
    let reason = |name: &str| functions[name]["network"]["reason"].as_str();
    assert_eq!(reason("temporal_forgotten"), Some("internal; undefined"));
    assert_eq!(functions["temporal_forgotten"]["defined"], false);
    assert_eq!(reason("temporal_planned"), Some("not-implemented"));
    assert_eq!(reason("temporal_grow"), Some("no-result"));
    assert_eq!(reason("temporal_secret"), Some("internal"));
    assert_eq!(reason("temporal_visit"), Some("no-decoder:int (*)(void *)"));
    assert_eq!(summary.exposable, 6);
    Ok(())
}

#[test]
fn a_helper_that_reads_a_type_is_the_reader_of_its_arguments() -> Result<()> {
    let folder = library()?;
    let helpers = "extern Temporal *trgeometry_in(const char *str);";
    let (document, _) = make(folder.path(), Additions { package: Some("made up 1"), helpers })?;
    let functions = functions(&document);
    let helper = functions["trgeometry_in"];
    assert_eq!((&helper["file"], &helper["network"]["reason"]), (&json!("engine.h"), &json!("internal")));
    assert_eq!(functions["trgeo_turn"]["wire"]["params"][0]["decode"], "trgeometry_in");
    assert_eq!(document["meos"]["source"], "made up 1");
    Ok(())
}

#[test]
fn the_same_sources_give_the_same_bytes() -> Result<()> {
    let folder = library()?;
    let out = [folder.path().join("a.json"), folder.path().join("b.json")];
    for path in &out {
        write(folder.path(), Additions::default(), path)?;
    }
    assert_eq!(std::fs::read(&out[0])?, std::fs::read(&out[1])?);
    Ok(())
}

#[test]
fn a_folder_without_the_sources_is_refused_by_its_name() {
    let missing = write(Path::new("nowhere"), Additions::default(), Path::new("out.json"));
    assert!(missing.is_err_and(|error| error.to_string().contains("`nowhere` holds no MEOS sources")));
}

/// The catalog of MEOS itself beside one that MobilityDB's own tools made of a later release.
#[test]
fn for_unchanged_functions_the_original_catalog_says_the_same() -> Result<()> {
    let Some((ours, theirs)) = both_catalogs()? else { return Ok(()) };
    let (ours, theirs) = (functions(&ours), functions(&theirs));
    let unchanged: Vec<_> = ours
        .iter()
        .filter_map(|(name, our)| Some((*our, *theirs.get(name)?)))
        .filter(|(a, b)| signature(a) == signature(b))
        .collect();
    ensure!(unchanged.len() > 2600, "only {} functions are in both catalogs", unchanged.len());
    let same = |key: fn(&Value) -> Value| unchanged.iter().filter(|(a, b)| key(a) == key(b)).count();
    let group = same(|function| function["group"].clone());
    let api = same(|function| function["api"].clone());
    let category = same(|function| function["category"].clone());
    println!(
        "of {}: {group} in the same group, {api} of the same api, {category} in the same category",
        unchanged.len()
    );
    ensure!(unchanged.len() - group <= 5 && unchanged.len() - api <= 5, "groups or api differ");
    // Those that differ on purpose are listed in `category`.
    ensure!(category * 100 >= unchanged.len() * 92, "categories differ");

    let offered = |function: &Value| function["network"]["exposable"] == true;
    let lost: Vec<&str> =
        unchanged.iter().filter(|(a, b)| offered(b) && !offered(a)).filter_map(|(a, _)| a["name"].as_str()).collect();
    let in_place = ["cbuffer_set_srid", "pose_set_srid"];
    let unwritten = ["geog_from_binary", "tdistance_trgeo_tpoint", "tdistance_trgeo_trgeo"];
    assert!(lost.iter().all(|name| in_place.contains(name) || unwritten.contains(name)), "lost: {lost:?}");
    let both: Vec<_> = unchanged.iter().filter(|(a, b)| offered(a) && offered(b)).collect();
    let differ: Vec<&str> = both
        .iter()
        .filter(|(a, b)| form(&a["wire"]) != form(&b["wire"]))
        .filter_map(|(a, _)| a["name"].as_str())
        .collect();
    // Times of day are text and not microseconds; arrays of structures are arrays and not one structure.
    assert_eq!(differ, ["spanset_make", "stboxarr_round", "time_in", "time_out"]);
    println!(
        "{} offered in both, {} only here, {} no more: {lost:?}",
        both.len(),
        unchanged.iter().filter(|(a, b)| offered(a) && !offered(b)).count(),
        lost.len()
    );
    Ok(())
}

/// Both catalogs; `None`, told, when one of them cannot be had here.
fn both_catalogs() -> Result<Option<(Value, Value)>> {
    let corpus = std::env::var_os("ABI_MCP_CORPUS").map(PathBuf::from);
    let corpus = corpus.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"));
    let packed = corpus.join("meos/meos-idl.json.gz");
    let (Some(source), true) = (std::env::var_os("ABI_MCP_MEOS_SOURCE"), packed.is_file()) else {
        println!("skipped: needs ABI_MCP_MEOS_SOURCE and `{}`", packed.display());
        return Ok(None);
    };
    let Ok(unpacked) = Command::new("gzip").arg("-dc").arg(&packed).output() else {
        println!("skipped: there is no gzip");
        return Ok(None);
    };
    let (ours, summary) = make(Path::new(&source), Additions::default())?;
    ensure!(summary.unreadable.is_empty(), "prototypes that cannot be read: {:?}", summary.unreadable);
    Ok(Some((ours, serde_json::from_slice(&unpacked.stdout)?)))
}

/// Names and types, blind to `const` and to how a width is spelled.
fn signature(function: &Value) -> Vec<String> {
    let spelled = |ctype: &Value| {
        let text = ctype.as_str().unwrap_or_default().replace("const ", "");
        let words = text.split(" ").map(|word| match word {
            "int64" => "int64_t",
            "uint64" => "uint64_t",
            "uint32" => "uint32_t",
            other => other,
        });
        words.collect::<Vec<_>>().join(" ")
    };
    let params = function["params"].as_array().into_iter().flatten();
    let params = params.map(|param| format!("{} {}", spelled(&param["cType"]), param["name"]));
    std::iter::once(spelled(&function["returnType"]["c"])).chain(params).collect()
}

/// The wire without what the original gets wrong or is silent about: which reader, and for which types.
fn form(wire: &Value) -> Value {
    const OURS: [&str; 9] =
        ["kinds", "decode", "decode_aux", "encode", "encode_aux", "cType", "encodings", "layout", "out_ctype"];
    match wire {
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .filter(|(key, _)| !OURS.contains(&key.as_str()))
                .map(|(key, value)| (key.clone(), form(value)))
                .collect(),
        ),
        Value::Array(list) => Value::Array(list.iter().map(form).collect()),
        other => other.clone(),
    }
}
