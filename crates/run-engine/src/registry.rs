//! The environments of a program, by name.

use crate::error::RunError;
use sim_core::DynEnvironmentSpec;
use std::collections::BTreeMap;

/// The environments that a program can run.
#[derive(Default)]
pub struct Registry {
    kinds: BTreeMap<&'static str, Box<dyn DynEnvironmentSpec>>,
}

impl Registry {
    /// A list without environments.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an environment, or replaces the one of the same name.
    #[must_use]
    pub fn with(self, kind: impl DynEnvironmentSpec + 'static) -> Self {
        self.with_boxed(Box::new(kind))
    }

    /// As [`with`](Self::with), for a spec that is a trait object already. The simulators of this
    /// workspace give one with `Spec::boxed`, which saves their users compile time.
    #[must_use]
    pub fn with_boxed(mut self, kind: Box<dyn DynEnvironmentSpec>) -> Self {
        self.kinds.insert(kind.name(), kind);
        self
    }

    /// The environment called `name`.
    ///
    /// # Errors
    /// When there is none. The message gives the most similar name and all names.
    pub fn kind(&self, name: &str) -> Result<&dyn DynEnvironmentSpec, RunError> {
        if let Some(kind) = self.kinds.get(name) {
            return Ok(&**kind);
        }
        Err(self.unknown(name))
    }

    fn unknown(&self, name: &str) -> RunError {
        let known = || self.kinds.keys().copied();
        let near = nearest(name, known()).map_or_else(String::new, |near| {
            format!("; did you mean `{near}`? `boardroom describe {near}` shows its rules")
        });
        RunError::usage(format!(
            "there is no environment `{}`{near}; there are {}; `boardroom list` describes each",
            sim_core::error::clip(name),
            known().collect::<Vec<_>>().join(", ")
        ))
    }

    /// All environments, by name.
    pub fn kinds(&self) -> impl Iterator<Item = &dyn DynEnvironmentSpec> {
        self.kinds.values().map(|kind| &**kind)
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.kinds.keys()).finish()
    }
}

/// The known name that was probably meant: one that begins with `name`, or the one at the smallest edit
/// distance if that is less than half its length.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let name = name.to_lowercase().replace('_', "-");
    // A name this long is not a typing error.
    if name.len() > 64 || name.is_empty() {
        return None;
    }
    // First, because a name that was cut short (`proc`) is far from the whole one by its letters.
    let begins = known.clone().find(|known| known.starts_with(&name));
    begins.or_else(|| {
        let apart = known.map(|known| (strsim::levenshtein(&name, known), known));
        let (count, known) = apart.min_by_key(|(count, _)| *count)?;
        (2 * count < known.len()).then_some(known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_find_a_name_and_other_words_do_not() {
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
