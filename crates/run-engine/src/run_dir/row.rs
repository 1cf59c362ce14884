//! Episode records of which only the numbers are read: what tables and comparisons of many records need.

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use sim_core::record::SCHEMA;
use sim_core::score::Incident;
use sim_core::{Causes, Digest, Ending, Entry, EpisodeRecord, Header, Input, Score, Seat, Tally};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

/// The numbers of an episode record.
#[derive(Debug, Clone, PartialEq)]
pub struct EpisodeRow {
    /// Environment, instance, seed and agent.
    pub header: Header,
    /// Number of entries.
    pub entries: usize,
    /// Counts over the entries.
    pub tally: Tally,
    /// How the episode ended.
    pub ending: Ending,
    /// The score.
    pub score: Score,
}

impl From<EpisodeRecord> for EpisodeRow {
    fn from(record: EpisodeRecord) -> Self {
        Self {
            entries: record.entries.len(),
            tally: record.tally(),
            header: record.header,
            ending: record.ending,
            score: record.score,
        }
    }
}

impl EpisodeRow {
    /// The numbers of the record in `line`, a JSON text. The inputs are checked and counted, but not kept, which
    /// takes a fraction of the time of reading the record.
    ///
    /// `None` if the line is not a record of the present form; reading it as an [`EpisodeRecord`] then tells
    /// whether it is one of an older form, or what is wrong with it.
    #[must_use]
    pub fn read(line: &[u8]) -> Option<Self> {
        // Checked at once, which takes less time than string by string.
        let line = std::str::from_utf8(line).ok()?;
        read_form(line).map(Self::from)
    }
}

/// The record in `line` without the texts and values in its entries.
fn read_form(line: &str) -> Option<EpisodeRecord> {
    // A list of the fields would be read as well, but it is not a record.
    if !line.trim_ascii_start().starts_with('{') {
        return None;
    }
    let form: RecordForm<'_> = serde_json::from_str(line).ok()?;
    if form.schema != SCHEMA {
        return None;
    }
    let ScoreForm {
        value,
        metrics,
        incidents,
    } = form.score;
    let score = Score::new(value).ok()?.incidents(incidents);
    let named = metrics.0.len();
    let metrics = metrics.0.into_iter();
    let score = score.with_metrics(metrics.map(|(Key(name), value)| (name.into_owned(), value)));
    // A name occurs twice: every number in JSON is finite.
    if score.metrics().len() < named {
        return None;
    }
    Some(EpisodeRecord {
        schema: form.schema,
        header: form.header,
        entries: form.entries.into_iter().map(Entry::from).collect(),
        ending: form.ending,
        score,
        digest: form.digest,
    })
}

/// As [`EpisodeRecord`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordForm<'a> {
    schema: u32,
    header: Header,
    #[serde(borrow)]
    entries: Vec<EntryForm<'a>>,
    ending: Ending,
    #[serde(borrow)]
    score: ScoreForm<'a>,
    digest: Digest,
}

/// As [`Score`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScoreForm<'a> {
    value: f64,
    #[serde(borrow)]
    metrics: Listed<'a>,
    #[serde(default)]
    incidents: Vec<Incident>,
}

/// Metrics in the order of the text.
struct Listed<'a>(Vec<(Key<'a>, f64)>);

impl<'de: 'a, 'a> Deserialize<'de> for Listed<'a> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_map(Self(Vec::new()))
    }
}

impl<'de: 'a, 'a> Visitor<'de> for Listed<'a> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("metrics by name")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut metrics: A) -> Result<Self, A::Error> {
        while let Some(metric) = metrics.next_entry()? {
            self.0.push(metric);
        }
        Ok(self)
    }
}

/// As [`Entry`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryForm<'a> {
    period: u32,
    #[serde(default, borrow)]
    seat: Option<Key<'a>>,
    input: InputForm,
    #[serde(default, rename = "action")]
    _action: Option<Checked>,
    #[serde(rename = "reply")]
    _reply: CheckedText,
    #[serde(default)]
    query: u32,
    #[serde(default)]
    dropped: u32,
    #[serde(default)]
    causes: Causes,
}

/// As [`Input`].
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum InputForm {
    Call(Fields<CallForm>),
    Say(Fields<SayForm>),
    Act(Checked),
    Restart,
    Forfeit,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallForm {
    #[serde(rename = "tool")]
    _tool: CheckedText,
    #[serde(rename = "arguments")]
    _arguments: Checked,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SayForm {
    #[serde(rename = "text")]
    _text: CheckedText,
}

/// An object with the fields of `T`. A derived reader also takes a list of the values, which is not a record.
struct Fields<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Fields<T> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_map(Self(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields))?;
        Ok(self)
    }
}

/// What is counted of an entry: the texts and values in it are left out.
impl From<EntryForm<'_>> for Entry {
    fn from(form: EntryForm<'_>) -> Self {
        // Only the causes of a turn are counted by seat.
        let seat = form.seat.filter(|_| !form.causes.is_empty());
        Self {
            period: form.period,
            seat: seat.map(|Key(name)| Seat(name.into_owned().into())),
            input: match form.input {
                InputForm::Forfeit => Input::Forfeit,
                InputForm::Restart => Input::Restart,
                InputForm::Call(_) | InputForm::Say(_) | InputForm::Act(_) => {
                    Input::Act(Value::Null)
                }
            },
            action: None,
            reply: String::new(),
            query: form.query,
            dropped: form.dropped,
            causes: form.causes,
        }
    }
}

/// A JSON value that was checked and not kept: what [`strict::json`](sim_core::strict::json)
/// accepts is read without making a tree of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Checked;

/// A key that is borrowed where it has no escapes.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for Checked {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Checked {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self, A::Error> {
        // Most objects of a record have one key, which needs no set.
        let Some(first) = entries.next_key::<Key<'de>>()? else {
            return Ok(self);
        };
        entries.next_value::<Self>()?;
        let mut others = BTreeSet::new();
        while let Some(key) = entries.next_key::<Key<'de>>()? {
            if key == first || others.contains(&key) {
                return Err(A::Error::custom("a key occurs twice"));
            }
            entries.next_value::<Self>()?;
            others.insert(key);
        }
        Ok(self)
    }
}

/// A text that was checked and not kept.
struct CheckedText;

impl<'de> Deserialize<'de> for CheckedText {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_str(Self)
    }
}

impl Visitor<'_> for CheckedText {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_dir::record_of;
    use serde_json::json;
    use sim_core::{Cause, Seed};
    use std::collections::BTreeMap;

    fn causes(place: u32) -> Causes {
        let mut causes = Causes::default();
        if place % 2 == 1 {
            causes.count(Cause::Said);
            causes.count(Cause::CutOff);
        }
        causes
    }

    /// A record in which every field is present, and every kind of input.
    fn record() -> EpisodeRecord {
        let digest = |text: &[u8]| Digest::of_bytes(text);
        let (config, instance) = (digest(b"config"), digest(b"instance"));
        let header = Header::new("beer-game", 1, config, instance, Seed(7), 3, "openai:m");
        let call = Input::Call {
            tool: "place_order".to_owned(),
            arguments: json!({"quantity": 4, "why": "a \"quoted\" word", "more": [1.5, null]}),
        };
        let say = Input::Say {
            text: "buy\n4".to_owned(),
        };
        let inputs = [
            call,
            say,
            Input::Act(json!({"order": -3})),
            Input::Restart,
            Input::Forfeit,
        ];
        let entries = inputs.into_iter().zip(0..).map(|(input, place)| Entry {
            period: place / 2,
            seat: match place {
                0 => None,
                3 => Some(Seat::named("judge")),
                _ => Some(Seat::named("retailer")),
            },
            input,
            action: (place == 1).then(|| json!({"order": 4})),
            reply: "0123456789abcdef".to_owned(),
            query: place % 3,
            dropped: place,
            causes: causes(place),
        });
        let score = Score::new(-12.5).unwrap().metric("fill_rate", 0.75);
        EpisodeRecord {
            schema: SCHEMA,
            header: Header {
                settings: Some(config),
                method: Some("cot".to_owned()),
                feedback: Some("none".to_owned()),
                stream: Some(2),
                trial: 4,
                ..header
            },
            entries: entries.collect(),
            ending: Ending::Forfeited,
            score: score.metric("cost", 12.5),
            digest: digest(b"chain"),
        }
    }

    fn stored(line: &[u8]) -> Option<EpisodeRow> {
        record_of::<EpisodeRecord>(line).ok().map(Into::into)
    }

    #[test]
    fn a_row_has_the_numbers_of_its_record() {
        let line = serde_json::to_string(&record()).unwrap();
        let row = EpisodeRow::read(line.as_bytes()).unwrap();
        assert_eq!(row, record().into());
        assert_eq!(row.entries, 5);
        let tally = Tally {
            inputs: 3,
            queries: 3,
            forfeits: 1,
            restarts: 1,
            dropped: 10,
            causes: causes(1),
            causes_of_others: BTreeMap::from([("judge", causes(3))]),
        };
        assert_eq!(row.tally, tally);
        let fields = serde_json::to_value(record()).unwrap();
        let list: Vec<Value> = fields.as_object().unwrap().values().cloned().collect();
        for none in ["{}".to_owned(), json!(list).to_string()] {
            assert_eq!(EpisodeRow::read(none.as_bytes()), None);
            assert_eq!(stored(none.as_bytes()), None);
        }
    }

    /// All places in a JSON value, as pointers.
    fn places(value: &Value, here: &str, all: &mut Vec<String>) {
        all.push(here.to_owned());
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    places(value, &format!("{here}/{key}"), all);
                }
            }
            Value::Array(list) => {
                for (place, value) in list.iter().enumerate() {
                    places(value, &format!("{here}/{place}"), all);
                }
            }
            _ => {}
        }
    }

    #[test]
    fn a_line_with_another_value_or_field_is_taken_as_a_record_is() {
        let whole = serde_json::to_value(record()).unwrap();
        let mut all = Vec::new();
        places(&whole, "", &mut all);
        let others = [
            json!(null),
            json!(1),
            json!(-1),
            json!(0.5),
            json!("x"),
            json!(["t"]),
            json!(["t", {}]),
        ];
        let mut taken = 0;
        for place in all.iter().filter(|place| !place.is_empty()) {
            for other in others
                .iter()
                .chain([&json!([]), &json!({}), &json!({"a": 1})])
            {
                let mut changed = whole.clone();
                *changed.pointer_mut(place).unwrap() = other.clone();
                let line = changed.to_string();
                let row = EpisodeRow::read(line.as_bytes());
                taken += usize::from(row.is_some());
                assert_eq!(row, stored(line.as_bytes()), "{place} {other}");
            }
            let Some((above, key)) = place.rsplit_once('/') else {
                continue;
            };
            let mut without = whole.clone();
            if let Some(map) = without.pointer_mut(above).and_then(Value::as_object_mut) {
                map.remove(key);
                map.insert("unknown".to_owned(), json!(1));
            }
            let line = without.to_string();
            assert_eq!(EpisodeRow::read(line.as_bytes()), stored(line.as_bytes()));
        }
        assert!(taken > 50, "{taken}");
    }

    /// A damaged line is taken for a record exactly when reading the whole record takes it.
    #[test]
    fn a_damaged_line_is_taken_as_a_record_is() {
        let whole = serde_json::to_string(&record()).unwrap();
        let pieces = [
            "",
            "\"",
            ",",
            "{",
            "}",
            "\"trial\":4,",
            "\"cost\":12.5,",
            "\"order\":1,",
            "null",
            "7",
            "1e999",
            "\\u0061",
            "\n",
        ];
        for at in 0..whole.len() {
            for (piece, cut) in pieces.iter().zip([0, 1, 2].into_iter().cycle()) {
                let mut line = whole.clone();
                line.replace_range(at..(at + cut).min(whole.len()), piece);
                let line = line.as_bytes();
                assert_eq!(EpisodeRow::read(line), stored(line), "{at} {piece} {cut}");
            }
        }
    }
}
