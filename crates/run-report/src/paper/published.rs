//! Figures that papers print, as data: one file per paper, with the place of each figure.
//!
//! The first line names the columns: `table`, `row`, `column` and `printed`, and for tables that compare also
//! `tolerance` and `expect`, in any order. A comment line begins with `#`. The figures are texts, so that they keep the
//! digits of the paper.

use super::compare::{Allowed, value};
use super::spec::{Spec, known, listed};
use super::table::{PaperRow, PaperRowOrigin, PaperTable};
use std::collections::{BTreeMap, BTreeSet};

/// The columns that a file of figures has.
const NEEDED: [&str; 4] = ["table", "row", "column", "printed"];

/// The columns that it may have besides.
const FURTHER: [&str; 2] = ["tolerance", "expect"];

/// The places of the columns by their names.
///
/// # Errors
/// Says which column is unknown, missing or named twice.
fn columns(head: &csv::StringRecord) -> Result<BTreeMap<&str, usize>, String> {
    let names = NEEDED.into_iter().chain(FURTHER).collect();
    let mut places = BTreeMap::new();
    for (at, name) in head.iter().map(str::trim).enumerate() {
        known("column", name, &names)?;
        if places.insert(name, at).is_some() {
            return Err(format!("the column `{name}` is named twice"));
        }
    }
    let missing = NEEDED.into_iter().find(|name| !places.contains_key(name));
    missing.map_or(Ok(places), |name| {
        Err(format!(
            "there is no column `{name}`; a figure has {}",
            NEEDED.join(", ")
        ))
    })
}

/// The printed figures of a paper.
#[derive(Debug, Clone, Default)]
pub(super) struct Published {
    cells: BTreeMap<(String, String, String), String>,
    /// What is allowed of the figures of tables that compare.
    allowed: BTreeMap<(String, String, String), Allowed>,
    /// Rows of each table, in the order of the file.
    rows: Vec<(String, String)>,
    /// The same rows, to find one of them.
    held: BTreeSet<(String, String)>,
}

impl Published {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// Says which line is not a figure, and why: left out, it would be missing in its table without a word.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut found = Self::default();
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .flexible(true)
            .from_reader(text.as_bytes());
        let head = reader.headers().map_err(|e| e.to_string())?.clone();
        let columns = columns(&head).map_err(|e| format!("first line: {e}"))?;
        let fields = head.len();
        // As CSV and not split at commas: names of rows and printed figures may hold some.
        for record in reader.records() {
            let record = record.map_err(|e| e.to_string())?;
            let line = record.position().map_or(0, csv::Position::line);
            let at = |e: String| format!("line {line}: {e}");
            if record.len() != fields {
                let held = record.len();
                return Err(at(format!("it has {held} fields, the first line {fields}")));
            }
            // A column that may be absent is like an empty one.
            let field = |name: &str| {
                let field = columns.get(name).and_then(|at| record.get(*at));
                field.map_or("", str::trim)
            };
            let [table, row, column, printed] = NEEDED.map(field);
            if found.get(table, row, column).is_some() {
                return Err(at(format!("{table}, {row}, {column} has two figures")));
            }
            let [tolerance, expect] = FURTHER.map(field);
            let key = [table, row, column].map(str::to_owned).into();
            let allowed = Allowed::read(tolerance, expect).map_err(at)?;
            found.allowed.insert(key, allowed);
            found.add([table, row, column, printed].map(str::to_owned));
        }
        Ok(found)
    }

    /// Checks that the figures of tables that compare are numbers; others also have words and shares (`12 to 14`, `2/12`).
    pub(super) fn check(&self, spec: &Spec) -> Result<(), String> {
        let tables = spec.tables.iter().filter(|table| table.compare.is_some());
        let compared: BTreeSet<&str> = tables.map(|table| table.place.as_str()).collect();
        let wrong = self.cells.iter().find(|((place, ..), printed)| {
            compared.contains(place.as_str()) && value(printed).is_none()
        });
        wrong.map_or(Ok(()), |((place, row, column), printed)| {
            Err(format!(
                "{place}, {row}, {column}: `{printed}` is not a number, and the table compares its figures"
            ))
        })
    }

    /// Adds a figure with its table, row and column.
    pub(super) fn add(&mut self, [table, row, column, printed]: [String; 4]) {
        let key = (table.clone(), row.clone());
        // A list beside the map, which would sort the rows by name.
        if self.held.insert(key.clone()) {
            self.rows.push(key);
        }
        self.cells.insert((table, row, column), printed);
    }

    /// The figure at a place, as printed.
    pub(super) fn get(&self, table: &str, row: &str, column: &str) -> Option<&str> {
        let key = (table.to_owned(), row.to_owned(), column.to_owned());
        self.cells.get(&key).map(String::as_str)
    }

    /// What is allowed of the figure at a place.
    pub(super) fn allowed(&self, table: &str, row: &str, column: &str) -> Allowed {
        let key = (table.to_owned(), row.to_owned(), column.to_owned());
        self.allowed.get(&key).cloned().unwrap_or_default()
    }

    /// The figures that stand in none of `tables`, each with what its table lacks.
    pub(super) fn misplaced(&self, spec: &Spec, tables: &[PaperTable]) -> Vec<String> {
        // Once for each place and not for each figure: a file may hold thousands of them.
        let mut found: BTreeMap<&str, (BTreeSet<&str>, BTreeSet<String>)> = BTreeMap::new();
        for table in tables {
            let (columns, rows) = found.entry(&table.place).or_default();
            columns.extend(table.columns.iter().map(String::as_str));
            let name = |row: &PaperRow| match row.origin {
                PaperRowOrigin::Runs => row.key.clone(),
                // Without a verdict, so that a check would pass without them.
                PaperRowOrigin::Paper if table.compare.is_some() => None,
                PaperRowOrigin::Paper => Some(row.labels.join(", ")),
            };
            rows.extend(table.rows.iter().filter_map(name));
        }
        let of = |(place, row, column): &(String, String, String)| {
            let at = |what: String| Some(format!("{place}, {row}, {column}: {what}"));
            let of_spec = spec.tables.iter().find(|table| table.place == *place);
            let Some((of_spec, (columns, rows))) = of_spec.zip(found.get(place.as_str())) else {
                let places: Vec<&str> = found.keys().copied().collect();
                return at(format!(
                    "there is no such table; there are {}",
                    listed(&places, ", ")
                ));
            };
            if !columns.contains(column.as_str()) {
                let columns: Vec<&str> = columns.iter().copied().collect();
                return at(format!(
                    "there is no such column; there are {}",
                    listed(&columns, ", ")
                ));
            }
            // A row without a figure of ours is left out there, so it may be one of the spec.
            let leaves_out = of_spec.skip_empty && of_spec.compare.is_none();
            if !rows.contains(row) && !leaves_out {
                let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
                return at(format!(
                    "there is no such row; there are {}",
                    listed(&rows, "; ")
                ));
            }
            None
        };
        self.cells.keys().filter_map(of).collect()
    }

    /// Names of the rows of a table, in the order of the file.
    pub(super) fn rows<'a>(&'a self, table: &'a str) -> impl Iterator<Item = &'a str> {
        let rows = self.rows.iter().filter(move |(held, _)| held == table);
        rows.map(|(_, row)| row.as_str())
    }
}

/// Whether an agent of ours (`openai:gpt-4o-2024-11-20`, also with a method after it) is the model that a
/// paper calls `printed` (`GPT-4o`): equal words in any order and equal numbers, apart from a provider in
/// front and a date at the end of either name. Two different dates are two models. An agent is also what has its very
/// name, such as a policy.
pub(super) fn is_model(agent: &str, printed: &str) -> bool {
    if agent == printed {
        return true;
    }
    // A method and options may follow the name.
    let agent = agent.split([' ', ',']).next().unwrap_or(agent);
    let model = agent.split_once(':').map_or("", |(_, model)| model);
    let (ours, our_date) = name_and_date(model);
    let (theirs, their_date) = name_and_date(printed);
    let are_dates_equal = our_date.is_empty() || their_date.is_empty() || our_date == their_date;
    theirs != PlainName::default() && ours == theirs && are_dates_equal
}

/// A name of a model without its signs.
#[derive(Debug, Default, PartialEq, Eq)]
struct PlainName {
    /// Its words in lower case, sorted: `Claude 4 Opus` is `claude-opus-4`.
    words: Vec<String>,
    /// Its numbers in their order, because 4.1 is not 1.4.
    numbers: Vec<String>,
}

/// A name without the provider in front of a slash, and the digits of a date at its end: `2024-11-20` or
/// `20241120` after a separator.
fn name_and_date(name: &str) -> (PlainName, String) {
    let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let parts: Vec<&str> = name
        .split(|sign: char| !sign.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect();
    let is_date = |parts: &[&str], lengths: &[usize]| {
        parts.len() == lengths.len()
            && parts.iter().zip(lengths).all(|(part, length)| {
                part.len() == *length && part.bytes().all(|digit| digit.is_ascii_digit())
            })
    };
    for lengths in [&[4, 2, 2][..], &[8][..]] {
        let at = parts.len().saturating_sub(lengths.len());
        let (name, date) = parts.split_at(at);
        // A name that consists of a date is a name.
        if !name.is_empty() && is_date(date, lengths) {
            return (plain(name), date.concat());
        }
    }
    (plain(&parts), String::new())
}

/// The words and numbers of `parts`, each of letters and digits: `llama3` is a word and a number.
fn plain(parts: &[&str]) -> PlainName {
    let mut found = PlainName::default();
    for part in parts {
        let pieces = part
            .as_bytes()
            .chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
        for piece in pieces {
            let text = String::from_utf8_lossy(piece).into_owned();
            if piece.iter().all(u8::is_ascii_digit) {
                found.numbers.push(text);
            } else {
                found.words.push(text);
            }
        }
    }
    // The words of one model stand in different orders; the numbers do not.
    found.words.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::super::compare::Verdict;
    use super::*;

    #[test]
    fn figures_keep_their_digits_and_rows_their_order() {
        let published = Published::read(
            "table,row,column,printed\n# a remark\nTable 2,\"B, hard\",score,72.80\nTable 2,A,score,-4.5\n",
        )
        .unwrap();
        assert_eq!(published.get("Table 2", "B, hard", "score"), Some("72.80"));
        assert_eq!(published.get("Table 2", "A", "score"), Some("-4.5"));
        assert_eq!(published.get("Table 3", "A", "score"), None);
        assert_eq!(
            published.rows("Table 2").collect::<Vec<_>>(),
            ["B, hard", "A"]
        );
    }

    #[test]
    fn a_line_that_is_not_a_figure_is_named() {
        let four = "table,row,column,printed\nTable 1,a,score,1\n";
        let six = "table,row,column,printed,tolerance,expect\n";
        for (head, line, fact) in [
            (four, "Table 1,x,score", "line 3"),
            (four, "Table 1,\"x,score,5\nTable 1,y,score,6", "line 3"),
            (four, "Table 1,a,score,2", "two figures"),
            ("table,row,column\n", "Table 1,x,score", "printed"),
            ("", "Table 1,x,score,5", "`Table 1`"),
            (
                "table,row,column,printed,tolernce\n",
                "Table 1,x,score,5,1",
                "`tolernce`",
            ),
            (
                "table,row,column,printed,note\n",
                "Table 1,x,score,5,a",
                "`note`",
            ),
            (
                "table,row,row,column,printed\n",
                "Table 1,x,x,score,5",
                "`row`",
            ),
            (
                "table,row,column,printed,tolerance\n",
                "Table 1,x,score,5,abc",
                "abc",
            ),
            (
                "table,row,column,printed,expect\n",
                "Table 1,x,score,5,diff",
                "`diff`",
            ),
            (six, "Table 1,x,score,5,abc,", "abc"),
            (six, "Table 1,x,score,5,-1,", "-1"),
            (six, "Table 1,x,score,5,,diffres", "diffres"),
        ] {
            let error = Published::read(&format!("{head}{line}\n")).unwrap_err();
            assert!(error.contains(fact), "{line}: {error}");
        }
    }

    /// Columns are read by their names, wherever they stand, and each of the further ones may be alone.
    #[test]
    fn columns_are_read_by_name() {
        let allowed = |tolerance, expect| Allowed { tolerance, expect };
        for (head, line, wanted) in [
            (
                "table,row,column,printed,tolerance",
                "T,a,c,1,5",
                allowed(Some(5.0), None),
            ),
            (
                "table,row,column,printed,expect",
                "T,a,c,1,differs",
                allowed(None, Some(Verdict::Differs)),
            ),
            (
                "printed,expect,tolerance,column,table,row",
                "1,corrected,0.5,c,T,a",
                allowed(Some(0.5), Some(Verdict::Corrected)),
            ),
        ] {
            let read = Published::read(&format!("{head}\n{line}\n")).unwrap();
            assert_eq!(read.get("T", "a", "c"), Some("1"), "{head}");
            assert_eq!(read.allowed("T", "a", "c"), wanted, "{head}");
        }
    }

    /// No line of the files is of another form, and no figure stands twice.
    #[test]
    fn every_line_of_the_files_is_a_figure() {
        for (name, text) in [
            ("ceo", include_str!("../../papers/ceo.csv")),
            ("markets", include_str!("../../papers/markets.csv")),
            ("office", include_str!("../../papers/office.csv")),
            ("strategic", include_str!("../../papers/strategic.csv")),
        ] {
            let lines = text.lines().skip(1).filter(|line| !line.starts_with('#'));
            let read = Published::read(text).unwrap();
            assert_eq!(read.cells.len(), lines.count(), "{name}");
        }
        let strategic = Published::read(include_str!("../../papers/strategic.csv")).unwrap();
        let best = strategic.get("Table 1", "Complex Reasoning, Consulting", "GEPA");
        assert_eq!(best, Some("0.882"));
    }

    #[test]
    fn models_are_known_by_name_and_date() {
        for (agent, printed, same) in [
            ("openai:gpt-4o", "GPT-4o", true),
            ("openai:gpt-4o-2024-11-20", "GPT-4o", true),
            ("openai:openai/gpt-oss-20b", "GPT-OSS-20B", true),
            ("openai:gpt-4o direct", "GPT-4o", true),
            (
                "openai:gpt-4o dc (retrieve=3), planning react",
                "GPT-4o",
                true,
            ),
            ("openai:gpt-5", "GPT-5-2025-08-07", true),
            ("anthropic:claude-opus-4-20250514", "Claude-Opus-4", true),
            (
                "files:claude-opus-4-20250514",
                "Claude 4 Opus-20250514",
                true,
            ),
            (
                "files:claude-3-7-sonnet-20250219-thinking",
                "Claude 3.7 Sonnet-20250219-thinking",
                true,
            ),
            ("files:grok-4-0709", "Grok4-0709", true),
            ("openai:Qwen/QwQ-32B", "Qwen/QwQ-32B", true),
            (
                "files:claude-sonnet-4-20250514",
                "Claude 4 Opus-20250514",
                false,
            ),
            ("openai:gpt-1.4", "GPT-4.1", false),
            ("openai:gpt-5.1-2025-11-13", "GPT-5", false),
            ("openai:gpt-4o-2024-05-13", "GPT-4o-2024-11-20", false),
            ("openai:gpt-4o-mini", "GPT-4o", false),
            ("openai:gpt-4.1", "GPT-4", false),
            ("random", "GPT-4o", false),
            ("random", "random", true),
        ] {
            assert_eq!(is_model(agent, printed), same, "{agent} {printed}");
        }
    }
}
