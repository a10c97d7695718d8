//! The app part of a tool's name.
//!
//! A package (or, without one, an application id) and a service come in; a short name of `[a-z][a-z0-9_]*` goes
//! out. Says nothing about uniqueness: [`super::naming`] sees the whole catalog and adds suffixes.

use crate::text::short_hash;

/// Characters of an application id that tell two apps of one slug apart.
const TAIL: usize = 6;

/// The slug of an app: the last dot-separated segment of its package, else of its id; `_<service>` follows.
///
/// Lower-cased, every run of characters outside `[a-z0-9_]` becomes one `_`. Where that leaves nothing to read
/// (another script, punctuation only) the id is used. Always matches `^[a-z][a-z0-9_]*$`; not cut to any length.
pub(crate) fn slug(package: Option<&str>, id: &str, service: Option<&str>) -> String {
    let app = package
        .and_then(readable_segment)
        .or_else(|| readable_segment(id))
        .unwrap_or_else(|| format!("app_{}", short_hash(id)));
    match service {
        None => app,
        Some(service) => {
            let part = sanitise(service);
            let part = if has_letter_or_digit(&part) { part } else { format!("s_{}", short_hash(service)) };
            format!("{app}_{part}")
        }
    }
}

/// Lower case, each run of characters outside `[a-z0-9_]` one `_`.
pub(crate) fn sanitise(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut in_run = false;
    for letter in text.to_lowercase().chars() {
        let plain = letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        if plain {
            clean.push(letter);
        } else if !in_run {
            clean.push('_');
        }
        in_run = !plain;
    }
    clean
}

/// The first six `[a-z0-9]` characters of the lower-cased id, or of its hash where it has none.
pub(crate) fn tail(id: &str) -> String {
    let tail: String =
        id.to_lowercase().chars().filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit()).take(TAIL).collect();
    if tail.is_empty() { short_hash(id) } else { tail }
}

/// The last segment, sanitised and starting with a letter; `None` where nothing readable is left.
fn readable_segment(dotted: &str) -> Option<String> {
    let segment = sanitise(dotted.rsplit('.').next().unwrap_or_default());
    if !has_letter_or_digit(&segment) {
        return None;
    }
    let segment = segment.trim_start_matches('_');
    let starts_with_letter = segment.starts_with(|c: char| c.is_ascii_lowercase());
    Some(if starts_with_letter { segment.to_owned() } else { format!("app_{segment}") })
}

fn has_letter_or_digit(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_package_segment_in_lower_case_names_the_app() {
        assert_eq!(slug(Some("com.example.kv-store"), "AAA", None), "kv_store");
        assert_eq!(slug(Some("Mero Blocks!"), "AAA", None), "mero_blocks_");
        assert_eq!(slug(Some("com.x.kv--.store"), "AAA", Some("Back End")), "store_back_end");
    }

    #[test]
    fn a22_an_app_without_a_package_is_named_by_its_id() {
        assert_eq!(slug(None, "Fq1", None), "fq1");
        assert_eq!(slug(Some(""), "Fq1", None), "fq1");
        assert_eq!(slug(Some("com.x."), "Fq1", None), "fq1");
        assert_eq!(slug(Some("com.获取"), "Fq1", None), "fq1");
    }

    #[test]
    fn every_slug_is_a_portable_identifier() {
        let odd = [
            "",
            ".",
            "..",
            "_",
            "___",
            "9",
            "9lives",
            "-x",
            "获取",
            "é",
            "a.b.",
            "\u{212a}elvin",
            "ß",
            "😀",
            " ",
            "\0",
            "İ",
        ];
        for package in odd {
            for id in odd {
                for service in [None, Some("ok-1"), Some("."), Some(""), Some("../../x")] {
                    let name = slug(Some(package), id, service);
                    assert!(name.starts_with(|c: char| c.is_ascii_lowercase()), "{package:?} {id:?} {name}");
                    assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{name}");
                }
                assert!(!tail(id).is_empty());
            }
        }
    }

    #[test]
    fn a14_two_services_that_cannot_be_read_are_still_told_apart() {
        assert_ne!(slug(Some("com.x.a"), "i", Some(".")), slug(Some("com.x.a"), "i", Some("")));
    }

    #[test]
    fn the_tail_takes_letters_and_digits_of_the_id() {
        assert_eq!(tail("nodeapp-id"), "nodeap");
        assert_eq!(tail("b-id"), "bid");
    }
}
