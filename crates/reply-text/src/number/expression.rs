//! The value of a text that is one constant expression and nothing else: `(9+1)`, `3\sqrt{13}`, `1 - \frac{1}{e}`.
//!
//! | part | written as |
//! |---|---|
//! | sum, difference | `+`, `-` |
//! | product | `*`, `×`, `·`, `\cdot`; no sign is needed before a constant or a root that follows directly: `2\pi` |
//! | quotient | `/`, `÷`, `\frac{..}{..}` |
//! | power, root | `^`, `**` between digits, `\sqrt{..}`, `\sqrt[3]{..}`, `√` |
//! | constant | `\pi`, `\mathrm{e}`; `e` as a base or an exponent and in a quotient |
//! | number in another base | `204_5`, `101_{2}` |
//! | per cent | `%` after a last factor of 100: `\frac{6}{80} \times 100\%` |
//!
//! Digits with only dashes or slashes between them are not read, because they may be a range, a date, a score or a
//! telephone number. A text that can be read in two ways is not read either:
//!
//! | text | readings |
//! |---|---|
//! | `1/2\pi`, `2^3^2`, `√2π`, `5!`, `2e` | which operation is first; a sentence or a number that is cut off |
//! | `64.2 (74.2 - 10)` | a product, or a value and its working |
//! | `(500) + 200` | accountants' brackets mean a minus sign |
//! | `- 5 * 1`, lines that begin with a mark | a sign, or an item of a list |
//! | `5 * 20%` | 1 or 100 % |
//! | `12³`, `2020_3` | a power or a number in another base, or the mark of a note |

mod scan;

use super::{Chars, Number, whole_number};
use crate::plain::{STYLES, characters};
use sim_core::math;

/// Longest text that is read as an expression \[bytes\].
const LONGEST: usize = 400;

/// Deepest nesting of brackets.
const DEEPEST: usize = 24;

/// How much a number may differ from its working, as it may be rounded \[share\].
const ROUNDED: f64 = 0.006;

/// The value of a text that is a constant expression. A name and an equals sign may come first: `x = \sqrt{17}`.
pub(crate) fn value(text: &str) -> Option<Number> {
    let text = bare(text)?;
    match text.split_once('=') {
        Some((name, right)) if is_name(name) => constant(bare(right)?, true),
        Some(_) => None,
        None => constant(text, true),
    }
}

/// The value of the expression at the front of a text, if no number follows its sentence or its line.
pub(crate) fn leading(text: &str) -> Option<Number> {
    let text = text.trim();
    value(text).or_else(|| {
        let end = text.find(". ").into_iter().chain(text.find('\n')).min()?;
        (!goes_on(crate::cut::after(text, end))).then(|| value(crate::cut::before(text, end)))?
    })
}

/// Whether the text after an expression may go on with the calculation: "= 13", "less 200 it is 1,300".
pub(crate) fn goes_on(rest: &str) -> bool {
    rest.chars()
        .take(LONGEST)
        .any(|c| c.is_numeric() || matches!(c, '=' | '≈'))
}

/// The number of a text that consists of a number and its working in brackets: `64.2 (74.2 - 10)`. `None` if the
/// working has another value.
pub(crate) fn worked(text: &str) -> Option<Number> {
    let text = bare(text)?;
    let inside = text.strip_suffix(')')?;
    let mut open = 1;
    let at = inside.char_indices().rev().find_map(|(at, c)| {
        open += i32::from(c == ')') - i32::from(c == '(');
        (open == 0).then_some(at)
    })?;
    let head = crate::cut::before(inside, at);
    let number = whole_number(head).or_else(|| with_a_unit(head));
    let number = number.filter(|_| head.ends_with(' '))?;
    let working = crate::cut::after(inside, at + 1);
    let is_of = |stated: f64, working: &str| {
        let read = whole_number(working).or_else(|| constant(bare(working)?, false));
        read.map(Number::applied)
            .is_some_and(|worked| (stated - worked).abs() <= ROUNDED * worked.abs())
    };
    // "$42 million ($100 million - $58 million)": one scale for all.
    let in_scale = || {
        let scales = [" thousand", " million", " billion"];
        let short = scales
            .iter()
            .fold(working.to_owned(), |text, scale| text.replace(scale, ""));
        number.scale != 1.0 && is_of(number.value, &short)
    };
    (is_of(number.applied(), working) || in_scale()).then_some(number)
}

/// The number of a text that is a number and one or two words of its unit: `4.0 years`.
fn with_a_unit(text: &str) -> Option<Number> {
    let text = text.trim();
    let (head, unit) = text.split_once(' ')?;
    let is_word = |word: &str| word.len() > 1 && word.chars().all(char::is_alphabetic);
    let joins = ["to", "or", "and", "times", "plus", "minus", "of", "over"];
    let fits = unit.split(' ').count() <= 2
        && unit
            .split(' ')
            .all(|word| is_word(word) && !joins.contains(&word));
    whole_number(head).filter(|_| fits)
}

/// A text without blanks, delimiters of mathematics, quotes and emphasis around it and without its full stop; `None` if
/// it has several lines or is too long.
fn bare(text: &str) -> Option<&str> {
    if text.len() > LONGEST {
        return None;
    }
    let mut bare = text;
    let mut stopped = false;
    loop {
        let mut inner = bare.trim_matches(|c: char| c.is_whitespace() || c == '$');
        if !stopped && let Some(sentence) = inner.strip_suffix('.') {
            (inner, stopped) = (sentence, true);
        }
        for (open, close) in [("\\(", "\\)"), ("\\[", "\\]")] {
            inner = inner.strip_prefix(open).unwrap_or(inner);
            inner = inner.strip_suffix(close).unwrap_or(inner);
        }
        for mark in ["**", "*", "`", "\""] {
            let marked = inner.strip_prefix(mark).and_then(|t| t.strip_suffix(mark));
            // "* 3 *" is not emphasis.
            inner = marked.filter(|text| text.trim() == *text).unwrap_or(inner);
        }
        if inner.len() == bare.len() {
            break;
        }
        bare = inner;
    }
    (!bare.contains(['\n', '\r', '\u{2028}'])).then_some(bare)
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

/// The value of a text without marks around it. `evident`: only if it has something that occurs in expressions only.
fn constant(text: &str, evident: bool) -> Option<Number> {
    // "12³" may be a number with the mark of a note.
    if text.contains(['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹', '⁻']) {
        return None;
    }
    let text = text
        .replace("{,}", ",")
        .replace("\\!", "")
        .replace("\\,", "\u{a0}");
    let mut reader = Reader {
        text: Chars(characters(&text).chars().collect()),
        at: 0,
        depth: 0,
        evident: false,
        hundred: false,
    };
    let read = reader.sum()?;
    let mut number = Number::bare(read.value);
    reader.skip();
    if reader.takes('%') || reader.takes_command("%") {
        // In "5 * 20%" the sign may belong to the last factor or to the product.
        if !reader.hundred {
            return None;
        }
        number.unit = 0.01;
    }
    reader.unit()?;
    reader.skip();
    let ends = reader.at >= reader.text.len();
    let clear = reader.evident || !evident;
    (clear && ends && read.kind != Kind::Letter && read.value.is_finite()).then_some(number)
}

/// A part of an expression.
#[derive(Debug, Clone, Copy)]
struct Factor {
    value: f64,
    kind: Kind,
}

impl Factor {
    fn new(kind: Kind, value: f64) -> Option<Self> {
        value.is_finite().then_some(Self { value, kind })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Digits.
    Number,
    /// Brackets around an expression, or several factors or terms.
    Compound,
    /// The letter e without a command.
    Letter,
    /// A fraction of LaTeX.
    Fraction,
    /// A power.
    Power,
    /// A power without brackets around its exponent: the exponent may end after the next factor.
    OpenPower,
    /// A root without brackets: it may end after the next factor.
    OpenRoot,
    /// A constant, a root, a number in another base.
    Other,
}

struct Reader {
    text: Chars,
    at: usize,
    depth: usize,
    /// Whether something was read that occurs in expressions only, such as a root or a product.
    evident: bool,
    /// Whether the sum that was read last is one term whose last factor is a multiplication by 100.
    hundred: bool,
}

impl Reader {
    /// A sum; the kind is that of its term if it has only one.
    fn sum(&mut self) -> Option<Factor> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut sum = self.product()?;
        loop {
            self.skip();
            let plus = self.takes('+');
            if !plus && !self.takes('-') {
                break;
            }
            self.evident |= plus;
            let term = self.product()?;
            if sum.kind == Kind::Letter || term.kind == Kind::Letter {
                return None;
            }
            sum = Factor {
                value: if plus {
                    sum.value + term.value
                } else {
                    sum.value - term.value
                },
                kind: Kind::Compound,
            };
            self.hundred = false;
        }
        self.depth -= 1;
        Some(sum)
    }

    /// How many slashes the text has.
    fn slashes(&self) -> usize {
        self.text.0.iter().filter(|&&c| c == '/').count()
    }

    /// A product; the kind is that of its factor if it has only one.
    fn product(&mut self) -> Option<Factor> {
        let mut product = self.signed()?;
        let mut previous = product.kind;
        let mut divided = false;
        let mut hundred = false;
        loop {
            let end = self.at;
            self.skip();
            let start = self.at;
            let named = self.takes('÷') || self.takes_command("div");
            if named || self.takes('/') {
                let spaced = start > end && self.slashes() == 1;
                let factor = self.signed()?;
                // Digits with slashes alone may be a date or a list; "3 / 4" is neither.
                self.evident |=
                    named || spaced || previous != Kind::Number || factor.kind != Kind::Number;
                // "4^1/2" may be a root.
                if factor.value == 0.0 || previous == Kind::OpenPower {
                    return None;
                }
                product.value /= factor.value;
                (previous, divided, hundred) = (factor.kind, true, false);
            } else if self.times() {
                self.evident = true;
                let factor = self.signed()?;
                product.value *= factor.value;
                hundred = factor.kind == Kind::Number && factor.value == 100.0;
                // "e" alone is a name, except in a quotient.
                if !divided && previous == Kind::Letter || factor.kind == Kind::Letter {
                    return None;
                }
                (previous, divided) = (factor.kind, false);
            } else {
                let Some(factor) = self.power() else {
                    // No factor starts here: go back, so that the caller reads on from here.
                    self.at = start;
                    self.hundred = hundred;
                    return Some(product);
                };
                let joins = match factor.kind {
                    // "2e" may be a number that is cut off, "64.2 (74.2 - 10)" a value with its working.
                    Kind::Number | Kind::Letter | Kind::Compound => false,
                    // "2 \frac{3}{4}" is a mixed number; "2 \frac{\pi}{4}" may be that or a product.
                    Kind::Fraction | Kind::Power | Kind::OpenPower => previous != Kind::Number,
                    Kind::OpenRoot | Kind::Other => true,
                };
                // In "1/2\pi" the constant may belong to either side, in "√2π" to the root.
                let open = matches!(previous, Kind::OpenRoot | Kind::OpenPower | Kind::Letter);
                if !joins || open || divided || start > end {
                    return None;
                }
                self.evident = true;
                product.value *= factor.value;
                (previous, hundred) = (factor.kind, false);
            }
            product.kind = Kind::Compound;
        }
    }

    fn times(&mut self) -> bool {
        let (before, next) = (self.text.before(self.at), self.text.at(self.at + 1));
        match self.text.at(self.at) {
            '*' if next == '*' => false,
            // A decimal point in some countries.
            '·' | '⋅' if before.is_ascii_digit() && next.is_ascii_digit() => false,
            '*' | '×' | '·' | '⋅' => {
                self.at += 1;
                true
            }
            _ => self.takes_command("times") || self.takes_command("cdot"),
        }
    }

    /// A factor with at most one sign, which stands directly before it: "- 5" may be an item of a list.
    fn signed(&mut self) -> Option<Factor> {
        self.skip();
        let negative = self.takes('-');
        if (negative || self.takes('+')) && self.text.at(self.at).is_whitespace() {
            return None;
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
        let end = self.at;
        self.skip();
        if !self.raises() {
            self.at = end;
            return Some(base);
        }
        self.skip();
        let negative = self.takes('-');
        let closed = matches!(self.text.at(self.at), '(' | '{');
        let exponent = self.exponent()?.value;
        let end = self.at;
        self.skip();
        // "2^3^2" and "√2^2" can be read in two ways.
        if self.raises() || base.kind == Kind::OpenRoot {
            return None;
        }
        (self.at, self.evident) = (end, true);
        let value = math::pow(base.value, if negative { -exponent } else { exponent });
        let kind = if closed { Kind::Power } else { Kind::OpenPower };
        Factor::new(kind, value)
    }

    fn exponent(&mut self) -> Option<Factor> {
        if self.text.at(self.at) == '(' {
            self.group(')')
        } else {
            self.atom()
        }
    }

    /// Whether a sign of power stands here. Two stars are one only between digits, as they also mark bold text.
    fn raises(&mut self) -> bool {
        let around = (self.text.before(self.at), self.text.at(self.at + 2));
        let stars = self.text.at(self.at) == '*' && self.text.at(self.at + 1) == '*';
        if stars && around.0.is_ascii_digit() && around.1.is_ascii_digit() {
            self.at += 2;
            return true;
        }
        self.takes('^')
    }

    fn atom(&mut self) -> Option<Factor> {
        self.skip();
        self.currency();
        let at = self.at;
        match self.text.at(at) {
            '(' => self.bracket(),
            '{' => self.group('}'),
            'π' => self.command("pi", at + 1),
            '√' => {
                self.at += 1;
                self.root(2.0)
            }
            '\\' => {
                let (name, end) = self.text.word_at(at + 1);
                self.command(&name, end)
            }
            c if c.is_ascii_digit() || c == '.' => self.digits(),
            c if c.is_alphabetic() => {
                let (name, end) = self.text.word_at(at);
                match name.as_str() {
                    "e" if c == 'e' => {
                        self.at = end;
                        Factor::new(Kind::Letter, std::f64::consts::E)
                    }
                    "pi" | "sqrt" => self.command(&name, end),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The command whose name ends at `end`.
    fn command(&mut self, name: &str, end: usize) -> Option<Factor> {
        self.at = end;
        match name {
            "pi" => {
                self.evident = true;
                Factor::new(Kind::Other, std::f64::consts::PI)
            }
            "sqrt" => {
                let mut degree = 2.0;
                if self.takes('[') {
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
                Factor::new(Kind::Fraction, above.value / below.value)
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
                Factor::new(Kind::Other, std::f64::consts::E)
            }
            _ => None,
        }
    }

    fn root(&mut self, degree: f64) -> Option<Factor> {
        self.skip();
        let kind = if matches!(self.text.at(self.at), '(' | '{') {
            Kind::Other
        } else {
            Kind::OpenRoot
        };
        let inside = if self.text.at(self.at) == '(' {
            self.group(')')?
        } else {
            self.argument()?
        };
        if inside.kind == Kind::Letter {
            return None;
        }
        let inside = inside.value;
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
        Factor::new(kind, value)
    }

    /// The argument of a LaTeX command: a group, or one character.
    fn argument(&mut self) -> Option<Factor> {
        self.skip();
        let c = self.text.at(self.at);
        if !c.is_ascii_digit() {
            return self.atom();
        }
        // "\frac13" is a third, and "√17" is the root of 17. "\sqrt17" is not read: in LaTeX only the 1 is under the
        // root, but people mean the root of 17.
        let digits = self.text.skip(self.at, |c| c.is_ascii_digit()) - self.at;
        let before = self.text.word_before(self.at).0;
        let takes_all = self.text.before(self.at) == '√';
        if takes_all {
            return self.digits();
        }
        if before.ends_with("sqrt") && digits > 1 {
            return None;
        }
        self.at += 1;
        Factor::new(Kind::Number, c.to_digit(10).map(f64::from)?)
    }

    /// An expression in round brackets. Brackets around a number alone may be an accountant's minus sign.
    fn bracket(&mut self) -> Option<Factor> {
        let inside = self.text.skip(self.at + 1, char::is_whitespace);
        let signed = matches!(self.text.at(inside), '-' | '+');
        let group = self.group(')')?;
        let clear = group.kind != Kind::Letter && (signed || group.kind != Kind::Number);
        clear.then_some(Factor {
            kind: Kind::Compound,
            ..group
        })
    }

    /// An expression up to a closing bracket; the kind is that of its content.
    fn group(&mut self, close: char) -> Option<Factor> {
        self.at += 1;
        let value = self.sum()?;
        self.skip();
        self.takes(close).then_some(value)
    }
}

#[cfg(test)]
mod tests;
