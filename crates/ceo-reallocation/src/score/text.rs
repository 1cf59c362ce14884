//! Marks for the words of a rationale, in one pass over the text.
//!
//! Text is minor evidence by design: all of it is worth at most 12 points of R and 5 of H, so
//! stuffing a rationale with words cannot carry a bad plan.

use super::WordScores;
use super::compiled::{Compiled, Moves, UnitSet};
use crate::scenario::Unit;
use crate::scoring::{Lexicon, ScoringConfig};

/// Marks for the words of a rationale.
///
/// It says what is in the text; [`Scorer::wording`](super::Scorer::wording) turns it into
/// points for a plan.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TextMarks {
    /// Advisors named anywhere, one bit each in the order of [`Officer::ALL`](crate::scenario::Officer::ALL).
    pub advisors: u8,
    /// The best sentence that sets one thing against another: 0 none, 1 names at most one
    /// advisor, 2 names two or more.
    pub tension: u8,
    /// Whether any sentence gives a reason or an order of importance.
    pub priority: bool,
    /// Units named in such sentences, one bit each in the order of ids.
    pub priority_units: u8,
    /// Whether earlier rounds are referred to.
    pub earlier: bool,
    /// Units named anywhere, one bit each.
    pub units: u8,
}

const ADVISORS: u32 = 0b1111;
const TENSION: u32 = 1 << 4;
const PRIORITY: u32 = 1 << 5;
const EARLIER: u32 = 1 << 6;
/// First of the bits for units.
const UNITS_FROM: u32 = 8;

/// Everything that is searched for in a scenario, by first byte.
#[derive(Debug, Clone)]
pub(crate) struct Vocabulary {
    /// Lower-case patterns with what they stand for, sorted by first byte.
    patterns: Vec<(Box<str>, u32)>,
    /// Start of the patterns with each first byte; one more entry than bytes.
    begins: Box<[u16; 257]>,
}

impl Vocabulary {
    pub(crate) fn new(units: &[&Unit], lexicon: &Lexicon) -> Self {
        let mut patterns: Vec<(Box<str>, u32)> = Vec::new();
        let mut push = |text: &str, bits: u32| {
            let text = text.trim().to_lowercase();
            if !text.is_empty() {
                patterns.push((text.into_boxed_str(), bits));
            }
        };
        let lists = [
            (&lexicon.cfo, 1),
            (&lexicon.cto, 1 << 1),
            (&lexicon.coo, 1 << 2),
            (&lexicon.cmo, 1 << 3),
            (&lexicon.tension, TENSION),
            (&lexicon.priority, PRIORITY),
            (&lexicon.earlier, EARLIER),
        ];
        for (words, bits) in lists {
            for word in words {
                push(word, bits);
            }
        }
        // An id alone is not searched for: `A` is also a word.
        for (bit, unit) in (UNITS_FROM..).zip(units) {
            push(&unit.name, 1 << bit);
            push(&format!("{} {}", lexicon.unit, unit.id), 1 << bit);
        }
        let first = |text: &str| text.bytes().next().unwrap_or(0);
        patterns.sort_by_key(|(text, _)| first(text));
        let mut begins = Box::new([0; 257]);
        for (byte, begin) in begins.iter_mut().enumerate() {
            let before = patterns.partition_point(|(text, _)| usize::from(first(text)) < byte);
            *begin = u16::try_from(before).unwrap_or(u16::MAX);
        }
        Self { patterns, begins }
    }

    fn starting_with(&self, byte: u8) -> &[(Box<str>, u32)] {
        let byte = usize::from(byte);
        match self.begins.get(byte..byte + 2) {
            Some(&[from, to]) => self
                .patterns
                .get(usize::from(from)..usize::from(to))
                .unwrap_or_default(),
            _ => &[],
        }
    }

    /// Reads a rationale.
    ///
    /// # Complexity
    /// Linear in the text for a fixed vocabulary.
    pub(crate) fn read(&self, rationale: &str) -> TextMarks {
        let mut text = rationale.to_owned();
        // In place where that is possible: most rationales are ASCII, and other lower cases may
        // need a second text.
        if text.is_ascii() {
            text.make_ascii_lowercase();
        } else {
            text = text.to_lowercase();
        }
        let mut marks = TextMarks::default();
        let mut sentence = 0;
        let mut inside_word = false;
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let is_word = c.is_alphanumeric();
            if !inside_word {
                let rest = text.get(at..).unwrap_or_default();
                let first = rest.bytes().next().unwrap_or(0);
                // Patterns are tried only at the beginning of a word or at a sign before it (`.NET`),
                // and only those with this first byte, so most words cost one table look-up.
                for (pattern, bits) in self.starting_with(first) {
                    let whole = rest
                        .strip_prefix(&**pattern)
                        .is_some_and(|after| !after.starts_with(char::is_alphanumeric));
                    if whole {
                        sentence |= bits;
                    }
                }
            }
            inside_word = is_word;
            // A stop with no white space behind it stands in a number or an abbreviation.
            let ends = c == '\n'
                || matches!(c, '.' | '!' | '?' | ';')
                    && chars.peek().is_some_and(|(_, next)| next.is_whitespace());
            if ends {
                marks.take(sentence);
                sentence = 0;
            }
        }
        marks.take(sentence);
        marks
    }
}

impl TextMarks {
    /// Adds what one sentence contains.
    fn take(&mut self, sentence: u32) {
        // The units are the second byte, because their bits begin at `UNITS_FROM`.
        let [low, units, ..] = sentence.to_le_bytes();
        let advisors = sentence & ADVISORS;
        self.advisors |= low & 0b1111;
        self.units |= units;
        self.earlier |= sentence & EARLIER != 0;
        if sentence & TENSION != 0 {
            self.tension = self
                .tension
                .max(if advisors.count_ones() >= 2 { 2 } else { 1 });
        }
        if sentence & PRIORITY != 0 {
            self.priority = true;
            self.priority_units |= units;
        }
    }
}

/// Worth of words under a plan.
pub(crate) fn wording(
    c: &Compiled,
    config: &ScoringConfig,
    words: &TextMarks,
    moves: &Moves,
    has_refs: bool,
) -> WordScores {
    let lexical = &config.role.words;
    let moved_from = config.move_tolerance_pp - config.eps_pp;
    let mut moved: UnitSet = 0;
    for (index, delta) in moves.deltas().iter().enumerate() {
        moved |= u8::from(delta.abs() >= moved_from) << index;
    }
    let named = f64::from(words.advisors.count_ones()) / f64::from(lexical.advisors_needed.max(1));
    let tension = match words.tension {
        0 => 0.0,
        1 => lexical.weak_sentence,
        _ => 1.0,
    };
    let priority = match (words.priority, words.priority_units & moved != 0) {
        (false, _) => 0.0,
        (true, false) => lexical.weak_sentence,
        (true, true) => 1.0,
    };
    let mut consistency = 0.0;
    if c.has_history && (words.earlier || has_refs) {
        consistency += config.history.reference_bonus;
        if words.units & c.moved_before != 0 {
            consistency += config.history.unit_bonus;
        }
    }
    WordScores {
        lexical: lexical.advisors * named.min(1.0)
            + lexical.tension * tension
            + lexical.priority * priority,
        consistency,
    }
}
