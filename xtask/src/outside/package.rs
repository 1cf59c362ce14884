//! The published content of a crate.

use super::example::examples_of;
use crate::markdown::{link_targets, prose};
use crate::project::{Member, Project};
use crate::rust_code::code_before_tests;
use anyhow::{Context as _, Result};
use std::collections::BTreeSet;
use std::fs::DirEntry;
use std::path::Path;

/// Maximum size of a package \[bytes, before compression\]. A registry takes 10 MB compressed; most of a large
/// package here are its tests and their records, which compress well.
const MOST_BYTES: u64 = 3_000_000;

/// Files that every package needs.
const NEEDED: [&str; 4] = ["Cargo.toml", "LICENSE", "README.md", "src/lib.rs"];

/// Files of a package.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// Paths from the folder of the crate.
    pub files: BTreeSet<String>,
    /// Their total size \[bytes\].
    pub bytes: u64,
}

impl Listing {
    /// Reads an unpacked package.
    ///
    /// # Errors
    /// If a folder or a file cannot be read.
    pub fn read(package: &Path) -> Result<Self> {
        let mut listing = Self::default();
        let mut open = vec![String::new()];
        while let Some(folder) = open.pop() {
            let place = package.join(&folder);
            let read = |entry: std::io::Result<DirEntry>| {
                let entry = entry?;
                Ok((entry.file_name(), entry.metadata()?))
            };
            let entries: std::io::Result<Vec<_>> =
                std::fs::read_dir(&place).and_then(|all| all.map(read).collect());
            for (name, about) in
                entries.with_context(|| format!("cannot look at {}", place.display()))?
            {
                let path = format!("{folder}{}", name.to_string_lossy());
                if about.is_dir() {
                    open.push(path + "/");
                } else {
                    listing.bytes += about.len();
                    listing.files.insert(path);
                }
            }
        }
        Ok(listing)
    }
}

/// Faults of a package: missing files, files that its code includes but the package lacks,
/// excessive size.
#[must_use]
pub fn faults_of_package(project: &Project, member: &Member, listing: &Listing) -> Vec<String> {
    let mut faults = Vec::new();
    for needed in NEEDED {
        if !listing.files.contains(needed) {
            faults.push(format!("the package lacks {needed}"));
        }
    }
    if listing.bytes > MOST_BYTES {
        let bytes = listing.bytes;
        faults.push(format!(
            "the package has {bytes} bytes, more than {MOST_BYTES}"
        ));
    }
    let prefix = format!("{}/", member.folder);
    for (path, source) in project.texts(".rs") {
        let Some(inside) = path.strip_prefix(&prefix) else {
            continue;
        };
        if !inside.starts_with("src/") {
            continue;
        }
        for included in includes(source) {
            let from = if included.starts_with('/') {
                ""
            } else {
                inside.rsplit_once('/').map_or("", |(folder, _)| folder)
            };
            match resolved(from, &included) {
                Some(file) if listing.files.contains(&file) => {}
                _ => faults.push(format!(
                    "{inside} includes `{included}`, which the package does not hold"
                )),
            }
        }
    }
    faults
}

/// The files that a source includes. A path behind `CARGO_MANIFEST_DIR` starts with `/`.
fn includes(source: &str) -> Vec<String> {
    let code = source.split("\n#[cfg(test)]").next().unwrap_or_default();
    // Comments may mention the macro; only its uses in code count.
    let real = code_before_tests(source);
    let mut found = Vec::new();
    for name in ["include_str!(", "include_bytes!("] {
        if !real.contains(name.trim_end_matches('(')) {
            continue;
        }
        for after in code.split(name).skip(1) {
            let call = after.split(')').next().unwrap_or_default();
            let mut texts = call.split('"').skip(1).step_by(2);
            let is_manifest = call.contains("CARGO_MANIFEST_DIR");
            let text = if is_manifest {
                after.split('"').skip(1).step_by(2).nth(1)
            } else {
                texts.next()
            };
            found.extend(text.map(str::to_owned));
        }
    }
    found
}

/// `from` joined with a relative path, without `..`; `None` if it leads out of the package.
fn resolved(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Faults of a README that is shown alone, as on a registry's page: no title, no introduction,
/// links that lead out of the package, lines of examples that only rustdoc hides.
#[must_use]
pub fn faults_of_readme(name: &str, readme: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if readme.lines().next() != Some(&format!("# {name}")) {
        faults.push(format!("the README does not begin with `# {name}`"));
    }
    let introduced = prose(readme)
        .skip(1)
        .take(6)
        .any(|(_, line)| line.split_whitespace().count() >= 6);
    if !introduced {
        faults.push("the README does not begin by saying what the crate is".to_owned());
    }
    for (number, line) in prose(readme) {
        for target in link_targets(&line) {
            if target.starts_with("..") {
                faults.push(format!(
                    "line {number} of the README links to `{target}`, which readers of the package \
                     do not have: name the page instead"
                ));
            }
        }
    }
    for example in examples_of(readme, "") {
        if example.hidden > 0 {
            faults.push(format!(
                "the example at line {} of the README has lines behind `# `, which only rustdoc \
                 hides: give it a `main` instead",
                example.line
            ));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(files: &[&str]) -> Listing {
        Listing {
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            bytes: 1_000,
        }
    }

    #[test]
    fn files_that_are_included_belong_to_the_package() {
        let check = |source: &str, files: &[&str]| {
            let project = Project::default()
                .with("crates/edt/src/data/read.rs", source)
                .with_package("edt", |_| ());
            let mut all = NEEDED.to_vec();
            all.extend(files);
            faults_of_package(&project, &project.packages["edt"], &listing(&all))
        };
        let inside = "const A: &str = include_str!(\"../../words/a.txt\");";
        assert_eq!(check(inside, &["words/a.txt"]), Vec::<String>::new());
        assert_eq!(check(inside, &[]).len(), 1);
        let out = "const A: &str = include_str!(\"../../../../fixtures/a.json\");";
        assert_eq!(check(out, &["fixtures/a.json"]).len(), 1);
        let manifest = "const A: &str = include_str!(concat!(\n env!(\"CARGO_MANIFEST_DIR\"),\n \
                        \"/words/a.txt\"\n));";
        assert_eq!(check(manifest, &["words/a.txt"]), Vec::<String>::new());
        assert_eq!(check(manifest, &[]).len(), 1);
        let test = "fn a() {}\n#[cfg(test)]\nmod tests { const A: &str = include_str!(\"../x\"); }";
        assert_eq!(check(test, &[]), Vec::<String>::new());
    }

    #[test]
    fn packages_are_complete_and_small() {
        let project = Project::default().with_package("edt", |_| ());
        let member = &project.packages["edt"];
        let faults = |listing: &Listing| faults_of_package(&project, member, listing).len();
        assert_eq!(faults(&listing(&NEEDED)), 0);
        assert_eq!(
            faults(&listing(&["Cargo.toml", "LICENSE", "src/lib.rs"])),
            1
        );
        let large = Listing {
            bytes: MOST_BYTES + 1,
            ..listing(&NEEDED)
        };
        assert_eq!(faults(&large), 1);
    }

    #[test]
    fn readmes_stand_alone() {
        let faults = |readme: &str| faults_of_readme("edt", readme).len();
        let good = "# edt\n\nA consulting firm that is set up once.\n\n[docs](https://docs.rs)\n";
        assert_eq!(faults(good), 0);
        assert_eq!(faults(&good.replace("# edt", "# EDT")), 1);
        assert_eq!(faults("# edt\n\n| a | b |\n"), 1);
        assert_eq!(
            faults(&good.replace("https://docs.rs", "../../docs/edt.md")),
            1
        );
        let example = "\n```rust\n#[derive(Debug)]\nstruct A;\n```\n";
        assert_eq!(faults(&format!("{good}{example}")), 0);
        let hiding = example.replace("struct A;", "struct A;\n# Ok::<(), ()>(())");
        assert_eq!(faults(&format!("{good}{hiding}")), 1);
    }
}
