//! Builds whole programs from a prompt and a body.

use super::cases::CallInputs;
use super::target::TargetFunction;
use crate::extract::{last_fence, widest_object};
use crate::python::value_text;
use crate::rules::formula::unescaped;
use crate::span::before;

const IMPORT: &str = "from dataclasses import dataclass";

/// The prompt followed by a body, with the import that `@dataclass` needs.
#[must_use]
pub fn assemble(prompt: &str, body: &str) -> String {
    let join = if prompt.is_empty() || prompt.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let program = format!("{prompt}{join}{body}");
    with_import(&format!("{}\n", program.trim_end()))
}

/// The program with the import that `@dataclass` needs, if it uses it without.
fn with_import(program: &str) -> String {
    if program.contains("@dataclass") && !program.contains(IMPORT) {
        format!("{IMPORT}\n\n{program}")
    } else {
        program.to_owned()
    }
}

/// The program of an answer: a whole program is used as it is, a body is indented and appended to
/// the prompt. `None` for an empty answer.
///
/// The answer is the last code fence, else the whole text; of JSON with `solution`, `completion` or
/// `response` it is that value. Line breaks written as `\n` are converted.
///
/// ```
/// use qa_scoring::formula_eval::{candidate_program, find_target};
/// # fn example() -> Option<()> {
/// let prompt = "def margin(price: float, cost: float) -> float:\n";
/// let target = find_target(prompt)?;
/// let program = candidate_program("```python\nreturn (price - cost) / price\n```", prompt, &target);
/// assert_eq!(
///     program.as_deref(),
///     Some("def margin(price: float, cost: float) -> float:\n    return (price - cost) / price\n")
/// );
/// # Some(())
/// # }
/// # assert!(example().is_some());
/// ```
#[must_use]
pub fn candidate_program(answer: &str, prompt: &str, target: &TargetFunction) -> Option<String> {
    let text = unescaped(answer);
    // Unescaped again: the value of a JSON field may be escaped once more.
    let text = structured(&text).map_or(text, |inner| unescaped(&inner));
    let code = match last_fence(&text) {
        // The fence's own white space is stripped, its first line's indentation with it.
        Some(block) => restored_indent(&text, block),
        None => text.trim_matches('\n').to_owned(),
    };
    if code.trim().is_empty() {
        return None;
    }
    let start = code.trim_start();
    // By its beginning: a body may define a function of its own further down.
    let whole = start.starts_with("class ")
        || start.starts_with("def ")
        || start.starts_with("import ")
        || start.starts_with("from ")
        || code.contains("@dataclass");
    // Imports alone are the beginning of a body, not a program.
    if whole && (start.contains("def ") || start.contains("class ")) {
        return Some(with_import(&format!("{}\n", code.trim_end())));
    }
    // A prompt ends with the signature: in a method the body stands one level deeper.
    let width = if target.class.is_some() { 8 } else { 4 };
    Some(assemble(prompt, &indented(&code, width)))
}

/// The block with the original indentation of its first line.
fn restored_indent(text: &str, block: &str) -> String {
    let offset = text.rfind(block).unwrap_or(0);
    let line = before(text, offset).rsplit('\n').next().unwrap_or_default();
    if line.chars().all(|c| c == ' ' || c == '\t') {
        format!("{line}{block}")
    } else {
        block.to_owned()
    }
}

/// The code in a JSON answer.
fn structured(text: &str) -> Option<String> {
    let names = ["solution", "completion", "response"];
    let mentioned = names
        .iter()
        .any(|n| text.contains(&format!("\"{n}\"")) || text.contains(&format!("'{n}'")));
    let fields = mentioned.then(|| widest_object(text)).flatten()?;
    names
        .iter()
        .find_map(|name| fields.get(*name))
        .map(value_text)
}

/// Shifts all lines so that the least indented one is at column `width`; a tab counts four blanks.
fn indented(code: &str, width: usize) -> String {
    let lead = |line: &str| -> usize {
        line.chars()
            .map_while(|c| match c {
                ' ' => Some(1),
                '\t' => Some(4),
                _ => None,
            })
            .sum()
    };
    let least = code
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(lead)
        .min()
        .unwrap_or(0);
    let lines: Vec<String> = code
        .lines()
        .map(|line| {
            let rest = line.trim_start_matches([' ', '\t']);
            if rest.is_empty() {
                String::new()
            } else {
                // All by the same amount, since the depth of a line is a part of the program.
                format!("{}{rest}", " ".repeat(width + lead(line) - least))
            }
        })
        .collect();
    lines.join("\n")
}

/// Code that calls the target on every case; the value of its last line is the list of outputs.
#[must_use]
pub fn harness(target: &TargetFunction, cases: &[CallInputs]) -> String {
    let calls: Vec<String> = cases
        .iter()
        .map(|case| {
            let arguments = |inputs: &[(String, super::InputValue)]| {
                let parts: Vec<String> = inputs
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                parts.join(", ")
            };
            let call = format!("{}({})", target.name, arguments(&case.arguments));
            match &target.class {
                // An object for each case: a method may change its fields.
                Some(class) => format!("{}({}).{call}", class.name, arguments(&case.fields)),
                None => call,
            }
        })
        .collect();
    format!("[{}]\n", calls.join(", "))
}
