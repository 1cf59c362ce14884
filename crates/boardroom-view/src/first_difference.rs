//! Two runs side by side: instance by instance, down to the first input that differs.

use crate::name::PageName;
use crate::run::{RecordView, RunView};
use crate::turns::{Text, input_words, read_episode};
use run_engine::words::fine;
use serde::Serialize;
use sim_core::{Entry, EpisodeRecord};
use std::collections::BTreeMap;

/// Most pairs of records that are compared turn by turn; the table lists all of them.
pub(crate) const MOST_READ: usize = 200;

/// The records of two runs on one instance.
#[derive(Debug, Serialize)]
pub(crate) struct Pair {
    name: String,
    /// Score of either run and the second minus the first.
    scores: [String; 3],
    /// Links to the records, at the first input that differs.
    links: [String; 2],
    /// The first input that differs, in words.
    parts: String,
    /// What either agent did there.
    inputs: Option<[Text; 2]>,
    /// Which one is higher: -1, 0 or 1.
    higher: i8,
}

/// Pairs of records on the same instance and trial, in the order of the first run, and the number of
/// records of either run that have no partner.
pub(crate) fn pairs(a: &RunView, b: &RunView) -> (Vec<Pair>, [usize; 2]) {
    let mut partners: BTreeMap<(&str, u32), Vec<(usize, &RecordView)>> = BTreeMap::new();
    // From the end, since `pop` takes the last: the earliest records are paired first.
    for (place, record) in b.records.iter().enumerate().rev() {
        let key = (record.instance.as_str(), record.trial);
        partners.entry(key).or_default().push((place, record));
    }
    let mut pairs = Vec::new();
    for (place, record) in a.records.iter().enumerate() {
        let key = (record.instance.as_str(), record.trial);
        let Some(partner) = partners.get_mut(&key).and_then(Vec::pop) else {
            continue;
        };
        // To read two records and compare them takes longer than all the rest of a pair.
        let read = pairs.len() < MOST_READ;
        pairs.push(pair((a, place, record), (b, partner.0, partner.1), read));
    }
    let alone = [a.records.len() - pairs.len(), b.records.len() - pairs.len()];
    (pairs, alone)
}

type Side<'a> = (&'a RunView, usize, &'a RecordView);

fn pair(a: Side<'_>, b: Side<'_>, read: bool) -> Pair {
    let link = |(run, place, _): Side<'_>, entry: Option<usize>| {
        let file = PageName::Record(run.id.clone(), place).file();
        entry.map_or_else(|| file.clone(), |entry| format!("{file}#t{entry}"))
    };
    let score = |score: Option<f64>| score.map_or_else(|| "–".to_owned(), fine);
    let difference = a.2.score.zip(b.2.score).map(|(a, b)| b - a);
    let mut pair = Pair {
        name: a.2.name.clone(),
        scores: [score(a.2.score), score(b.2.score), score(difference)],
        links: [link(a, None), link(b, None)],
        parts: String::new(),
        inputs: None,
        higher: difference.map_or(0, |d| i8::from(d > 0.0) - i8::from(d < 0.0)),
    };
    if !read {
        "not compared".clone_into(&mut pair.parts);
        return pair;
    }
    let (Ok(first), Ok(second)) = (read_episode(a.0, a.2), read_episode(b.0, b.2)) else {
        "a record cannot be read".clone_into(&mut pair.parts);
        return pair;
    };
    match first_difference(&first, &second) {
        None => "never: the same inputs".clone_into(&mut pair.parts),
        Some(at) => {
            let entry = first.entries.get(at).or_else(|| second.entries.get(at));
            let period = entry.map_or(0, |entry| entry.period.saturating_add(1));
            pair.parts = format!("period {period}, input {}", at + 1);
            pair.links = [link(a, Some(at)), link(b, Some(at))];
            pair.inputs = Some([&first, &second].map(|record| {
                let words = record
                    .entries
                    .get(at)
                    .map(|entry| input_words(&entry.input));
                Text::new(words.as_deref().unwrap_or("has ended"))
            }));
        }
    }
    pair
}

/// Number of the first entry in which two records of one instance differ; `None` if they do not.
///
/// Calls that became the same action are the same, however they were written.
fn first_difference(a: &EpisodeRecord, b: &EpisodeRecord) -> Option<usize> {
    // Replies are not compared: they follow from the inputs, and records of one instance differ first in an input.
    let same = |(a, b): (&Entry, &Entry)| {
        let alike = match (&a.action, &b.action) {
            (Some(a), Some(b)) => a == b,
            _ => a.input == b.input,
        };
        alike && a.period == b.period && a.seat == b.seat
    };
    let shared = a.entries.iter().zip(&b.entries);
    let first = shared.take_while(|pair| same(*pair)).count();
    (first < a.entries.len().max(b.entries.len())).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use sim_core::record::Header;
    use sim_core::{Causes, Digest, Ending, Input, Score, Seed};

    fn record(orders: &[u32]) -> EpisodeRecord {
        let digest = Digest::of_bytes(b"");
        let entry = |(period, order): (u32, &u32)| Entry {
            period,
            seat: None,
            input: Input::Call {
                tool: "order".to_owned(),
                arguments: json!({"q": order.to_string()}),
            },
            action: Some(json!({"quantity": order})),
            reply: String::new(),
            query: 0,
            dropped: 0,
            causes: Causes::default(),
        };
        EpisodeRecord {
            schema: 1,
            header: Header::new("beer-game", 1, digest, digest, Seed(0), 0, "a"),
            entries: (0..).zip(orders).map(entry).collect(),
            ending: Ending::Complete,
            score: Score::new(0.0).unwrap(),
            digest,
        }
    }

    #[test]
    fn records_part_at_the_first_other_action() {
        let first = record(&[1, 2, 3]);
        assert_eq!(first_difference(&first, &record(&[1, 2, 3])), None);
        assert_eq!(first_difference(&first, &record(&[1, 5, 3])), Some(1));
        assert_eq!(
            first_difference(&first, &record(&[1, 2])),
            Some(2),
            "one ends earlier"
        );
        let mut typed = record(&[1, 2, 3]);
        typed.entries[0].input = Input::Say {
            text: "one".to_owned(),
        };
        assert_eq!(
            first_difference(&first, &typed),
            None,
            "the same action in other words"
        );
    }
}
