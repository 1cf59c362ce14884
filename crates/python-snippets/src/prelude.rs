//! Python definitions that stand in for what the interpreter lacks or computes differently.
//!
//! A name says what it replaces: `_p_math_comb` is `math.comb`, `_p_builtin_round` is `round`,
//! `_p_method_bit_length` is the method `bit_length`. `_c_` instead of `_p_` marks those of the
//! second attempt (see [`rewrite`](super::rewrite)). A program gets the definitions that it needs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

const FILES: [&str; 8] = [
    include_str!("prelude/operators.py"),
    include_str!("prelude/builtins.py"),
    include_str!("prelude/math.py"),
    include_str!("prelude/statistics.py"),
    include_str!("prelude/random.py"),
    include_str!("prelude/modules.py"),
    include_str!("prelude/numbers.py"),
    include_str!("prelude/careful.py"),
];

/// Every definition by its name: its place in the files and its text.
fn definitions() -> &'static BTreeMap<&'static str, (usize, &'static str)> {
    static DEFINITIONS: OnceLock<BTreeMap<&'static str, (usize, &'static str)>> = OnceLock::new();
    DEFINITIONS.get_or_init(|| {
        // The files keep two empty lines between definitions.
        let parts = FILES.iter().flat_map(|file| file.split("\n\n\n"));
        parts
            .enumerate()
            .filter_map(|(place, text)| {
                let head = text
                    .lines()
                    .find(|line| !line.is_empty() && !line.starts_with('#'))?;
                let name = match head.split_once(" as ") {
                    Some((_, name)) => name,
                    None => names_in(head).next()?,
                };
                Some((name, (place, text)))
            })
            .collect()
    })
}

/// The names with a prefix of ours in a text.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with("_p_") || word.starts_with("_c_"))
}

/// Whether there is a definition of that name.
pub(super) fn has(name: &str) -> bool {
    definitions().contains_key(name)
}

/// The definitions that a program needs, ready to stand before it.
pub(super) fn of(code: &str) -> String {
    let mut needed = BTreeSet::new();
    let mut texts = vec![code];
    while let Some(text) = texts.pop() {
        for name in names_in(text) {
            if let Some(found) = definitions().get(name)
                && needed.insert(*found)
            {
                texts.push(found.1);
            }
        }
    }
    needed.iter().map(|(_, text)| format!("{text}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_gets_what_it_needs_and_no_more() {
        assert_eq!(of("1 + 1"), "");
        let text = of("_p_math_comb(5, 2)");
        assert!(text.contains("def _p_math_comb(n, k):"), "{text}");
        assert!(text.contains("def _p_whole(number):"), "{text}");
        assert!(!text.contains("_p_math_perm"), "{text}");
    }

    #[test]
    fn every_name_that_a_definition_uses_is_defined() {
        // Those that the host answers.
        let hosts = ["_p_unsupported", "_p_evaluate", "_p_judge"];
        for (name, (_, text)) in definitions() {
            for used in names_in(text) {
                assert!(has(used) || hosts.contains(&used), "{name} uses {used}");
            }
        }
        assert!(definitions().len() > 150, "{}", definitions().len());
    }
}
