//! Full-text search: one immutable index a source, built when it is first asked, shared by all
//! episodes of a company; rows that an episode wrote are searched in a second, tiny index.
//!
//! Ranking is BM25; ties, after rounding away the last digits of the score, go to the lower row
//! number. Scores are not shown to agents.

use crate::company::Company;
use crate::source::Source;
use crate::value::{row_no, scalar_text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::directory::RamDirectory;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TokenizerManager;
use tantivy::{
    DocId, Index, IndexReader, ReloadPolicy, Score, SegmentOrdinal, SegmentReader, TantivyDocument,
    Term,
};

/// Most different words of a query that are used.
const MOST_WORDS: usize = 32;
/// Memory that the writers' tables are laid out for (bytes): a company's and an episode's.
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

/// All hits with their scores.
struct AllHits;

struct Hits(Vec<(Score, DocId)>);

impl Collector for AllHits {
    type Fruit = Vec<(Score, DocId)>;
    type Child = Hits;

    fn for_segment(&self, _: SegmentOrdinal, _: &SegmentReader) -> tantivy::Result<Hits> {
        Ok(Hits(Vec::new()))
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, hits: Vec<Self::Fruit>) -> tantivy::Result<Self::Fruit> {
        Ok(hits.into_iter().flatten().collect())
    }
}

impl SegmentCollector for Hits {
    type Fruit = Vec<(Score, DocId)>;

    fn collect(&mut self, doc: DocId, score: Score) {
        self.0.push((score, doc));
    }

    fn harvest(self) -> Self::Fruit {
        self.0
    }
}

impl Texts {
    /// Indexes texts; `None` when there is none.
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

    /// Rows that hold at least one of the words, best first.
    fn search(&self, words: &[String]) -> Vec<(i64, u32)> {
        let clauses: Vec<(Occur, Box<dyn Query>)> = words
            .iter()
            .map(|w| {
                let term = Term::from_field_text(self.field, w);
                let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
                (Occur::Should, Box::new(query) as Box<dyn Query>)
            })
            .collect();
        let found = self
            .reader
            .searcher()
            .search(&BooleanQuery::new(clauses), &AllHits);
        let mut hits: Vec<(i64, u32)> = found
            .unwrap_or_default()
            .into_iter()
            .filter_map(|(score, doc)| {
                #[expect(clippy::cast_possible_truncation, reason = "scores are small")]
                let score = (f64::from(score) * 1e4).round() as i64;
                Some((score, *self.rows.get(doc as usize)?))
            })
            .collect();
        hits.sort_unstable_by_key(|(score, row)| (std::cmp::Reverse(*score), *row));
        hits
    }
}

/// The words of a text, lower case, as they are indexed.
pub(crate) fn words(text: &str) -> Vec<String> {
    let Some(mut tokenizer) = TokenizerManager::default().get("default") else {
        return Vec::new();
    };
    let mut stream = tokenizer.token_stream(text);
    let (mut seen, mut out) = (BTreeSet::new(), Vec::new());
    while let Some(token) = stream.next() {
        if seen.insert(token.text.clone()) && out.len() < MOST_WORDS {
            out.push(token.text.clone());
        }
    }
    out
}

/// Searched text of a record, from its fields.
pub(crate) fn searched_text(source: Source, get: impl Fn(&'static str) -> Value) -> String {
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
    sources: BTreeMap<Source, OnceLock<Option<Texts>>>,
    sections: OnceLock<Option<Texts>>,
}

impl SearchIndex {
    /// Indexes that are built when they are first used.
    #[must_use]
    pub fn new() -> Self {
        Self {
            sources: Source::ALL
                .into_iter()
                .map(|s| (s, OnceLock::new()))
                .collect(),
            sections: OnceLock::new(),
        }
    }

    fn of(&self, c: &Company, source: Source) -> Option<&Texts> {
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

    /// Rows of the company with words of the query, best first, with their rounded scores.
    pub(crate) fn search(&self, c: &Company, source: Source, words: &[String]) -> Vec<(i64, u32)> {
        self.of(c, source)
            .map(|t| t.search(words))
            .unwrap_or_default()
    }

    /// Sections of policy documents with words of the query, best first: document row and section
    /// number.
    pub(crate) fn sections(&self, c: &Company, words: &[String]) -> Vec<(i64, u32, usize)> {
        let texts = self.sections.get_or_init(|| {
            let all = c.policies.iter().zip(0u32..).flat_map(|(policy, row)| {
                policy.sections.iter().zip(0u32..).map(move |(section, n)| {
                    let text = format!(
                        "{}\n{}\n{}",
                        policy.title,
                        section.heading,
                        section.rules.join("\n")
                    );
                    (row * 64 + n, text)
                })
            });
            Texts::new(all, SMALL)
        });
        let hits = texts.as_ref().map(|t| t.search(words)).unwrap_or_default();
        hits.into_iter()
            .map(|(score, key)| (score, key / 64, (key % 64) as usize))
            .collect()
    }
}

/// Searches texts that were written in an episode.
pub(crate) fn search_written(texts: Vec<(u32, String)>, words: &[String]) -> Vec<(i64, u32)> {
    Texts::new(texts.into_iter(), SMALL)
        .map(|t| t.search(words))
        .unwrap_or_default()
}

/// Number of documents in an index of `source` after it was built; for benches and tests.
#[must_use]
pub fn indexed(index: &SearchIndex, c: &Company, source: Source) -> u32 {
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
            index
                .search(&words(q))
                .into_iter()
                .map(|h| h.1)
                .collect::<Vec<_>>()
        };
        assert_eq!(rows("fox"), [5, 6]);
        assert_eq!(rows("RED hen"), [7, 5]);
        assert!(rows("zebra").is_empty());
        assert_eq!(words("A-b, a B?"), ["a", "b"]);
    }
}
