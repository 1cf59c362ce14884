//! What stands around a run of digits: sign, currency, brackets, exponent, fraction, unit, scale.

use super::digits::Run;
use super::{Chars, Lexed, Number, Role, Token, is_month};
use crate::plain::is_currency;

mod behind;

/// Codes of currencies, in lower case.
const CODES: [&str; 34] = [
    "usd", "eur", "gbp", "chf", "jpy", "cny", "rmb", "inr", "cad", "aud", "nzd", "hkd", "sgd",
    "sek", "nok", "dkk", "brl", "krw", "mxn", "zar", "twd", "pln", "rub", "try", "thb", "myr",
    "idr", "aed", "sar", "rs", "us", "eu", "kr", "rp",
];

/// Words before a number that make it a name of something else.
const LABELS: [&str; 30] = [
    "note", "notes", "item", "page", "pages", "table", "figure", "fig", "section", "step", "part",
    "form", "exhibit", "chapter", "question", "case", "line", "row", "column", "phase", "article",
    "rule", "level", "no", "number", "option", "quarter", "year", "equation", "sheet",
];

/// Words after a number that make it say how something is rounded.
const ROUNDED: [&str; 2] = ["decimal", "decimals"];

/// How far apart the items of a list within a sentence may stand \[characters\].
const LIST: usize = 400;

/// Verbs after which a number in brackets is a value, not a remark.
const VERBS: [&str; 8] = ["is", "are", "was", "were", "be", "of", "to", "equals"];

/// The place of a run of digits.
pub(super) struct Around<'a> {
    pub(super) text: &'a Chars,
    /// Where the piece before it ends.
    pub(super) least: usize,
}

/// What stands before a number.
struct Front {
    from: usize,
    negative: bool,
    signed: bool,
    currency: bool,
    /// Whether a bracket stands directly before it.
    open: bool,
    operand: bool,
}

impl Around<'_> {
    /// The piece around a run; `None` for a label such as FY2019, 3rd, 10-K.
    pub(super) fn read(&self, run: &Run) -> Option<Token> {
        let text = self.text;
        let front = self.front(run)?;
        let odd = |to: usize| {
            Some(Token::Odd {
                from: front.from,
                to,
            })
        };
        let Some(decimal) = &run.decimal else {
            return odd(run.to);
        };
        if self.marks_a_list(run) || text.before(run.from) == '#' && text.before(front.from) != '\n'
        {
            return None;
        }
        let Some((value, after_value)) = self.value(decimal, run) else {
            return odd(self.end_of_piece(run.to));
        };
        let mut back = self.back(after_value, front.open, front.currency)?;
        let mut from = front.from;
        if back.unit == 1.0
            && let Some(start) = self.percent_before(from)
        {
            // "-%5", "负百分之5": a sign that is not read, so neither is the number.
            if matches!(text.before(start), '-' | '负' | '負') {
                return odd(back.to);
            }
            (back.unit, from) = (0.01, start);
        }
        // Before what follows is looked at: ":1" would make it something not understood.
        back.to += self.to_one(back.to, front.from, run.whole).unwrap_or(0);
        back.to = self.tolerance(back.to, run).unwrap_or(back.to);
        let next = text.at(back.to);
        let after_next = text.at(back.to + 1);
        let starts = |c: char| c.is_ascii_digit() || is_currency(c);
        let joins = |c: char| matches!(c, '至' | '到' | '比' | '点' | '분' | '月' | '日' | '号');
        let unspaced = is_unspaced(next) && !joins(next);
        if next.is_alphanumeric() && !unspaced || matches!(next, '_' | '^' | '!' | '{' | '}') {
            return odd(self.end_of_piece(back.to));
        }
        if run.whole && !front.currency && (self.is_clause(back.to) || self.is_hour(back.to)) {
            return None;
        }
        if next == '\\' && after_next.is_alphabetic() {
            return odd(self.end_of_piece(back.to + 1));
        }
        // "3/4x" is a product; "1.5x" is a ratio.
        if text.before(back.to) == 'x' && text.text(run.to, after_value).contains('/') {
            return odd(back.to);
        }
        // "12.5-year" is an amount with its unit, "10-K" is a name.
        let unit = ["year", "fold", "month", "day", "point"]
            .iter()
            .any(|unit| text.word_at(back.to + 1).0.starts_with(unit));
        if next == '-' && after_next.is_alphabetic() && !unit {
            return None;
        }
        if (matches!(next, '-' | ':') && starts(after_next)) || next == '/' && starts(after_next) {
            return odd(self.end_of_piece(back.to));
        }
        if matches!(text.before(front.from), '{' | '^' | '_' | '\\') && !front.open {
            return odd(back.to);
        }
        let accounting = front.open && back.closed;
        let is_fraction = text.text(run.to, after_value).contains('/');
        let mut lexed = Lexed {
            number: Number {
                value: if front.negative { -value } else { value },
                unit: back.unit,
                scale: back.scale,
            },
            role: Role::Amount,
            from,
            to: back.to,
            aside: false,
            bracketed: false,
            operand: front.operand || self.operand_follows(back.to),
        };
        let plain = !front.currency
            && !front.signed
            && !back.currency
            && back.unit == 1.0
            && back.scale == 1.0;
        if plain && run.whole && after_value == run.to {
            lexed.role = self.role(run, value, back.to);
        }
        if accounting && is_fraction {
            // A fraction in parentheses is not a negative number of an accountant.
            lexed.from -= 1;
        } else if accounting {
            lexed.from -= 1;
            self.bracketed(&mut lexed, front.signed);
        }
        Some(Token::Number(lexed))
    }

    /// Where the sign of per cent before a number begins: "%12,5" in Turkish, "百分之12.5" in Chinese.
    fn percent_before(&self, from: usize) -> Option<usize> {
        let text = self.text;
        let sign = text.before(from) == '%' && !text.before(from - 1).is_alphanumeric();
        let start = match sign {
            true => from - 1,
            false if self.is_after_hundredths(from) => from - 3,
            false => return None,
        };
        // The sign may end the number before.
        (start >= self.least).then_some(start)
    }

    /// Whether the words for per cent in Chinese end at a place.
    fn is_after_hundredths(&self, at: usize) -> bool {
        self.text.text(at.saturating_sub(3), at) == "百分之"
    }

    /// A number in brackets of its own is negative, unless the brackets hold a remark on a word before.
    fn bracketed(&self, lexed: &mut Lexed, signed: bool) {
        let text = self.text;
        let (with_currency, currency) = self.currency_back(lexed.from);
        if currency {
            lexed.from = with_currency;
        }
        let end = text.skip_back(lexed.from, |c| c == ' ');
        let follows_word =
            text.before(end).is_alphanumeric() || matches!(text.before(end), '%' | ')' | '"');
        let (word, _) = text.word_before(end);
        lexed.aside = !currency
            && (follows_word && !VERBS.contains(&word.as_str()) || lexed.role == Role::Year);
        if !signed {
            lexed.number.value = -lexed.number.value;
            lexed.bracketed = true;
        }
    }

    /// The length of what makes a number at `from` to `to` a ratio to one: ":1", " : 1", and " to 1" at the end of a
    /// sentence behind a number with decimals, as "5 to 1" may be a range.
    fn to_one(&self, to: usize, from: usize, whole: bool) -> Option<usize> {
        let text = self.text;
        let forms = [":1", " : 1", " to 1"];
        let length = forms
            .iter()
            .map(|form| (form, form.len()))
            .find(|(form, length)| text.text(to, to + length) == **form)?
            .1;
        let end = to + length;
        let last = text.at(end);
        let goes_on = last.is_alphanumeric()
            || matches!(last, '.' | ',' | ':' | '/' | '-') && text.at(end + 1).is_ascii_digit();
        let named = text.at(to + 1) == 't';
        let change = text.word_before(text.skip_back(from, is_blank)).0 == "from";
        let ends = last == '\n' || matches!(last, '.' | ',' | ')' | ';');
        (!goes_on && (!named || !whole && !change && ends)).then_some(length)
    }

    fn front(&self, run: &Run) -> Option<Front> {
        let text = self.text;
        let (mut from, mut currency) = self.currency_back(run.from);
        let glued = text.before(from);
        // FY2019, Q3, A1: digits of a name. Chinese and Japanese have no blank before a number.
        let joins = is_unspaced(glued) && glued != '第' && glued != '之';
        if glued.is_alphabetic() && !joins && !self.is_after_hundredths(from) || glued == '_' {
            return None;
        }
        let (mut negative, mut signed, mut operand) = (false, false, false);
        let sign = text.before(from);
        if matches!(sign, '-' | '+') && from > self.least {
            let ahead = text.before(from - 1);
            if ahead.is_alphabetic() {
                return None;
            }
            if ahead.is_ascii_digit() || matches!(ahead, ')' | '%') {
                operand = true;
            } else if ahead != sign {
                (negative, signed) = (sign == '-', true);
                from -= 1;
                let (at, found) = self.currency_back(from);
                (from, currency) = (at, currency || found);
            }
        }
        // "= - 5": a dash with a blank is a sign only after an equals sign.
        if !signed && text.before(from) == ' ' {
            let dash = text.skip_back(from, |c| c == ' ');
            if text.before(dash) == '-' && dash > self.least {
                let equals = text.skip_back(dash - 1, |c| c == ' ');
                if matches!(text.before(equals), '=' | '≈') {
                    (negative, signed) = (true, true);
                    from = dash - 1;
                } else if equals < dash - 1 && ends_operand(text.before(equals)) {
                    operand = true;
                }
            }
            let (word, start) = text.word_before(dash);
            if matches!(word.as_str(), "minus" | "negative") && start >= self.least {
                let ahead = text.skip_back(start, |c| c == ' ');
                if word == "minus" && ends_operand(text.before(ahead)) {
                    operand = true;
                } else {
                    negative = !negative;
                    signed = true;
                    from = start;
                }
            }
        }
        let ahead = text.skip_back(from, |c| c == ' ');
        // "* 5" in a line of its own is an item of a list.
        let item = text.before(ahead) == '*'
            && ahead < from
            && text.before(text.skip_back(ahead - 1, |c| c == ' ')) == '\n';
        operand |= !item && matches!(text.before(ahead), '*' | '×' | '·' | '/' | '÷' | '^' | '±')
            || text.before(ahead) == '+' && ahead < from;
        let open = text.before(from) == '(';
        Some(Front {
            from,
            negative,
            signed,
            currency,
            open,
            operand,
        })
    }

    /// Where the currency before a place begins, if there is one.
    fn currency_back(&self, to: usize) -> (usize, bool) {
        let text = self.text;
        let (mut from, mut found) = (to, false);
        for _ in 0..3 {
            let end = text.skip_back(from, |c| c == ' ' || c == crate::plain::NARROW);
            if end < self.least || from - end > 2 {
                break;
            }
            if is_currency(text.before(end)) && end > self.least {
                // US$, A$, HK$
                let letters = text.skip_back(end - 1, |c| c.is_ascii_uppercase());
                let short = end - 1 - letters <= 3 && !text.before(letters).is_alphanumeric();
                (from, found) = (
                    if short {
                        letters.max(self.least)
                    } else {
                        end - 1
                    },
                    true,
                );
                continue;
            }
            let dotted = end - usize::from(text.before(end) == '.');
            let (word, start) = text.word_before(dotted);
            let is_code = CODES.contains(&word.as_str())
                && (matches!(word.as_str(), "rs" | "kr" | "rp")
                    || text.before(dotted).is_uppercase())
                && start >= self.least
                && !text.before(start).is_alphanumeric();
            if !is_code {
                break;
            }
            (from, found) = (start, true);
        }
        (from, found)
    }

    /// The value with its exponent, power or fraction, and where it ends; `None` for a power or a fraction that is not
    /// understood.
    fn value(&self, decimal: &str, run: &Run) -> Option<(f64, usize)> {
        let text = self.text;
        let at = run.to;
        let finite = |value: f64, to: usize| value.is_finite().then_some((value, to));
        let plain: f64 = decimal.parse().ok()?;
        if matches!(text.at(at), 'e' | 'E')
            && let Some((exponent, to)) = self.exponent(at + 1)
            && !text.at(to).is_alphanumeric()
        {
            // Through the text, which is rounded once; a product with a power of ten would be
            // rounded twice.
            return finite(format!("{decimal}e{exponent}").parse().ok()?, to);
        }
        if text.at(at) == '^' {
            let (exponent, to) = self.raised(at + 1)?;
            // Other powers belong to the reader of expressions.
            return (decimal == "10").then(|| finite(format!("1e{exponent}").parse().ok()?, to))?;
        }
        let sign = text.skip(at, is_blank);
        if matches!(text.at(sign), '×' | 'x' | 'X' | '*' | '·') {
            let ten = text.skip(sign + 1, is_blank);
            if text.at(ten) == '1' && text.at(ten + 1) == '0' && text.at(ten + 2) == '^' {
                let (exponent, to) = self.raised(ten + 3)?;
                return finite(format!("{decimal}e{exponent}").parse().ok()?, to);
            }
        }
        if text.at(at) == '/' && text.at(at + 1).is_ascii_digit() {
            return self.fraction(plain, at + 1);
        }
        // One and three quarters.
        if run.whole && text.at(at) == ' ' && text.at(at + 1).is_ascii_digit() {
            let above = Run::at(text, at + 1);
            if above.whole && text.at(above.to) == '/' && text.at(above.to + 1).is_ascii_digit() {
                let top: f64 = above.decimal?.parse().ok()?;
                let (part, to) = self.fraction(top, above.to + 1)?;
                return (part < 1.0).then(|| finite(plain + part, to))?;
            }
        }
        finite(plain, at)
    }

    fn fraction(&self, above: f64, at: usize) -> Option<(f64, usize)> {
        let below = Run::at(self.text, at);
        let value: f64 = below.decimal?.parse().ok()?;
        // A third part makes a date.
        let goes_on = matches!(self.text.at(below.to), '/' | '-')
            && self.text.at(below.to + 1).is_ascii_digit();
        (value != 0.0 && !goes_on).then_some((above / value, below.to))
    }

    /// Sign and digits at a place.
    fn exponent(&self, at: usize) -> Option<(String, usize)> {
        let text = self.text;
        let digits = at + usize::from(matches!(text.at(at), '+' | '-'));
        let to = text.skip(digits, |c| c.is_ascii_digit());
        (to > digits && to - digits < 6).then(|| (text.text(at, to), to))
    }

    /// An exponent, in brackets or not.
    fn raised(&self, at: usize) -> Option<(String, usize)> {
        let text = self.text;
        let open = matches!(text.at(at), '{' | '(');
        let (exponent, to) = self.exponent(at + usize::from(open))?;
        if !open {
            return Some((exponent, to));
        }
        matches!(text.at(to), '}' | ')').then_some((exponent, to + 1))
    }

    /// The role of a whole number without currency and unit.
    fn role(&self, run: &Run, value: f64, to: usize) -> Role {
        let text = self.text;
        let before = text.skip_back(run.from, |c| is_blank(c) || c == '.' || c == ',');
        let (ahead, start) = text.word_before(before);
        let (next, _) = text.word_at(text.skip(to, |c| is_blank(c) || c == '-'));
        let names_month = |word: &str, at: usize| is_month(word) && text.at(at).is_uppercase();
        let day = value <= 31.0;
        let next_at = text.skip(to, is_blank);
        if day && (names_month(&ahead, start) || names_month(&next, next_at)) {
            return Role::Label;
        }
        if (1900.0..=2100.0).contains(&value) && run.to - run.from == 4 {
            return Role::Year;
        }
        if LABELS.contains(&ahead.as_str()) || ROUNDED.contains(&next.as_str()) {
            return Role::Label;
        }
        Role::Amount
    }

    /// Whether a letter in brackets makes the number before it the name of a clause: "401(k)".
    fn is_clause(&self, to: usize) -> bool {
        let text = self.text;
        text.at(to) == '(' && text.at(to + 1).is_alphabetic() && text.at(to + 2) == ')'
    }

    /// Whether the number before is an hour: "9 a.m.", "12 PM.".
    fn is_hour(&self, to: usize) -> bool {
        let text = self.text;
        let (word, end) = text.word_at(text.skip(to, is_blank));
        let (last, after_last) = text.word_at(end + 1);
        match word.as_str() {
            "a" | "p" => text.at(end) == '.' && last == "m" && text.at(after_last) == '.',
            // At the end of a clause: in German "am" is a word.
            "am" | "pm" => matches!(text.at(end), '.' | ',' | ';' | ')' | '\n'),
            _ => false,
        }
    }

    /// Whether the number is the mark of a list's item: "1. First", "2) Then".
    fn marks_a_list(&self, run: &Run) -> bool {
        let text = self.text;
        let start = text.skip_back(run.from, |c| matches!(c, ' ' | '*' | '#' | '(' | '-'));
        text.before(start) == '\n'
            && run.whole
            && run.to - run.from <= 2
            && matches!(text.at(run.to), '.' | ')')
            && text.at(run.to + 1) == ' '
            && !matches!(text.at(text.skip(run.to + 1, is_blank)), '\n')
            // "(57) million" at the start of a line is a loss and not item 57.
            && !(text.before(run.from) == '(' && self.is_an_amount(run.to + 1))
            || self.marks_an_inline_list(run)
    }

    /// Whether the number is the mark of an item within a sentence: "(1) price and (2) volume", "segments: 1) Cloud, 2)
    /// Devices". Such a list has a first and a second item in words.
    fn marks_an_inline_list(&self, run: &Run) -> bool {
        let text = self.text;
        let digit = text.at(run.from);
        let bracketed = text.before(run.from) == '(';
        let ahead = text.before(run.from - usize::from(bracketed));
        let words = text.at(run.to) == ')'
            && text.at(run.to + 1) == ' '
            && text.at(run.to + 2).is_alphabetic()
            && !self.is_an_amount(run.to + 1);
        if !words || run.to - run.from != 1 || !('1'..='9').contains(&digit) || ahead != ' ' {
            return false;
        }
        let has = |text: &str, mark: &str| {
            text.match_indices(mark).any(|(at, _)| {
                crate::cut::after(text, at + mark.len()).starts_with(char::is_alphabetic)
            })
        };
        // Without the first bracket the list has to begin after a colon: "(0, 1) and (0, 2) are" names points.
        let (first, second) = match bracketed {
            true => ("(1) ", "(2) "),
            false => (": 1) ", " 2) "),
        };
        let from = run.from.saturating_sub(LIST);
        if digit != '1' {
            return has(&text.text(from, run.from), first);
        }
        let opens = text.text(from, run.to + 2).ends_with(first);
        opens && has(&text.text(run.to, run.to + LIST), second)
    }

    /// Whether the words after a number in brackets make it an amount: "(57) million", "(57) in 2020".
    fn is_an_amount(&self, to: usize) -> bool {
        let (word, _) = self.text.word_at(self.text.skip(to, is_blank));
        matches!(
            word.as_str(),
            "in" | "for"
                | "at"
                | "per"
                | "percent"
                | "thousand"
                | "million"
                | "billion"
                | "dollars"
        )
    }

    /// Whether an operator and something that it works on follow.
    fn operand_follows(&self, to: usize) -> bool {
        let text = self.text;
        let at = text.skip(to, is_blank);
        let next = text.at(text.skip(at + 1, is_blank));
        let operand = next.is_ascii_digit() || is_currency(next) || next == '(' || next == '\\';
        match text.at(at) {
            '*' | '×' | '·' | '/' | '+' | '÷' | '^' | '±' => {
                operand || at > to && next.is_alphabetic() && text.at(at) != '/'
            }
            '-' => at > to && text.at(at + 1) == ' ' && operand,
            _ => false,
        }
    }

    /// Where the tolerance behind a number ends: "42 ± 1" is 42, if the second is at most a tenth of it. "x = 2 ± 5" are two
    /// values.
    fn tolerance(&self, to: usize, run: &Run) -> Option<usize> {
        let text = self.text;
        let sign = text.skip(to, is_blank);
        if text.at(sign) != '±' {
            return None;
        }
        let at = text.skip(sign + 1, |c| is_blank(c) || is_currency(c));
        if !text.at(at).is_ascii_digit() {
            return None;
        }
        let tolerance = Run::at(text, at);
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '^' | '\\' | '/');
        let value = |run: &Run| run.decimal.as_ref()?.parse::<f64>().ok();
        (!goes_on(text.at(tolerance.to)) && 10.0 * value(&tolerance)? <= value(run)?)
            .then_some(tolerance.to)
    }

    /// Where the unbroken piece of text at a place ends.
    fn end_of_piece(&self, at: usize) -> usize {
        self.text.skip(at, |c| {
            c.is_alphanumeric()
                || matches!(
                    c,
                    '-' | '/' | ':' | '.' | ',' | '^' | '_' | '{' | '}' | '\\' | '!' | '$'
                )
        })
    }
}

/// Whether an operand may end with this character.
fn ends_operand(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, ')' | '%')
}

/// Whether a character belongs to a script that is written without blanks between words and numbers: Chinese, Japanese
/// and Korean.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t' || c == crate::plain::NARROW
}
