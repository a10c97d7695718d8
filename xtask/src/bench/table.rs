//! A Markdown table of times, readable as it stands.

use super::statistics::Samples;
use std::time::Duration;

/// Rows of text under fixed headings, and notes below.
#[derive(Debug)]
pub(super) struct Table {
    rows: Vec<[String; 5]>,
    notes: Vec<String>,
}

impl Table {
    pub(super) fn new(headings: [&str; 5]) -> Self {
        Self { rows: vec![headings.map(str::to_owned)], notes: Vec::new() }
    }

    /// Adds a measurement, and how often longer its median is than a baseline's of the same run.
    pub(super) fn row(&mut self, what: &str, samples: &Samples, baseline: Option<(&str, &Samples)>) {
        let (name, ratio) = match baseline {
            None => (String::new(), String::new()),
            Some((name, base)) => {
                let ratio = samples.median().as_secs_f64() / base.median().as_secs_f64().max(f64::MIN_POSITIVE);
                (name.to_owned(), format!("{ratio:.1}x"))
            }
        };
        self.rows.push([what.to_owned(), time(samples.median()), time(samples.p95()), name, ratio]);
    }

    pub(super) fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    pub(super) fn print(&self) {
        print!("{}", self.text());
    }

    fn text(&self) -> String {
        let mut widths = [0; 5];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut text = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!(" {cell:<width$} |"));
            text.push_str(&format!("|{}\n", cells.collect::<String>()));
            if index == 0 {
                let rule = widths.map(|width| format!("{}|", "-".repeat(width + 2)));
                text.push_str(&format!("|{}\n", rule.concat()));
            }
        }
        for note in &self.notes {
            text.push_str(&format!("\n- {note}"));
        }
        text.push('\n');
        text
    }
}

/// A time with the unit that suits it.
pub(super) fn time(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    if micros < 1000.0 { format!("{micros:.0} µs") } else { format!("{:.2} ms", micros / 1000.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_ratios_stand_next_to_their_baseline() {
        let samples = |millis| Samples::new(vec![Duration::from_millis(millis)]).expect("one sample");
        let mut table = Table::new(["what", "median", "p95", "baseline", "ratio"]);
        table.row("cat", &samples(2), None);
        table.row("start", &samples(3), Some(("cat", &samples(2))));
        let text = table.text();
        let widths: Vec<usize> = text.lines().filter(|line| line.starts_with('|')).map(|l| l.chars().count()).collect();
        assert!(widths.array_windows().all(|[a, b]| a == b), "{text}");
        assert!(text.contains("| start | 3.00 ms | 3.00 ms | cat      | 1.5x  |"), "{text}");
    }

    #[test]
    fn short_times_are_in_microseconds() {
        assert_eq!(time(Duration::from_nanos(250_400)), "250 µs");
        assert_eq!(time(Duration::from_micros(1500)), "1.50 ms");
    }
}
