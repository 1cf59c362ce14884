//! The parts of an expression: numbers, units, and commands that only set the layout.

use super::{Factor, Kind, Reader};
use crate::number::digits::Run;
use crate::number::whole_number;
use crate::plain::{NARROW, STYLES};

/// Commands that only move or style what follows.
const SPACES: [&str; 14] = [
    "left",
    "right",
    "bigl",
    "bigr",
    "big",
    "Big",
    "displaystyle",
    "textstyle",
    "quad",
    "qquad",
    "thinspace",
    "limits",
    "bigg",
    "Bigg",
];

impl Reader {
    /// A number, also in another base.
    pub(super) fn digits(&mut self) -> Option<Factor> {
        let from = self.at;
        // A base is looked for first: the reader of numbers takes `_` for a separator.
        let end = self.text.skip(from, |c| c.is_ascii_digit());
        if end > from
            && self.text.at(end) == '_'
            && let Some((base, to)) = self.base(end + 1)
        {
            let mut value = 0.0;
            for digit in self.text.text(from, end).chars() {
                let digit = digit.to_digit(10).filter(|&digit| digit < base)?;
                value = value * f64::from(base) + f64::from(digit);
            }
            // "2020_3" may be a year with the mark of a note.
            let year = self.text.text(from, end);
            if year.parse().is_ok_and(|year| (1900..=2100).contains(&year)) {
                return None;
            }
            (self.at, self.evident) = (to, true);
            return Factor::new(Kind::Other, value);
        }
        let run = Run::at(&self.text, from);
        let decimal = run.decimal?;
        let written = self.text.text(from, run.to);
        // "1,2" may be two numbers or a decimal one.
        if decimal.contains('.') && !written.contains('.') || run.to == from {
            return None;
        }
        self.at = run.to;
        Factor::new(Kind::Number, decimal.parse().ok()?)
    }

    /// The base of a number after its `_`: one digit, or digits in braces.
    fn base(&self, at: usize) -> Option<(u32, usize)> {
        let open = usize::from(self.text.at(at) == '{');
        let end = self.text.skip(at + open, |c| c.is_ascii_digit());
        let base: u32 = self.text.text(at + open, end).parse().ok()?;
        // Without braces only one digit belongs to the subscript, so base 10 is not written so.
        let most = if open == 1 { 16 } else { 9 };
        let closed = open == 0 || self.text.at(end) == '}';
        let ends = open == 1 || !self.text.at(end).is_alphanumeric();
        ((2..=most).contains(&base) && closed && ends).then_some((base, end + open))
    }

    /// A unit after the expression, as in `3\sqrt{2} \text{ cm}^2`; `None` if the word is a scale, such as `million`.
    pub(super) fn unit(&mut self) -> Option<()> {
        self.skip();
        let (name, end) = self.text.word_at(self.at + 1);
        if self.text.at(self.at) != '\\' || !STYLES.contains(&name.as_str()) {
            return Some(());
        }
        let close = self.text.skip(end, |c| c != '}');
        let word = self.text.text(end, close);
        let word = word.trim_start().strip_prefix('{')?.trim();
        // As the lexer knows them: "million" changes the value and is no unit.
        let known = whole_number(&format!("1 {word}"));
        let plain_word = word.chars().all(|c| c.is_alphabetic() || c == ' ')
            && word.split_whitespace().count() <= 2
            && known.is_none_or(|number| number.unit == 1.0 && number.scale == 1.0);
        if !plain_word {
            return None;
        }
        self.at = close + 1;
        self.skip();
        // The power of a unit, as in cm^2, is not one of the value.
        if self.takes('^') {
            let open = self.takes('{');
            self.at = self.text.skip(self.at, |c| c.is_ascii_digit());
            if open && !self.takes('}') {
                return None;
            }
        }
        Some(())
    }

    /// Skips blanks and commands that only set the layout.
    pub(super) fn skip(&mut self) {
        loop {
            let c = self.text.at(self.at);
            if self.at >= self.text.len() {
                return;
            }
            if c.is_whitespace() || c == NARROW {
                self.at += 1;
                continue;
            }
            if c != '\\' {
                return;
            }
            let next = self.text.at(self.at + 1);
            if matches!(next, ';' | ':' | ' ') {
                self.at += 2;
                continue;
            }
            let (_, end) = self.text.word_at(self.at + 1);
            if !SPACES.contains(&self.text.text(self.at + 1, end).as_str()) {
                return;
            }
            self.at = end;
        }
    }

    /// Skips a `$` or `\$` directly before a number.
    pub(super) fn currency(&mut self) {
        let sign = self.at + usize::from(self.text.at(self.at) == '\\');
        if self.text.at(sign) == '$' && self.text.at(sign + 1).is_ascii_digit() {
            self.at = sign + 1;
        }
    }

    pub(super) fn takes(&mut self, c: char) -> bool {
        let is = self.at < self.text.len() && self.text.at(self.at) == c;
        self.at += usize::from(is);
        is
    }

    pub(super) fn takes_command(&mut self, name: &str) -> bool {
        if self.at >= self.text.len() || self.text.at(self.at) != '\\' {
            return false;
        }
        let (word, end) = self.text.word_at(self.at + 1);
        // A sign, not letters, so it is no word.
        let (is, end) = if name == "%" {
            (self.text.at(self.at + 1) == '%', self.at + 2)
        } else {
            (word == name, end)
        };
        if is {
            self.at = end;
        }
        is
    }
}
