//! What a program without a language model can take from a request: pieces that look like an id, a
//! date, a name or a quotation, the arguments of reads that they fit, and facts from records.
//!
//! The built-in policies that work without hidden knowledge (`greedy` and the numbered
//! [`menu`](crate::menu)) choose their calls with it. It is deliberately simple: a request says
//! `emp_0042`, a date, a name or a quoted title, and a read has an argument of that type. How far
//! this gets is the score of the policy `greedy`, a lower bound that a model should beat.
//!
//! ```text
//!  "When did Ada Berg join?" ─► Pieces ─► arguments of each read, with a score ─► best call
//!                                                                      record ─► facts for the requested keys
//! ```

use crate::data::tables::TableId;
use crate::data::value::{Day, MONTHS};
use crate::observation::Observation;
use crate::tasks::FactKind;
use crate::tools::{ArgBinding, Filter, OfficeTool};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The typed pieces of a request, each in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// Ids of people (`emp_0042`).
    pub(crate) people: Vec<String>,
    /// Other words with digits, slashes or underscores.
    pub(crate) ids: Vec<String>,
    /// Days, `YYYY-MM-DD`.
    pub(crate) dates: Vec<String>,
    /// Two capitalised words in a row.
    pub(crate) names: Vec<String>,
    /// Patterns for products that are named by their model, as `M-219`.
    pub(crate) models: Vec<String>,
    /// Texts between quotation marks.
    pub(crate) quotes: Vec<String>,
    /// All words, in lower case, without a final `s`.
    words: BTreeSet<String>,
}

impl Pieces {
    /// Takes a request apart.
    pub(crate) fn of(text: &str) -> Self {
        let mut out = Self::default();
        let quotes = text.split('"').skip(1).step_by(2);
        out.quotes.extend(quotes.map(str::to_owned));
        let mut run: Vec<&str> = Vec::new();
        let ends = |c: char| !c.is_alphanumeric();
        let plain: Vec<&str> = text
            .split_whitespace()
            .map(|raw| raw.trim_matches(ends))
            .collect();
        for three in plain.windows(3) {
            if let [day, month, year] = three {
                out.dates.extend(said_date(day, month, year));
            }
        }
        for raw in text.split_whitespace() {
            let word = raw.trim_matches(ends);
            let word = word.strip_suffix("'s").unwrap_or(word);
            let capital = word.chars().next().is_some_and(char::is_uppercase);
            let letters = word.chars().all(char::is_alphabetic);
            if capital && letters && word.len() > 1 {
                run.push(word);
            } else {
                run.clear();
            }
            // Runs of three names give two pairs. The reader takes the last one, because requests
            // begin with words such as "Please" that are capitalised too.
            if let [.., given, family] = run.as_slice() {
                out.names.push(format!("{given} {family}"));
            }
            if raw.ends_with(['.', '?', '!', ',']) {
                run.clear();
            }
            if word
                .strip_prefix("M-")
                .is_some_and(|n| n.parse::<u32>().is_ok())
            {
                out.models.push(format!("* {word}"));
            }
            let digits = word.chars().filter(char::is_ascii_digit).count();
            if word.starts_with("emp_") {
                out.people.push(word.to_owned());
            } else if Day::parse(word).is_some() {
                out.dates.push(word.to_owned());
            } else if digits > 0 || word.contains(['/', '_']) {
                out.ids.push(word.to_owned());
            }
            out.words
                .insert(word.to_lowercase().trim_end_matches('s').to_owned());
        }
        out
    }

    /// Arguments of a read from the pieces, with the number of words and arguments that fit; `None`
    /// if none fits. `me` is the persona's id.
    pub(crate) fn arguments(&self, tool: &OfficeTool, me: &str) -> Option<(usize, Value)> {
        let mut out = Map::new();
        let mut score = 0;
        let about = format!(
            "{} {}",
            tool.name.replace('_', " "),
            tool.about.to_lowercase()
        );
        for word in about
            .split(|c: char| !c.is_alphanumeric())
            .filter(|w| w.len() > 3)
        {
            score += usize::from(self.words.contains(word.trim_end_matches('s')));
        }
        for arg in tool.args {
            let value = match arg.binding {
                ArgBinding::Key if tool.source == TableId::Employees => self.people.first(),
                ArgBinding::Key | ArgBinding::Repo | ArgBinding::IssueId => self.ids.first(),
                ArgBinding::Filter(Filter::Link(_) | Filter::Participant) => self.people.first(),
                ArgBinding::Filter(Filter::From(_) | Filter::To(_)) => self.dates.first(),
                // Filters on other fields would need a guess about which word of the request is
                // meant.
                ArgBinding::Filter(Filter::Same("Name" | "customer_name" | "business_name")) => {
                    self.names.last()
                }
                ArgBinding::Filter(Filter::Wildcard(_)) => self.models.first(),
                ArgBinding::Query => self.quotes.first(),
                _ => None,
            };
            // Names of repositories have a slash and ids of issues hyphens. Another word with digits would be sure to
            // find nothing.
            if let Some(value) = value
                && (!matches!(arg.binding, ArgBinding::IssueId | ArgBinding::Repo)
                    || value.contains(['/', '-']))
            {
                out.insert(arg.name.to_owned(), json!(value));
                score += 3;
            }
        }
        if tool.source == TableId::Employees && out.is_empty() {
            out.insert("emp_id".to_owned(), json!(me));
        }
        (!out.is_empty()).then_some((score, Value::Object(out)))
    }
}

/// A day that is written like `12 May 2024`.
fn said_date(day: &str, month: &str, year: &str) -> Option<String> {
    let place = MONTHS.iter().position(|m| *m == month)?;
    let month = u32::try_from(place + 1).ok()?;
    let date = Day::from_date(year.parse().ok()?, month, day.parse().ok()?)?;
    Some(date.to_string())
}

/// Facts for the requested keys, from the fields of a record.
pub(crate) fn facts(o: &Observation, record: Option<&Value>, items: usize) -> Map<String, Value> {
    let mut facts = Map::new();
    for ask in &o.asks {
        let found = record
            .and_then(|r| r.get(&ask.key))
            .filter(|v| !v.is_null());
        match (found, ask.kind) {
            (Some(value), _) => {
                facts.insert(ask.key.clone(), value.clone());
            }
            (None, FactKind::YesNo) => {
                facts.insert(ask.key.clone(), if items > 0 { "YES" } else { "NO" }.into());
            }
            (None, FactKind::Number) => {
                facts.insert(ask.key.clone(), items.into());
            }
            _ => {}
        }
    }
    facts
}

/// Whether a record gives every requested fact.
pub(crate) fn is_complete(o: &Observation, record: &Value) -> bool {
    let given = |key: &str| record.get(key).is_some_and(|v| !v.is_null());
    o.asks.iter().all(|ask| given(&ask.key))
}
