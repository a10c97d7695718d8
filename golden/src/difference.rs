//! Where two texts differ, for a person to read: lines with `-` and `+`, a little around them, and not too much in all.

/// Equal lines shown around a difference.
const AROUND: usize = 3;

/// Most lines that are shown of one file.
const SHOWN: usize = 60;

/// Most pairs of lines that are compared; beyond, what differs is shown as one block.
const PAIRS: usize = 4_000_000;

/// One line and what became of it.
#[derive(Clone, Copy)]
enum Line<'a> {
    Same(&'a str),
    Gone(&'a str),
    New(&'a str),
}

/// The lines in which `now` differs from `written`, with the number of the first line of each place.
pub(crate) fn difference(written: &str, now: &str) -> String {
    let lines = compared(&written.lines().collect::<Vec<_>>(), &now.lines().collect::<Vec<_>>());
    let near = |index: usize| {
        let around = index.saturating_sub(AROUND)..(index + AROUND + 1).min(lines.len());
        lines.get(around).is_some_and(|lines| lines.iter().any(|line| !matches!(line, Line::Same(_))))
    };
    let (mut out, mut number, mut last) = (Vec::new(), 1, None);
    for (index, line) in lines.iter().enumerate() {
        if near(index) {
            if last.is_none_or(|last| last + 1 != index) {
                out.push(format!("  at line {number}"));
            }
            last = Some(index);
            out.push(match line {
                Line::Same(text) => format!("      {text}"),
                Line::Gone(text) => format!("    - {text}"),
                Line::New(text) => format!("    + {text}"),
            });
        }
        number += usize::from(!matches!(line, Line::New(_)));
    }
    let more = out.len().saturating_sub(SHOWN);
    out.truncate(SHOWN);
    if more > 0 {
        out.push(format!("  and {more} lines more"));
    }
    if out.is_empty() {
        out.push("  the line ends or the spaces of the last line differ".to_owned());
    }
    out.join("\n")
}

/// Every line of both texts, in order.
fn compared<'a>(written: &[&'a str], now: &[&'a str]) -> Vec<Line<'a>> {
    let head = written.iter().zip(now).take_while(|(a, b)| a == b).count();
    let (written_rest, now_rest) = (written.get(head..).unwrap_or_default(), now.get(head..).unwrap_or_default());
    let tail = written_rest.iter().rev().zip(now_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let middle = |lines: &[&'a str]| lines.get(..lines.len() - tail).unwrap_or_default().to_vec();
    let mut lines: Vec<Line<'a>> = written.iter().take(head).map(|line| Line::Same(line)).collect();
    lines.extend(middles(&middle(written_rest), &middle(now_rest)));
    lines.extend(written.iter().skip(written.len() - tail).map(|line| Line::Same(line)));
    lines
}

/// By their longest common subsequence, where that is affordable.
fn middles<'a>(written: &[&'a str], now: &[&'a str]) -> Vec<Line<'a>> {
    let gone = || written.iter().map(|line| Line::Gone(line));
    let new = || now.iter().map(|line| Line::New(line));
    if written.len().saturating_mul(now.len()) > PAIRS {
        return gone().chain(new()).collect();
    }
    let common = common_lengths(written, now);
    let length = |at: usize, of: usize| common.get(at).and_then(|row| row.get(of)).copied().unwrap_or_default();
    let (mut at, mut of, mut lines) = (0, 0, Vec::new());
    loop {
        match (written.get(at), now.get(of)) {
            (Some(a), Some(b)) if a == b => {
                lines.push(Line::Same(a));
                (at, of) = (at + 1, of + 1);
            }
            (Some(a), b) if b.is_none() || length(at + 1, of) >= length(at, of + 1) => {
                lines.push(Line::Gone(a));
                at += 1;
            }
            (_, Some(b)) => {
                lines.push(Line::New(b));
                of += 1;
            }
            _ => return lines,
        }
    }
}

/// How many lines the rests of both from each position have in common.
fn common_lengths(written: &[&str], now: &[&str]) -> Vec<Vec<u32>> {
    let mut rows = vec![vec![0; now.len() + 1]];
    for line in written.iter().rev() {
        let mut row = vec![0_u32];
        let below = rows.last().map(Vec::as_slice).unwrap_or_default();
        // From the last to the first: `row` grows backwards and is turned once whole.
        for (index, other) in now.iter().enumerate().rev() {
            let at = |index: usize| below.get(index).copied().unwrap_or_default();
            let right = row.last().copied().unwrap_or_default();
            row.push(if line == other { at(index + 1) + 1 } else { at(index).max(right) });
        }
        row.reverse();
        rows.push(row);
    }
    rows.reverse();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown_with_its_line_and_a_little_around_it() {
        let written = "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let now = "0\n1\n2\n3\nfour\n5\n6\n7\n8\n9\nten\n";
        let shown = "  at line 2\n      1\n      2\n      3\n    - 4\n    + four\n      5\n      6\n      7\n      8\n      9\n    + ten";
        assert_eq!(difference(written, now), shown);
    }

    #[test]
    fn a_line_put_in_the_middle_leaves_the_others_the_same() {
        let shown = difference("a\nb\nc\nd\n", "a\nx\nc\ny\nd\n");
        assert_eq!(shown, "  at line 1\n      a\n    - b\n    + x\n      c\n    + y\n      d");
    }

    #[test]
    fn a_large_difference_is_cut() {
        let many = |word: &str| (0..3_000).map(|number| format!("{word}{number}\n")).collect::<String>();
        let shown = difference(&many("a"), &many("b"));
        assert_eq!(shown.lines().count(), SHOWN + 1);
        assert!(shown.ends_with("and 5941 lines more"), "{shown}");
    }
}
