//! Documented examples as programs.

/// A documented example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The source of the example: `README` or `crate docs`.
    pub place: &'static str,
    /// Line of its opening fence in the source, from 1.
    pub line: usize,
    /// Its lines, hidden ones included.
    pub code: String,
    /// Number of lines that rustdoc hides and every other reader shows.
    pub hidden: usize,
}

/// All Rust examples of a README, or of the crate docs if the README has none.
///
/// Attributes of the language, such as `no_run`, are ignored: all examples of a README are run.
#[must_use]
pub fn examples_of(readme: &str, lib: &str) -> Vec<Example> {
    let examples = blocks(readme.lines().enumerate(), "README", &["rust"]);
    if !examples.is_empty() {
        return examples;
    }
    let docs = lib.lines().enumerate().filter_map(|(index, line)| {
        let line = line.strip_prefix("//!")?;
        Some((index, line.strip_prefix(' ').unwrap_or(line)))
    });
    blocks(docs, "crate docs", &["", "rust"])
}

/// The fenced blocks in one of these languages; lines come with their numbers from 0.
fn blocks<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    place: &'static str,
    languages: &[&str],
) -> Vec<Example> {
    let mut found = Vec::new();
    // The open block, if any; the inner value is `None` for blocks in other languages.
    let mut open: Option<Option<Example>> = None;
    for (index, line) in lines {
        match (&mut open, line.trim().strip_prefix("```")) {
            (None, Some(words)) => {
                let language = words.split(',').next().unwrap_or_default().trim();
                open = Some(languages.contains(&language).then(|| Example {
                    place,
                    line: index + 1,
                    code: String::new(),
                    hidden: 0,
                }));
            }
            (None, None) | (Some(None), None) => {}
            (Some(block), Some(_)) => {
                found.extend(block.take());
                open = None;
            }
            (Some(Some(block)), None) => {
                // Lines that rustdoc hides belong to the program.
                let hidden = hidden(line);
                block.hidden += usize::from(hidden.is_some());
                block.code.push_str(hidden.unwrap_or(line));
                block.code.push('\n');
            }
        }
    }
    // A fence that is never closed ends at the end of the text.
    found.extend(open.flatten());
    found
}

/// The text after the `#` of a line that rustdoc hides.
fn hidden(line: &str) -> Option<&str> {
    match line.trim_start() {
        "#" => Some(""),
        shown => shown.strip_prefix("# "),
    }
}

impl Example {
    /// Whether it names this crate, given with `-` or `_`.
    #[must_use]
    pub fn names(&self, krate: &str) -> bool {
        self.code
            .contains(&format!("{}::", krate.replace('-', "_")))
    }

    /// A complete program: the code itself if it has a `main`, else wrapped in a `main` that
    /// returns a `Result`.
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

    const LIB: &str = "//! Docs\n//! ```\n//! let b = 1;\n//! # Ok::<(), E>(())\n//! ```\n";

    #[test]
    fn every_block_of_the_readme_is_an_example() {
        let readme = "# x\n```sh\ncargo run\n```\n```rust\nlet a = x_y::f()?;\n```\n## More\n\
                      ```rust,no_run\nlet b = 2;\n```\n```text\na drawing\n```\n```rust\nlet c = 3;";
        let examples = examples_of(readme, LIB);
        let found: Vec<(usize, &str)> = examples
            .iter()
            .map(|example| (example.line, example.code.as_str()))
            .collect();
        let expected = [
            (5, "let a = x_y::f()?;\n"),
            (9, "let b = 2;\n"),
            (15, "let c = 3;\n"),
        ];
        assert_eq!(found, expected);
        assert!(
            examples
                .iter()
                .all(|example| (example.place, example.hidden) == ("README", 0))
        );
        assert!(examples[0].names("x-y") && examples[0].names("x_y"));
        assert!(!examples[0].names("x"));
        assert_eq!(
            examples[0].program(),
            "fn main() -> Result<(), Box<dyn std::error::Error>> {\n    let a = x_y::f()?;\n    Ok(())\n}\n"
        );
    }

    #[test]
    fn crate_docs_stand_in_for_a_readme_without_one() {
        let examples = examples_of("# x\n```sh\ncargo run\n```\n", LIB);
        assert_eq!(
            examples,
            [Example {
                place: "crate docs",
                line: 2,
                code: "let b = 1;\nOk::<(), E>(())\n".to_owned(),
                hidden: 1,
            }]
        );
        assert!(!examples[0].program().contains("Ok::<"));
        assert_eq!(examples_of("", "//! ```text\n//! a drawing\n//! ```\n"), []);
    }

    #[test]
    fn a_main_is_left_alone() {
        let examples = examples_of("```rust\nfn main() {}\n```\n", "");
        assert_eq!(examples[0].program(), "fn main() {}\n");
    }
}
