//! Shows a recorded answer as readable text.

use super::folder::QaDir;
use super::item::uid;
use agent_client::method::ItemRecord;
use qa_scoring::Item;
use run_engine::engine::workload::Read;
use run_engine::error::RunError;
use run_engine::terminal::shown_name;
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
    let questions = dir.plan().questions().unwrap_or_default();
    let item = questions.iter().find_map(|(task, questions)| {
        let mut items = questions.items.iter();
        items.find(|item| uid(*task, &item.id) == record.header.item)
    });
    Ok(Read {
        text: text(record, item),
        torn: scanned.torn,
    })
}

fn text(record: &ItemRecord, item: Option<&Item>) -> String {
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
    match item {
        Some(item) => {
            let parts = [&item.instruction, &item.context];
            for part in parts.into_iter().flatten() {
                let _ = writeln!(out, "{part}\n");
            }
            let _ = writeln!(out, "{}\n", item.question);
            for (letter, option) in ('A'..='Z').zip(&item.options) {
                let _ = writeln!(out, "  {letter}. {option}");
            }
        }
        None => {
            let _ = writeln!(
                out,
                "(the question is not shown: its file cannot be read)\n"
            );
        }
    }
    let _ = writeln!(out, "\n--- reply\n{}\n---\n", record.text);
    let verdict = match (&record.grade, &record.failure) {
        (Some(grade), _) => format!("score {} by {}", grade.score, record.grader),
        (None, Some(failure)) => format!("no reply that can be scored: {failure}"),
        (None, None) => format!("not scored: {} gave no verdict", record.grader),
    };
    let _ = writeln!(out, "answer {}; {verdict}", record.answer);
    out
}
