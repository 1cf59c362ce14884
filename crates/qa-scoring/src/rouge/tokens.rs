//! Cutting text into words: runs of a to z and 0 to 9 in the lower-cased text.

use super::porter::{Stemming, stem};

/// Padding after the text, so that sixteen bytes can be read from any word's start.
const PAD: usize = 64;

/// For every byte its lower-case letter or digit, and 0 for everything else.
const LOWER: [u8; 256] = lower_table();

const fn lower_table() -> [u8; 256] {
    let mut table = [0_u8; 256];
    let mut b = 0_u8;
    loop {
        if b.is_ascii_alphanumeric() {
            #[expect(clippy::indexing_slicing, reason = "a byte is an index of 256 entries")]
            {
                table[b as usize] = b.to_ascii_lowercase();
            }
        }
        if b == u8::MAX {
            return table;
        }
        b += 1;
    }
}

/// A text in lower case with 0 for everything outside words, and the positions of the words.
#[derive(Debug, Clone, Default)]
pub(super) struct Lowered {
    bytes: Vec<u8>,
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Lowered {
    /// Reads a text. A text is truncated at 4 GiB.
    pub(super) fn read(&mut self, text: &str) {
        self.bytes.clear();
        self.bytes.reserve(text.len() + PAD);
        if has_special(text.as_bytes()) {
            self.push_slowly(text);
        } else {
            self.bytes.extend(
                text.bytes()
                    .map(|b| LOWER.get(usize::from(b)).copied().unwrap_or(0)),
            );
        }
        let end = self.bytes.len().min(u32::MAX as usize - PAD);
        self.bytes.truncate(end);
        // Whole blocks, and zeros behind them, which close a word at the very end.
        let padded = end.next_multiple_of(64) + PAD;
        self.bytes.resize(padded, 0);
        self.find_words();
    }

    /// Two characters outside ASCII have an ASCII letter in their lower case: the Kelvin sign
    /// becomes k, and the capital I with a dot becomes an i followed by a combining dot, which ends
    /// the word.
    fn push_slowly(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '\u{212A}' => self.bytes.push(b'k'),
                'İ' => self.bytes.extend([b'i', 0]),
                c if c.is_ascii() => self.bytes.push(
                    u8::try_from(c)
                        .ok()
                        .and_then(|b| LOWER.get(usize::from(b)).copied())
                        .unwrap_or(0),
                ),
                _ => self.bytes.push(0),
            }
        }
    }

    /// Finds words 64 bytes at a time: one bit per byte, then the positions where the bit changes.
    fn find_words(&mut self) {
        self.starts.clear();
        self.ends.clear();
        let mut inside = 0_u64;
        let mut base = 0_u32;
        let (blocks, _) = self.bytes.as_chunks::<64>();
        for block in blocks {
            // A word starts at a 1 after a 0 and ends at a 0 after a 1; `inside` is the last bit of
            // the previous block.
            let word = word_bits(block);
            let shifted = (word << 1) | inside;
            inside = word >> 63;
            let mut opens = word & !shifted;
            while opens != 0 {
                self.starts.push(base + opens.trailing_zeros());
                opens &= opens - 1;
            }
            let mut closes = !word & shifted;
            while closes != 0 {
                self.ends.push(base + closes.trailing_zeros());
                closes &= closes - 1;
            }
            base += 64;
        }
    }

    /// Start and end of every word.
    pub(super) fn spans(&self) -> impl Iterator<Item = (usize, usize)> {
        self.starts
            .iter()
            .zip(&self.ends)
            .map(|(&start, &end)| (super::counts::index(start), super::counts::index(end)))
    }

    /// Number of words.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The bytes of a word.
    pub(super) fn word(&self, start: usize, end: usize) -> &[u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// The sixteen bytes from a word's start on.
    pub(super) fn sixteen(&self, start: usize) -> (u64, u64) {
        match self.bytes.get(start..).and_then(<[u8]>::first_chunk::<16>) {
            Some(chunk) => {
                let both = u128::from_le_bytes(*chunk);
                let low = both & u128::from(u64::MAX);
                (
                    u64::try_from(low).unwrap_or(0),
                    u64::try_from(both >> 64).unwrap_or(0),
                )
            }
            None => (0, 0),
        }
    }
}

/// Whether the Kelvin sign (E2 84 AA) or the dotted capital I (C4 B0) may occur.
fn has_special(bytes: &[u8]) -> bool {
    // Most texts have neither first byte; only otherwise the whole sequences are searched for.
    let suspect = bytes.iter().fold(0_u8, |seen, &b| {
        seen | u8::from(b == 0xE2) | u8::from(b == 0xC4)
    });
    suspect != 0
        && (bytes.windows(3).any(|w| w == [0xE2, 0x84, 0xAA])
            || bytes.windows(2).any(|w| w == [0xC4, 0xB0]))
}

/// One bit for each of 64 bytes, set where the byte is not 0. Every byte is below 0x80.
fn word_bits(block: &[u8; 64]) -> u64 {
    let (eights, _) = block.as_chunks::<8>();
    eights.iter().rev().fold(0, |bits, eight| {
        // Adding 0x7f sets the top bit of a byte unless the byte is 0; bytes below 0x80 do not
        // carry into the next one.
        let filled = u64::from_le_bytes(*eight).wrapping_add(0x7f7f_7f7f_7f7f_7f7f);
        // A multiplication gathers the top bits of all eight bytes in one byte.
        let tops = (filled >> 7) & 0x0101_0101_0101_0101;
        (bits << 8) | (tops.wrapping_mul(0x0102_0408_1020_4080) >> 56)
    })
}

/// The words of a text as the package's tokeniser gives them.
///
/// ```
/// use qa_scoring::rouge::{Stemming, words};
/// assert_eq!(words("$1,234.50 Revenue", Stemming::Off), ["1", "234", "50", "revenue"]);
/// assert_eq!(words("running flies", Stemming::Porter), ["run", "fli"]);
/// assert_eq!(words("résumé", Stemming::Off), ["r", "sum"]);
/// ```
#[must_use]
pub fn words(text: &str, stemming: Stemming) -> Vec<String> {
    let mut lowered = Lowered::default();
    lowered.read(text);
    lowered
        .spans()
        .map(|(start, end)| {
            let word: String = lowered
                .word(start, end)
                .iter()
                .map(|&b| char::from(b))
                .collect();
            match stemming {
                Stemming::Porter if word.len() > 3 => stem(&word),
                _ => word,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_characters_outside_ascii_have_an_ascii_letter_in_lower_case() {
        let found: Vec<char> = ('\u{80}'..=char::MAX)
            .filter(|c| c.to_lowercase().any(|l| l.is_ascii_alphanumeric()))
            .collect();
        assert_eq!(found, ['İ', '\u{212A}']);
    }

    #[test]
    fn words_across_block_borders() {
        for length in [1, 7, 8, 9, 15, 16, 17, 62, 63, 64, 65, 127, 128, 129] {
            let text = "x".repeat(length);
            assert_eq!(words(&text, Stemming::Off), [text.as_str()]);
            let two = format!("{text} {text}");
            assert_eq!(words(&two, Stemming::Off), [text.as_str(), text.as_str()]);
        }
        assert_eq!(words("5\u{212A}a İx", Stemming::Off), ["5ka", "i", "x"]);
        assert!(words("中文 é", Stemming::Off).is_empty());
    }
}
