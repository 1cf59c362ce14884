//! What stands behind a number: unit, scale, currency, closing bracket.

use super::{Around, CODES, is_blank};
use crate::plain::is_currency;

/// Units that may be written without a blank.
const UNITS: [&str; 67] = [
    "x", "kg", "g", "km", "cm", "mm", "l", "h", "hrs", "min", "s", "sec", "d", "yrs", "kwh", "mwh",
    "gb", "mb", "tb", "pt", "pts", "ft", "m", "mg", "µg", "μg", "ml", "cl", "dl", "ha", "nm", "µm",
    "μm", "yd", "mi", "lb", "lbs", "oz", "mt", "kt", "bbl", "boe", "mw", "kw", "gw", "gwh", "twh",
    "hz", "khz", "mhz", "ghz", "kb", "pb", "mph", "rpm", "ppm", "px", "hr", "mins", "secs", "ms",
    "yr", "mo", "wk", "wks", "kj", "ω",
];

/// What stands after a number.
pub(super) struct Back {
    pub(super) to: usize,
    pub(super) unit: f64,
    pub(super) scale: f64,
    pub(super) currency: bool,
    pub(super) closed: bool,
}

impl Around<'_> {
    /// Unit, scale, currency and closing bracket after a value; `None` if the number is an ordinal.
    pub(super) fn back(&self, to: usize, open: bool, currency: bool) -> Option<Back> {
        let text = self.text;
        let mut back = Back {
            to,
            unit: 1.0,
            scale: 1.0,
            currency: false,
            closed: false,
        };
        let ends = |c: char| c.is_whitespace() || c.is_ascii_punctuation();
        for _ in 0..4 {
            let at = back.to;
            let c = text.at(at);
            let blank = text.skip(at, is_blank);
            let near = blank - at <= 1;
            if c == ')' && open && !back.closed {
                back.to += 1;
                back.closed = true;
            } else if c == '°' {
                let named = matches!(text.at(at + 1), 'C' | 'F') && ends(text.at(at + 2));
                back.to += 1 + usize::from(named);
            } else if c == '¢' {
                back.to += 1;
            } else if c == '×' && at == to && ends(text.at(at + 1)) && !self.operand_follows(at) {
                // "5×" is five times.
                back.to += 1;
            } else if c == '$' && ends(text.at(at + 1)) {
                // The end of a formula, or "1,000.99$".
                back.to += 1;
            } else if near && is_currency(text.at(blank)) && c != '$' && text.at(blank) != '$' {
                back.to = blank + 1;
                back.currency = true;
            } else if near && let Some(to) = self.currency_word(blank) {
                back.to = to;
                back.currency = true;
            } else if near && let Some((unit, to)) = self.unit(blank) {
                (back.unit, back.to) = (unit, to);
            } else if near && let Some((scale, to)) = self.scale(at, blank, currency) {
                (back.scale, back.to) = (back.scale * scale, to);
            } else {
                break;
            }
        }
        let (word, end) = text.word_at(back.to);
        if back.to > to || word.is_empty() {
            return Some(back);
        }
        if matches!(word.as_str(), "st" | "nd" | "rd" | "th") {
            return None;
        }
        // "m²"
        let end = end + usize::from(matches!(text.at(end), '²' | '³'));
        if UNITS.contains(&word.as_str())
            && !text.at(end).is_alphanumeric()
            && !self.operand_follows(end)
        {
            back.to = end;
        }
        Some(back)
    }

    /// Where the code or the name of a currency at a place ends.
    fn currency_word(&self, at: usize) -> Option<usize> {
        let (word, to) = self.text.word_at(at);
        let named = matches!(
            word.as_str(),
            "dollar"
                | "dollars"
                | "euro"
                | "euros"
                | "pounds"
                | "yen"
                | "rupee"
                | "rupees"
                | "yuan"
                | "franc"
                | "francs"
                | "franken"
                | "pesos"
                | "reais"
                | "kronor"
                | "kroner"
                | "zł"
                | "руб"
                | "рублей"
        );
        let code =
            word.len() == 3 && CODES.contains(&word.as_str()) && self.text.at(at).is_uppercase();
        ((named || code) && !self.text.at(to).is_alphanumeric()).then_some(to)
    }

    /// Per cent and its kin.
    fn unit(&self, at: usize) -> Option<(f64, usize)> {
        let text = self.text;
        match text.at(at) {
            '%' => {
                // "5 %-points"
                let (word, end) = text.word_at(at + 2);
                let points =
                    text.at(at + 1) == '-' && matches!(word.as_str(), "points" | "point" | "pts");
                return Some((0.01, if points { end } else { at + 1 }));
            }
            '‰' => return Some((0.001, at + 1)),
            _ => {}
        }
        let (word, to) = text.word_at(at);
        let (next, end) = text.word_at(text.skip(to, is_blank));
        let points = matches!(next.as_str(), "point" | "points");
        match word.as_str() {
            "percent" | "pct" | "percentage" | "pp" => Some((0.01, if points { end } else { to })),
            "prozent" | "prozentpunkte" | "procent" | "prosent" | "persen" | "процент"
            | "процента" | "процентов" => Some((0.01, to)),
            "per" | "pour" | "por" if matches!(next.as_str(), "cent" | "cento" | "ciento") => {
                Some((0.01, end))
            }
            "bps" | "bp" => Some((0.0001, to)),
            "basis" if points => Some((0.0001, end)),
            _ => None,
        }
    }

    /// A word of scale at `blank`, or a letter of scale at `at`, directly after the digits.
    fn scale(&self, at: usize, blank: usize, currency: bool) -> Option<(f64, usize)> {
        let text = self.text;
        let word_at = |from: usize| {
            let (word, to) = text.word_at(from);
            let goes_on = text.at(to).is_ascii_digit() || matches!(text.at(to), '²' | '³');
            (!goes_on).then_some((word, to))
        };
        // Longer words before their beginnings: `千万` before `千`.
        let unspaced = [
            ("十亿", 1e9),
            ("十億", 1e9),
            ("百万", 1e6),
            ("千万", 1e7),
            ("千", 1e3),
            ("万", 1e4),
            ("萬", 1e4),
            ("만", 1e4),
            ("亿", 1e8),
            ("億", 1e8),
            ("억", 1e8),
            ("兆", 1e12),
            ("조", 1e12),
        ];
        let found = unspaced.iter().find_map(|&(word, scale)| {
            let to = blank + word.chars().count();
            (text.text(blank, to) == word).then_some((scale, to))
        });
        if found.is_some() {
            return found;
        }
        let hyphen = usize::from(text.at(at) == '-');
        let (word, to) = word_at(blank + hyphen)?;
        let scale = match word.as_str() {
            "hundred" => 1e2,
            "thousand" | "thousands" | "mil" | "tausend" | "tsd" | "mille" | "mila" | "duizend"
            | "tusen" | "tys" | "ribu" | "nghìn" | "тыс" | "тысяч" | "тысячи" | "हजार" => {
                1e3
            }
            "million" | "millions" | "mn" | "mln" | "mio" | "millionen" | "millón" | "millones"
            | "milhão" | "milhões" | "milione" | "milioni" | "miljoen" | "miljoner"
            | "milionów" | "milyon" | "juta" | "triệu" | "млн" | "миллион" | "миллиона"
            | "миллионов" | "مليون" => 1e6,
            "billion"
            | "billions"
            | "bn"
            | "bln"
            | "mrd"
            | "mld"
            | "mia"
            | "milliarde"
            | "milliarden"
            | "milliard"
            | "milliards"
            | "miliardo"
            | "miliardi"
            | "miliardów"
            | "miliar"
            | "tỷ"
            | "مليار"
            | "миллиард"
            | "миллиарда"
            | "bilhões"
            | "miljard"
            | "miljarder"
            | "milyar"
            | "млрд"
            | "millardo"
            | "millardos"
            | "миллиардов" => 1e9,
            "trillion"
            | "trillions"
            | "tn"
            | "billionen"
            | "billón"
            | "billones"
            | "bilione"
            | "bilioni"
            | "триллион"
            | "триллиона"
            | "триллионов"
            | "трлн" => 1e12,
            // "7,5 Bio. €"
            "bio" if text.at(to) == '.' => 1e12,
            "lakh" | "lakhs" | "lac" | "लाख" => 1e5,
            "crore" | "crores" => 1e7,
            // "42 mill. kroner", but "5 mill sites"
            "mill" if text.at(to) == '.' => 1e6,
            // "64,2 Md€"
            "md" | "mds" if is_currency(text.at(to)) => 1e9,
            // Single letters stand directly after the digits, or beside a currency. A dollar behind "5 m" may end a
            // formula.
            _ if hyphen == 0
                && (blank == at || currency || is_currency(text.at(to)) && text.at(to) != '$') =>
            {
                match word.as_str() {
                    "k" => 1e3,
                    "m" | "mm" => 1e6,
                    "b" => 1e9,
                    "t" if currency => 1e12,
                    "cr" => 1e7,
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some((scale, to))
    }
}
