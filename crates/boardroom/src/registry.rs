//! Every environment by name: the one place that knows them all.

use crate::error::RunError;
use enterprise_sandbox::OfficeFamily;
use sim_core::Kind;
use std::collections::BTreeMap;

/// What `run` and `describe` know besides environments.
const ITEMS: [&str; 2] = ["consulting", "qa"];

/// The environments that this program can run.
pub struct Registry {
    kinds: BTreeMap<&'static str, Box<dyn Kind>>,
    office: OfficeFamily,
}

impl Registry {
    /// All environments of the workspace, one line each.
    #[must_use]
    pub fn new() -> Self {
        let office = OfficeFamily::default();
        let kinds: Vec<Box<dyn Kind>> = vec![
            Box::new(beer_game::family::BeerGameFamily),
            Box::new(ceo_reallocation::CeoFamily),
            Box::new(econ_envs::litmus::CollusionFamily),
            Box::new(econ_envs::litmus::EfficiencyFamily),
            Box::new(econ_envs::litmus::PatienceFamily),
            Box::new(econ_envs::pricing::PricingFamily),
            Box::new(econ_envs::procurement::ProcurementFamily),
            Box::new(econ_envs::scheduling::SchedulingFamily),
            Box::new(edt::EdtFamily),
            Box::new(office.clone()),
        ];
        Self {
            kinds: kinds.into_iter().map(|kind| (kind.name(), kind)).collect(),
            office,
        }
    }

    /// The environment called `name`.
    ///
    /// # Errors
    /// When there is none; names the nearest and all that there are, or the commands for what is
    /// no environment.
    pub fn kind(&self, name: &str) -> Result<&dyn Kind, RunError> {
        match (self.kinds.get(name), name) {
            (Some(kind), _) => Ok(&**kind),
            (None, "consulting") => Err(RunError::usage(
                "`consulting` is no environment but a set of interviews: `boardroom run \
                 consulting` holds them, `boardroom describe consulting` tells the rules",
            )),
            (None, "qa") => Err(RunError::usage(
                "`qa` is no environment but questions from files: `boardroom run qa --data DIR` \
                 asks them, `boardroom describe qa` tells the rules",
            )),
            (None, _) => Err(self.unknown(name)),
        }
    }

    fn unknown(&self, name: &str) -> RunError {
        let known = || self.kinds.keys().copied();
        let all = known().chain(ITEMS);
        let near = nearest(name, all).map_or_else(String::new, |near| {
            format!("; did you mean `{near}`? `boardroom describe {near}` tells its rules")
        });
        RunError::usage(format!(
            "there is no environment `{}`{near}; there are {}, and for `run` and `describe` also \
             {}; `boardroom list` says what each is",
            sim_core::error::clip(name),
            known().collect::<Vec<_>>().join(", "),
            ITEMS.join(" and ")
        ))
    }

    /// The office, which can be given companies to play in.
    #[must_use]
    pub fn office(&self) -> &OfficeFamily {
        &self.office
    }

    /// All environments, by name.
    pub fn kinds(&self) -> impl Iterator<Item = &dyn Kind> {
        self.kinds.values().map(|kind| &**kind)
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.kinds.keys()).finish()
    }
}

/// The name that was probably meant: one that begins so, or the one with the fewest letters to
/// change, where those are less than half of it.
pub(crate) fn nearest<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
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
