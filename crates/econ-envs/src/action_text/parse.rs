//! The grammar: JSON and Python literals in one recursive descent of bounded depth.
//!
//! The reader walks over the text once and keeps no more than its position and the depth.
//! Recursion is limited by the depth, so no text can exhaust the stack.

use super::{Literal, MAX_DEPTH, Mapping, too_deep};
use sim_core::ActionError;
use sim_core::error::clip;

/// Reads `text`, which must be exactly one value.
pub(super) fn literal(text: &str) -> Result<Literal, ActionError> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(1)?;
    reader.blanks();
    if reader.at < text.len() {
        return Err(reader.stuck("the end of the text after the dictionary"));
    }
    Ok(value)
}

/// `text` with one layer of backslash escapes undone.
pub(super) fn without_one_layer_of_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some(quoted @ ('"' | '\'' | '\\')) => out.push(quoted),
            // Not of this layer, like `\u`: it stays whole for the reader of strings.
            Some(other) => {
                out.push('\\');
                out.push(other);
            }
            None => out.push('\\'),
        }
    }
    out
}

struct Reader<'a> {
    text: &'a str,
    /// INVARIANT: a char boundary of `text`, at most its length.
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.next();
        }
    }

    fn stuck(&self, wanted: &str) -> ActionError {
        let found = match self.rest() {
            "" => "the text ends".to_owned(),
            rest => {
                let start: String = rest.chars().take(20).collect();
                format!("there is `{}`", clip(&start))
            }
        };
        ActionError::new(
            "unreadable_mapping",
            format!(
                "the text is neither JSON nor a Python dictionary: at character {} {found} where \
                 {wanted} was expected",
                self.text
                    .get(..self.at)
                    // Characters, not bytes: a model counts what it wrote, and its text may hold
                    // more than ASCII.
                    .map_or(0, |read| read.chars().count()),
            ),
        )
    }

    fn value(&mut self, depth: usize) -> Result<Literal, ActionError> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        self.blanks();
        match self.peek() {
            Some('{') => self.map(depth),
            Some('[') => self.list(']', depth),
            Some('(') => self.list(')', depth),
            Some('"' | '\'') => self.string().map(Literal::Text),
            Some(c) if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.word(),
            _ => Err(self.stuck("a value")),
        }
    }

    fn map(&mut self, depth: usize) -> Result<Literal, ActionError> {
        self.take('{');
        let mut pairs = Vec::new();
        loop {
            self.blanks();
            if self.take('}') {
                return Ok(Literal::Map(Mapping::of_pairs(pairs)));
            }
            let start = self.at;
            let key = match self.value(depth + 1)? {
                Literal::Text(key) => key,
                // Python allows numbers as keys. Read as text they get the answer that there is no
                // such name, which says what would be right; a fault of notation would not.
                Literal::Int(key) => key.to_string(),
                Literal::Float(key) => key.to_string(),
                _ => {
                    self.at = start;
                    return Err(self.stuck("a name in quotes"));
                }
            };
            self.blanks();
            if !self.take(':') {
                return Err(self.stuck("a colon"));
            }
            let value = self.value(depth + 1)?;
            pairs.push((key, value));
            self.blanks();
            if !self.take(',') && self.peek() != Some('}') {
                return Err(self.stuck("a comma or a closing brace"));
            }
        }
    }

    fn list(&mut self, end: char, depth: usize) -> Result<Literal, ActionError> {
        self.next();
        let mut items = Vec::new();
        loop {
            self.blanks();
            if self.take(end) {
                return Ok(Literal::List(items));
            }
            items.push(self.value(depth + 1)?);
            self.blanks();
            if !self.take(',') && self.peek() != Some(end) {
                return Err(self.stuck("a comma or the end of the list"));
            }
        }
    }

    fn word(&mut self) -> Result<Literal, ActionError> {
        let length = self
            .rest()
            .bytes()
            .take_while(u8::is_ascii_alphanumeric)
            .count();
        let value = match self.rest().get(..length).unwrap_or_default() {
            "True" | "true" => Literal::Bool(true),
            "False" | "false" => Literal::Bool(false),
            "None" | "null" => Literal::Null,
            "NaN" | "nan" => Literal::Float(f64::NAN),
            "Infinity" | "inf" => Literal::Float(f64::INFINITY),
            _ => return Err(self.stuck("a value (names and texts stand in quotes)")),
        };
        self.at += length;
        Ok(value)
    }

    fn number(&mut self) -> Result<Literal, ActionError> {
        let start = self.at;
        let negative = match self.peek() {
            Some('-') => {
                self.next();
                true
            }
            Some('+') => {
                self.next();
                false
            }
            _ => false,
        };
        // `-Infinity`, and nothing else: `-True` is a number to Python, but no amount of anything.
        if self.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
            let at = self.at;
            return match self.word() {
                Ok(Literal::Float(f)) => Ok(Literal::Float(if negative { -f } else { f })),
                _ => {
                    self.at = at;
                    Err(self.stuck("a number"))
                }
            };
        }
        // Takes every character that a number may have, in any order, and leaves `1.2.3` to the
        // parsers of the standard library: a grammar of our own would be a second opinion on what a
        // number is.
        let length = self
            .rest()
            .bytes()
            .scan(b' ', |before, c| {
                let part = c.is_ascii_digit()
                    || matches!(c, b'.' | b'e' | b'E' | b'_')
                    || (matches!(c, b'+' | b'-') && matches!(*before, b'e' | b'E'));
                *before = c;
                part.then_some(())
            })
            .count();
        let digits = self
            .rest()
            .get(..length)
            .unwrap_or_default()
            // Python separates digits so. Where it stands in a wrong place the number is clear all
            // the same.
            .replace('_', "");
        let signed = if negative {
            format!("-{digits}")
        } else {
            digits
        };
        // `1.` and `.5` are numbers to Python and to Rust alike.
        let value = match (signed.parse::<i64>(), signed.parse::<f64>()) {
            (Ok(i), _) => Literal::Int(i),
            (_, Ok(f)) => Literal::Float(f),
            _ => {
                self.at = start;
                return Err(self.stuck("a number"));
            }
        };
        self.at += length;
        Ok(value)
    }

    fn string(&mut self) -> Result<String, ActionError> {
        let start = self.at;
        let quote = self.next();
        let mut out = String::new();
        loop {
            match self.next() {
                None => {
                    self.at = start;
                    return Err(self.stuck("a text with a closing quote"));
                }
                Some('\\') => self.escape(&mut out),
                closing if closing == quote => return Ok(out),
                Some(c) => out.push(c),
            }
        }
    }

    /// One escape, after its backslash. An unknown escape is kept unchanged, as in Python.
    fn escape(&mut self, out: &mut String) {
        match self.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some(c @ ('"' | '\'' | '\\' | '/')) => out.push(c),
            // A backslash at the end of a line joins two lines, as in Python. At the end of the
            // text `string` finds that the closing quote is missing.
            Some('\n') | None => {}
            Some('x') => self.code_point(2, 'x', out),
            Some('u') => self.utf16(out),
            Some('U') => self.code_point(8, 'U', out),
            Some(other) => {
                out.push('\\');
                out.push(other);
            }
        }
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let code = self.rest().get(..digits)?;
        // `from_str_radix` would accept a sign.
        let code = code
            .bytes()
            .all(|b| b.is_ascii_hexdigit())
            .then(|| u32::from_str_radix(code, 16).ok())??;
        self.at += digits;
        Some(code)
    }

    fn code_point(&mut self, digits: usize, letter: char, out: &mut String) {
        match self.hex(digits) {
            Some(code) => out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
            None => {
                out.push('\\');
                out.push(letter);
            }
        }
    }

    /// A four-digit escape, of which two may make one character.
    fn utf16(&mut self, out: &mut String) {
        let Some(first) = self.hex(4) else {
            out.push_str("\\u");
            return;
        };
        let before = self.at;
        // JSON writes a character beyond U+FFFF as two escapes. A half without its other half is
        // replaced instead of refused: no name holds one, so the check of the names answers it.
        if (0xD800..0xDC00).contains(&first) && self.rest().starts_with("\\u") {
            self.at += 2;
            match self.hex(4) {
                Some(second) if (0xDC00..0xE000).contains(&second) => {
                    let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                    out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    return;
                }
                _ => self.at = before,
            }
        }
        out.push(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
}
