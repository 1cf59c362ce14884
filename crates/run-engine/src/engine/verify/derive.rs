//! Repeats the work of a run with its stored replies alone and compares the result with the folder.

use crate::engine::model::ask::{CONCURRENCY, runtime};
use crate::error::RunError;
use crate::run_dir::outcome::{Check, Verified};
use agent_client::parallel::in_order;
use serde::Deserialize as _;
use serde_json::Value;
use sim_core::Causes;
use sim_core::difference::differences;
use sim_core::environment::role_of;
use std::collections::BTreeMap;

/// The place of a line in a run folder: the file, and the key of the line in it.
pub type LinePlace = (String, String);

/// The lines of a folder that can be derived again.
#[derive(Debug, Default)]
pub struct StoredLines {
    lines: BTreeMap<LinePlace, (u64, String)>,
}

/// The lines that an episode writes, each with the check that it belongs to; or why it writes none.
pub type Lines = Result<Vec<(Check, LinePlace, String)>, String>;

/// What an episode that was played again writes.
#[derive(Debug)]
pub struct Made {
    /// Its name in messages.
    pub name: String,
    /// Its lines.
    pub lines: Lines,
}

impl Made {
    fn is_record(&self) -> bool {
        let mut lines = self.lines.iter().flatten();
        lines.any(|(check, ..)| *check == Check::Decisions)
    }
}

impl StoredLines {
    /// Adds line `number` of a file; returns the number of an earlier line with the same place, if any.
    pub fn add(&mut self, place: LinePlace, number: u64, text: String) -> Option<u64> {
        if let Some((first, _)) = self.lines.get(&place) {
            return Some(*first);
        }
        self.lines.insert(place, (number, text));
        None
    }

    /// The causes of the agent's replies that the records among the lines count.
    #[must_use]
    pub fn causes(&self) -> Causes {
        let mut sum = Causes::default();
        let mut add = |part: Option<&Value>| {
            if let Some(Ok(causes)) = part.map(Causes::deserialize) {
                sum.add(&causes);
            }
        };
        for (_, text) in self.lines.values() {
            let Ok(record) = serde_json::from_str::<Value>(text) else {
                continue;
            };
            // Lines of memories are among them; they have no entries.
            let entries = record.get("entries").and_then(Value::as_array);
            for entry in entries.into_iter().flatten() {
                let seat = entry.get("seat").and_then(Value::as_str);
                // Entries of a game with one seat do not name it.
                if seat.is_none_or(|seat| role_of(seat) == "agent") {
                    add(entry.get("causes"));
                }
            }
        }
        sum
    }

    /// The line at `place`.
    pub fn text(&self, place: &LinePlace) -> Option<&str> {
        self.lines.get(place).map(|(_, text)| text.as_str())
    }
}

/// Does the work of `pieces` and compares the resulting lines with the `stored` ones. Returns how many
/// records equal the stored ones, together with all other lines of the same unit.
///
/// # Errors
/// When the system gives no threads.
pub fn rederive<F>(
    pieces: impl IntoIterator<Item = F>,
    stored: &StoredLines,
    found: &mut Verified,
) -> Result<u64, RunError>
where
    F: Future<Output = Vec<Made>> + Send + 'static,
{
    let mut same = 0;
    runtime()?.block_on(in_order(pieces, CONCURRENCY, |_, all| {
        for made in all {
            same += u64::from(is_same(&made, stored, found) && made.is_record());
        }
    }));
    Ok(same)
}

/// Whether the lines of `made` equal the stored ones; every difference is a finding.
fn is_same(made: &Made, stored: &StoredLines, found: &mut Verified) -> bool {
    let lines = match &made.lines {
        Ok(lines) => lines,
        Err(why) => {
            let what = format!("the stored calls do not yield its record: {why}");
            found.find(Check::Decisions, &*made.name, what);
            return false;
        }
    };
    let mut same = true;
    for (check, place, text) in lines {
        let file = &place.0;
        match stored.text(place) {
            // Texts are compared and not values: a record that this program would write in another way was changed by
            // hand, even if its value is the same.
            Some(line) if line == text => continue,
            Some(line) => found.find(*check, &*made.name, difference(file, line, text)),
            None => found.find(*check, &*made.name, format!("{file} has no line for it")),
        }
        same = false;
    }
    same
}

/// The first places where a stored line differs from the one that was derived again.
fn difference(file: &str, stored: &str, made: &str) -> String {
    let read = |text: &str| serde_json::from_str::<Value>(text);
    let (Ok(stored), Ok(made)) = (read(stored), read(made)) else {
        return format!("its line in {file} is not JSON");
    };
    let found = differences(&stored, &made, ["stored", "made again"]);
    if found.is_empty() {
        format!("its line in {file} is written in another way than this program writes it")
    } else {
        format!("{file} differs: {}", found.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(lines: Result<Vec<(Check, &str, &str)>, &str>) -> Vec<Made> {
        let place = |key: &str| ("a.jsonl".to_owned(), key.to_owned());
        let lines = lines.map(|lines| {
            let line =
                |(check, key, text): (Check, &str, &str)| (check, place(key), text.to_owned());
            lines.into_iter().map(line).collect()
        });
        vec![Made {
            name: "episode 3".to_owned(),
            lines: lines.map_err(str::to_owned),
        }]
    }

    /// Differences are reported with their place; equal lines are counted.
    #[test]
    fn what_is_made_again_is_compared_to_the_byte() {
        let mut stored = StoredLines::default();
        let place = ("a.jsonl".to_owned(), "3".to_owned());
        let line = r#"{"a":{"b":[1,2]}}"#;
        assert_eq!(stored.add(place.clone(), 1, line.to_owned()), None);
        assert_eq!(stored.add(place, 2, "{}".to_owned()), Some(1));
        let cases = [
            (Ok(vec![(Check::Decisions, "3", line)]), None),
            (
                Ok(vec![(Check::Files, "3", r#"{"a":{"b":[1,3]}}"#)]),
                Some((Check::Files, "a.b.1: stored `2`, made again `3`")),
            ),
            (
                Ok(vec![(Check::Files, "3", r#"{"a": {"b":[1,2]}}"#)]),
                Some((Check::Files, "written in another way")),
            ),
            (
                Ok(vec![(Check::Judgements, "4", line)]),
                Some((Check::Judgements, "has no line")),
            ),
            (Err("no reply"), Some((Check::Decisions, "no reply"))),
        ];
        for (lines, wrong) in cases {
            let mut found = Verified::default();
            let same = rederive([async { made(lines) }], &stored, &mut found).unwrap();
            assert_eq!(same, u64::from(wrong.is_none()));
            match wrong {
                None => assert!(found.is_sound()),
                Some((check, part)) => {
                    let finding = &found.findings[0];
                    assert_eq!((finding.check, &*finding.place), (check, "episode 3"));
                    assert!(finding.what.contains(part), "{finding}");
                }
            }
        }
    }
}
