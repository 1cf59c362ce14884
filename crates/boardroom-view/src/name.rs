//! The names of pages: the same as addresses of the server and as files on disk.

use sim_core::Digest;

/// Most characters of a folder's path in the name of its pages.
const MOST: usize = 80;

/// Episodes on one page of a run.
pub(crate) const EPISODES: usize = 500;

/// What a name stands for. Ids of runs hold no full stop, so every name can be taken apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PageName {
    /// All runs.
    Index,
    /// Search in transcripts.
    Search,
    /// The keys and what the columns mean.
    Help,
    /// A run: its id, and the number of the part of its list, from 1.
    Run(String, usize),
    /// A record of a run: id, and place of the record in its file.
    Record(String, usize),
    /// Two runs.
    Compare(String, String),
}

impl PageName {
    /// The name as a file and as the last part of an address.
    pub(crate) fn file(&self) -> String {
        match self {
            Self::Index => "index.html".to_owned(),
            Self::Search => "search.html".to_owned(),
            Self::Help => "help.html".to_owned(),
            Self::Run(id, 1) => format!("run.{id}.html"),
            Self::Run(id, part) => format!("run.{id}.{part}.html"),
            Self::Record(id, place) => format!("record.{id}.{place}.html"),
            Self::Compare(a, b) => format!("compare.{a}.{b}.html"),
        }
    }

    /// The page called `name`; `None` if no page can be called so.
    pub(crate) fn read(name: &str) -> Option<Self> {
        let parts: Vec<&str> = name.split('.').collect();
        let number = |text: &str| text.parse().ok();
        match parts.as_slice() {
            [""] | ["index", "html"] => Some(Self::Index),
            ["search", "html"] => Some(Self::Search),
            ["help", "html"] => Some(Self::Help),
            ["run", id, "html"] => Some(Self::Run((*id).to_owned(), 1)),
            ["run", id, part, "html"] => Some(Self::Run((*id).to_owned(), number(part)?)),
            ["record", id, place, "html"] => Some(Self::Record((*id).to_owned(), number(place)?)),
            ["compare", a, b, "html"] => Some(Self::Compare((*a).to_owned(), (*b).to_owned())),
            _ => None,
        }
    }
}

/// The id of the run in the folder `path` (below the directory that is shown): the path itself where it
/// consists of plain characters, else what is plain of it and a digest.
pub(crate) fn id(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !path.is_empty() && path.chars().all(plain) && path.len() <= MOST {
        return path.to_owned();
    }
    let kept: String = path
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .take(MOST)
        .collect();
    // `~` is not plain, so no folder with a plain path has this name.
    format!("{kept}~{}", Digest::of_bytes(path.as_bytes()).short())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let id = || id("a sweep/beer.game <b>");
        for page in [
            PageName::Index,
            PageName::Search,
            PageName::Help,
            PageName::Run(id(), 1),
            PageName::Run(id(), 3),
            PageName::Record(id(), 12),
            PageName::Compare(id(), super::id("plain")),
        ] {
            assert_eq!(PageName::read(&page.file()), Some(page));
        }
        for wrong in [
            "run",
            "record.a.b.html",
            "../manifest.json",
            "run.a.html.x",
            "a.b",
        ] {
            assert_eq!(PageName::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn different_folders_have_different_ids_of_plain_characters() {
        assert_eq!(id("beer-1"), "beer-1");
        assert_ne!(id("a/b"), id("a b"));
        assert_ne!(id(&"a".repeat(100)), id(&"a".repeat(101)));
        assert!(!id("a.b/../c").contains(['.', '/']));
    }
}
