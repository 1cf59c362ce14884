//! The modules of a package, each a file, and the targets of their paths.

use super::graph::Edges;
use super::uses::{self, Named};
use crate::project::Project;
use std::collections::BTreeMap;

/// Path of a module below the root of its package; empty for `lib.rs`.
pub(super) type ModulePath = Vec<String>;

/// Longest chain of re-exports; a longer chain is a loop.
const MOST_STEPS: usize = 32;

/// The files of a package's library.
pub(super) struct Modules(BTreeMap<ModulePath, Named>);

impl Modules {
    /// Reads all files of the library in `folder`; programs and tests are left out.
    pub(super) fn read(project: &Project, folder: &str) -> Self {
        let source = format!("{folder}/src/");
        let files = project.texts(".rs").filter_map(|(path, text)| {
            let module = path.strip_prefix(&source)?.strip_suffix(".rs")?;
            let parts: Vec<&str> = module.split('/').collect();
            let module = match parts.as_slice() {
                ["main"] | ["bin", ..] => return None,
                parts if parts.contains(&"tests") => return None,
                ["lib"] => Vec::new(),
                parts => parts.iter().map(|part| (*part).to_owned()).collect(),
            };
            Some((module, uses::read(text)))
        });
        Self(files.collect())
    }

    /// The dependencies of each file.
    pub(super) fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        for (from, named) in &self.0 {
            for used in named.uses.iter().filter(|used| !used.passed_on) {
                let to = self.absolute(from, &used.path);
                if let Some(to) = to.and_then(|path| self.defining(&path, 0))
                    && to != *from
                {
                    edges.insert((from.clone(), to));
                }
            }
        }
        edges
    }

    /// The path from the root of the package; `None` if it leads to another package.
    fn absolute(&self, from: &[String], path: &[String]) -> Option<ModulePath> {
        let (first, rest) = path.split_first()?;
        let join = |base: &[String], rest: &[String]| [base, rest].concat();
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some(join(from, rest)),
            "super" => {
                let (_, parent) = from.split_last()?;
                match rest.first() {
                    Some(next) if next == "super" => self.absolute(parent, rest),
                    _ => Some(join(parent, rest)),
                }
            }
            _ => {
                let child = join(from, path.get(..1)?);
                self.0.contains_key(&child).then(|| join(from, path))
            }
        }
    }

    /// The file that defines what a path leads to, following re-exports.
    fn defining(&self, path: &[String], steps: usize) -> Option<ModulePath> {
        let mut module = ModulePath::new();
        for (at, part) in path.iter().enumerate() {
            let mut child = module.clone();
            child.push(part.clone());
            if self.0.contains_key(&child) {
                module = child;
                continue;
            }
            let onward = (steps < MOST_STEPS).then(|| self.passed_on(&module, part))?;
            return match onward {
                Some(mut target) => {
                    target.extend(path.iter().skip(at + 1).cloned());
                    self.defining(&target, steps + 1)
                }
                None => Some(module),
            };
        }
        Some(module)
    }

    /// The path from which `module` re-exports a name.
    fn passed_on(&self, module: &[String], name: &str) -> Option<ModulePath> {
        let passed_on = self
            .0
            .get(module)?
            .uses
            .iter()
            .filter(|used| used.passed_on);
        let mut all = None;
        for used in passed_on {
            if used.name.as_deref() == Some(name) {
                return self.absolute(module, &used.path);
            }
            if let Some((star, from)) = used.path.split_last()
                && star == "*"
                && let Some(from) = self.absolute(module, from)
                && self
                    .0
                    .get(&from)
                    .is_some_and(|named| named.defined.contains(name))
            {
                all = Some([from, vec![name.to_owned()]].concat());
            }
        }
        all
    }
}
