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

use crate::company::Company;
use crate::source::TableId;
use crate::value::{row_no, scalar_text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use tantivy::directory::RamDirectory;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::Postings as _;
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TokenizerManager;
use tantivy::{DocSet as _, Index, IndexReader, ReloadPolicy, TERMINATED, TantivyDocument, Term};

/// Maximum number of different words of a query that are used.
const MOST_WORDS: usize = 32;
/// Memory budget of the index writers \[bytes\]: for a company's index and for an episode's.
const LARGE: usize = 64 << 20;
const SMALL: usize = 3 << 20;

/// An index over numbered texts.
struct Texts {
    reader: IndexReader,
    field: Field,
    /// Row of each text.
    rows: Vec<u32>,
}

impl std::fmt::Debug for Texts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Texts")
            .field("rows", &self.rows.len())
            .finish_non_exhaustive()
    }
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
        let tokens = tokens(text);
        let counts: Vec<u32> = words
            .iter()
            .map(|w| row_no(tokens.iter().filter(|t| *t == w).count()))
            .collect();
        let length = FieldNormReader::fieldnorm_to_id(row_no(tokens.len()));
        counts.iter().any(|n| *n > 0).then_some(Self {
            row,
            counts,
            length: FieldNormReader::id_to_fieldnorm(length),
        })
    }
}

/// Saturation of repeated words and weight of the length (BM25, the usual values).
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Texts with their rounded scores, best first. The scores depend on these texts alone.
pub(crate) fn rank(hits: Vec<Hit>) -> Vec<(i64, u32)> {
    let n = f64::from(row_no(hits.len()));
    let length = hits.iter().map(|h| f64::from(h.length)).sum::<f64>();
    let mean = (length / n.max(1.0)).max(1.0);
    let words = hits.first().map_or(0, |h| h.counts.len());
    let rarity: Vec<f64> = (0..words)
        .map(|w| {
            let with = hits.iter().filter(|h| h.counts.get(w) > Some(&0)).count();
            let with = f64::from(row_no(with));
            sim_core::math::ln(1.0 + (n - with + 0.5) / (with + 0.5))
        })
        .collect();
    let mut ranked: Vec<(i64, u32)> = hits
        .into_iter()
        .map(|hit| {
            let long = K1 * (1.0 - B + B * f64::from(hit.length) / mean);
            let score: f64 = hit
                .counts
                .iter()
                .zip(&rarity)
                .map(|(count, rarity)| {
                    let count = f64::from(*count);
                    rarity * count * (K1 + 1.0) / (count + long)
                })
                .sum();
            // Rounded, so that sums that differ in their last bits only are ties, and ties go to the
            // lower row.
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a sum of at most 32 terms below 60"
            )]
            let score = (score * 1e4).round() as i64;
            (score, hit.row)
        })
        .collect();
    ranked.sort_unstable_by_key(|(score, row)| (std::cmp::Reverse(*score), *row));
    ranked
}

impl Texts {
    /// Indexes texts; `None` if there are none.
    fn new(texts: impl Iterator<Item = (u32, String)>, budget: usize) -> Option<Self> {
        let mut schema = Schema::builder();
        let words = TextFieldIndexing::default()
            .set_tokenizer("default")
            .set_index_option(IndexRecordOption::WithFreqs);
        let field =
            schema.add_text_field("text", TextOptions::default().set_indexing_options(words));
        // One segment, written on this thread: document numbers follow the order of the texts.
        let mut writer = Index::builder()
            .schema(schema.build())
            .single_segment_index_writer::<TantivyDocument>(RamDirectory::default(), budget)
            .ok()?;
        let mut rows = Vec::new();
        for (row, text) in texts {
            let mut document = TantivyDocument::default();
            document.add_text(field, text);
            writer.add_document(document).ok()?;
            rows.push(row);
        }
        if rows.is_empty() {
            return None;
        }
        let index = writer.finalize().ok()?;
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()
            .ok()?;
        Some(Self {
            reader,
            field,
            rows,
        })
    }

    /// Texts that contain at least one of the words, in the order of their rows. The index is in memory
    /// and complete, so an error of the library means no hits.
    fn hits(&self, words: &[String]) -> Vec<Hit> {
        self.read(words).unwrap_or_default()
    }

    /// Reads the postings of each word. The library's own ranking is not used: it would take its word
    /// statistics from all texts, also from those that the person may not read.
    fn read(&self, words: &[String]) -> tantivy::Result<Vec<Hit>> {
        // (document, word, count): by document once sorted.
        let mut found: Vec<(u32, usize, u32)> = Vec::new();
        let searcher = self.reader.searcher();
        let Some(segment) = searcher.segment_readers().first() else {
            return Ok(Vec::new());
        };
        let lengths = segment.get_fieldnorms_reader(self.field)?;
        let index = segment.inverted_index(self.field)?;
        for (n, word) in words.iter().enumerate() {
            let term = Term::from_field_text(self.field, word);
            let Some(mut postings) = index.read_postings(&term, IndexRecordOption::WithFreqs)?
            else {
                continue;
            };
            while postings.doc() != TERMINATED {
                found.push((postings.doc(), n, postings.term_freq()));
                postings.advance();
            }
        }
        found.sort_unstable();
        let mut hits: Vec<Hit> = Vec::new();
        for group in found.chunk_by(|a, b| a.0 == b.0) {
            let mut counts = vec![0; words.len()];
            for (_, word, count) in group {
                if let Some(slot) = counts.get_mut(*word) {
                    *slot = *count;
                }
            }
            let doc = group.first().map_or(0, |g| g.0);
            if let Some(row) = self.rows.get(doc as usize) {
                let length = lengths.fieldnorm(doc);
                hits.push(Hit {
                    row: *row,
                    counts,
                    length,
                });
            }
        }
        Ok(hits)
    }
}

/// The words of a text in order, in lower case, as they are indexed.
fn tokens(text: &str) -> Vec<String> {
    let Some(mut tokenizer) = TokenizerManager::default().get("default") else {
        return Vec::new();
    };
    let mut stream = tokenizer.token_stream(text);
    let mut out = Vec::new();
    while let Some(token) = stream.next() {
        out.push(token.text.clone());
    }
    out
}

/// The different words of a query, in order.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let different = tokens(text)
        .into_iter()
        .filter(|word| seen.insert(word.clone()));
    different.take(MOST_WORDS).collect()
}

/// The searchable text of a record, from its fields.
pub(crate) fn searched_text(source: TableId, get: impl Fn(&'static str) -> Value) -> String {
    let mut out = String::new();
    for field in source.fields().iter().filter(|f| f.searched) {
        let value = get(field.name);
        let text = match &value {
            Value::Array(list) => list
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(" "),
            other => scalar_text(other).unwrap_or_default(),
        };
        out.push_str(&text);
        out.push('\n');
    }
    out
}

/// The search indexes of a company.
#[derive(Debug, Default)]
pub struct SearchIndex {
    sources: BTreeMap<TableId, OnceLock<Option<Texts>>>,
    sections: OnceLock<Option<Texts>>,
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

    fn of(&self, c: &Company, source: TableId) -> Option<&Texts> {
        let slot = self.sources.get(&source)?;
        slot.get_or_init(|| {
            let rows = 0..c.rows(source);
            Texts::new(
                rows.map(|row| {
                    (
                        row,
                        searched_text(source, |field| c.cell(source, row, field)),
                    )
                }),
                LARGE,
            )
        })
        .as_ref()
    }

    /// Records of the company that contain words of the query, in the order of their rows. The
    /// caller drops those that a person may not read and then ranks the rest.
    pub(crate) fn hits(&self, c: &Company, source: TableId, words: &[String]) -> Vec<Hit> {
        self.of(c, source)
            .map(|t| t.hits(words))
            .unwrap_or_default()
    }

    /// Sections of policy documents that contain words of the query, by document row and section
    /// number; the row of a hit is its index in [`places`].
    pub(crate) fn sections(&self, c: &Company, words: &[String]) -> Vec<(Hit, u32, usize)> {
        let texts = self.sections.get_or_init(|| {
            let all = places(c).zip(0u32..).filter_map(|((row, n), place)| {
                let policy = c.policies.get(row as usize)?;
                let section = policy.sections.get(n)?;
                let rules = section.rules.join("\n");
                let text = format!("{}\n{}\n{rules}", policy.title, section.heading);
                Some((place, text))
            });
            Texts::new(all, SMALL)
        });
        let hits = texts.as_ref().map(|t| t.hits(words)).unwrap_or_default();
        let places: Vec<(u32, usize)> = places(c).collect();
        hits.into_iter()
            .filter_map(|hit| {
                let (row, n) = *places.get(hit.row as usize)?;
                Some((hit, row, n))
            })
            .collect()
    }
}

/// Every section of the policy documents: row of the document and number of the section.
fn places(c: &Company) -> impl Iterator<Item = (u32, usize)> {
    c.policies
        .iter()
        .zip(0u32..)
        .flat_map(|(policy, row)| (0..policy.sections.len()).map(move |n| (row, n)))
}

/// Number of documents in an index of `source` after it was built; for benches and tests.
#[must_use]
pub fn indexed(index: &SearchIndex, c: &Company, source: TableId) -> u32 {
    index.of(c, source).map_or(0, |t| row_no(t.rows.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_lower_row() {
        let texts = ["red fox", "blue fox", "red hen", "nothing"];
        let index = Texts::new(
            texts.iter().zip(5u32..).map(|(t, n)| (n, (*t).to_owned())),
            SMALL,
        )
        .unwrap();
        let rows = |q: &str| {
            rank(index.hits(&words(q)))
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
        let index = Texts::new(
            texts.iter().zip(0u32..).map(|(t, n)| (n, (*t).to_owned())),
            SMALL,
        )
        .unwrap();
        let asked = words("red hen owl");
        let outside: Vec<Hit> = texts
            .iter()
            .zip(0u32..)
            .filter_map(|(t, n)| Hit::of(n, t, &asked))
            .collect();
        assert_eq!(index.hits(&asked), outside);
        assert_eq!(Hit::of(0, "blue fox", &asked), None);
    }

    /// Computed by hand: two texts of two words, "red" in both (rarity ln 1.2), "hen" in one
    /// (rarity ln 2); at average length a word that occurs once contributes its rarity.
    #[test]
    fn scores_by_hand() {
        let asked = words("red hen");
        let hits = ["red hen", "red fox"];
        let hits = hits.iter().zip(0u32..);
        let ranked = rank(hits.filter_map(|(t, n)| Hit::of(n, t, &asked)).collect());
        assert_eq!(ranked, [(8_755, 0), (1_823, 1)]);
    }
}
