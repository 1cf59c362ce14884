//! Porter's suffix stripping, in the variant of the NLTK toolkit.
//!
//! M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980. The variant differs in
//! these points: a table of irregular words; words of one or two letters stay; "ies" and "ied" keep
//! the e in words of four letters (dies, died); y becomes i only after a consonant that is not the
//! first letter; "bli" replaces "abli"; "alli" is tried first and its result goes through the
//! step again; "fulli" and "logi" are added; the short-word test also holds for vowel and consonant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether words are reduced to their stems before they are compared.
///
/// The BizCompass paper does not say; the set that EDTSUM comes from does not stem, so `Off` is the
/// default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Stemming {
    /// Words as they are.
    #[default]
    Off,
    /// Porter's stemmer on words of more than three characters.
    Porter,
}

/// Irregular words and what they become.
const IRREGULAR: [(&str, &str); 16] = [
    ("sky", "sky"),
    ("skies", "sky"),
    ("dying", "die"),
    ("lying", "lie"),
    ("tying", "tie"),
    ("news", "news"),
    ("innings", "inning"),
    ("inning", "inning"),
    ("outings", "outing"),
    ("outing", "outing"),
    ("cannings", "canning"),
    ("canning", "canning"),
    ("howe", "howe"),
    ("proceed", "proceed"),
    ("exceed", "exceed"),
    ("succeed", "succeed"),
];

/// A suffix, what takes its place, and what must hold for the rest of the word.
type Rule = (&'static str, &'static str, fn(&[u8]) -> bool);

const STEP_2: [Rule; 22] = [
    // The first suffix that fits decides, so a longer one stands before its own end: `ational`
    // before `tional`, `ization` before `ation`.
    ("ational", "ate", has_measure),
    ("tional", "tion", has_measure),
    ("enci", "ence", has_measure),
    ("anci", "ance", has_measure),
    ("izer", "ize", has_measure),
    ("bli", "ble", has_measure),
    ("alli", "al", has_measure),
    ("entli", "ent", has_measure),
    ("eli", "e", has_measure),
    ("ousli", "ous", has_measure),
    ("ization", "ize", has_measure),
    ("ation", "ate", has_measure),
    ("ator", "ate", has_measure),
    ("alism", "al", has_measure),
    ("iveness", "ive", has_measure),
    ("fulness", "ful", has_measure),
    ("ousness", "ous", has_measure),
    ("aliti", "al", has_measure),
    ("iviti", "ive", has_measure),
    ("biliti", "ble", has_measure),
    ("fulli", "ful", has_measure),
    ("logi", "log", has_measure_with_l),
];

const STEP_3: [Rule; 7] = [
    ("icate", "ic", has_measure),
    ("ative", "", has_measure),
    ("alize", "al", has_measure),
    ("iciti", "ic", has_measure),
    ("ical", "ic", has_measure),
    ("ful", "", has_measure),
    ("ness", "", has_measure),
];

const STEP_4: [Rule; 19] = [
    ("al", "", has_long_measure),
    ("ance", "", has_long_measure),
    ("ence", "", has_long_measure),
    ("er", "", has_long_measure),
    ("ic", "", has_long_measure),
    ("able", "", has_long_measure),
    ("ible", "", has_long_measure),
    ("ant", "", has_long_measure),
    // Each of these three ends in the one behind it, so the longest stands first here too.
    ("ement", "", has_long_measure),
    ("ment", "", has_long_measure),
    ("ent", "", has_long_measure),
    ("ion", "", has_long_measure_and_s_or_t),
    ("ou", "", has_long_measure),
    ("ism", "", has_long_measure),
    ("ate", "", has_long_measure),
    ("iti", "", has_long_measure),
    ("ous", "", has_long_measure),
    ("ive", "", has_long_measure),
    ("ize", "", has_long_measure),
];

/// The stem of a word in lower case.
///
/// ```
/// use qa_scoring::rouge::stem;
/// assert_eq!(stem("relational"), "relat");
/// assert_eq!(stem("flies"), "fli");
/// assert_eq!(stem("dies"), "die");
/// ```
#[must_use]
pub fn stem(word: &str) -> String {
    let mut out = Vec::with_capacity(word.len() + 1);
    stem_bytes(word.as_bytes(), &mut out);
    // Suffixes are ASCII, so cutting them cannot split a character.
    String::from_utf8(out).unwrap_or_default()
}

/// Replaces `out` by the stem of `word`.
pub(super) fn stem_bytes(word: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let irregular = IRREGULAR
        .iter()
        .find(|(from, _)| from.as_bytes() == word)
        .map(|(_, to)| to.as_bytes());
    if let Some(stem) = irregular {
        out.extend_from_slice(stem);
        return;
    }
    out.extend_from_slice(word);
    if word.len() <= 2 {
        return;
    }
    plurals(out);
    past_and_progressive(out);
    final_y(out);
    double_suffixes(out);
    apply(out, &STEP_3);
    apply(out, &STEP_4);
    final_e(out);
    final_l(out);
}

/// Step 1a.
fn plurals(word: &mut Vec<u8>) {
    if word.len() == 4 && word.ends_with(b"ies") {
        word.pop();
    } else {
        let always: fn(&[u8]) -> bool = |_| true;
        apply(
            word,
            &[
                ("sses", "ss", always),
                ("ies", "i", always),
                // Changes nothing, and keeps the next rule from taking the s of `loss`.
                ("ss", "ss", always),
                ("s", "", always),
            ],
        );
    }
}

/// Step 1b.
fn past_and_progressive(word: &mut Vec<u8>) {
    // `ied` and `eed` decide alone: such a word is not looked at for `ed`, which both end in.
    if word.ends_with(b"ied") {
        let keep = word.len() - if word.len() == 4 { 1 } else { 2 };
        word.truncate(keep);
        return;
    }
    if let Some(rest) = word.strip_suffix(b"eed") {
        if measure(rest) > 0 {
            word.pop();
        }
        return;
    }
    let rest = [b"ed".as_slice(), b"ing"]
        .into_iter()
        .filter_map(|suffix| word.strip_suffix(suffix))
        .find(|rest| has_vowel(rest))
        .map(<[u8]>::len);
    let Some(length) = rest else {
        return;
    };
    word.truncate(length);
    // The cut may have taken too much: an e is put back (`creat`ing), a consonant that was doubled
    // before the ending is taken off (`hopp`ing).
    if word.ends_with(b"at") || word.ends_with(b"bl") || word.ends_with(b"iz") {
        word.push(b'e');
    } else if ends_in_double_consonant(word) {
        // These three are double in the word itself: fall, hiss, fizz.
        if !word.ends_with(b"l") && !word.ends_with(b"s") && !word.ends_with(b"z") {
            word.pop();
        }
    } else if measure(word) == 1 && is_short(word) {
        word.push(b'e');
    }
}

/// Step 1c.
fn final_y(word: &mut [u8]) {
    let [rest @ .., last @ b'y'] = word else {
        return;
    };
    if rest.len() > 1 && kinds(rest).last() == Some(true) {
        *last = b'i';
    }
}

/// Step 2, with its rule for "alli" first.
fn double_suffixes(word: &mut Vec<u8>) {
    if let Some(rest) = word.strip_suffix(b"alli")
        && has_measure(rest)
    {
        word.truncate(word.len() - 2);
    }
    apply(word, &STEP_2);
}

/// Step 5a.
fn final_e(word: &mut Vec<u8>) {
    if let Some(rest) = word.strip_suffix(b"e")
        && (measure(rest) > 1 || (measure(rest) == 1 && !is_short(rest)))
    {
        word.pop();
    }
}

/// Step 5b.
fn final_l(word: &mut Vec<u8>) {
    if word.ends_with(b"ll") && measure(word.strip_suffix(b"l").unwrap_or_default()) > 1 {
        word.pop();
    }
}

/// Applies the first rule whose suffix the word has; when its condition fails, none is applied.
fn apply(word: &mut Vec<u8>, rules: &[Rule]) {
    for (suffix, replacement, holds) in rules {
        if let Some(rest) = word.strip_suffix(suffix.as_bytes()) {
            if holds(rest) {
                let length = rest.len();
                word.truncate(length);
                word.extend_from_slice(replacement.as_bytes());
            }
            return;
        }
    }
}

/// For every letter whether it is a consonant: not a, e, i, o, u, and y not after a consonant.
fn kinds(word: &[u8]) -> impl Iterator<Item = bool> + '_ {
    let mut previous = None;
    word.iter().map(move |b| {
        let consonant = match b {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => previous.is_none_or(|p: bool| !p),
            _ => true,
        };
        previous = Some(consonant);
        consonant
    })
}

/// How often a consonant follows a vowel.
fn measure(word: &[u8]) -> usize {
    let mut previous_is_vowel = false;
    let mut count = 0;
    for consonant in kinds(word) {
        count += usize::from(consonant && previous_is_vowel);
        previous_is_vowel = !consonant;
    }
    count
}

fn has_measure(rest: &[u8]) -> bool {
    measure(rest) > 0
}

/// The l of "logi" belongs to the stem, so that "geologi" and "theologi" are treated alike.
fn has_measure_with_l(rest: &[u8]) -> bool {
    let mut stem = rest.to_vec();
    stem.push(b'l');
    measure(&stem) > 0
}

fn has_long_measure(rest: &[u8]) -> bool {
    measure(rest) > 1
}

fn has_long_measure_and_s_or_t(rest: &[u8]) -> bool {
    measure(rest) > 1 && (rest.ends_with(b"s") || rest.ends_with(b"t"))
}

fn has_vowel(word: &[u8]) -> bool {
    kinds(word).any(|consonant| !consonant)
}

fn ends_in_double_consonant(word: &[u8]) -> bool {
    matches!(word, [.., a, b] if a == b) && kinds(word).last() == Some(true)
}

/// Consonant, vowel, consonant at the end, the last not w, x or y; or just vowel and consonant.
fn is_short(word: &[u8]) -> bool {
    let kinds: Vec<bool> = kinds(word).collect();
    match kinds.as_slice() {
        [false, true] => true,
        [.., true, false, true] => !matches!(word.last(), Some(b'w' | b'x' | b'y')),
        _ => false,
    }
}
