//! Source files: three small functions each, one of them with a known fault; the patch is the
//! inverse of the fault, so a repair can be checked by comparing the file.
//!
//! A function of the collection is stored once with both versions of its faulty line: marked `+` in
//! the right version and `-` in the faulty one. A file is three of them in a drawn order. Right
//! text, faulty text and patch all come from the same lines, so they cannot contradict each other.
//!
//! A task that asks for a repair compares the file afterwards with the right text, without regard
//! to spaces at the ends of lines. It runs no code.

use super::phrases::phrases;
use crate::data::company::Company;
use sim_core::Stream;
use std::sync::LazyLock;

/// One function of the collection.
struct Function {
    name: &'static str,
    purpose: &'static str,
    symptom: &'static str,
    /// Lines with a mark: in both versions, in the right one only, or in the faulty one only.
    lines: Vec<(char, &'static str)>,
}

static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| {
    let mut out: Vec<Function> = Vec::new();
    for line in include_str!("../../../words/functions.txt").lines() {
        if let Some(head) = line.strip_prefix("== ") {
            let mut parts = head.split(" | ");
            let mut next = || parts.next().unwrap_or_default();
            let (name, purpose, symptom) = (next(), next(), next());
            out.push(Function {
                name,
                purpose,
                symptom,
                lines: Vec::new(),
            });
        } else if let (Some(function), Some(mark @ (' ' | '+' | '-'))) =
            (out.last_mut(), line.chars().next())
        {
            function
                .lines
                .push((mark, line.get(1..).unwrap_or_default()));
        }
    }
    out
});

/// The parts of a generated file.
pub(crate) struct FilePlan {
    pub(crate) path: String,
    functions: Vec<&'static Function>,
    /// Index of the function with the fault.
    faulty: usize,
}

/// The plan of a generated file.
pub(crate) fn plan(c: &Company, row: u32) -> FilePlan {
    let mut s = c.seed.stream("code", u64::from(row));
    let functions: Vec<_> = three(&mut s)
        .iter()
        .filter_map(|n| FUNCTIONS.get(*n))
        .collect();
    let faulty = s.index(3);
    let folder = ["src", "lib", "core", "app"]
        .get(s.index(4))
        .copied()
        .unwrap_or("src");
    let word = |s: &mut Stream, list: &str| s.pick(phrases(list)).copied().unwrap_or("main");
    let (first, second) = (word(&mut s, "repo.first"), word(&mut s, "repo.second"));
    let name = functions.get(faulty).map_or("main", |f| f.name);
    let path = format!("{folder}/{first}_{second}_{name}_{}.py", row % 97);
    FilePlan {
        path,
        functions,
        faulty,
    }
}

/// Three different functions of the collection, by number.
fn three(s: &mut Stream) -> [usize; 3] {
    let n = FUNCTIONS.len().max(3);
    let a = s.index(n);
    let b = (a + 1 + s.index(n - 1)) % n;
    let mut c = s.index(n);
    // Stepping on instead of drawing again keeps the number of draws fixed, so the path, which is
    // drawn next, does not depend on a collision.
    while c == a || c == b {
        c = (c + 1) % n;
    }
    [a, b, c]
}

impl FilePlan {
    fn faulty(&self) -> Option<&'static Function> {
        self.functions.get(self.faulty).copied()
    }

    /// The name of the faulty function.
    pub(crate) fn name(&self) -> &'static str {
        self.faulty().map_or("", |f| f.name)
    }

    /// The purpose of the faulty function.
    pub(crate) fn purpose(&self) -> &'static str {
        self.faulty().map_or("", |f| f.purpose)
    }

    /// The symptom of the fault.
    pub(crate) fn symptom(&self) -> &'static str {
        self.faulty().map_or("", |f| f.symptom)
    }

    /// The text of the file, right or with its fault.
    pub(crate) fn text(&self, repaired: bool) -> String {
        let mut out = String::new();
        for (n, function) in self.functions.iter().enumerate() {
            if n > 0 {
                out.push_str("\n\n");
            }
            let drop = if n != self.faulty || repaired {
                '-'
            } else {
                '+'
            };
            for (_, line) in function.lines.iter().filter(|(mark, _)| *mark != drop) {
                out.push_str(line);
                out.push('\n');
            }
        }
        out
    }

    /// A unified diff from the faulty to the right text.
    pub(crate) fn patch(&self) -> String {
        let (wrong, right) = (self.text(false), self.text(true));
        let mut out = format!("--- a/{0}\n+++ b/{0}\n", self.path);
        for (n, (a, b)) in (1u32..).zip(wrong.lines().zip(right.lines())) {
            if a != b {
                out.push_str(&format!("@@ -{n},1 +{n},1 @@\n-{a}\n+{b}\n"));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies a unified diff of one-line hunks; `None` if it does not fit the text.
    fn apply_patch(text: &str, patch: &str) -> Option<String> {
        let mut lines: Vec<&str> = text.lines().collect();
        let mut at = 0usize;
        let mut hunks = 0;
        for line in patch.lines() {
            if line.starts_with("---") || line.starts_with("+++") {
                continue;
            }
            if let Some(head) = line.strip_prefix("@@ -") {
                at = head
                    .split(',')
                    .next()?
                    .parse::<usize>()
                    .ok()?
                    .checked_sub(1)?;
                hunks += 1;
            } else if let Some(old) = line.strip_prefix('-') {
                if lines.get(at) != Some(&old) {
                    return None;
                }
            } else if let Some(new) = line.strip_prefix('+') {
                *lines.get_mut(at)? = new;
            }
        }
        (hunks > 0).then(|| lines.iter().map(|l| format!("{l}\n")).collect())
    }

    #[test]
    fn thirty_functions_with_one_fault_each() {
        assert_eq!(FUNCTIONS.len(), 30);
        for f in FUNCTIONS.iter() {
            assert!(!f.symptom.is_empty(), "{}", f.name);
            assert!(f.lines[0].1.starts_with(&format!("def {}(", f.name)));
            for mark in ['+', '-'] {
                assert_eq!(
                    f.lines.iter().filter(|l| l.0 == mark).count(),
                    1,
                    "{}",
                    f.name
                );
            }
        }
    }

    #[test]
    fn the_patch_repairs_the_file() {
        let c = Company {
            seed: sim_core::Seed(4),
            ..Company::default()
        };
        for row in 0..200 {
            let plan = plan(&c, row);
            assert_ne!(plan.text(false), plan.text(true));
            assert_eq!(
                apply_patch(&plan.text(false), &plan.patch()),
                Some(plan.text(true))
            );
            assert_eq!(apply_patch(&plan.text(true), &plan.patch()), None);
        }
    }
}
