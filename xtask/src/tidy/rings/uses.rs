//! The paths that a file names: its `use` lines, and qualified paths in its code.

use crate::rust_code::code_only;
use std::collections::BTreeSet;

/// A path that occurs in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Use {
    /// Its parts as written, such as `crate`, `plan`, `Plan`; `*` stands for all names.
    pub(super) path: Vec<String>,
    /// The name that it has in the file, if it comes from a `use` line.
    pub(super) name: Option<String>,
    /// Whether the file re-exports it with `pub use`.
    pub(super) passed_on: bool,
}

/// What a file names and what it defines.
#[derive(Debug, Clone, Default)]
pub(super) struct Named {
    pub(super) uses: Vec<Use>,
    /// Names of its functions, types, constants and macros at any depth.
    pub(super) defined: BTreeSet<String>,
}

/// Reads a file; items under `#[cfg(test)]` are left out.
pub(super) fn read(source: &str) -> Named {
    let code = code_only(source);
    let tokens = without_tests(&tokens(&code));
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
        named: Named::default(),
    };
    while reader.at < tokens.len() {
        reader.item();
    }
    reader.named
}

const DEFINES: &[&str] = &[
    "fn",
    "struct",
    "enum",
    "trait",
    "type",
    "const",
    "static",
    "union",
    "macro_rules",
];

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Names, `::` and single characters; spaces are left out.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_name(rest) {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            end.unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let (token, behind) = rest.split_at(length);
        tokens.push(token);
        rest = behind.trim_start();
    }
    tokens
}

/// The tokens without the items under `#[cfg(test)]`.
fn without_tests<'a>(tokens: &[&'a str]) -> Vec<&'a str> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut rest = tokens;
    while let [first, behind @ ..] = rest {
        if let Some(item) = rest.strip_prefix(MARK.as_slice()) {
            rest = behind_item(item);
        } else {
            kept.push(*first);
            rest = behind;
        }
    }
    kept
}

/// The tokens after the first item. An item ends with a `;`, or with the brace that closes its
/// first brace.
fn behind_item<'a, 'b>(tokens: &'a [&'b str]) -> &'a [&'b str] {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && matches!(*token, ";" | "}") {
            return tokens.split_at(at + 1).1;
        }
    }
    &[]
}

struct Reader<'a> {
    tokens: &'a [&'a str],
    at: usize,
    named: Named,
}

impl<'a> Reader<'a> {
    fn peek(&self, ahead: usize) -> Option<&'a str> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn before(&self) -> Option<&'a str> {
        self.tokens.get(self.at.checked_sub(1)?).copied()
    }

    fn item(&mut self) {
        let Some(token) = self.peek(0) else { return };
        match (token, self.peek(1)) {
            // `use<'a>` in a type is a list of lifetimes.
            ("use", Some(next)) if next != "<" => {
                // `pub use`, or `pub(crate) use`.
                let passed_on = matches!(self.before(), Some("pub" | ")"));
                self.at += 1;
                self.tree(Vec::new(), passed_on);
            }
            // The path in `pub(in crate::a)` only limits visibility.
            ("crate" | "super" | "self", Some("::")) if self.before() != Some("in") => {
                let path = self.path();
                self.named.uses.push(Use {
                    path,
                    name: None,
                    passed_on: false,
                });
            }
            (word, Some(name)) if DEFINES.contains(&word) => {
                // `macro_rules! name`
                let name = if name == "!" {
                    self.peek(2)
                } else {
                    Some(name)
                };
                self.named.defined.extend(name.map(str::to_owned));
                self.at += 1;
            }
            _ => self.at += 1,
        }
    }

    /// The names up to the end of a path.
    fn path(&mut self) -> Vec<String> {
        let mut path = Vec::new();
        while let Some(name) = self.peek(0).filter(|token| is_name(token)) {
            path.push(name.to_owned());
            self.at += 1;
            if self.peek(0) != Some("::") {
                break;
            }
            self.at += 1;
        }
        path
    }

    /// One branch of the tree behind `use`, below `path`.
    fn tree(&mut self, mut path: Vec<String>, passed_on: bool) {
        path.extend(self.path());
        match self.peek(0) {
            Some("{") => {
                self.at += 1;
                while self.peek(0).is_some_and(|token| token != "}") {
                    self.tree(path.clone(), passed_on);
                    if self.peek(0) == Some(",") {
                        self.at += 1;
                    }
                }
                self.at += 1;
                return;
            }
            Some("*") => {
                path.push("*".to_owned());
                self.at += 1;
            }
            // `use ::crate_name`: another package.
            Some("::") if path.is_empty() => {
                self.at += 1;
                path.push("::".to_owned());
                return self.tree(path, passed_on);
            }
            _ => {}
        }
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let mut name = path.last().cloned();
        if self.peek(0) == Some("as") {
            name = self.peek(1).map(str::to_owned);
            self.at += 2;
        }
        if path.is_empty() {
            // Not a path: skip the token, so that the loop always advances.
            self.at += 1;
            return;
        }
        self.named.uses.push(Use {
            path,
            name,
            passed_on,
        });
    }
}
