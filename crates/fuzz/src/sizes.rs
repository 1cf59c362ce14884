//! Inputs that repeat one element to 1, 10 and 100 MB: what takes more than linear time or much memory is not
//! found by mutations, which stay short.

use crate::bundle::Bundle;
use crate::target::{Opened, Target};
use sim_core::Seed;
use sim_core::seed::Stream;

/// The sizes to which each element is repeated (bytes).
pub const SIZES: [usize; 3] = [1_000_000, 10_000_000, 100_000_000];

/// Factor by which the time may grow from one size to the next, which is ten times as long. Memory that is
/// first touched and a busy machine make it more than ten.
pub const GROWTH: u64 = 40;

/// Time below which the growth is not looked at \[microseconds\].
pub const SHORT: u64 = 2_000_000;

/// Maximum processor time for the longest input \[s\]: about fifty readers read it, in a test build.
pub const SECONDS: f64 = 300.0;

/// Time in which an input may be played that makes the next longer one needless \[microseconds\]: ten times as
/// long takes less than [`SHORT`], also if the time grows with the square.
pub const NEEDLESS: u64 = SHORT / 100 - 1;

/// What is repeated.
#[derive(Debug, Clone, Copy)]
enum Element {
    /// `0,` after the beginning of a list.
    Zero,
    /// The first element of a list.
    First,
    /// A new key after the beginning of an object.
    Key,
    /// The beginning of a list.
    Bracket,
    /// A letter in a text.
    Letter,
    /// A mark of writing direction in a text.
    Mark,
    /// A digit of a number.
    Digit,
    /// A line.
    Line,
    /// An empty line.
    Blank,
    /// A cell of a table.
    Cell,
}

/// Every element; each is repeated in each file of a target.
const ELEMENTS: [Element; 10] = [
    Element::Zero,
    Element::First,
    Element::Key,
    Element::Bracket,
    Element::Letter,
    Element::Mark,
    Element::Digit,
    Element::Line,
    Element::Blank,
    Element::Cell,
];

/// A file of a bundle in which an element is repeated, and the seeds that have it. The name is empty for seeds
/// that are not bundles.
type Place = (String, Vec<usize>);

/// The files in which elements are repeated, by name. Files of one name in several seeds are one place: they are
/// read in the same way.
fn files(opened: &Opened) -> Vec<Place> {
    let mut found: Vec<Place> = Vec::new();
    for (number, seed) in opened.seeds.iter().enumerate() {
        let bundle = Bundle::read(seed);
        let names: Vec<String> = bundle.map_or_else(
            || vec![String::new()],
            |bundle| bundle.open().map(|(name, _)| name.clone()).collect(),
        );
        for name in names {
            match found.iter_mut().find(|(known, _)| *known == name) {
                Some((_, seeds)) => seeds.push(number),
                None => found.push((name, vec![number])),
            }
        }
    }
    found
}

/// Number of cases that repeat every element in every file once, in all sizes.
#[must_use]
pub fn round(opened: &Opened) -> u64 {
    (files(opened).len() * ELEMENTS.len() * SIZES.len()) as u64
}

/// Whether the case is longer than inputs of the target are grown.
#[must_use]
pub fn is_too_long(target: &Target, case: u64) -> bool {
    size_of(case) > target.longest
}

/// Whether another size of the same element follows the case.
#[must_use]
pub fn has_longer(case: u64) -> bool {
    case % (SIZES.len() as u64) + 1 < SIZES.len() as u64
}

fn size_of(case: u64) -> usize {
    let place = usize::try_from(case % SIZES.len() as u64).unwrap_or_default();
    SIZES.get(place).copied().unwrap_or_default()
}

/// The input number `case`, with a name of what is repeated in it: three sizes of one element follow one another,
/// then the other elements of the file, then the other files. Later rounds take other places in other seeds.
/// It depends on the arguments alone.
#[must_use]
pub fn input(opened: &Opened, target: &str, seed: Seed, case: u64) -> (Vec<u8>, String) {
    let (size, group) = (size_of(case), case / SIZES.len() as u64);
    // By the element, not by the case: all sizes repeat at one place of one seed, or their times
    // could not be compared.
    let mut chance = seed.stream(target, group);
    let group = usize::try_from(group).unwrap_or_default();
    let files = files(opened);
    let element = ELEMENTS.get(group % ELEMENTS.len()).copied();
    let file = files.get((group / ELEMENTS.len()) % files.len().max(1));
    let (Some(element), Some((name, seeds))) = (element, file) else {
        return (Vec::new(), "nothing".to_owned());
    };
    let start = chance.pick(seeds).and_then(|at| opened.seeds.get(*at));
    let Some(start) = start else {
        return (Vec::new(), "nothing".to_owned());
    };
    let megabytes = size / 1_000_000;
    let Some(mut bundle) = Bundle::read(start) else {
        let (grown, what) = grown(&mut chance, start, element, size);
        return (grown, format!("{what}*{megabytes}MB"));
    };
    let place = bundle.0.iter_mut().find(|(known, _)| known == name);
    let Some((_, content)) = place else {
        return (start.clone(), "nothing".to_owned());
    };
    let (longer, what) = grown(&mut chance, content, element, size);
    let what = format!("{what}*{megabytes}MB:{}", name.replace(' ', "_"));
    *content = longer;
    (bundle.write(), what)
}

/// `content` with one of its elements repeated up to `size` bytes, and a name of the element.
fn grown(chance: &mut Stream, content: &[u8], element: Element, size: usize) -> (Vec<u8>, String) {
    let found = places(content, element);
    // A document without such a place gets longer by lines.
    let (at, unit) = match chance.pick(&found) {
        Some(place) => place.clone(),
        None => (0, b"\n".to_vec()),
    };
    let (before, after) = content.split_at(at.min(content.len()));
    let mut grown = Vec::with_capacity(size + content.len() + 64);
    grown.extend_from_slice(before);
    let mut number = 0_u64;
    while grown.len() < size {
        if matches!(element, Element::Key) && !found.is_empty() {
            grown.extend_from_slice(format!("\"k{number}\":0,").as_bytes());
            number += 1;
        } else {
            grown.extend_from_slice(&unit);
        }
    }
    grown.extend_from_slice(after);
    (grown, format!("{element:?}@{at}").to_lowercase())
}

/// Where `element` can be repeated in `content`, and what is repeated there.
fn places(content: &[u8], element: Element) -> Vec<(usize, Vec<u8>)> {
    let byte = |at: usize| content.get(at).copied();
    let mut found = Vec::new();
    let (mut in_text, mut is_escaped) = (false, false);
    for (at, now) in content.iter().copied().enumerate() {
        // Brackets and commas in a text are letters: repeating them makes a long text, which
        // `Letter` does.
        if in_text {
            match now {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => in_text = false,
                _ => {}
            }
            continue;
        }
        let after = at + 1;
        let unit: Option<Vec<u8>> = match (element, now) {
            // Not in an empty list or object: what is repeated ends with a comma, which needs an
            // element behind it.
            (Element::Zero, b'[') if byte(after) != Some(b']') => Some(b"0,".to_vec()),
            (Element::Bracket, b'[') => Some(b"[".to_vec()),
            (Element::First, b'[') => first(content.get(after..).unwrap_or_default()),
            (Element::Key, b'{') if byte(after) != Some(b'}') => Some(Vec::new()),
            (Element::Letter, b'"') => Some(b"a".to_vec()),
            (Element::Mark, b'"') => Some("\u{202e}".as_bytes().to_vec()),
            // Not behind 0, since JSON has no leading zeros.
            (Element::Digit, b'1'..=b'9') => Some(b"1".to_vec()),
            (Element::Cell, b',') => Some(b"1,".to_vec()),
            (Element::Blank, b'\n') => Some(b"\n".to_vec()),
            (Element::Line, b'\n') => {
                let line = content.get(after..).unwrap_or_default();
                let end = line.iter().position(|byte| *byte == b'\n');
                end.and_then(|end| Some(line.get(..=end)?.to_vec()))
            }
            _ => None,
        };
        found.extend(unit.map(|unit| (after, unit)));
        in_text = now == b'"';
    }
    // The loop finds lines by the line end before them, which the first line has not.
    if matches!(element, Element::Line)
        && let Some(end) = content.iter().position(|byte| *byte == b'\n')
    {
        found.push((0, content.get(..=end).unwrap_or_default().to_vec()));
    }
    found
}

/// The first element of a list whose beginning was read, with a comma.
fn first(rest: &[u8]) -> Option<Vec<u8>> {
    let (mut depth, mut in_text, mut is_escaped) = (0_i32, false, false);
    for (at, now) in rest.iter().copied().enumerate() {
        match now {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'[' | b'{' => depth += 1,
            b',' | b']' if depth == 0 => {
                let element = rest.get(..at).unwrap_or_default();
                let is_empty = element.iter().all(u8::is_ascii_whitespace);
                return (!is_empty).then(|| [element, b","].concat());
            }
            b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_is_found_outside_of_texts() {
        let text = b"{\"a[\": [{\"b\": 1}, 2], \"c\": []}\nx,y\n";
        for (element, count) in [
            (Element::Zero, 1),
            (Element::First, 1),
            (Element::Key, 2),
            (Element::Bracket, 2),
            (Element::Letter, 3),
            (Element::Digit, 2),
            (Element::Line, 2),
            (Element::Blank, 2),
            (Element::Cell, 3),
        ] {
            assert_eq!(places(text, element).len(), count, "{element:?}");
        }
        let found = places(text, Element::First);
        assert_eq!(found, [(8, b"{\"b\": 1},".to_vec())]);
    }

    #[test]
    fn an_input_grows_to_its_size_and_is_the_same_twice() {
        let seeds = vec![b"{\"a\": [1, 2]}\n".to_vec()];
        let opened = Opened::new(seeds, |_| crate::target::Verdict::Refused);
        assert_eq!(round(&opened), 30);
        for case in [0, 1, 3, 6] {
            let (grown, what) = input(&opened, "x", Seed(1), case);
            let size = SIZES[usize::try_from(case % 3).unwrap()];
            assert!((size..size + 100).contains(&grown.len()), "{what}");
            assert_eq!(input(&opened, "x", Seed(1), case).0, grown);
        }
    }

    #[test]
    fn a_round_repeats_every_element_in_every_file() {
        let seed = |name: &str| {
            let bundle = Bundle::default().with("command", "verify a");
            bundle.with(name, "{\"a\": [1, 2], \"b\": \"c\"}\n").write()
        };
        let seeds = vec![seed("a.json"), seed("b.json"), seed("a.json")];
        let opened = Opened::new(seeds, |_| crate::target::Verdict::Refused);
        assert_eq!(round(&opened), 2 * 10 * 3);
        let whats = (0..round(&opened)).step_by(3);
        let whats: std::collections::BTreeSet<String> = whats
            .map(|case| {
                let (_, what) = input(&opened, "x", Seed(1), case);
                let (element, rest) = what.split_once('@').unwrap();
                let (_, file) = rest.split_once(':').unwrap();
                format!("{element} {file}")
            })
            .collect();
        assert_eq!(whats.len(), 20);
    }
}
