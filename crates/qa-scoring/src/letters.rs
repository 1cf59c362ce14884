//! Option letters as a set.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A set of option letters A to Z.
///
/// Order and repetition have no meaning in an answer, so "B, A, B" and "AB" are the same set.
///
/// ```
/// use qa_scoring::LetterSet;
/// let set: LetterSet = "CA".chars().collect();
/// assert_eq!(set.to_string(), "A,C");
/// assert_eq!(set.len(), 2);
/// assert!(set.within(3) && !set.within(2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LetterSet(u32);

impl LetterSet {
    /// The empty set.
    pub const EMPTY: Self = Self(0);

    /// The set of one letter given by its place, 0 for A; empty beyond Z.
    #[must_use]
    pub fn of_index(index: usize) -> Self {
        match u32::try_from(index) {
            Ok(index @ 0..=25) => Self(1 << index),
            _ => Self::EMPTY,
        }
    }

    /// The set of one letter of either case; empty for any other character.
    #[must_use]
    pub fn of_letter(letter: char) -> Self {
        if letter.is_ascii_alphabetic() {
            let place = u32::from(letter.to_ascii_uppercase()) - u32::from('A');
            Self(1 << place)
        } else {
            Self::EMPTY
        }
    }

    /// Adds every letter of `other`.
    pub fn insert(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Number of letters.
    #[must_use]
    pub fn len(self) -> usize {
        usize::try_from(self.0.count_ones()).unwrap_or(0)
    }

    /// Whether there is no letter in it.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether every letter is one of the first `options`.
    ///
    /// The empty set is within every number of options.
    #[must_use]
    pub fn within(self, options: usize) -> bool {
        // First the number: a shift by all bits of the type is an error.
        options >= 26 || self.0 >> options == 0
    }

    /// Number of options that an item needs for these letters: the index of the last letter plus 1.
    #[must_use]
    pub fn span(self) -> usize {
        usize::try_from(u32::BITS - self.0.leading_zeros()).unwrap_or(0)
    }

    /// The letters in both.
    #[must_use]
    pub fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether `letter` is in it.
    #[must_use]
    pub fn contains(self, letter: char) -> bool {
        let one = Self::of_letter(letter);
        !one.is_empty() && self.common(one) == one
    }

    /// The letters in order.
    pub fn iter(self) -> impl Iterator<Item = char> {
        ('A'..='Z').filter(move |&letter| self.contains(letter))
    }

    /// The only letter, when there is exactly one.
    #[must_use]
    pub fn single(self) -> Option<char> {
        (self.len() == 1).then(|| self.iter().next()).flatten()
    }
}

impl FromIterator<char> for LetterSet {
    fn from_iter<T: IntoIterator<Item = char>>(letters: T) -> Self {
        let mut set = Self::EMPTY;
        for letter in letters {
            set.insert(Self::of_letter(letter));
        }
        set
    }
}

impl fmt::Display for LetterSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, letter) in self.iter().enumerate() {
            if k > 0 {
                f.write_str(",")?;
            }
            write!(f, "{letter}")?;
        }
        Ok(())
    }
}

impl Serialize for LetterSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LetterSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut set = Self::EMPTY;
        // Its own text only: a file with "AC" was written by something else.
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let mut letters = part.chars();
            match (letters.next(), letters.next()) {
                (Some(letter @ 'A'..='Z'), None) => set.insert(Self::of_letter(letter)),
                _ => {
                    return Err(serde::de::Error::custom(format!(
                        "`{part}` is not an option letter A to Z"
                    )));
                }
            }
        }
        Ok(set)
    }
}

/// The letter of a right answer that is one letter, in upper or lower case (`"b"`).
pub(crate) fn right_letter(text: &str) -> Option<char> {
    only_letter(&text.to_ascii_uppercase())
}

/// The letter of a text that is one capital.
pub(crate) fn only_letter(text: &str) -> Option<char> {
    let mut letters = text.trim().chars();
    let letter = letters.next().filter(char::is_ascii_uppercase)?;
    letters.next().is_none().then_some(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_read_back() {
        let set: LetterSet = ['D', 'a', 'D'].into_iter().collect();
        let text = serde_json::to_string(&set).unwrap();
        assert_eq!(text, "\"A,D\"");
        assert_eq!(serde_json::from_str::<LetterSet>(&text).unwrap(), set);
        assert!(serde_json::from_str::<LetterSet>("\"AB\"").is_err());
        assert_eq!(LetterSet::of_index(26), LetterSet::EMPTY);
        assert_eq!(LetterSet::of_letter('1'), LetterSet::EMPTY);
        assert_eq!(LetterSet::of_index(3).single(), Some('D'));
    }
}
