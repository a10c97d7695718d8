//! Text for a model to read: cleaned, and cut where clients cut.
//!
//! An author's words come in, plain text of a bounded length goes out. Does not know tools, apps or protocols.

use crate::text::{clean_line, clean_text, cut, units};

/// The longest description of a tool, in UTF-16 units, so that it is under 1,024 however a client counts.
///
/// OpenAI's API refuses 1,025 characters and Claude Code cuts at 2,048 (`mcp-protocol` §13). A UTF-16 unit is the
/// narrowest of the usual measures: a text is never longer in characters.
pub(crate) const DESCRIPTION_UNITS: usize = 1023;

/// The longest title, in UTF-16 units; clients show it in one line of a menu.
const TITLE_UNITS: usize = 120;

/// A tool's description: the author's doc, a blank line, the signature.
///
/// At most [`DESCRIPTION_UNITS`]. The doc is cut, never the signature; a signature that is too long by itself
/// stands alone and is cut at its end.
pub(crate) fn describe(doc: Option<&str>, signature: &str) -> String {
    let signature = cut(clean_text(signature).trim(), DESCRIPTION_UNITS);
    let doc = clean_text(doc.unwrap_or_default());
    let doc = doc.trim();
    let room = DESCRIPTION_UNITS.saturating_sub(units(&signature) + 2);
    if doc.is_empty() || room < 2 {
        return signature;
    }
    let doc = cut(doc, room);
    if signature.is_empty() { doc } else { format!("{doc}\n\n{signature}") }
}

/// Doc and signature in full, cleaned but not cut, for answers that are asked for.
pub(crate) fn full_text(doc: Option<&str>, signature: &str) -> String {
    let (doc, signature) = (clean_text(doc.unwrap_or_default()), clean_text(signature));
    match doc.trim() {
        "" => signature,
        doc => format!("{doc}\n\n{signature}"),
    }
}

/// A tool's title: the method's name as words, then the app's display name in brackets.
///
/// `set_blocks` of `Mero Blocks` reads `Set blocks (Mero Blocks)`. A name that a tool's name cannot spell (capitals,
/// dots, another script) is shown as it is, so that the original stays visible.
pub(crate) fn title(declared: Option<&str>, method: &str, app: &str) -> String {
    let declared = declared.map(clean_line).filter(|text| !text.is_empty());
    let words = declared.unwrap_or_else(|| {
        let spelled = method.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if spelled { as_words(method) } else { clean_line(method) }
    });
    let app = clean_line(app);
    let whole = if app.is_empty() { words } else { format!("{words} ({app})") };
    cut(&whole, TITLE_UNITS)
}

/// `set_blocks` to `Set blocks`; a name of underscores only stays as it is.
fn as_words(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNATURE: &str = "[mut] set(key: string, value?: string) -> unit";

    #[test]
    fn the_doc_comes_first_then_a_blank_line_then_the_signature() {
        assert_eq!(describe(Some("Stores a value.\n"), SIGNATURE), format!("Stores a value.\n\n{SIGNATURE}"));
        assert_eq!(describe(None, SIGNATURE), SIGNATURE);
        assert_eq!(describe(Some(" \n\u{200b}"), SIGNATURE), SIGNATURE);
        assert_eq!(describe(Some("Only words."), ""), "Only words.");
    }

    #[test]
    fn c20_a_long_doc_is_cut_and_the_signature_is_not() {
        let doc = format!("{}Never call twice.", "word ".repeat(1800));
        let text = describe(Some(&doc), SIGNATURE);
        assert!(text.encode_utf16().count() < 1024, "{}", text.len());
        assert!(text.ends_with(&format!("…\n\n{SIGNATURE}")), "{text}");
    }

    #[test]
    fn c20_a_cut_falls_on_a_character_boundary_wherever_the_emoji_stands() {
        for before in 950..1030 {
            let doc = format!("{}😀😀{}", "a".repeat(before), "é".repeat(100));
            let text = describe(Some(&doc), SIGNATURE);
            assert!(text.encode_utf16().count() < 1024);
            assert!(text.ends_with(SIGNATURE));
        }
    }

    #[test]
    fn a_signature_over_the_limit_stands_alone_and_is_cut_at_its_end() {
        let text = describe(Some("doc"), &"s".repeat(5000));
        assert_eq!(text.encode_utf16().count(), DESCRIPTION_UNITS);
        assert!(text.starts_with("sss") && text.ends_with('…'));
    }

    #[test]
    fn a_title_reads_as_words_and_shows_a_name_it_cannot_spell() {
        assert_eq!(title(None, "set_blocks", "Mero Blocks"), "Set blocks (Mero Blocks)");
        assert_eq!(title(None, "_a__b_", "X"), "A b (X)");
        assert_eq!(title(Some("Put it there"), "put", "X"), "Put it there (X)");
        assert_eq!(title(None, "get", ""), "Get");
    }

    #[test]
    fn c03_c07_the_original_name_is_visible_in_the_title() {
        assert_eq!(title(None, "获取天气", "Weather"), "获取天气 (Weather)");
        assert_eq!(title(None, "foo.list", "X"), "foo.list (X)");
        let long = "get_active_ingredient_application_number_manufacturer_name_and_route_by_drug_name";
        assert!(title(None, long, "X").contains("route by drug name"));
    }
}
