//! The value of a text that is one constant expression and nothing else: `(9+1)`, `3\sqrt{13}`, `1 - \frac{1}{e}`.
//!
//! | part | written as |
//! |---|---|
//! | sum, difference | `+`, `-` |
//! | product | `*`, `×`, `·`, `\cdot`; no sign is needed before a constant, a root or a bracket |
//! | quotient | `/`, `÷`, `\frac{..}{..}` |
//! | power, root | `^`, `**`, `\sqrt{..}`, `\sqrt[3]{..}`, `√` |
//! | constant | `\pi`, `e` |
//! | number in another base | `204_5`, `101_{2}` |
//!
//! Digits with only dashes or slashes between them are not read, because they may be a range, a date, a score or a
//! telephone number. A text that can be read in two ways is not read either: `1/2\pi`, `2^3^2`, `5!`, `2e`.

mod scan;

use super::{Chars, Number};
use crate::plain::{STYLES, characters};
use sim_core::math;

/// Longest text that is read as an expression \[bytes\].
const LONGEST: usize = 400;

/// Deepest nesting of brackets.
const DEEPEST: usize = 24;

/// The value of a text that is a constant expression. A name and an equals sign may come first: `x = \sqrt{17}`.
pub(crate) fn value(text: &str) -> Option<Number> {
    if text.len() > LONGEST {
        return None;
    }
    match text.split_once('=') {
        Some((name, right)) if is_name(name) => constant(right),
        Some(_) => None,
        None => constant(text),
    }
}

/// The value of the expression at the front of a text, up to the end of its sentence.
pub(crate) fn leading(text: &str) -> Option<Number> {
    value(text).or_else(|| {
        let end = text.find(". ").into_iter().chain(text.find('\n')).min()?;
        value(crate::cut::before(text, end))
    })
}

/// Whether the text is a name, to which an equals sign after it gives a value.
fn is_name(text: &str) -> bool {
    let name = text.trim_matches(|c: char| c.is_whitespace() || c == '$');
    let name = name.strip_prefix("\\(").unwrap_or(name).trim();
    let mut earlier = ' ';
    name.starts_with(|c: char| c.is_alphabetic() || c == '\\')
        && name.chars().all(|c| {
            let index = c.is_ascii_digit() && matches!(earlier, '_' | '{');
            earlier = c;
            c.is_alphabetic() || matches!(c, '\\' | '_' | '{' | '}' | '\'') || index
        })
}

fn constant(text: &str) -> Option<Number> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`' | '"'));
    let text = text
        .replace("{,}", ",")
        .replace("\\!", "")
        .replace("\\,", "\u{a0}");
    let mut reader = Reader {
        text: Chars(characters(&text).chars().collect()),
        at: 0,
        depth: 0,
        evident: false,
        terms: 0,
    };
    let value = reader.sum()?;
    let one_term = reader.terms == 1;
    let mut number = Number::bare(value);
    reader.skip();
    if one_term && (reader.takes('%') || reader.takes_command("%")) {
        number.unit = 0.01;
    }
    reader.unit()?;
    reader.takes('.');
    reader.skip();
    (reader.evident && reader.at >= reader.text.len() && value.is_finite()).then_some(number)
}

/// A factor of a product.
#[derive(Debug, Clone, Copy)]
struct Factor {
    value: f64,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Digits.
    Number,
    /// Brackets around digits alone.
    BareBracket,
    /// Brackets around an expression.
    Bracket,
    /// The letter e without a command.
    Letter,
    /// A constant, a root, a fraction, a power.
    Other,
}

struct Reader {
    text: Chars,
    at: usize,
    depth: usize,
    /// Whether something was read that occurs in expressions only, such as a root or a product.
    evident: bool,
    /// The number of terms of the outermost sum.
    terms: usize,
}

impl Reader {
    fn sum(&mut self) -> Option<f64> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut sum = self.product()?;
        let mut terms = 1;
        loop {
            self.skip();
            if self.takes('+') {
                self.evident = true;
                sum += self.product()?;
            } else if self.takes('-') {
                sum -= self.product()?;
            } else {
                break;
            }
            terms += 1;
        }
        self.terms = terms;
        self.depth -= 1;
        Some(sum)
    }

    fn product(&mut self) -> Option<f64> {
        let first = self.signed()?;
        let (mut product, mut previous) = (first.value, first.kind);
        let mut divided = false;
        loop {
            self.skip();
            let start = self.at;
            if self.takes('/') || self.takes('÷') || self.takes_command("div") {
                let factor = self.signed()?;
                // Digits with slashes alone may be a date or a list.
                self.evident |= matches!(previous, Kind::Bracket | Kind::Other)
                    || matches!(factor.kind, Kind::Bracket | Kind::Other);
                if factor.value == 0.0 {
                    return None;
                }
                product /= factor.value;
                (previous, divided) = (factor.kind, true);
            } else if self.times() {
                self.evident = true;
                let factor = self.signed()?;
                product *= factor.value;
                (previous, divided) = (factor.kind, false);
            } else {
                let Some(factor) = self.power() else {
                    // No factor starts here: go back, so that the caller reads on from here.
                    self.at = start;
                    return Some(product);
                };
                let joins = match factor.kind {
                    Kind::Number | Kind::BareBracket => false,
                    // "2e" may be a number that is cut off.
                    Kind::Letter => previous != Kind::Number,
                    Kind::Bracket => true,
                    // "2 \frac{3}{4}" is a mixed number; "2 \frac{\pi}{4}" may be that or a product.
                    Kind::Other => {
                        let fraction = self.text.text(start, start + 6).contains("frac");
                        !(fraction && previous == Kind::Number)
                    }
                };
                // In "1/2\pi" the constant may belong to either side.
                if !joins || divided {
                    return None;
                }
                self.evident = true;
                product *= factor.value;
                previous = factor.kind;
            }
        }
    }

    fn times(&mut self) -> bool {
        if self.text.at(self.at) == '*' && self.text.at(self.at + 1) == '*' {
            return false;
        }
        self.takes('*')
            || self.takes('×')
            || self.takes('·')
            || self.takes('⋅')
            || self.takes_command("times")
            || self.takes_command("cdot")
    }

    /// A factor with at most one sign.
    fn signed(&mut self) -> Option<Factor> {
        self.skip();
        let negative = self.takes('-');
        if !negative {
            self.takes('+');
        }
        let factor = self.power()?;
        Some(Factor {
            value: if negative {
                -factor.value
            } else {
                factor.value
            },
            ..factor
        })
    }

    fn power(&mut self) -> Option<Factor> {
        let base = self.atom()?;
        self.skip();
        if !self.raises() {
            return Some(base);
        }
        self.skip();
        let negative = self.takes('-');
        let exponent = self.atom()?.value;
        self.skip();
        // "2^3^2" can be read in two ways.
        if self.raises() {
            return None;
        }
        self.evident = true;
        let value = math::pow(base.value, if negative { -exponent } else { exponent });
        value.is_finite().then_some(Factor {
            value,
            kind: Kind::Other,
        })
    }

    fn raises(&mut self) -> bool {
        let stars = self.text.at(self.at) == '*' && self.text.at(self.at + 1) == '*';
        if stars {
            self.at += 2;
        }
        stars || self.takes('^')
    }

    fn atom(&mut self) -> Option<Factor> {
        self.skip();
        let at = self.at;
        let other = |value: f64| {
            Some(Factor {
                value,
                kind: Kind::Other,
            })
        };
        match self.text.at(at) {
            '(' => self.bracket(')'),
            '{' => self.bracket('}'),
            'π' => {
                (self.at, self.evident) = (at + 1, true);
                other(std::f64::consts::PI)
            }
            '√' => {
                self.at += 1;
                self.root(2.0)
            }
            '\\' => {
                let (name, end) = self.text.word_at(at + 1);
                self.at = end;
                self.command(&name)
            }
            c if c.is_ascii_digit() || c == '.' => self.digits(),
            c if c.is_alphabetic() => {
                let (name, end) = self.text.word_at(at);
                self.at = end;
                match name.as_str() {
                    "e" if self.text.at(at) == 'e' => {
                        self.evident = true;
                        Some(Factor {
                            value: std::f64::consts::E,
                            kind: Kind::Letter,
                        })
                        // A letter alone is a name.
                        .filter(|_| self.text.0.iter().any(char::is_ascii_digit))
                    }
                    "pi" | "sqrt" => self.command(&name),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn command(&mut self, name: &str) -> Option<Factor> {
        let other = |value: f64| {
            Some(Factor {
                value,
                kind: Kind::Other,
            })
        };
        match name {
            "pi" => {
                self.evident = true;
                other(std::f64::consts::PI)
            }
            "sqrt" => {
                let mut degree = 2.0;
                if self.text.at(self.at) == '[' {
                    self.at += 1;
                    degree = self.digits()?.value;
                    if !self.takes(']') {
                        return None;
                    }
                }
                self.root(degree)
            }
            "frac" | "dfrac" | "tfrac" | "cfrac" => {
                let (above, below) = (self.argument()?, self.argument()?);
                self.evident = true;
                (below != 0.0).then(|| other(above / below))?
            }
            _ if STYLES.contains(&name) => {
                // \mathrm{e}
                self.skip();
                let open = self.takes('{');
                self.skip();
                let is_e = self.text.word_at(self.at).0 == "e" && self.takes('e');
                self.skip();
                if !is_e || open && !self.takes('}') {
                    return None;
                }
                self.evident = true;
                other(std::f64::consts::E)
            }
            _ => None,
        }
    }

    fn root(&mut self, degree: f64) -> Option<Factor> {
        let inside = self.argument()?;
        self.evident = true;
        let value = if degree == 2.0 {
            inside.sqrt()
        } else if degree == 3.0 {
            // Exact for cubes, where a power of 1/3 is not.
            let near = math::pow(inside.abs(), 1.0 / 3.0);
            let whole = near.round();
            let exact = whole * whole * whole == inside.abs();
            if exact { whole } else { near }.copysign(inside)
        } else {
            (degree >= 1.0).then(|| math::pow(inside, 1.0 / degree))?
        };
        value.is_finite().then_some(Factor {
            value,
            kind: Kind::Other,
        })
    }

    /// The argument of a LaTeX command: a group, or one character.
    fn argument(&mut self) -> Option<f64> {
        self.skip();
        let c = self.text.at(self.at);
        if !c.is_ascii_digit() {
            return Some(self.atom()?.value);
        }
        // "\frac13" is a third, and "√17" is the root of 17. "\sqrt17" is not read: in LaTeX only the 1 is under the
        // root, but people mean the root of 17.
        let digits = self.text.skip(self.at, |c| c.is_ascii_digit()) - self.at;
        let before = self.text.word_before(self.at).0;
        let takes_all = self.text.before(self.at) == '√';
        if takes_all {
            return Some(self.digits()?.value);
        }
        if before.ends_with("sqrt") && digits > 1 {
            return None;
        }
        self.at += 1;
        c.to_digit(10).map(f64::from)
    }

    fn bracket(&mut self, close: char) -> Option<Factor> {
        self.at += 1;
        let start = self.at;
        let value = self.sum()?;
        let bare = self
            .text
            .text(start, self.at)
            .chars()
            .all(|c| c.is_ascii_digit() || c.is_whitespace() || matches!(c, '.' | ','));
        self.skip();
        self.takes(close).then_some(Factor {
            value,
            kind: if bare {
                Kind::BareBracket
            } else {
                Kind::Bracket
            },
        })
    }
}

#[cfg(test)]
mod tests;
