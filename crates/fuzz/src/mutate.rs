//! From a valid input to one that is wrong, odd or extreme.
//!
//! The form of an input is found, not told: a [`Bundle`] is mutated in one or two of its files, JSON
//! in its values and keys, lines of JSON line by line, anything else as text. About half of the
//! numbers stay near what they were, so that many inputs get past the first check.

mod json;
mod text;

use crate::bundle::Bundle;
use serde_json::Value;
use sim_core::seed::Stream;

/// Longest input that a mutation may make (bytes).
const LONGEST: usize = 1 << 20;

/// A mutation of `input`; `others` are valid inputs that pieces may be taken from.
#[must_use]
pub fn mutate(chance: &mut Stream, input: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let mut changed = match Bundle::read(input) {
        Some(bundle) => in_bundle(chance, bundle, others),
        None => alone(chance, input, others),
    };
    changed.truncate(LONGEST);
    changed
}

fn in_bundle(chance: &mut Stream, mut bundle: Bundle, others: &[Vec<u8>]) -> Vec<u8> {
    let open: Vec<usize> = (0..bundle.0.len())
        .filter(|at| {
            bundle
                .0
                .get(*at)
                .is_some_and(|(name, _)| Bundle::is_open(name))
        })
        .collect();
    let times = if chance.chance(0.8) { 1 } else { 2 };
    for _ in 0..times {
        let Some(at) = chance.pick(&open).copied() else {
            break;
        };
        // A piece for splicing comes from the file of the same name in another input.
        let other = chance.pick(others).and_then(|other| Bundle::read(other));
        let (name, content) = match bundle.0.get(at) {
            Some((name, content)) => (name.clone(), content.clone()),
            None => break,
        };
        let pieces: Vec<Vec<u8>> = other
            .into_iter()
            .flat_map(|other| other.0)
            .filter(|(known, _)| *known == name)
            .map(|(_, content)| content)
            .collect();
        if chance.chance(0.02) {
            // A folder that lacks a file.
            bundle.0.remove(at);
            break;
        }
        let changed = alone(chance, &content, &pieces);
        if let Some((_, content)) = bundle.0.get_mut(at) {
            *content = changed;
        }
    }
    bundle.write()
}

/// A mutation of one document.
fn alone(chance: &mut Stream, input: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let text = String::from_utf8_lossy(input);
    let json = serde_json::from_slice::<Value>(input).ok();
    match json {
        Some(value) if value.is_object() || value.is_array() => {
            // Few: JSON that is damaged as text mostly fails in the parser, and nothing behind it
            // is reached.
            if chance.chance(0.08) {
                text::mutate(chance, &text, others)
            } else {
                let spare = others.iter().filter_map(|o| serde_json::from_slice(o).ok());
                let spare: Vec<Value> = spare.collect();
                json::mutate(chance, value, &spare)
            }
        }
        // One line of many, so that the others are still read: a reader that stops at the first bad
        // line would otherwise see nothing else.
        _ if is_lines(&text) && chance.chance(0.75) => in_line(chance, &text),
        _ => text::mutate(chance, &text, others),
    }
}

/// Whether most lines are JSON.
fn is_lines(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let (mut all, mut json) = (0, 0);
    // Enough to know the form, and cheap: this is done for each input.
    for line in lines.take(20) {
        all += 1;
        json += usize::from(serde_json::from_str::<Value>(line).is_ok());
    }
    // Most and not all: a file may have remarks between its lines.
    2 * json > all
}

/// Mutates one line of many.
fn in_line(chance: &mut Stream, text: &str) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = text.lines().map(|line| line.as_bytes().to_vec()).collect();
    let at = chance.index(lines.len().max(1));
    if let Some(line) = lines.get_mut(at)
        && let Ok(value) = serde_json::from_slice::<Value>(line)
    {
        *line = json::mutate(chance, value, &[]);
    }
    let mut changed = lines.join(&b'\n');
    changed.push(b'\n');
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::Seed;

    #[test]
    fn the_same_chance_gives_the_same_input() {
        let seeds = [
            br#"{"weeks": 4, "cost": {"holding": 0.5}, "list": [1, 2]}"#.to_vec(),
            b"{\"order\": 4}\n{\"order\": 8}\n# and a remark\n".to_vec(),
            b"=== command\nverify run\n=== run/x.toml\nseed = 1\n[a]\nb = [2]\n".to_vec(),
        ];
        for seed in &seeds {
            let mut different = std::collections::BTreeSet::new();
            for k in 0..300 {
                let once = mutate(&mut Seed(1).stream("t", k), seed, &seeds);
                assert_eq!(once, mutate(&mut Seed(1).stream("t", k), seed, &seeds));
                different.insert(once);
            }
            assert!(different.len() > 150, "{}", different.len());
        }
    }

    #[test]
    fn what_says_how_files_are_used_stays() {
        let seed = b"=== command\nverify run\n=== run/x.json\n{\"a\": 1}\n".to_vec();
        for k in 0..300 {
            let changed = mutate(&mut Seed(2).stream("t", k), &seed, &[]);
            assert!(changed.starts_with(b"=== command\nverify run\n"));
        }
    }
}
