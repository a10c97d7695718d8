//! Other words for what people ask in plain English. General vocabulary only: the words of a field come from its mapper,
//! as keywords.

use super::words::stems;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Groups of words of which each may stand for the others.
const SAME: &[&str] = &[
    "distance far near close apart proximity",
    "speed fast velocity quick slow",
    "length long",
    "duration long lasted timespan",
    "inside contain cover contained intersect",
    "overlap intersect cross touch meet met",
    "merge union combine join append",
    "subtract minus difference except without remove",
    "common intersection shared",
    "delete remove drop erase",
    "create new make add insert",
    "read get fetch show",
    "write set store save put update",
    "list all enumerate",
    "count number num size",
    "max maximum largest highest greatest top peak",
    "min minimum smallest lowest least",
    "average mean avg",
    "start begin first initial earliest",
    "end last final latest finish",
    "time timestamp when instant moment date",
    "period interval timespan span",
    "restrict at clip filter only during",
    "direction bearing azimuth heading angle course",
    "area surface region polygon zone",
    "simplify reduce thin compress",
    "shift translate delay",
    "scale stretch resize",
    "split divide partition tile segment",
    "convert cast transform change",
    "equal same identical",
    "position location place point where",
    "box bounding extent envelope bounds",
    "path route trace trajectory track",
    "stop stationary halt stay",
    "value reading",
];

/// For each stem, the stems that may stand for it.
static OTHERS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut others: HashMap<String, Vec<String>> = HashMap::new();
    for group in SAME {
        let group = stems(group);
        for word in &group {
            let known = others.entry(word.clone()).or_default();
            known.extend(group.iter().filter(|other| *other != word).cloned());
        }
    }
    others
});

/// Each asked word with the words that may stand for it, itself first. Of words that may stand for each other only the
/// first has others: `extent` answers one word of `bounding box`, not both.
pub(super) fn expand(asked: &[String]) -> Vec<Vec<String>> {
    let others = |word: &String| OTHERS.get(word).map(Vec::as_slice).unwrap_or_default();
    asked
        .iter()
        .enumerate()
        .map(|(place, word)| {
            let mut all = vec![word.clone()];
            let earlier = asked.get(..place).unwrap_or_default();
            if !earlier.iter().any(|earlier| others(earlier).contains(word)) {
                all.extend_from_slice(others(word));
            }
            all
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_comes_first_and_then_what_may_stand_for_it() {
        let expanded = expand(&stems("velocity xyzzy"));
        assert_eq!(expanded[0][0], "velocity");
        assert!(expanded[0].contains(&stems("speed")[0]));
        assert_eq!(expanded[1], ["xyzzy"]);
    }

    #[test]
    fn of_two_words_for_the_same_thing_only_the_first_has_others() {
        let expanded = expand(&stems("bounding box"));
        assert!(expanded[0].len() > 2);
        assert_eq!(expanded[1], stems("box"));
    }
}
