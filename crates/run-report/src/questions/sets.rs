//! Which questions or cases make one set, where runs asked parts of it (`--items`).

use sim_core::Digest;
use std::collections::{BTreeMap, BTreeSet};

/// Questions or cases, each with its identifier and the digest of its content.
pub(crate) type ItemSet = BTreeSet<(String, Digest)>;

/// The sets of which `parts` are parts. Two parts are not of one set if an identifier stands for different contents in
/// them. A part that shares nothing with the others, and may belong to either of two such sets, is a set of its own.
pub(crate) fn whole_sets(mut parts: Vec<ItemSet>) -> Vec<ItemSet> {
    // The largest first, so that a part finds the set that has most of it, in whatever order the runs are named.
    parts.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let mut sets: Vec<ItemSet> = Vec::new();
    for part in parts {
        let held = sets.iter_mut().filter(|held| agrees(held, &part));
        let held = held.map(|held| (held.intersection(&part).count(), held));
        match held.max_by_key(|(shared, _)| *shared) {
            Some((1.., held)) => held.extend(part),
            _ => sets.push(part),
        }
    }
    // What shares nothing is put together only where all others decide alike about it: otherwise questions of two sets
    // could become one figure.
    let mut whole: BTreeMap<Vec<usize>, ItemSet> = BTreeMap::new();
    for set in &sets {
        let fitting = sets.iter().enumerate();
        let fitting = fitting.filter(|(_, other)| agrees(other, set));
        let fitting = fitting.map(|(at, _)| at).collect();
        whole.entry(fitting).or_default().extend(set.clone());
    }
    whole.into_values().collect()
}

/// Whether every item of `part` is in `set`, or has an identifier that `set` does not have.
fn agrees(set: &ItemSet, part: &ItemSet) -> bool {
    let names: BTreeSet<&str> = set.iter().map(|(name, _)| name.as_str()).collect();
    let mut items = part.iter();
    items.all(|item| set.contains(item) || !names.contains(item.0.as_str()))
}

/// The one of `sets` that holds all of `part`.
pub(crate) fn whole_of<'s>(sets: &'s [ItemSet], part: &ItemSet) -> Option<&'s ItemSet> {
    sets.iter().find(|set| part.is_subset(set))
}

/// The contents of a set, without their names.
pub(crate) fn contents(set: &ItemSet) -> BTreeSet<Digest> {
    set.iter().map(|(_, content)| *content).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(items: &[(&str, &str)]) -> ItemSet {
        let items = items.iter();
        items
            .map(|(name, content)| ((*name).to_owned(), Digest::of_bytes(content.as_bytes())))
            .collect()
    }

    #[test]
    fn parts_are_of_one_set_until_a_name_has_two_contents() {
        let parts = [
            set(&[("1", "a"), ("2", "b")]),
            set(&[("2", "b"), ("3", "c")]),
            set(&[("9", "z")]),
        ];
        let whole = set(&[("1", "a"), ("2", "b"), ("3", "c"), ("9", "z")]);
        assert_eq!(whole_sets(parts.to_vec()), std::slice::from_ref(&whole));
        assert_eq!(
            whole_of(std::slice::from_ref(&whole), &parts[1]),
            Some(&whole)
        );
        // A part goes with the set that it shares most with.
        let other = set(&[("1", "x"), ("2", "y"), ("4", "w")]);
        let of_other = set(&[("4", "w"), ("2", "y")]);
        let found = whole_sets(vec![of_other, parts[0].clone(), other.clone()]);
        assert_eq!(found, [other, parts[0].clone()]);
        // Two sets of the same names, each in two parts that share nothing: nobody knows which parts belong together.
        let of_two = [
            set(&[("1", "a"), ("2", "b")]),
            set(&[("1", "x"), ("2", "y")]),
            set(&[("3", "c"), ("4", "d")]),
            set(&[("3", "z"), ("4", "w")]),
        ];
        for count in [3, 4] {
            let parts = of_two[..count].to_vec();
            let found: BTreeSet<ItemSet> = whole_sets(parts.clone()).into_iter().collect();
            assert_eq!(found, parts.into_iter().collect());
        }
        // Beside the whole of one of them, the parts of the other are known.
        let whole = set(&[("1", "x"), ("2", "y"), ("3", "z"), ("4", "w")]);
        let first = set(&[("1", "a"), ("2", "b"), ("3", "c"), ("4", "d")]);
        let parts = [of_two[0].clone(), of_two[2].clone(), whole.clone()];
        assert_eq!(whole_sets(parts.to_vec()), [whole, first]);
    }
}
