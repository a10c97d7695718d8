//! Lines of a text: some of them, and those that hold a word.

/// Characters of one line that are shown.
const LINE: usize = 300;

/// `count` lines from the line `from`, each with its number; says where the rest is.
pub(crate) fn some_of(text: &str, from: usize, count: usize) -> String {
    let total = text.lines().count();
    let lines = text.lines().enumerate().skip(from.saturating_sub(1)).take(count);
    let mut shown: Vec<String> = lines.map(|(at, line)| format!("{}\t{line}", at + 1)).collect();
    let last = from.saturating_sub(1) + shown.len();
    if shown.is_empty() {
        return format!("(the file has {total} lines)");
    }
    if last < total {
        shown.push(format!("({} more lines; go on from {})", total - last, last + 1));
    }
    shown.join("\n")
}

/// The first `most` lines that hold `wanted`, whatever its case, each with its number.
pub(crate) fn matching(text: &str, wanted: &str, most: usize) -> Vec<(usize, String)> {
    let wanted = wanted.to_lowercase();
    let found = text.lines().enumerate().filter(|(_, line)| line.to_lowercase().contains(&wanted));
    found.take(most).map(|(at, line)| (at + 1, line.chars().take(LINE).collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_the_rest_is_said() {
        let text = "one\ntwo\nthree\n";
        assert_eq!(some_of(text, 1, 500), "1\tone\n2\ttwo\n3\tthree");
        assert_eq!(some_of(text, 2, 1), "2\ttwo\n(1 more lines; go on from 3)");
        assert_eq!(some_of(text, 9, 1), "(the file has 3 lines)");
        assert_eq!(matching("a Cat\nno\ncatalog", "CAT", 5), [(1, "a Cat".to_owned()), (3, "catalog".to_owned())]);
        assert_eq!(matching("x\nx\nx", "x", 2).len(), 2);
    }
}
