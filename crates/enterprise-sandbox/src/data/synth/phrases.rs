//! The word lists and slot grammars, parsed once from the text files under `words/`.
//!
//! A phrase may contain `{slots}`, which are filled from other lists or from records. Section names
//! are used as keys throughout `synth` and `task`; a misspelt one gives an empty text and is found by the
//! tests of the generated texts and tasks.

use sim_core::Stream;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static PHRASES: LazyLock<BTreeMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    sections(concat!(
        include_str!("../../../words/phrases.txt"),
        include_str!("../../../words/requests.txt")
    ))
});

/// Given names, about four hundred from many languages; not a list of real people.
pub(crate) static GIVEN: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| include_str!("../../../words/given.txt").lines().collect());

/// Family names, eight hundred.
pub(crate) static FAMILY: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| include_str!("../../../words/family.txt").lines().collect());

fn sections(text: &'static str) -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut out: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut name = "";
    for line in text
        .lines()
        .filter(|l| !l.starts_with('#') && !l.is_empty())
    {
        match line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            Some(section) => name = section,
            None => out.entry(name).or_default().push(line),
        }
    }
    out
}

/// The phrases of a section; empty for an unknown section.
pub(crate) fn phrases(section: &str) -> &'static [&'static str] {
    PHRASES.get(section).map_or(&[], Vec::as_slice)
}

/// One phrase of a section.
pub(crate) fn pick(stream: &mut Stream, section: &str) -> &'static str {
    stream.pick(phrases(section)).copied().unwrap_or_default()
}

/// `template` with every `{slot}` replaced by the value of `slot` for its name, and `\n` by a line
/// break. An unmatched brace stays as it is.
pub(crate) fn fill(template: &str, mut slot: impl FnMut(&str) -> String) -> String {
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        match after.split_once('}') {
            Some((name, tail)) => {
                out.push_str(&slot(name));
                rest = tail;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out.replace("\\n", "\n")
}

/// Splits `left=right` at the first equals sign; without one, both parts are the whole line.
pub(crate) fn pair(line: &'static str) -> (&'static str, &'static str) {
    line.split_once('=').unwrap_or((line, line))
}

/// The first letter as a capital.
pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|c| c.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn lists_have_their_sizes_and_no_doubles() {
        for (list, least) in [(&*GIVEN, 380), (&*FAMILY, 800)] {
            assert!(list.len() >= least);
            assert_eq!(list.iter().collect::<BTreeSet<_>>().len(), list.len());
            assert!(
                list.iter()
                    .all(|n| n.bytes().all(|b| b.is_ascii_alphabetic()))
            );
        }
        for d in crate::data::org::Department::ALL {
            assert_eq!(phrases(&format!("skills.{d}")).len(), 30, "{d}");
        }
    }

    #[test]
    fn slots_are_filled() {
        assert_eq!(fill("a {x} b {y}\\n{", |n| n.to_uppercase()), "a X b Y\n{");
    }
}
