//! What is changed in foreign sources before they are compiled: small named edits that fail loudly.
//!
//! Each edit says why it is there. A text that is not found where it is expected is an error: another release of the
//! sources needs another look, not a silent build of something else.

use anyhow::{Context, Result, ensure};
use std::path::Path;

/// One replacement in one file.
pub(super) struct Edit {
    /// Why, for the error and for the reader.
    pub(super) why: &'static str,
    /// Below the folder of copied sources.
    pub(super) file: &'static str,
    pub(super) from: &'static str,
    pub(super) to: &'static str,
}

const fn edit(why: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Edit {
    Edit { why, file, from, to }
}

const CONFIG: &str = "meos/postgres/pg_config.h";
const SIZES: &str = "sizes of a 32-bit machine with 64-bit long long";
const DATUM: &str = "a Datum holds a double and an int64 by value on every machine";
const NO_CLOCK: &str = "`now` and `today` have no answer without a clock";
const REFUSE_CLOCK: &str = "{ extern void abi_mcp_no_clock(void); abi_mcp_no_clock(); }";
const DATETIME: &str = "meos/postgres/utils/datetime.c";
const OFFSETS: &str = "set and sequence layouts keep values and offsets in 64-bit words on every machine";
const AREA: &str = "one signature for tcbufferseq_trav_area, which is declared and called with too few arguments";

/// Applied in order to the copied sources.
pub(super) const EDITS: &[Edit] = &[
    edit(SIZES, CONFIG, "#define ALIGNOF_LONG 8", "#define ALIGNOF_LONG 4"),
    edit(SIZES, CONFIG, "#define HAVE_LONG_INT_64 1", "#define HAVE_LONG_LONG_INT_64 1"),
    edit(SIZES, CONFIG, "#define INT64_MODIFIER \"l\"", "#define INT64_MODIFIER \"ll\""),
    edit(SIZES, CONFIG, "#define PG_INT64_TYPE long int", "#define PG_INT64_TYPE long long int"),
    edit(SIZES, CONFIG, "#define SIZEOF_LONG 8", "#define SIZEOF_LONG 4\n#define SIZEOF_LONG_LONG 8"),
    edit(SIZES, CONFIG, "#define SIZEOF_SIZE_T 8", "#define SIZEOF_SIZE_T 4"),
    edit(SIZES, CONFIG, "#define SIZEOF_VOID_P 8", "#define SIZEOF_VOID_P 4"),
    edit("no int128", CONFIG, "#define ALIGNOF_PG_INT128_TYPE 16", ""),
    edit("no int128", CONFIG, "#define PG_INT128_TYPE __int128", ""),
    edit("WASI has no `timezone`", CONFIG, "#define HAVE_INT_TIMEZONE 1", ""),
    edit(DATUM, "meos/postgres/pg_config_manual.h", "#if SIZEOF_VOID_P >= 8", "#if 1"),
    edit(DATUM, "meos/postgres/postgres.h", "typedef uintptr_t Datum;", "typedef uint64_t Datum;"),
    edit(DATUM, "meos/postgres/postgres.h", "#define SIZEOF_DATUM SIZEOF_VOID_P", "#define SIZEOF_DATUM 8"),
    edit(
        "`float8_gt` is used undeclared",
        "meos/postgres/utils/float.c",
        "#include <float.h>",
        "#include <float.h>\n#include \"utils/float.h\"",
    ),
    edit(NO_CLOCK, DATETIME, "GetCurrentDateTime(&cur_tm);", REFUSE_CLOCK),
    edit(NO_CLOCK, DATETIME, "GetCurrentTimeUsec(tm, fsec, tzp);", REFUSE_CLOCK),
    edit(NO_CLOCK, DATETIME, "GetCurrentTimeUsec(tm, fsec, NULL);", REFUSE_CLOCK),
    edit(
        "ISO 8601 writes UTC as Z; PostgreSQL has that from a configuration file that MEOS does not read",
        DATETIME,
        "  if (tp == NULL)\n  {\n    type = UNKNOWN_FIELD;\n    *offset = 0;\n    *tz = NULL;\n  }",
        "  if (tp == NULL)\n  {\n    bool utc = strcmp(lowtoken, \"z\") == 0 || strcmp(lowtoken, \"zulu\") == 0;\n    type = utc ? TZ : UNKNOWN_FIELD;\n    *offset = 0;\n    *tz = NULL;\n  }",
    ),
    edit(
        "PostgreSQL's parsers end the process; their words have MEOS' codes too",
        "meos/postgres/utils/pg_error.c",
        "  if (errlevel == ERROR)\n    exit(EXIT_FAILURE);",
        "  extern void abi_mcp_refuse_postgres(const char *);\n  if (errlevel >= ERROR)\n    abi_mcp_refuse_postgres(buffer);",
    ),
    edit("WASI has no `tzset`", "meos/postgres/timezone/findtimezone.c", "tzset();", ""),
    edit(
        "zones come from memory",
        "meos/postgres/timezone/pgtz.c",
        "int\npg_open_tzfile(",
        "static int\nunused_open_tzfile(",
    ),
    edit(OFFSETS, "meos/meos/include/meos_internal.h", "sizeof(size_t)", "sizeof(uint64_t)"),
    edit(OFFSETS, "meos/meos/include/meos_internal.h", "( (size_t *)(", "( (uint64_t *)("),
    edit(OFFSETS, "meos/meos/src/temporal/set.c", "sizeof(size_t)", "sizeof(uint64_t)"),
    edit(OFFSETS, "meos/meos/src/temporal/set_aggfuncs_meos.c", "sizeof(size_t)", "sizeof(uint64_t)"),
    edit(OFFSETS, "meos/meos/src/temporal/tsequence.c", "sizeof(size_t)", "sizeof(uint64_t)"),
    edit(OFFSETS, "meos/meos/src/temporal/tsequenceset.c", "sizeof(size_t)", "sizeof(uint64_t)"),
    edit(OFFSETS, "meos/meos/src/rgeo/trgeo_seq.c", "sizeof(size_t)", "sizeof(uint64_t)"),
    edit(OFFSETS, "meos/meos/src/rgeo/trgeo_seqset.c", "sizeof(size_t)", "sizeof(uint64_t)"),
    edit(
        "random levels have 32 bits, a long is no wider",
        "meos/meos/src/temporal/skiplist.c",
        "static int\nffsl(long int i)",
        "static int\nlowest_bit(uint64_t i)",
    ),
    edit(
        "random levels have 32 bits, a long is no wider",
        "meos/meos/src/temporal/skiplist.c",
        "static long int\ngsl_random48",
        "static uint64_t\ngsl_random48",
    ),
    edit(
        "random levels have 32 bits, a long is no wider",
        "meos/meos/src/temporal/skiplist.c",
        "return ffsl(~(",
        "return lowest_bit(~(",
    ),
    edit(
        AREA,
        "meos/meos/include/cbuffer/tcbuffer_spatialfuncs.h",
        "tcbufferseq_trav_area(const TSequence *seq)",
        "tcbufferseq_trav_area(const TSequence *seq, bool unary_union)",
    ),
    edit(
        AREA,
        "meos/meos/src/cbuffer/tcbuffer_tempspatialrels.c",
        "tcbufferseq_trav_area(seq)",
        "tcbufferseq_trav_area(seq, false)",
    ),
    edit(
        "reference systems come from memory",
        "meos/meos/src/geo/tspatial_transform_meos.c",
        "  /* Substitute the full file path in the first argument of fopen */",
        "  extern char *abi_mcp_reference_system(int32_t);\n  strs.proj4text = abi_mcp_reference_system(srid);\n  if (! strs.proj4text)\n    meos_error(ERROR, MEOS_ERR_INVALID_ARG_VALUE, \"Cannot find SRID (%d) in spatial_ref_sys\", srid);\n  return strs;",
    ),
    edit("no threads, no mutex", "geos/include/geos/index/strtree/TemplateSTRtree.h", "    std::mutex lock_;", ""),
    edit(
        "no threads, no mutex",
        "geos/include/geos/index/strtree/TemplateSTRtree.h",
        "std::lock_guard<std::mutex> lock(lock_);",
        "",
    ),
];

/// Applies those of `edits` that lie below `prefix` to the sources in `folder`.
pub(super) fn apply(folder: &Path, prefix: &str, edits: &[Edit]) -> Result<()> {
    for edit in edits.iter().filter(|edit| edit.file.starts_with(prefix)) {
        let path = folder.join(edit.file);
        let text = std::fs::read_to_string(&path).with_context(|| format!("`{}` cannot be read", edit.file))?;
        ensure!(
            text.contains(edit.from),
            "`{}` has no `{}` ({}): these are other sources than the engine was made for",
            edit.file,
            edit.from.lines().next_back().unwrap_or_default(),
            edit.why
        );
        std::fs::write(&path, text.replace(edit.from, edit.to))
            .with_context(|| format!("cannot write `{}`", edit.file))?;
    }
    Ok(())
}

/// Makes `to` from the template `from`: `#cmakedefine` lines become defines or nothing, `@NAME@` their values.
///
/// A `@NAME@` without a value is an error; a `#cmakedefine` without one is not defined, as with CMake.
pub(super) fn fill(from: &Path, to: &Path, values: &[(&str, &str)]) -> Result<()> {
    let template = std::fs::read_to_string(from).with_context(|| format!("cannot read `{}`", from.display()))?;
    let text = filled(&template, values);
    if let Some(name) = placeholder(&text) {
        anyhow::bail!("`{}` wants a value for `{name}`, which the engine's recipe does not give", from.display());
    }
    std::fs::write(to, text).with_context(|| format!("cannot write `{}`", to.display()))
}

fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let known = |name: &str| values.iter().any(|(known, _)| *known == name);
    let mut text = String::with_capacity(template.len());
    for line in template.lines() {
        match line.strip_prefix("#cmakedefine ").map(|rest| (rest, rest.split_whitespace().next().unwrap_or_default()))
        {
            Some((rest, name)) if known(name) => text.push_str(&format!("#define {rest}")),
            Some((_, name)) => text.push_str(&format!("/* #undef {name} */")),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    values.iter().fold(text, |text, (name, value)| text.replace(&format!("@{name}@"), value))
}

/// The first `@NAME@` left in a directive. In comments they do no harm, and GEOS has some for its own documents.
fn placeholder(text: &str) -> Option<&str> {
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    text.lines().filter(|line| line.starts_with('#')).find_map(|line| {
        let mut pieces = line.split('@').skip(1);
        pieces.find(|piece| !piece.is_empty() && piece.bytes().all(is_name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_whose_text_is_gone_names_the_file_and_the_reason() -> Result<()> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("a.h"), "typedef long X;")?;
        let edits = [edit("wider", "a.h", "long X", "long long X"), edit("again", "a.h", "missing", "")];
        let error = apply(folder.path(), "a", &edits).map_err(|error| error.to_string());
        assert!(error.is_err_and(|text| text.contains("`a.h`") && text.contains("again")));
        assert_eq!(std::fs::read_to_string(folder.path().join("a.h"))?, "typedef long long X;");
        Ok(())
    }

    #[test]
    fn templates_are_filled_as_cmake_does() {
        let text = filled("#cmakedefine A @A@\n#cmakedefine B @B@\n#define C \"@C@\"", &[("A", "1"), ("C", "x")]);
        assert_eq!(text, "#define A 1\n/* #undef B */\n#define C \"x\"\n");
    }

    #[test]
    fn a_value_nobody_gives_is_noticed_and_a_mail_address_is_none() {
        assert_eq!(placeholder("#define A \"@NAME_1@\""), Some("NAME_1"));
        assert_eq!(placeholder("#define A \"someone@example.org\"\n* @NOTE@"), None);
    }
}
