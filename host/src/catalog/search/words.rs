//! From text to the words that are compared: lower case, split where names are, without their commonest endings.

/// Words that ask and say nothing.
const EMPTY: &[&str] = &[
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "been", "between", "by", "can", "did", "do", "does",
    "each", "ever", "for", "from", "get", "give", "go", "had", "has", "have", "how", "i", "if", "in", "into", "is",
    "it", "its", "many", "me", "much", "my", "of", "on", "one", "or", "please", "return", "returns", "show", "so",
    "some", "tell", "than", "that", "the", "their", "them", "there", "these", "they", "this", "those", "to", "two",
    "up", "was", "we", "were", "what", "which", "who", "with", "within", "would", "you", "your",
];

/// Words of EMPTY that mean something after all where nothing else is asked.
const TELLING: &[&str] = &["within", "between", "all", "ever", "at"];

/// The stems of a text's words, in order, repeated ones too.
pub(super) fn stems(text: &str) -> Vec<String> {
    split(text).iter().map(|word| stem(word)).collect()
}

/// The stems of the words of a query that say something.
pub(super) fn meaningful(query: &str) -> Vec<String> {
    let words = split(query);
    let telling = |word: &&String| !EMPTY.contains(&word.as_str()) || TELLING.contains(&word.as_str());
    words.iter().filter(telling).map(|word| stem(word)).collect()
}

/// Splits at everything that is no letter or digit, where `camelCase` begins a word, and before a number (`distance2d`).
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for letter in text.chars() {
        let begins =
            (letter.is_uppercase() && before.is_lowercase()) || (letter.is_numeric() && before.is_alphabetic());
        if !letter.is_alphanumeric() || begins {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// Takes off the endings that change nothing of what is meant. Crude on purpose: both sides go through it.
fn stem(word: &str) -> String {
    let long = |rest: &str| rest.len() >= 3;
    if word.len() < 4 || !word.is_ascii() {
        return word.to_owned();
    }
    if let Some(rest) = word.strip_suffix("ies").filter(|rest| long(rest)) {
        return format!("{rest}y");
    }
    for ending in ["sses", "xes", "ches", "shes"] {
        if word.ends_with(ending) {
            return word.trim_end_matches("es").to_owned();
        }
    }
    if let Some(rest) = word.strip_suffix("ing").filter(|rest| long(rest)) {
        return undouble(rest);
    }
    if let Some(rest) = word.strip_suffix("ed").filter(|rest| long(rest)) {
        return undouble(rest);
    }
    if let Some(rest) = word.strip_suffix('s').filter(|rest| long(rest) && !rest.ends_with(['s', 'u', 'i'])) {
        return rest.strip_suffix('e').filter(|rest| long(rest)).unwrap_or(rest).to_owned();
    }
    word.strip_suffix('e').filter(|rest| long(rest)).unwrap_or(word).to_owned()
}

/// `stopp` of `stopped` is `stop`.
fn undouble(rest: &str) -> String {
    let mut letters = rest.chars().rev();
    let doubled = matches!((letters.next(), letters.next()), (Some(a), Some(b)) if a == b && !"lsz".contains(a));
    let end = rest.len() - usize::from(doubled);
    let rest = rest.get(..end).unwrap_or(rest);
    rest.strip_suffix('e').unwrap_or(rest).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sentences_meet_in_the_same_stems() {
        assert_eq!(stems("nearestApproachDistance"), ["nearest", "approach", "distanc"]);
        assert_eq!(stems("kv_store_get"), ["kv", "stor", "get"]);
        assert_eq!(stems("geom_distance2d"), ["geom", "distanc", "2d"]);
        for (a, b) in [
            ("distances", "distance"),
            ("merging", "merge"),
            ("stopped", "stop"),
            ("boxes", "box"),
            ("queries", "query"),
            ("inside", "inside"),
        ] {
            assert_eq!(stems(a), stems(b), "{a} {b}");
        }
        assert_eq!(stems("bus"), ["bus"]);
    }

    #[test]
    fn words_that_say_nothing_are_left_out_of_a_query() {
        assert_eq!(meaningful("What is the length of this?"), ["length"]);
        assert!(meaningful("how is it").is_empty());
    }
}
