//! The consulting interview as a run: cases, candidates, interviewers, judges, records.
//!
//! ```text
//!  case ─► LearningStream (a model with a method, or a scripted candidate) ─► record ─► marks
//!              │ interviewer and judges: by rules, or models                  items.jsonl
//! ```
//!
//! Interviews are items, not episodes: they have a record of their own, and a record is verified by
//! holding the interview again with the recorded calls. The marks of the judge by rules are a yardstick,
//! not the metric of the strategic paper.

pub mod case_files;
pub mod evolve;
pub mod plan;
pub mod run;
pub mod summary;
pub mod verify;
pub mod workload;

use agent_client::interview::{InterviewEnd, InterviewRecord, Panel};
use run_engine::error::RunError;
use run_engine::terminal::shown_name;
use run_engine::words::counted;
use std::fmt::Write as _;

/// An interview as text to read, with its marks.
///
/// # Errors
/// When `number` is not there.
pub fn transcript(dir: &plan::InterviewDir, number: Option<u64>) -> Result<String, RunError> {
    let records = dir.scan(Ok)?.results;
    let numbers = dir.plan().numbers();
    let number_of = |record: &InterviewRecord| {
        let header = &record.header;
        numbers.get(&(header.stream, header.place)).copied()
    };
    let is_wanted = |record: &&InterviewRecord| number.is_none() || number_of(record) == number;
    records.iter().find(is_wanted).map(text).ok_or_else(|| {
        RunError::usage(match number {
            Some(number) => format!(
                "interview {number} has no record; {} of {} planned interviews have one",
                records.len(),
                numbers.len()
            ),
            None => "there is no record yet".to_owned(),
        })
    })
}

/// Interview `number` of the run in `dir` as readable text.
///
/// # Errors
/// When it has no record.
pub fn text_of(dir: &plan::InterviewDir, number: u64) -> Result<String, RunError> {
    transcript(dir, Some(number))
}

fn text(record: &InterviewRecord) -> String {
    let (header, interview) = (&record.header, &record.interview);
    let mut out = String::new();
    // Writing to a String cannot fail, hence the ignored results.
    let _ = writeln!(
        out,
        "consulting case {}, candidate {}, interviewer {}\n\n{}",
        header.item,
        shown_name(&header.agent),
        shown_name(&interview.interviewer),
        interview.transcript.as_text()
    );
    let _ = writeln!(
        out,
        "\n{}, {}",
        counted(interview.rounds.into(), "round"),
        ended(interview.ended)
    );
    for leak in &interview.leaks {
        let _ = writeln!(out, "  leak in message {}: {}", leak.message, leak.what);
    }
    marks(&interview.panel, &mut out);
    out
}

/// How an interview ended, in words.
fn ended(how: InterviewEnd) -> &'static str {
    match how {
        InterviewEnd::Token => "closed by the interviewer",
        InterviewEnd::Cap => "ended at the maximum number of rounds",
        InterviewEnd::CandidateError => "ended because the candidate could not answer",
        InterviewEnd::InterviewerError => "ended because the interviewer could not answer",
        _ => "ended for another reason",
    }
}

fn marks(panel: &Panel, out: &mut String) {
    let judges: Vec<&str> = panel.judged.iter().map(|j| j.judge.as_str()).collect();
    let Some(scores) = &panel.scores else {
        let _ = writeln!(out, "\nno marks by {}", judges.join(", "));
        return;
    };
    let _ = writeln!(out, "\nmarks of 10 by {}", judges.join(", "));
    for (name, mark) in scores.marks() {
        let _ = writeln!(out, "  {:<16}{mark:.2}", name.replace('_', " "));
    }
    let _ = writeln!(out, "  {}", scores.feedback);
}
