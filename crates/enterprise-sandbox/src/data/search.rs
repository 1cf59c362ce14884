//! Full-text search: one immutable index per source, built when it is first used, and shared by all
//! episodes of a company. It contains all records, so it only returns which rows contain which
//! words, and how often. The caller drops the rows that the person may not read, and then ranks the
//! rest.
//!
//! Ranking is BM25 with the matching records as its collection: the rarity of a word and the
//! average length of a text are computed over the records that the person may read and that contain
//! one of the words. With statistics over a whole source, records that a person may not read would
//! influence the order of the visible ones. Ties, after rounding away the last digits of the score,
//! go to the lower row number.
//!
//! ```text
//!  query ─► words ─► SearchIndex: rows that contain them ─┐
//!                    written rows, read from the overlay ─┴─► rows the person may read ─► rank ─► best first
//! ```
//!
//! What this guarantees:
//!
//! - The order and the number of results that a person gets depend only on records that the person
//!   may read. Two companies that differ in hidden records give the same answer.
//! - The index is built from the company alone. A row that was written in this episode is taken
//!   from the overlay and split into words on the spot; the words of both are counted by the same
//!   function.
//! - Results are the same on every platform: scores are rounded before they are compared.
//!
//! A word is a run of letters and digits in lower case, shorter than 40 bytes. At most 32 different
//! words of a query count. There is no stemming, no list of common words and no phrase search;
//! common words weigh little.

use crate::data::company::Company;
use crate::data::tables::TableId;
use crate::data::value::{row_no, texts};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Maximum number of different words of a query that are used.
const MOST_WORDS: usize = 32;
/// Words of this length and longer ones are not indexed \[bytes\]; they are checksums and the like.
const LONG_WORD: usize = 40;

/// The inverted index of numbered texts.
///
/// It is written here because the crates `bm25` and `probly-search` rank against statistics of all
/// texts. Here a rank may depend on readable texts alone, so that the index only has to say which
/// texts contain a word, how often, and how long they are.
#[derive(Debug, Default)]
struct Texts {
    /// Row of each text.
    rows: Vec<u32>,
    /// Length of each text, rounded.
    lengths: Vec<u32>,
    /// Number in `postings` of each word.
    words: BTreeMap<String, usize>,
    /// Of each word, the texts that contain it, in their order, with the number of occurrences.
    postings: Vec<Vec<(u32, u32)>>,
}

/// A text that contains words of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    /// Its row.
    pub(crate) row: u32,
    /// Number of occurrences of each word of the query.
    counts: Vec<u32>,
    /// Its length in words, rounded as in the index.
    length: u32,
}

impl Hit {
    /// A hit for a text that is not indexed; `None` if the text contains none of the words.
    pub(crate) fn of(row: u32, text: &str, words: &[String]) -> Option<Self> {
        let mut counts = vec![0; words.len()];
        let mut length = 0;
        each_word(text, |word| {
            length += 1;
            for (count, _) in counts.iter_mut().zip(words).filter(|(_, w)| *w == word) {
                *count += 1;
            }
        });
        counts.iter().any(|n| *n > 0).then_some(Self {
            row,
            counts,
            length: rounded(length),
        })
    }
}

/// Texts with their rounded scores, best first. The scores depend on these texts alone: records without any
/// of the words would change the rarity of all words by nearly the same factor, but they may be hidden from
/// the person.
pub(crate) fn rank(hits: &[Hit]) -> Vec<(i64, u32)> {
    let texts = hits.iter().map(|hit| (hit.counts.as_slice(), hit.length));
    let scores = sim_core::bm25::scores(texts);
    // Rounded, so that sums that differ in their last bits only are ties, and ties go to the lower row.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a sum of at most 32 terms below 60"
    )]
    let rounded = |(score, hit): (f64, &Hit)| ((score * 1e4).round() as i64, hit.row);
    let mut ranked: Vec<(i64, u32)> = scores.into_iter().zip(hits).map(rounded).collect();
    ranked.sort_unstable_by_key(|(score, row)| (std::cmp::Reverse(*score), *row));
    ranked
}

/// A length in words, rounded down: exact up to 40, then to four binary digits of the part above 24.
/// Texts of nearly equal length rank alike.
fn rounded(length: u32) -> u32 {
    // Two texts that differ in length by a few words, for instance by the name in a greeting, would
    // otherwise rank in an order that nobody can explain. Steps of at most an eighth keep the
    // weight of the length.
    const EXACT: u32 = 24;
    let above = length.saturating_sub(EXACT);
    let dropped = (u32::BITS - above.leading_zeros()).saturating_sub(4);
    length - (above - (above >> dropped << dropped))
}

impl Texts {
    /// Indexes texts.
    fn new(texts: impl Iterator<Item = (u32, String)>) -> Self {
        let mut index = Self::default();
        for ((row, text), number) in texts.zip(0u32..) {
            let mut length = 0;
            each_word(&text, |word| {
                length += 1;
                index.count(number, word);
            });
            index.rows.push(row);
            index.lengths.push(rounded(length));
        }
        index
    }

    /// Counts an occurrence of a word in the last text, which has this number.
    fn count(&mut self, text: u32, word: &str) {
        let known = self.words.get(word).copied();
        let n = known.unwrap_or_else(|| {
            self.words.insert(word.to_owned(), self.postings.len());
            self.postings.push(Vec::new());
            self.postings.len() - 1
        });
        let Some(postings) = self.postings.get_mut(n) else {
            return;
        };
        match postings.last_mut() {
            Some((last, count)) if *last == text => *count += 1,
            _ => postings.push((text, 1)),
        }
    }

    /// Of each word, the texts that contain it, with the number of occurrences.
    fn postings(&self, words: &[String]) -> Vec<&[(u32, u32)]> {
        let of = |word| self.postings.get(*self.words.get(word)?);
        let each = words
            .iter()
            .map(|word| of(word).map_or(&[][..], Vec::as_slice));
        each.collect()
    }

    /// Rows of the texts that contain at least one of the words, in order.
    fn rows(&self, words: &[String]) -> Vec<u32> {
        let lists = self.postings(words);
        let mut texts: Vec<u32> = lists.into_iter().flatten().map(|(text, _)| *text).collect();
        // The lists are sorted: a stable sort merges them in linear time.
        texts.sort();
        texts.dedup();
        let rows = texts
            .into_iter()
            .map(|text| self.rows.get(text as usize).copied());
        rows.flatten().collect()
    }

    /// The hits among these rows.
    fn hits(&self, words: &[String], rows: &[u32]) -> Vec<Hit> {
        let lists = self.postings(words);
        let hit = |row: &u32| {
            let at = self.rows.binary_search(row).ok()?;
            let text = row_no(at);
            let count = |list: &&[(u32, u32)]| {
                let at = list.binary_search_by_key(&text, |(text, _)| *text).ok()?;
                list.get(at).map(|(_, count)| *count)
            };
            let counts: Vec<u32> = lists.iter().map(|list| count(list).unwrap_or(0)).collect();
            counts.iter().any(|n| *n > 0).then_some(Hit {
                row: *row,
                counts,
                length: *self.lengths.get(at)?,
            })
        };
        rows.iter().filter_map(hit).collect()
    }
}

/// Passes on the words of a text in order, in lower case, as they are indexed: runs of letters and
/// digits.
fn each_word(text: &str, mut take: impl FnMut(&str)) {
    let mut lower = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if (1..LONG_WORD).contains(&word.len()) {
            lower.clear();
            lower.extend(word.chars().flat_map(char::to_lowercase));
            take(&lower);
        }
    }
}

/// The different words of a query, in order.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    each_word(text, |word| {
        if words.len() < MOST_WORDS && words.iter().all(|w| w != word) {
            words.push(word.to_owned());
        }
    });
    words
}

/// The searchable text of a record, from its fields.
pub(crate) fn searched_text(source: TableId, get: impl Fn(&'static str) -> Value) -> String {
    let mut out = String::new();
    for field in source.fields().iter().filter(|f| f.searched) {
        out.push_str(&texts(&get(field.name)).join(" "));
        out.push('\n');
    }
    out
}

/// The search indexes of a company.
///
/// One index per source, and one over the sections of policy documents. Building the index of a
/// source reads and renders all its texts once, so the first search in a source takes longer than
/// the following ones. Share one `SearchIndex` per company behind an `Arc`, as
/// [`Office`](crate::tools::office::Office) does; it must not be used with another company.
#[derive(Debug, Default)]
pub struct SearchIndex {
    sources: BTreeMap<TableId, OnceLock<Texts>>,
    sections: OnceLock<Texts>,
}

impl SearchIndex {
    /// Indexes that are built on first use.
    #[must_use]
    pub fn new() -> Self {
        Self {
            sources: TableId::ALL
                .into_iter()
                .map(|s| (s, OnceLock::new()))
                .collect(),
            sections: OnceLock::new(),
        }
    }

    /// The index of a source, built now if this is its first use.
    fn of(&self, c: &Company, source: TableId) -> Option<&Texts> {
        let slot = self.sources.get(&source)?;
        // Concurrent episodes share the index. The first one that searches a source builds it, and
        // others that need it at that moment wait for it instead of building their own.
        Some(slot.get_or_init(|| {
            let rows = 0..c.rows(source);
            Texts::new(rows.map(|row| {
                (
                    row,
                    searched_text(source, |field| c.cell(source, row, field)),
                )
            }))
        }))
    }

    /// Rows of the records of the company that contain words of the query, in order. The caller drops those
    /// that a person may not read, and ranks the [`hits`](Self::hits) among the rest.
    pub(crate) fn rows(&self, c: &Company, source: TableId, words: &[String]) -> Vec<u32> {
        self.of(c, source)
            .map(|texts| texts.rows(words))
            .unwrap_or_default()
    }

    /// The hits among these rows of a source. A common word is in many more records than a person may read, so
    /// only those are looked at in detail.
    pub(crate) fn hits(
        &self,
        c: &Company,
        source: TableId,
        words: &[String],
        rows: &[u32],
    ) -> Vec<Hit> {
        self.of(c, source)
            .map(|texts| texts.hits(words, rows))
            .unwrap_or_default()
    }

    /// Sections of policy documents that contain words of the query, in order; the row of a hit is its index
    /// in [`places`].
    pub(crate) fn sections(&self, c: &Company, words: &[String]) -> Vec<Hit> {
        let texts = self.sections.get_or_init(|| {
            let all = places(c)
                .zip(0u32..)
                .filter_map(|((row, n), place)| Some((place, section_text(c, row, n)?)));
            Texts::new(all)
        });
        texts.hits(words, &texts.rows(words))
    }
}

/// The searchable text of a section of a policy document.
pub(crate) fn section_text(c: &Company, row: u32, n: usize) -> Option<String> {
    let (policy, section) = (c.policies.get(row as usize)?, c.section(row, n)?);
    let rules = section.rules.join("\n");
    Some(format!("{}\n{}\n{rules}", policy.title, section.heading))
}

/// Every section of the policy documents: row of the document and number of the section.
pub(crate) fn places(c: &Company) -> impl Iterator<Item = (u32, usize)> {
    c.policies
        .iter()
        .zip(0u32..)
        .flat_map(|(policy, row)| (0..policy.sections.len()).map(move |n| (row, n)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_lower_row() {
        let texts = ["red fox", "blue fox", "red hen", "nothing"];
        let index = Texts::new(texts.iter().zip(5u32..).map(|(t, n)| (n, (*t).to_owned())));
        let rows = |q: &str| {
            let asked = words(q);
            rank(&index.hits(&asked, &index.rows(&asked)))
                .into_iter()
                .map(|h| h.1)
                .collect::<Vec<_>>()
        };
        assert_eq!(rows("fox"), [5, 6]);
        assert_eq!(rows("RED hen"), [7, 5]);
        assert!(rows("zebra").is_empty());
        assert_eq!(words("A-b, a B?"), ["a", "b"]);
    }

    #[test]
    fn a_text_counts_the_same_inside_an_index_and_outside() {
        let long = "red ".repeat(70) + "hen";
        let texts = ["red fox", "a hen, the red hen", long.as_str()];
        let index = Texts::new(texts.iter().zip(0u32..).map(|(t, n)| (n, (*t).to_owned())));
        let asked = words("red hen owl");
        let outside: Vec<Hit> = texts
            .iter()
            .zip(0u32..)
            .filter_map(|(t, n)| Hit::of(n, t, &asked))
            .collect();
        assert_eq!(index.hits(&asked, &index.rows(&asked)), outside);
        let last = outside.get(2..).unwrap();
        assert_eq!(index.hits(&asked, &[2, 9]), last);
        assert!(index.hits(&words("owl"), &[0, 1, 2]).is_empty());
        assert_eq!(Hit::of(0, "blue fox", &asked), None);
    }

    #[test]
    fn lengths_are_rounded_down_in_steps_that_grow() {
        for (length, want) in [
            (0, 0),
            (39, 39),
            (40, 40),
            (41, 40),
            (55, 54),
            (57, 56),
            (59, 56),
            (88, 88),
            (95, 88),
            (1_000_000, 983_064),
        ] {
            assert_eq!(rounded(length), want, "{length}");
        }
    }

    #[test]
    fn words_are_runs_of_letters_and_digits_below_forty_bytes() {
        let long = "x".repeat(40);
        assert_eq!(words("Éa_B2 ΣΑΣ"), ["éa", "b2", "σασ"]);
        assert_eq!(words(&format!("{long} {}", &long[1..])), [&long[1..]]);
        let many: String = (0..50).map(|n| format!("w{n} ")).collect();
        assert_eq!(words(&many).len(), MOST_WORDS);
    }

    /// Computed by hand: two texts of two words, "red" in both (rarity ln 1.2), "hen" in one
    /// (rarity ln 2); at average length a word that occurs once contributes its rarity.
    #[test]
    fn scores_by_hand() {
        let asked = words("red hen");
        let hits = ["red hen", "red fox"];
        let hits = hits.iter().zip(0u32..);
        let ranked = rank(
            &hits
                .filter_map(|(t, n)| Hit::of(n, t, &asked))
                .collect::<Vec<_>>(),
        );
        assert_eq!(ranked, [(8_755, 0), (1_823, 1)]);
    }
}
