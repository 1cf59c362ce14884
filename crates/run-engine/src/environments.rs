//! Every environment by name.

use crate::error::RunError;
use sim_core::Kind;
use std::collections::BTreeMap;

/// The environments that a program can run.
#[derive(Default)]
pub struct Environments {
    kinds: BTreeMap<&'static str, Box<dyn Kind>>,
    /// What `run` and `describe` know besides environments, with a sentence on each.
    others: Vec<(&'static str, &'static str)>,
}

impl Environments {
    /// No environments.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an environment; one of the same name is replaced.
    #[must_use]
    pub fn with(mut self, kind: impl Kind + 'static) -> Self {
        self.kinds.insert(kind.name(), Box::new(kind));
        self
    }

    /// Adds the name of something that is not an environment but may be taken for one, with a sentence
    /// that says what it is.
    pub(crate) fn note(&mut self, name: &'static str, about: &'static str) {
        self.others.push((name, about));
    }

    /// The environment called `name`.
    ///
    /// # Errors
    /// When there is none; names the nearest and all that there are, or the commands for what is
    /// no environment.
    pub fn kind(&self, name: &str) -> Result<&dyn Kind, RunError> {
        if let Some(kind) = self.kinds.get(name) {
            return Ok(&**kind);
        }
        match self.others.iter().find(|(other, _)| *other == name) {
            Some((_, about)) => Err(RunError::usage(*about)),
            None => Err(self.unknown(name)),
        }
    }

    fn unknown(&self, name: &str) -> RunError {
        let known = || self.kinds.keys().copied();
        let others: Vec<&str> = self.others.iter().map(|(name, _)| *name).collect();
        let all = known().chain(others.iter().copied());
        let near = nearest(name, all).map_or_else(String::new, |near| {
            format!("; did you mean `{near}`? `boardroom describe {near}` tells its rules")
        });
        let others = if others.is_empty() {
            String::new()
        } else {
            format!(
                ", and for `run` and `describe` also {}",
                others.join(" and ")
            )
        };
        RunError::usage(format!(
            "there is no environment `{}`{near}; there are {}{others}; `boardroom list` says what each \
             is",
            sim_core::error::clip(name),
            known().collect::<Vec<_>>().join(", ")
        ))
    }

    /// All environments, by name.
    pub fn kinds(&self) -> impl Iterator<Item = &dyn Kind> {
        self.kinds.values().map(|kind| &**kind)
    }
}

impl std::fmt::Debug for Environments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.kinds.keys()).finish()
    }
}

/// The name that was probably meant: one that begins so, or the one with the fewest letters to
/// change, where those are less than half of it.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let name = name.to_lowercase().replace('_', "-");
    // A long word is no slip of the fingers.
    if name.len() > 64 || name.is_empty() {
        return None;
    }
    let begins = known.clone().find(|known| known.starts_with(&name));
    begins.or_else(|| {
        let apart = known.map(|known| (changes(&name, known), known));
        let (count, known) = apart.min_by_key(|(count, _)| *count)?;
        (2 * count < known.len()).then_some(known)
    })
}

/// Letters to put in, take out or replace to make one word of the other (Levenshtein's distance).
fn changes(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (place, letter) in one.chars().enumerate() {
        let mut corner = place;
        let mut left = place + 1;
        for (cell, other) in row.iter_mut().skip(1).zip(other.chars()) {
            let above = *cell;
            left = (corner + usize::from(letter != other)).min(left.min(above) + 1);
            (corner, *cell) = (above, left);
        }
        if let Some(first) = row.first_mut() {
            *first = place + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_levenshteins() {
        for (one, other, apart) in [
            ("kitten", "sitting", 3),
            ("", "abc", 3),
            ("abc", "", 3),
            ("same", "same", 0),
            ("flaw", "lawn", 2),
        ] {
            assert_eq!(changes(one, other), apart, "{one} {other}");
        }
    }

    #[test]
    fn slips_find_what_was_meant_and_nonsense_nothing() {
        let known = ["beer-game", "edt", "pricing", "consulting"];
        for (name, meant) in [
            ("beer", Some("beer-game")),
            ("Beer_Game", Some("beer-game")),
            ("bear-game", Some("beer-game")),
            ("princing", Some("pricing")),
            ("consultation", Some("consulting")),
            ("nope", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known.into_iter()), meant, "{name}");
        }
    }
}
