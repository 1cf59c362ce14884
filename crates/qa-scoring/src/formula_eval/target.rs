//! Finds the function that a program asks for, and its parameters.

use crate::span::{after, before};
use serde::{Deserialize, Serialize};

/// The function that a program's body completes: the last one defined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetFunction {
    /// Its name.
    pub name: String,
    /// Its parameters, without `self`.
    pub parameters: Vec<Parameter>,
    /// The class that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
}

/// A class with annotated fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// The parameters of its constructor.
    pub fields: Vec<Parameter>,
}

/// A name with its annotation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Name.
    pub name: String,
    /// Annotation (`float`, `int`), without the part in square brackets; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotation: Option<String>,
}

/// Most lines after the first one over which a signature is read.
const MOST_LINES: usize = 100;

/// The last function of a program, `None` when there is none.
///
/// Reads what the published prompts consist of: `def` at the margin or inside a class, parameters with
/// or without annotation and default, fields `name: type` of the class. Lines inside texts in triple
/// quotes and comments are skipped.
///
/// ```
/// use qa_scoring::formula_eval::find_target;
/// # fn example() -> Option<()> {
/// let target = find_target("def f(a: float, n: int = 2) -> float:\n    return a ** n\n")?;
/// assert_eq!(target.name, "f");
/// assert_eq!(target.parameters[1].annotation.as_deref(), Some("int"));
/// # Some(())
/// # }
/// # assert!(example().is_some());
/// ```
#[must_use]
pub fn find_target(program: &str) -> Option<TargetFunction> {
    // By lines, without a parser of Python: a name and its parameters are all that is needed, and
    // such a parser brings dozens of crates.
    let mut class: Option<Class> = None;
    let mut last = None;
    let lines = code_lines(program);
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if let Some(rest) = trimmed.strip_prefix("class ") {
            class = Some(Class {
                name: identifier(rest).to_owned(),
                fields: Vec::new(),
            });
        } else if let Some(rest) = trimmed
            .strip_prefix("def ")
            .or_else(|| trimmed.strip_prefix("async def "))
        {
            // A signature may go on over several lines until its bracket closes. It is read anew with each of them, so there
            // is a limit for one that does not close.
            let mut signature = rest.to_owned();
            let end = at + MOST_LINES;
            while closing(&signature).is_none()
                && let Some(more) = lines.get(at).filter(|_| at < end)
            {
                signature.push(' ');
                signature.push_str(more.trim());
                at += 1;
            }
            // A function at the margin ends the class before it.
            if indent == 0 {
                class = None;
            }
            last = function(&signature, class.is_some());
        // A decorator belongs to the next definition, and a bracket may close a signature.
        } else if indent == 0 && !trimmed.is_empty() && !trimmed.starts_with(['@', ')']) {
            class = None;
        } else if let Some(class) = &mut class
            && last_is_outside(&last, class)
            && let Some(field) = field(trimmed)
        {
            class.fields.push(field);
        }
        // As far as the class was read: its fields stand before its methods, so they are all there.
        if let (Some(target), Some(class)) = (&mut last, &class)
            && target.class.as_ref().is_some_and(|c| c.name.is_empty())
        {
            target.class = Some(class.clone());
        }
    }
    last
}

/// Fields come before the first method; later lines are bodies.
fn last_is_outside(last: &Option<TargetFunction>, class: &Class) -> bool {
    last.as_ref()
        .and_then(|target| target.class.as_ref())
        .is_none_or(|known| known.name != class.name)
}

/// Name and parameters from what follows `def `.
fn function(signature: &str, is_method: bool) -> Option<TargetFunction> {
    let name = identifier(signature);
    let open = signature.find('(')?;
    let close = closing(signature)?;
    let inside = signature.get(open + 1..close)?;
    let mut parameters: Vec<Parameter> = parts(inside)
        .into_iter()
        .map(str::trim)
        // Marks between parameters, and `*args`, which a call by name cannot fill.
        .filter(|part| !part.is_empty() && !part.starts_with(['*', '/']))
        .map(parameter)
        .collect();
    // The harness calls the method on an object, which fills this one.
    if is_method && parameters.first().is_some_and(|p| p.name == "self") {
        parameters.remove(0);
    }
    (!name.is_empty()).then(|| TargetFunction {
        name: name.to_owned(),
        parameters,
        // Filled in by the caller, which has the class.
        class: is_method.then(|| Class {
            name: String::new(),
            fields: Vec::new(),
        }),
    })
}

/// Position of the bracket that closes the first one opened.
fn closing(signature: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, b) in signature.bytes().enumerate() {
        match b {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Parameters cut at the commas outside brackets.
fn parts(inside: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, b) in inside.bytes().enumerate() {
        match b {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                out.push(inside.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push(after(inside, start));
    out
}

fn parameter(text: &str) -> Parameter {
    let (declared, _) = text.split_once('=').unwrap_or((text, ""));
    match declared.split_once(':') {
        Some((name, annotation)) => Parameter {
            name: name.trim().to_owned(),
            annotation: annotation_name(annotation),
        },
        None => Parameter {
            name: declared.trim().to_owned(),
            annotation: None,
        },
    }
}

/// `name: type` or `name: type = value`.
fn field(line: &str) -> Option<Parameter> {
    let (name, rest) = line.split_once(':')?;
    let name = name.trim();
    let is_name = !name.is_empty() && identifier(name).len() == name.len();
    // "else: return 0" looks like a field with its type.
    let keyword = matches!(name, "else" | "try" | "finally" | "lambda");
    (is_name && !keyword && !rest.trim().is_empty()).then(|| Parameter {
        name: name.to_owned(),
        annotation: annotation_name(rest.split('=').next().unwrap_or_default()),
    })
}

/// `typing.List[float]` is `List`, `float` is `float`.
fn annotation_name(text: &str) -> Option<String> {
    let bare = text.split('[').next().unwrap_or_default().trim();
    let last = bare.rsplit('.').next().unwrap_or_default();
    (!last.is_empty()).then(|| last.to_owned())
}

fn identifier(text: &str) -> &str {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    before(text, end)
}

/// Lines of code: comments cut off, lines inside triple-quoted texts blank.
fn code_lines(program: &str) -> Vec<String> {
    let mut quote: Option<&str> = None;
    program
        .lines()
        .map(|line| {
            let mut out = String::new();
            let mut at = 0;
            while at < line.len() {
                let rest = after(line, at);
                if let Some(mark) = quote {
                    let Some(end) = rest.find(mark) else {
                        break;
                    };
                    at += end + mark.len();
                    quote = None;
                    continue;
                }
                let next = rest.find(['#', '"', '\'']).unwrap_or(rest.len());
                out.push_str(before(rest, next));
                at += next;
                let rest = after(rest, next);
                match ["\"\"\"", "'''"]
                    .into_iter()
                    .find(|mark| rest.starts_with(mark))
                {
                    Some(mark) => {
                        quote = Some(mark);
                        at += mark.len();
                    }
                    None if rest.starts_with('#') => break,
                    None => {
                        let text = before(rest, text_end(rest));
                        out.push_str(text);
                        at += text.len();
                    }
                }
            }
            out
        })
        .collect()
}

/// Where the text ends whose quote a line begins with: behind the same quote, else at the end of the line.
fn text_end(line: &str) -> usize {
    let mut letters = line.char_indices();
    let quote = letters.next().map(|(_, quote)| quote);
    while let Some((at, c)) = letters.next() {
        match c {
            '\\' => {
                letters.next();
            }
            c if Some(c) == quote => return at + 1,
            _ => {}
        }
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_method_with_its_class() {
        let program = "from dataclasses import dataclass\n\n@dataclass\nclass Sheet:\n    \"\"\"\n    def not_code(x):\n    other: float\n    \"\"\"\n\n    # Bank and cash\n    cash: float\n    n_payments: int = 3\n\n    def ratio(self):\n        x: float = 1\n        return 1\n\n    def last(self, rate: typing.Optional[float],\n             other=(1, 2)):\n        return 2\n";
        let target = find_target(program).unwrap();
        assert_eq!(target.name, "last");
        let names =
            |list: &[Parameter]| -> Vec<String> { list.iter().map(|p| p.name.clone()).collect() };
        assert_eq!(names(&target.parameters), ["rate", "other"]);
        assert_eq!(target.parameters[0].annotation.as_deref(), Some("Optional"));
        let class = target.class.unwrap();
        assert_eq!(class.name, "Sheet");
        assert_eq!(names(&class.fields), ["cash", "n_payments"]);
        let program =
            "def f(unit: str = \"#\", mark='\\'#', rate: float = 1):  # \"rate\"\n    return 1\n";
        let target = find_target(program).unwrap();
        assert_eq!(names(&target.parameters), ["unit", "mark", "rate"]);
        assert_eq!(find_target("x = 1"), None);
        assert_eq!(find_target("def broken(a"), None);
    }
}
