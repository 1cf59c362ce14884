//! The record in a line of the record file.

use sim_core::record::SCHEMA;
use sim_core::{EpisodeRecord, Stored as _, strict};

/// The record in a line, or what is wrong with the line, with the column of a JSON error.
///
/// # Errors
/// When the line is not a record of the present form.
pub fn record_of(line: &[u8]) -> Result<EpisodeRecord, (Option<usize>, String)> {
    if let Some(record) = at_once(line) {
        return Ok(record);
    }
    let value = strict::json(line).map_err(|e| (Some(e.column()), fault(&e)))?;
    EpisodeRecord::read(value).map_err(|e| (None, e.to_string()))
}

/// The record, read without a tree of its values, which takes twice as long. The types of a record refuse a key that
/// occurs twice. `None` where the tree is needed to say what is wrong.
fn at_once(line: &[u8]) -> Option<EpisodeRecord> {
    let is_object = line.first() == Some(&b'{');
    if !is_object || strict::holds_more_than(line, strict::MOST_STORED_VALUES) {
        return None;
    }
    let text = std::str::from_utf8(line).ok()?;
    let record: EpisodeRecord = serde_json::from_str(text).ok()?;
    // Any other schema takes the slow way, which knows how to say what is wrong with it.
    (record.schema == SCHEMA).then_some(record)
}

/// The message of a JSON error without its position: the line number would be that within the line.
fn fault(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use sim_core::{Cause, Causes, Digest, Ending, Entry, Header, Input, Score, Seat, Seed, Tally};
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

    /// The record in a line, whose keys and values are checked one by one.
    fn checked(line: &[u8]) -> Option<EpisodeRecord> {
        EpisodeRecord::read(strict::json(line).ok()?).ok()
    }

    /// A reader that takes the last of two keys would see another record than one that takes the first.
    #[test]
    fn a_key_that_stands_twice_is_refused_in_every_part() {
        let line = serde_json::to_string(&record()).unwrap();
        for line in [line.clone(), format!("{line}\n"), format!(" {line} \n")] {
            assert_eq!(record_of(line.as_bytes()), Ok(record()));
        }
        assert_eq!(at_once(line.as_bytes()), Some(record()));
        for (one, other) in [
            ("\"schema\":1", "\"schema\":1,\"schema\":1"),
            ("\"seed\":7", "\"seed\":8,\"seed\":7"),
            ("\"period\":0", "\"period\":1,\"period\":0"),
            ("{\"quantity\":4,", "{\"quantity\":5,\"quantity\":4,"),
            ("{\"order\":-3}", "{\"order\":-3,\"order\":-3}"),
            ("{\"order\":4}", "{\"order\":5,\"\\u006frder\":4}"),
            ("\"cost\":12.5", "\"cost\":1.0,\"cost\":12.5"),
            ("\"cost\":12.5", "\"cost\":12.5,\"fill_rate\":0.75"),
            ("{\"say\":", "{\"say\":{\"text\":\"\"},\"say\":"),
            ("\"text\":", "\"text\":\"\",\"text\":"),
        ] {
            let other = line.replacen(one, other, 1);
            assert_ne!(line, other);
            assert_eq!(at_once(other.as_bytes()), None, "{other}");
            assert_eq!(record_of(other.as_bytes()).ok(), None, "{other}");
        }
        for (one, other) in [
            ("\"schema\":1", "\"schema\":2"),
            ("\"entries\"", "\"entry\""),
        ] {
            assert_eq!(record_of(line.replace(one, other).as_bytes()).ok(), None);
        }
    }

    #[test]
    fn a_record_read_from_its_line_is_the_same() {
        let line = serde_json::to_string(&record()).unwrap();
        let read = record_of(line.as_bytes()).unwrap();
        assert_eq!(read, record());
        let tally = Tally {
            inputs: 3,
            queries: 3,
            forfeits: 1,
            restarts: 1,
            dropped: 10,
            causes: causes(1),
            causes_of_others: BTreeMap::from([("judge", causes(3))]),
        };
        assert_eq!(read.tally(), tally);
        let fields = serde_json::to_value(record()).unwrap();
        let list: Vec<Value> = fields.as_object().unwrap().values().cloned().collect();
        for none in ["{}".to_owned(), json!(list).to_string()] {
            assert_eq!(record_of(none.as_bytes()).ok(), None);
            assert_eq!(checked(none.as_bytes()), None);
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
    fn a_line_with_another_value_or_field_is_taken_where_it_is_a_record() {
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
                let read = record_of(line.as_bytes()).ok();
                taken += usize::from(read.is_some());
                // From a text, a call may be read from the list of its fields too, as every other part of a record.
                let is_listed = place.ends_with("/input/call") && *other == json!(["t", {}]);
                let is_listed =
                    is_listed || place.ends_with("/input/say") && *other == json!(["t"]);
                assert_eq!(
                    read.is_some() && checked(line.as_bytes()).is_none(),
                    is_listed
                );
                if !is_listed {
                    assert_eq!(read, checked(line.as_bytes()), "{place} {other}");
                }
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
            assert_eq!(record_of(line.as_bytes()).ok(), checked(line.as_bytes()));
        }
        assert!(taken > 50, "{taken}");
    }

    #[test]
    fn a_damaged_line_is_taken_only_where_it_is_a_record() {
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
                assert_eq!(record_of(line).ok(), checked(line), "{at} {piece} {cut}");
            }
        }
    }
}
