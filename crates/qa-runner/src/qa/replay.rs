//! Shows a recorded answer as readable text.

use super::folder::{GRADES, QaDir, by_key};
use super::item::uid;
use agent_client::method::ItemRecord;
use qa_scoring::{AnswerOutcome, Gold, Item};
use run_engine::engine::workload::Read;
use run_engine::error::RunError;
use run_engine::terminal::shown_name;
use run_engine::words::name_of;
use std::fmt::Write as _;

/// Record `number` of the folder, from 0 in the order of the file: question, reply and verdict.
///
/// # Errors
/// When there is no such record, or a file cannot be read.
pub(super) fn transcript(dir: &QaDir, number: Option<u64>) -> Result<Read, RunError> {
    let scanned = dir.scan(Ok)?;
    let records = scanned.results;
    let place = usize::try_from(number.unwrap_or(0)).unwrap_or(usize::MAX);
    let Some(record) = records.get(place) else {
        return Err(RunError::usage(match number {
            Some(number) => format!(
                "there is no record {number}; the folder holds {} records, numbered from 0",
                records.len()
            ),
            None => "the folder holds no records yet".to_owned(),
        }));
    };
    // The answer is shown even if the files of the questions cannot be read.
    let questions = dir.plan().questions();
    let items = questions.iter().flatten().flat_map(|(task, questions)| {
        let items = questions.items.iter();
        items.map(|item| (uid(*task, &item.id), item))
    });
    let mut items = items.filter(|(uid, _)| *uid == record.header.item);
    let item = match &questions {
        Ok(_) => items
            .next()
            .map(|(_, item)| item)
            .ok_or_else(|| "it is not among them".to_owned()),
        Err(e) => Err(e.to_string()),
    };
    let grades = by_key(&dir.path().join(GRADES))?;
    let outcome = grades.get(&record.header.key()).map(|grade| grade.outcome);
    Ok(Read {
        text: text(record, item, outcome)?,
        torn: scanned.torn,
    })
}

fn text(
    record: &ItemRecord,
    item: Result<&Item, String>,
    outcome: Option<AnswerOutcome>,
) -> Result<String, RunError> {
    let header = &record.header;
    let mut out = String::new();
    // Writing to a String cannot fail, hence the ignored results.
    let _ = writeln!(
        out,
        "question {}, answered by {}, method {}, stream {}, place {}\n",
        header.item,
        shown_name(&header.agent),
        header.method,
        header.stream,
        header.place
    );
    match &item {
        Ok(item) => {
            let parts = [&item.instruction, &item.context];
            for part in parts.into_iter().flatten() {
                let _ = writeln!(out, "{part}\n");
            }
            let _ = writeln!(out, "{}\n", item.question);
            for (letter, option) in ('A'..='Z').zip(&item.options) {
                let _ = writeln!(out, "  {letter}. {option}");
            }
        }
        Err(why) => {
            let _ = writeln!(
                out,
                "(the question and the right answer are not shown: {why})\n"
            );
        }
    }
    let _ = writeln!(out, "\n--- reply\n{}\n---\n", record.text);
    let verdict = match (&record.grade, &record.failure) {
        (Some(grade), _) => format!("score {} by {}", grade.score, record.grader),
        (None, Some(failure)) => format!("no reply that can be scored: {failure}"),
        (None, None) => format!("not scored: {} gave no verdict", record.grader),
    };
    let right = item.map_or_else(
        |_| String::new(),
        |item| match &item.gold {
            Gold::Letters(letters) => format!("; right answer {letters}"),
            Gold::Text(text) => format!("; right answer {text}"),
            Gold::Absent => "; no right answer is known".to_owned(),
        },
    );
    let outcome = match outcome {
        Some(outcome) => name_of(&outcome)?.replace('_', " "),
        None => "no grade".to_owned(),
    };
    let _ = writeln!(
        out,
        "answer {}{right}\noutcome: {outcome}; {verdict}",
        record.answer
    );
    Ok(out)
}
