//! Ranked search over every tool, listed or folded, by plain words.
//!
//! In come the units of a snapshot, out comes an index that answers a query with tools, best first. What is matched: the
//! tool's name, the further words its mapper knows it by, its doc, category, signature and app. It knows English a little
//! (endings, synonyms, words that say nothing) and no ecosystem.

mod synonyms;
mod words;

use crate::catalog::mapped::MappedMethod;
use crate::catalog::snapshot::CatalogUnit;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// How much a word counts where it stands. The name is what an author chose with most care; keywords are there to be
/// found by; a signature names types, which are seldom what was asked.
const NAME: f32 = 3.0;
const KEYWORD: f32 = 2.5;
const DOC: f32 = 1.6;
const CATEGORY: f32 = 1.0;
const SIGNATURE: f32 = 0.5;
const APP: f32 = 0.5;

/// How fast further places of the same word stop counting: at this weight a word has half its worth (BM25's k1).
const SATURATION: f32 = 2.0;

/// How much a synonym counts beside the word itself.
const SYNONYM: f32 = 0.7;

/// How much each word of the name that nobody asked for takes away: of two tools that do what was asked, the plainer one
/// is meant.
const UNASKED: f32 = 0.05;

/// The index of one snapshot.
#[derive(Debug, Default)]
pub struct SearchIndex {
    tools: Vec<Entry>,
    /// What tools say of themselves: names, docs, categories.
    own: Postings,
    /// What many tools share: keywords, and the types in signatures. A word apart from `own`, because it can be common
    /// here and telling there.
    shared: Postings,
}

/// For each word, the tools it stands in and how much it counts there.
type Postings = HashMap<String, Vec<(usize, f32)>>;

/// Words with the sum of what their places count.
type Weights = BTreeMap<String, f32>;

#[derive(Debug)]
struct Entry {
    name: String,
    unit: usize,
    name_words: Vec<String>,
}

/// One tool found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// The position of its unit in the snapshot.
    pub unit: usize,
    /// How well it fits; only of use beside others.
    pub score: f32,
}

impl SearchIndex {
    /// Indexes every tool of a snapshot's units, each unit's in its manifest's order.
    pub(crate) fn of(units: &[Arc<CatalogUnit>]) -> Self {
        let mut index = Self::default();
        for (at, unit) in units.iter().enumerate() {
            for (name, method) in unit.tools_in_order() {
                let (own, shared) = weights(name, method, unit.unit.app.display_name());
                index.add(name, at, &own, &shared);
            }
        }
        index
    }

    fn add(&mut self, name: &str, unit: usize, own: &Weights, shared: &Weights) {
        let at = self.tools.len();
        self.tools.push(Entry { name: name.to_owned(), unit, name_words: words::stems(name) });
        for (weights, postings) in [(own, &mut self.own), (shared, &mut self.shared)] {
            for (word, weight) in weights {
                postings.entry(word.clone()).or_default().push((at, *weight));
            }
        }
    }

    /// The tools that fit a query, best first; of equal ones the first of the manifest. Empty when no word is known.
    #[must_use]
    pub fn find(&self, query: &str) -> Vec<Hit<'_>> {
        let asked = synonyms::expand(&words::meaningful(query));
        let mut scores: HashMap<usize, f32> = HashMap::new();
        for alternatives in &asked {
            for (tool, score) in self.readings(alternatives) {
                *scores.entry(tool).or_default() += score;
            }
        }
        let mut hits: Vec<(usize, Hit<'_>)> = scores
            .into_iter()
            .filter_map(|(at, score)| {
                let entry = self.tools.get(at)?;
                let unasked =
                    entry.name_words.iter().filter(|word| !asked.iter().flatten().any(|asked| asked == *word));
                #[expect(clippy::cast_precision_loss, reason = "a handful of words")]
                let score = score / (1.0 + UNASKED * unasked.count() as f32);
                Some((at, Hit { name: &entry.name, unit: entry.unit, score }))
            })
            .collect();
        hits.sort_by(|(a, left), (b, right)| right.score.total_cmp(&left.score).then_with(|| a.cmp(b)));
        hits.into_iter().map(|(_, hit)| hit).collect()
    }

    /// How well each tool answers one asked word: its best reading counts, not the sum of all its synonyms.
    fn readings(&self, alternatives: &[String]) -> HashMap<usize, f32> {
        let mut best: HashMap<usize, f32> = HashMap::new();
        for (place, word) in alternatives.iter().enumerate() {
            let worth = if place == 0 { 1.0 } else { SYNONYM };
            let places: Vec<_> = [&self.own, &self.shared].into_iter().filter_map(|all| all.get(word)).collect();
            let everywhere = rarity(self.tools.len(), places.iter().map(|postings| postings.len()).sum());
            for postings in places {
                // Half of what the word tells here, half of what it tells at all.
                let rarity = f32::midpoint(rarity(self.tools.len(), postings.len()), everywhere);
                for (tool, weight) in postings {
                    let score = worth * rarity * weight / (weight + SATURATION);
                    let known = best.entry(*tool).or_default();
                    *known = known.max(score);
                }
            }
        }
        best
    }
}

/// Every word a tool can be found by: its own, and those it shares with its like.
fn weights(name: &str, method: &MappedMethod, app: &str) -> (Weights, Weights) {
    let about = &method.method;
    let or_nothing = |text: &Option<String>| text.clone().unwrap_or_default();
    let (title, doc, category) = (or_nothing(&about.title), or_nothing(&about.doc), or_nothing(&about.category));
    let own = sum(&[(name, NAME), (&title, DOC), (&doc, DOC), (&category, CATEGORY)]);
    let shared = sum(&[(&about.keywords.join(" "), KEYWORD), (&about.signature, SIGNATURE), (app, APP)]);
    (own, shared)
}

fn sum(places: &[(&str, f32)]) -> Weights {
    let mut weights = Weights::new();
    for (text, weight) in places {
        // A word said twice in one place is no better answer.
        for word in words::stems(text).into_iter().collect::<BTreeSet<_>>() {
            *weights.entry(word).or_default() += weight;
        }
    }
    weights
}

/// How telling a word is: near nothing for one that every tool has (BM25's inverse document frequency).
fn rarity(tools: usize, with_it: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "counts of tools")]
    let (tools, with_it) = (tools as f32, with_it.min(tools) as f32);
    (1.0 + (tools - with_it + 0.5) / (with_it + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(tools: &[(&str, &str)]) -> SearchIndex {
        let mut index = SearchIndex::default();
        for (name, doc) in tools {
            index.add(name, 0, &sum(&[(name, NAME), (doc, DOC)]), &Weights::new());
        }
        index
    }

    fn first(index: &SearchIndex, query: &str) -> String {
        index.find(query).first().map_or_else(String::new, |hit| hit.name.to_owned())
    }

    #[test]
    fn a_word_of_the_name_beats_a_word_of_the_doc() {
        let index = index(&[("kv_store_set", "Sets an entry."), ("kv_store_remove", "Removes one.")]);
        assert_eq!(first(&index, "remove an entry"), "kv_store_remove");
        assert!(index.find("weather").is_empty());
        assert!(index.find("the of a").is_empty());
    }

    #[test]
    fn a_synonym_and_another_ending_find_it_too() {
        let index = index(&[("track_length", "Length of a track."), ("track_speed", "Speed of a track.")]);
        assert_eq!(first(&index, "how long are these tracks"), "track_length");
        assert_eq!(first(&index, "how fast did it go"), "track_speed");
        assert_eq!(first(&index, "velocity"), "track_speed");
    }

    #[test]
    fn the_plainer_of_two_is_meant_unless_the_other_was_asked_for() {
        let index = index(&[("network_track_length", "Length."), ("track_length", "Length.")]);
        assert_eq!(first(&index, "length of a track"), "track_length");
        assert_eq!(first(&index, "length of a network track"), "network_track_length");
    }

    #[test]
    fn equal_tools_come_in_the_manifests_order() {
        let index = index(&[("b_len", "x"), ("a_len", "x")]);
        let names: Vec<&str> = index.find("len").iter().map(|hit| hit.name).collect();
        assert_eq!(names, ["b_len", "a_len"]);
    }

    #[test]
    fn a_word_that_is_common_as_a_keyword_still_tells_where_it_is_a_name() {
        let mut index = SearchIndex::default();
        for at in 0..50 {
            index.add(&format!("thing_{at}"), 0, &sum(&[("thing", NAME)]), &sum(&[("track", KEYWORD)]));
        }
        index.add("track", 0, &sum(&[("track", NAME)]), &Weights::new());
        assert_eq!(first(&index, "track"), "track");
    }
}
