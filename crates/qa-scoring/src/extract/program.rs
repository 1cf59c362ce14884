//! Programs in what a model wrote.

use reply_text::json::pieces;
use reply_text::mark::{Fence, fences};
use serde_json::Value;

/// Fields of an answer object, or of a call written as text, that hold a program.
const FIELDS: [&str; 6] = [
    "code",
    "program",
    "python",
    "python_code",
    "script",
    "solution",
];

/// Tags around a program without a fence; the last one ends with the turn.
const TAGS: [(&str, &str); 5] = [
    ("<execute>", "</execute>"),
    ("<code>", "</code>"),
    ("<python>", "</python>"),
    ("<tool_code>", "</tool_code>"),
    ("<|python_tag|>", "<|"),
];

/// Languages of a fence that are not programs in Python, and outputs.
const OTHERS: [&str; 30] = [
    "bash",
    "sh",
    "shell",
    "zsh",
    "console",
    "powershell",
    "json",
    "jsonc",
    "yaml",
    "toml",
    "xml",
    "html",
    "csv",
    "output",
    "out",
    "result",
    "results",
    "stdout",
    "latex",
    "tex",
    "javascript",
    "js",
    "typescript",
    "java",
    "r",
    "sql",
    "c",
    "cpp",
    "excel",
    "diff",
];

/// The programs of a reply without its thoughts, in order. The last one is the answer; those before may define what
/// it uses.
///
/// Read are fences (of backticks or tildes, indented, not closed), programs in tags or in JSON, and a reply that is
/// a program itself, with words before and after it. Prompts of a session (`>>>`, `In [1]:`) and commands of a
/// notebook (`!pip`) are removed. A fence in another language, of an output or of words is not a program.
#[must_use]
pub fn programs(text: &str) -> Vec<String> {
    // The name of the language, which remains of a fence when a page is copied.
    let bare = text.trim_start();
    let text = ["python\n", "Python\n", "python\r\n"]
        .iter()
        .find_map(|name| bare.strip_prefix(name))
        .unwrap_or(text);
    let blocks = fences(text);
    let mut found: Vec<String> = blocks.iter().filter_map(of_fence).collect();
    if found.is_empty() {
        found.extend(in_tags(text));
    }
    if found.is_empty() {
        found.extend(in_json(text));
    }
    if !found.is_empty() {
        return found;
    }
    // Line ends that were written as two characters, in a reply of one line.
    // Only a reply of one line: where there are real line ends, "\n" is a part of a text in the
    // code.
    if !text.trim().contains('\n') && text.contains("\\n") {
        let lines = programs(&text.replace("\\n", "\n").replace("\\t", "\t"));
        if !lines.is_empty() {
            return lines;
        }
    }
    // A reply with fences has said which parts of it are code, and none of them is a program.
    if blocks.is_empty() {
        found.extend(unfenced(text));
    }
    found
}

/// The program of a fence.
fn of_fence(fence: &Fence<'_>) -> Option<String> {
    let language = fence.language.to_lowercase();
    if OTHERS.contains(&language.as_str()) {
        return None;
    }
    let code = cleaned(fence.code);
    let words = ["", "text", "txt", "plaintext", "markdown", "md", "math"];
    let says_words = words.contains(&language.as_str()) && is_prose(&code);
    let is_program = !code.is_empty() && !looks_like_json(&code) && !says_words;
    is_program.then_some(code)
}

/// A program in tags.
fn in_tags(text: &str) -> Option<String> {
    TAGS.iter().find_map(|(open, close)| {
        let (_, inside) = text.rsplit_once(open)?;
        let inside = inside.split(close).next().unwrap_or_default();
        unfenced(inside)
    })
}

/// The program in the last object that holds one: in a field of its own, or in the arguments of a call.
fn in_json(text: &str) -> Option<String> {
    let (pieces, _) = pieces(text);
    pieces.iter().rev().find_map(|piece| {
        let value = piece.value.as_ref().ok()?;
        let inner = ["arguments", "parameters", "input"];
        let inner = inner.iter().filter_map(|name| value.get(*name));
        std::iter::once(value).chain(inner).find_map(in_fields)
    })
}

fn in_fields(value: &Value) -> Option<String> {
    FIELDS.iter().find_map(|name| {
        let text = value.get(*name)?.as_str()?;
        match fences(text).last() {
            Some(fence) => of_fence(fence),
            None => unfenced(text),
        }
    })
}

/// A program without the indentation of all its lines, the prompts of a session and commands of a notebook.
fn cleaned(code: &str) -> String {
    // No-break spaces come from copied pages; Python refuses them as indentation.
    let code = code.replace('\u{a0}', " ");
    // In a session the lines without a prompt are what was printed.
    let is_session = code
        .lines()
        .any(|line| line.trim_start().starts_with(">>>"));
    let of_line = |line: &str| -> Option<String> {
        let bare = line.trim_start();
        if is_session {
            let prompt = bare
                .strip_prefix(">>>")
                .or_else(|| bare.strip_prefix("..."))?;
            return Some(prompt.strip_prefix(' ').unwrap_or(prompt).to_owned());
        }
        if bare.starts_with("Out[") || bare.starts_with('!') || line.starts_with('%') {
            return None;
        }
        if let Some(rest) = bare.strip_prefix("...: ") {
            return Some(rest.to_owned());
        }
        let prompt = bare
            .strip_prefix("In [")
            .and_then(|rest| rest.split_once("]:"))
            .filter(|(number, _)| number.chars().all(|c| c.is_ascii_digit() || c == ' '));
        Some(match prompt {
            Some((_, code)) => code.strip_prefix(' ').unwrap_or(code).to_owned(),
            None => line.to_owned(),
        })
    };
    let lines: Vec<String> = code.lines().filter_map(of_line).collect();
    let indent = |line: &String| line.len() - line.trim_start_matches([' ', '\t']).len();
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    // A fence in a list is indented as a whole, which Python would take for a block.
    let least = filled.map(indent).min().unwrap_or(0);
    let lines: Vec<&str> = lines
        .iter()
        .map(|line| line.get(least..).unwrap_or_default())
        .collect();
    lines.join("\n").trim().to_owned()
}

/// A program without a fence: between words before and after it every line is code, and at least one does what no prose
/// does.
fn unfenced(text: &str) -> Option<String> {
    let text = cleaned(text);
    let lines: Vec<&str> = text.lines().collect();
    let is_code =
        |line: &&str| line.starts_with([' ', '\t', ')', ']', '}']) || is_statement(line.trim());
    let first = lines.iter().position(|line| is_statement(line.trim()))?;
    let last = lines.iter().rposition(is_code)?;
    let lines = lines.get(first..=last)?;
    let mut statements = 0;
    // Lines inside open brackets are parts of a statement: "    'a': 1," of a dictionary is not a
    // statement itself.
    let mut open = 0_i32;
    for line in lines {
        let code = line.split('#').next().unwrap_or_default();
        let bare = code.trim();
        let inside = open > 0;
        for c in code.chars() {
            open += match c {
                '(' | '[' | '{' => 1,
                ')' | ']' | '}' => -1,
                _ => 0,
            };
        }
        if bare.is_empty() || inside {
            continue;
        }
        if !is_statement(bare) && !line.starts_with([' ', '\t']) {
            return None;
        }
        statements += 1;
    }
    let code = lines.join("\n");
    // One line such as "x = 5" is an answer in words; the reader of numbers takes it. Beside words, assignments
    // alone are a calculation.
    let acts = code.contains("print(") || code.contains("return ");
    let does = acts || statements > 1 && code == text;
    (does && open == 0).then_some(code)
}

/// Whether a line is a statement of Python: an assignment to a name, a call, or one that begins with a keyword.
fn is_statement(line: &str) -> bool {
    let keyword = [
        "def ", "class ", "import ", "from ", "return ", "if ", "elif ", "else:", "for ", "while ",
        "with ", "try:", "except", "finally:", "@", "assert ", "raise ", "del ", "global ", "pass",
    ]
    .iter()
    .any(|word| line.starts_with(word));
    if keyword {
        return !matches!(
            line.split(' ').next(),
            Some("if" | "for" | "while" | "with" | "elif" | "def" | "class")
        ) || line.ends_with(':');
    }
    let name = line
        .find(|c: char| {
            !(c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '"' | '\'' | ',' | ' '))
        })
        .unwrap_or(line.len());
    let head = line.get(..name).unwrap_or_default().trim_end();
    let tail = line.get(name..).unwrap_or_default();
    let one_word = !head.is_empty() && head.split(", ").all(|part| !part.trim().contains(' '));
    let assigns = ["=", "+=", "-=", "*=", "/=", ": float =", ": int ="]
        .iter()
        .any(|sign| tail.starts_with(sign) && !tail.starts_with("=="));
    // The last line may be the name of the value alone.
    one_word
        && (assigns
            || tail.starts_with('(') && line.ends_with([')', '(', ','])
            || tail.is_empty() && head.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Whether a fence without a language holds words and not code: its first line is no statement.
fn is_prose(code: &str) -> bool {
    let first = code.lines().next().unwrap_or_default().trim();
    let statement = is_statement(first) || first.starts_with('#') || code.contains("return ");
    // "Profit = 50 - 8" over "= 42" is a calculation in words.
    !statement || code.lines().any(|line| line.trim_start().starts_with("= "))
}

/// An answer object is not code.
fn looks_like_json(code: &str) -> bool {
    code.starts_with('{') && serde_json::from_str::<Value>(code).is_ok()
}
