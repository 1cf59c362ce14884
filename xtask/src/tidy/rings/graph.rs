//! Rings in the dependency graph of files.

use super::modules::ModulePath;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The dependencies of each file, by module path.
pub(super) type Edges = BTreeSet<(ModulePath, ModulePath)>;

/// Modules that depend on each other in a cycle: each name with the modules of the ring that it
/// depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ring(BTreeMap<String, Vec<String>>);

impl Ring {
    /// Number of modules in the ring.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Each module with the modules of the ring that it depends on.
    pub(super) fn needs(&self) -> impl Iterator<Item = (&str, &[String])> {
        let needs = self.0.iter();
        needs.map(|(name, needed)| (name.as_str(), needed.as_slice()))
    }
}

impl fmt::Display for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.keys().map(String::as_str).collect();
        f.write_str(&names.join(" + "))
    }
}

/// All rings of files, the largest first.
pub(super) fn rings(edges: &Edges) -> Vec<Ring> {
    let graph = DiGraphMap::<&[String], ()>::from_edges(
        edges
            .iter()
            .map(|(from, to)| (from.as_slice(), to.as_slice())),
    );
    let mut rings: Vec<Ring> = tarjan_scc(&graph)
        .into_iter()
        .filter(|members| members.len() > 1)
        .map(|members| ring(&graph, &members))
        .collect();
    rings.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.0.cmp(&b.0)));
    rings
}

fn ring(graph: &DiGraphMap<&[String], ()>, members: &[&[String]]) -> Ring {
    let needs = |from: &[String]| {
        let needed = members
            .iter()
            .filter(|to| graph.contains_edge(from, to))
            .map(|to| name(to));
        let mut needed: Vec<String> = needed.collect();
        needed.sort_unstable();
        needed
    };
    Ring(
        members
            .iter()
            .map(|from| (name(from), needs(from)))
            .collect(),
    )
}

fn name(module: &[String]) -> String {
    if module.is_empty() {
        "lib".to_owned()
    } else {
        module.join("/")
    }
}

/// All rings of sibling modules of which at least two are folders, the largest first.
pub(super) fn between_folders(edges: &Edges) -> Vec<Ring> {
    let files = || edges.iter().flat_map(|(from, to)| [from, to]);
    let parents: BTreeSet<&[String]> = files()
        .flat_map(|file| (0..file.len()).filter_map(|depth| file.get(..depth)))
        .collect();
    let is_folder = |module: &str| parents.iter().any(|parent| name(parent) == module);
    let mut found = Vec::new();
    for parent in &parents {
        // Replace each end of the edge by the child of `parent` that contains it.
        let child = |file: &ModulePath| {
            let below = file.starts_with(parent);
            below.then(|| file.get(..=parent.len()).map(<[String]>::to_vec))?
        };
        let among: Edges = edges
            .iter()
            .filter_map(|(from, to)| Some((child(from)?, child(to)?)))
            .filter(|(from, to)| from != to)
            .collect();
        let between = |ring: &Ring| ring.0.keys().filter(|module| is_folder(module)).count() > 1;
        found.extend(rings(&among).into_iter().filter(between));
    }
    found.sort_by_key(|ring| std::cmp::Reverse(ring.len()));
    found
}
