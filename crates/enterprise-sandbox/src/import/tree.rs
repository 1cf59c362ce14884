//! The input files, found in any spelling of their paths.

use std::collections::BTreeMap;

/// The texts of a native file tree by path. Paths may use `/` or `\`, spaces or underscores, any
/// case, and any folders in front.
///
/// A file is recognised by the end of its path. So the tree may hold a whole repository, or just
/// the files without folders.
///
/// ```
/// use enterprise_sandbox::import::NativeTree;
///
/// let tree: NativeTree = [("Data\\IT Service Management\\it_tickets.json", "[]")].into_iter().collect();
/// assert_eq!(tree.len(), 1);
/// assert_eq!(tree.iter().next().map(|(_, text)| text), Some("[]"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NativeTree {
    files: BTreeMap<String, (String, String)>,
}

impl NativeTree {
    /// An empty tree.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file; a second one with the same path replaces the first.
    pub fn insert(&mut self, path: impl Into<String>, text: impl Into<String>) {
        let path = path.into();
        self.files.insert(level(&path), (path, text.into()));
    }

    /// Number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether the tree is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Paths and texts, in order of their normalised paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .values()
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The file whose normalised path ends in `wanted`, at a folder boundary.
    pub(super) fn find(&self, wanted: &str) -> Option<(&str, &str)> {
        self.files
            .iter()
            .find(|(key, _)| {
                key.strip_suffix(wanted)
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            })
            .map(|(_, (path, text))| (path.as_str(), text.as_str()))
    }

    /// All files below the folder `folder` with one of these extensions.
    pub(super) fn under(&self, folder: &str, ending: &str) -> Vec<(&str, &str)> {
        self.files
            .iter()
            .filter(|(key, _)| {
                key.ends_with(ending)
                    && (key.starts_with(&format!("{folder}/"))
                        || key.contains(&format!("/{folder}/")))
            })
            .map(|(_, (path, text))| (path.as_str(), text.as_str()))
            .collect()
    }
}

impl<P: Into<String>, T: Into<String>> FromIterator<(P, T)> for NativeTree {
    fn from_iter<I: IntoIterator<Item = (P, T)>>(files: I) -> Self {
        let mut tree = Self::new();
        for (path, text) in files {
            tree.insert(path, text);
        }
        tree
    }
}

/// A path in one spelling: lower case, slashes, underscores.
fn level(path: &str) -> String {
    path.trim_start_matches("./")
        .chars()
        .map(|c| match c {
            ' ' => '_',
            '\\' => '/',
            c => c.to_ascii_lowercase(),
        })
        .collect()
}
