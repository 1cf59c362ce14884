//! Examples are mentioned.

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
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_that_no_page_mentions_are_found() {
        let project = |readme: &str, page: &str| {
            Project::default()
                .with("README.md", readme)
                .with("docs/a.md", page)
                .with("crates/edt/README.md", "`firm`")
                .with_package("edt", |member| {
                    member.examples =
                        [("firm".to_owned(), "crates/edt/examples/firm.rs".to_owned())].into();
                })
        };
        assert_eq!(check(&project("cargo run --example firm", "")), []);
        assert_eq!(check(&project("", "see `firm`")), []);
        assert_eq!(check(&project("firmly", "")).len(), 1);
    }
}
