//! Examples are registered and mentioned.

use super::Finding;
use crate::project::Project;
use crate::rust_code::has_word;

pub(super) fn check(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    let pages: Vec<&str> = project
        .texts(".md")
        .filter(|(path, _)| *path == "README.md" || path.starts_with("docs/"))
        .map(|(_, text)| text)
        .collect();
    for (package, member) in &project.packages {
        for name in member.examples.keys() {
            if !pages.iter().any(|page| has_word(page, name)) {
                let message =
                    format!("example `{name}` is mentioned neither in README.md nor in docs/");
                findings.push(Finding::new(package, message));
            }
        }
    }
    let registered = |path: &str| {
        project
            .packages
            .values()
            .any(|m| m.examples.values().any(|e| e == path))
    };
    for (path, _) in project
        .texts(".rs")
        .filter(|(path, _)| path.starts_with("examples/"))
    {
        // Files in folders below examples/ are parts of an example.
        if path.matches('/').count() == 1 && !registered(path) {
            findings.push(Finding::new(path, "is not an `[[example]]` of any package"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_and_unregistered_examples_are_found() {
        let project = |readme: &str, page: &str, source: &str| {
            Project::default()
                .with("README.md", readme)
                .with("docs/a.md", page)
                .with("crates/edt/README.md", "`firm`")
                .with(source, "")
                .with_package("edt", |member| {
                    member.examples = [("firm".to_owned(), "examples/firm.rs".to_owned())].into();
                })
        };
        let good = "examples/firm.rs";
        assert_eq!(check(&project("cargo run --example firm", "", good)), []);
        assert_eq!(check(&project("", "see `firm`", good)), []);
        assert_eq!(check(&project("firmly", "", good)).len(), 1);
        assert_eq!(check(&project("firm", "", "examples/other.rs")).len(), 1);
        assert_eq!(check(&project("firm", "", "examples/firm/parts.rs")), []);
    }
}
