//! Documented examples as programs.

/// A documented example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Where it stands: `README` or `crate docs`.
    pub place: &'static str,
    /// Its lines, hidden ones included.
    pub code: String,
}

/// The first Rust example of a README, else of the crate docs.
#[must_use]
pub fn example_of(readme: &str, lib: &str) -> Option<Example> {
    if let Some(code) = first_block(readme.lines(), &["rust"]) {
        return Some(Example {
            place: "README",
            code,
        });
    }
    let docs = lib
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line));
    first_block(docs, &["", "rust"]).map(|code| Example {
        place: "crate docs",
        code,
    })
}

/// The first fenced block in one of these languages.
fn first_block<'a>(lines: impl Iterator<Item = &'a str>, languages: &[&str]) -> Option<String> {
    let mut block: Option<(bool, String)> = None;
    for line in lines {
        match (&mut block, line.trim().strip_prefix("```")) {
            (None, Some(language)) => {
                block = Some((languages.contains(&language.trim()), String::new()));
            }
            (None, None) => {}
            (Some((true, code)), Some(_)) => return Some(std::mem::take(code)),
            (Some((false, _)), Some(_)) => block = None,
            (Some((_, code)), None) => {
                // What rustdoc hides belongs to the program.
                let shown = line.trim_start();
                let text = match shown.strip_prefix("# ") {
                    Some(hidden) => hidden,
                    None if shown == "#" => "",
                    None => line,
                };
                code.push_str(text);
                code.push('\n');
            }
        }
    }
    None
}

impl Example {
    /// Whether it names this crate.
    #[must_use]
    pub fn names(&self, krate: &str) -> bool {
        self.code.contains(&format!("{krate}::"))
    }

    /// A whole program: as it is where it has a `main`, else inside one that may fail.
    #[must_use]
    pub fn program(&self) -> String {
        if self.code.contains("fn main()") {
            return self.code.clone();
        }
        let body: String = self
            .code
            .lines()
            .filter(|line| !line.trim_start().starts_with("Ok::<"))
            .map(|line| format!("    {line}\n"))
            .collect();
        format!("fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{body}    Ok(())\n}}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_comes_first() {
        let readme =
            "# x\n```sh\ncargo run\n```\n```rust\nlet a = x::f()?;\n# Ok::<(), E>(())\n```\n";
        let lib = "//! Docs\n//! ```\n//! let b = 1;\n//! ```\n";
        let example = example_of(readme, lib).unwrap();
        assert_eq!(example.place, "README");
        assert!(example.names("x") && !example.names("y"));
        assert_eq!(
            example.program(),
            "fn main() -> Result<(), Box<dyn std::error::Error>> {\n    let a = x::f()?;\n    Ok(())\n}\n"
        );
        let example = example_of("# x\n```sh\ncargo run\n```\n", lib).unwrap();
        assert_eq!(
            (example.place, example.code.as_str()),
            ("crate docs", "let b = 1;\n")
        );
        assert_eq!(
            example_of("", "//! ```text\n//! a drawing\n//! ```\n"),
            None
        );
    }

    #[test]
    fn a_main_is_left_alone() {
        let example = example_of("```rust\nfn main() {}\n```\n", "").unwrap();
        assert_eq!(example.program(), "fn main() {}\n");
    }
}
