//! Checks the fields of a `Cargo.toml` that a registry shows.

use cargo_metadata::Package;

/// Maximum number of keywords, and of categories, in a registry.
const MOST: usize = 5;

/// Maximum length of a keyword \[bytes\].
const LONGEST_KEYWORD: usize = 20;

/// Faults in the package fields of a `Cargo.toml`, by the rules of crates.io.
#[must_use]
pub fn faults_of_manifest(package: &Package) -> Vec<String> {
    let mut faults = Vec::new();
    let texts = [
        ("description", package.description.as_deref()),
        ("license", package.license.as_deref()),
        ("readme", package.readme.as_ref().map(|path| path.as_str())),
        ("documentation", package.documentation.as_deref()),
    ];
    for (field, text) in texts {
        if text.is_none_or(|text| text.trim().is_empty()) {
            faults.push(format!("Cargo.toml names no `{field}`"));
        }
    }
    if package.rust_version.is_none() {
        faults.push("Cargo.toml names no `rust-version`".to_owned());
    }
    if package.metadata.pointer("/docs/rs/all-features") != Some(&true.into()) {
        faults.push(
            "docs.rs is not told to show all features: `[package.metadata.docs.rs]`".to_owned(),
        );
    }
    for (field, words) in [
        ("keywords", &package.keywords),
        ("categories", &package.categories),
    ] {
        if words.is_empty() || words.len() > MOST {
            let count = words.len();
            faults.push(format!(
                "Cargo.toml has {count} `{field}` instead of 1 to {MOST}"
            ));
        }
    }
    for keyword in package.keywords.iter().filter(|word| !is_keyword(word)) {
        faults.push(format!(
            "`{keyword}` is not a keyword: at most {LONGEST_KEYWORD} letters, digits, `-`, `_` and \
             `+`, a letter or digit first"
        ));
    }
    faults
}

fn is_keyword(word: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+');
    word.len() <= LONGEST_KEYWORD
        && word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.chars().all(inside)
}

/// Facts that a README does not state about its package: version and licence.
#[must_use]
pub fn faults_of_status(package: &Package, readme: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let version = format!("Version {}", package.version);
    if !readme.contains(&version) {
        faults.push(format!("the README does not say `{version}`"));
    }
    if let Some(license) = &package.license
        && !readme.contains(license.as_str())
    {
        faults.push(format!("the README does not name the licence, {license}"));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// A package with these fields changed.
    fn package(changes: &[(&str, Value)]) -> Package {
        let mut fields = json!({
            "name": "edt", "version": "0.1.0", "id": "edt", "source": null, "dependencies": [],
            "targets": [], "features": {}, "manifest_path": "/edt/Cargo.toml",
            "description": "A firm", "license": "MIT", "readme": "README.md",
            "keywords": ["digital-twin"], "categories": ["simulation"],
            "documentation": "https://docs.rs", "rust_version": "1.90",
            "metadata": {"docs": {"rs": {"all-features": true}}},
        });
        for (field, value) in changes {
            fields[*field] = value.clone();
        }
        serde_json::from_value(fields).unwrap()
    }

    #[test]
    fn manifests_say_what_a_registry_shows() {
        let faults = |field: &str, value: Value| {
            let faults = faults_of_manifest(&package(&[(field, value)]));
            assert!(
                faults.iter().all(|fault| fault.contains(field)
                    || fault.contains("is not a keyword") && field == "keywords"
                    || fault.contains("docs.rs") && field == "metadata"
                    || fault.contains("rust-version") && field == "rust_version"),
                "{faults:?}"
            );
            faults.len()
        };
        assert_eq!(faults("description", json!("A firm")), 0);
        for field in [
            "description",
            "license",
            "readme",
            "documentation",
            "rust_version",
            "metadata",
        ] {
            assert_eq!(faults(field, json!(null)), 1);
        }
        for field in ["keywords", "categories"] {
            assert_eq!(faults(field, json!([])), 1);
            assert_eq!(faults(field, json!(["a", "b", "c", "d", "e", "f"])), 1);
        }
        assert_eq!(faults("keywords", json!(["rl", "c++", "digital_twin"])), 0);
        let bad = json!(["reinforcement-learning", "-a", "two words"]);
        assert_eq!(faults("keywords", bad), 3);
    }

    #[test]
    fn readmes_say_version_and_licence() {
        let faults = |readme: &str| faults_of_status(&package(&[]), readme).len();
        assert_eq!(faults("Version 0.1.0, MIT licence."), 0);
        assert_eq!(faults("Version 0.0.9, MIT licence."), 1);
        assert_eq!(faults("Good work."), 2);
    }
}
