//! Scoring answers to sample questions: one set under four profiles, then one set of every kind.
//!
//! ```text
//!   questions ──load──┐
//!                     ├──> grade under a profile ──> report: figure, interval, outcomes, baselines
//!   answers ───load───┘
//! ```
//!
//! Run with: `cargo run --example score_predictions`
//! or, for files of your own: `cargo run --example score_predictions -- TASK QUESTIONS ANSWERS [PROFILE]`
#![allow(clippy::print_stdout, reason = "an example prints")]

use qa_scoring::{
    AnswerOutcome, Grader, Item, Profile, SetReport, Settings, Task, load, score_set,
};
use std::error::Error;
use strum::VariantArray;

type Failure = Box<dyn Error>;

/// Where the project's own samples lie.
const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");

fn read(path: &str) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| format!("{path}: {error}").into())
}

/// The items of a file; what was odd in it is said.
fn items(task: Task, path: &str) -> Result<Vec<Item>, Failure> {
    let file = load::items(task, &read(path)?).map_err(|error| format!("{path}: {error}"))?;
    for remark in &file.remarks {
        println!("  note: {remark}");
    }
    Ok(file.records)
}

fn score(
    task: Task,
    items: &[Item],
    answers: &str,
    profile: Profile,
) -> Result<SetReport, Failure> {
    let answers = load::predictions(&read(answers)?)?.records;
    let settings = Settings {
        profile,
        ..Settings::default()
    };
    // Code and judges would be added here with `with_runner` and `with_judge`.
    Ok(score_set(task, items, &answers, &mut Grader::new(settings)))
}

fn show(report: &SetReport) {
    let figure = report.headline.as_ref().map_or_else(
        || "nothing counted".to_owned(),
        |headline| {
            let interval = headline.interval.map_or(String::new(), |i| {
                format!(" ({:.3} to {:.3})", i.low, i.high)
            });
            format!("{} {:.3}{interval}", headline.name, headline.value)
        },
    );
    println!("  {:<9} n {:>3}  {figure}", report.profile, report.n);
    let outcomes: Vec<String> = report
        .outcomes
        .iter()
        .map(|(outcome, count)| format!("{outcome:?} {count}"))
        .collect();
    println!("            {}", outcomes.join(", "));
    if let Some(classes) = &report.classes {
        println!(
            "            always \"{}\" gives {:.3}; balanced accuracy {:.3} against {:.3} for any constant",
            classes.majority_label,
            classes.majority_accuracy,
            classes.balanced_accuracy,
            classes.constant_balanced_accuracy
        );
    }
}

fn samples() -> Result<usize, Failure> {
    let mut shown = 0;
    for (name, questions, answers) in [
        (
            "application/FPB",
            "application/FPB.json",
            "predictions/FPB.csv",
        ),
        (
            "finance/FinCode",
            "finance/FinCode.jsonl",
            "predictions/FinCode.jsonl",
        ),
    ] {
        let task: Task = name.parse()?;
        println!("{task}");
        let items = items(task, &format!("{SAMPLES}/{questions}"))?;
        for &profile in Profile::VARIANTS {
            show(&score(
                task,
                &items,
                &format!("{SAMPLES}/{answers}"),
                profile,
            )?);
            shown += 1;
        }
    }
    Ok(shown)
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => samples().map(|_| ()),
        [task, questions, answers, rest @ ..] => {
            let task: Task = task.parse()?;
            let profile: Profile = rest
                .first()
                .map_or(Ok(Profile::Strict), |name| name.parse())?;
            let report = score(task, &items(task, questions)?, answers, profile)?;
            show(&report);
            for graded in &report.grades {
                if graded.grade.outcome != AnswerOutcome::Right {
                    let read = graded.grade.read.as_deref().unwrap_or("-");
                    println!(
                        "  {:>6}  {:?}  read: {read}",
                        graded.id, graded.grade.outcome
                    );
                }
            }
            Ok(())
        }
        _ => Err("usage: score_predictions [TASK QUESTIONS ANSWERS [PROFILE]]".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_samples_are_scored_under_every_profile() {
        assert_eq!(samples().unwrap(), 8);
    }
}
