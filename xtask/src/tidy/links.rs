//! Links between the repository's pages.

use super::Finding;
use crate::markdown::{anchors, link_targets, prose};
use crate::project::Project;

pub(super) fn check(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in project.texts(".md") {
        for (number, line) in prose(text) {
            for target in link_targets(&line) {
                if let Some(message) = fault(project, path, &target) {
                    findings.push(Finding::new(format!("{path}:{number}"), message));
                }
            }
        }
    }
    findings
}

/// The fault of a link on this page, if it has one.
fn fault(project: &Project, page: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = match target.split_once('#') {
        Some((file, anchor)) => (file, Some(anchor)),
        None => (target, None),
    };
    let path = if file.is_empty() {
        Some(page.to_owned())
    } else {
        resolve(page, file)
    };
    let Some(path) = path else {
        return Some(format!("`{target}` leads out of the repository"));
    };
    if !path.is_empty() && !project.exists(&path) {
        return Some(format!("`{target}` leads nowhere: there is no {path}"));
    }
    let anchor = anchor.filter(|_| path.ends_with(".md"))?;
    let known = anchors(project.text(&path)?);
    (!known.iter().any(|name| name == anchor))
        .then(|| format!("`{target}` leads nowhere: {path} has no heading `#{anchor}`"))
}

/// The path from the root for a relative link on this page; `None` if it leads out of the
/// repository.
fn resolve(page: &str, file: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_links_are_found() {
        let project = Project::default()
            .with("docs/design.md", "# Why\n## Why not X?\n")
            .with("crates/edt/README.md", "# edt\n")
            .with("LICENSE", "");
        // page, link, and whether its target exists
        let cases = [
            ("README.md", "docs/design.md", true),
            ("README.md", "docs/", true),
            ("README.md", "docs/design.md#why-not-x", true),
            ("README.md", "docs/design.md#why-not-y", false),
            ("README.md", "docs/missing.md", false),
            ("README.md", "../elsewhere/x.md", false),
            ("README.md", "https://example.com/missing.md", true),
            ("README.md", "#here", true),
            ("README.md", "#there", false),
            ("docs/a.md", "design.md", true),
            ("docs/a.md", "../crates/edt", true),
            ("docs/a.md", "../LICENSE", true),
            ("docs/a.md", "../crates/beer-game/README.md", false),
        ];
        for (page, link, right) in cases {
            let project = project
                .clone()
                .with(page, &format!("# Here\n[x]({link})\n"));
            let findings = check(&project);
            assert_eq!(findings.is_empty(), right, "{page}: {link}: {findings:?}");
            if let Some(finding) = findings.first() {
                assert_eq!(finding.place, format!("{page}:2"));
            }
        }
    }
}
