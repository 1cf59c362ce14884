//! A model that is always right, and answers in the form that the prompt asks for, has the full score under every
//! profile.

use crate::fixtures::{items, samples};
use crate::python::Python;
use qa_scoring::grade::{LetterReading, ReplyForm, TagRule};
use qa_scoring::judge::{JudgeRequest, NoReply};
use qa_scoring::prompt::{PromptStyle, example_reply, instruction, is_announced};
use qa_scoring::{AnswerOutcome, Gold, Grader, Item, Metric, Profile, Settings, Task};
use strum::VariantArray;

/// Steps that hold what a rule could take for an answer.
const STEPS: &str = "First I look at option A and at option D. In 2019 it was 5, in 2020 it was 6.5 %.\n\
                     Goodwill, Revenues and yes, no, positive and neutral are words of the text.\n\n";

/// Items of a task: the samples of it or of a task with the same rules, or one for each of its labels.
fn items_of(task: Task) -> Vec<Item> {
    if let Metric::Label(labels) = task.metric() {
        let item = |label: &&str| Item::new(*label, "Which one?", Gold::Text((*label).to_owned()));
        return labels.iter().map(item).collect();
    }
    let all = samples();
    let same = all.iter().find(|(other, _)| *other == task);
    let same = same.or_else(|| {
        all.iter()
            .find(|(other, _)| other.metric() == task.metric())
    });
    let (other, path) = same.unwrap_or_else(|| panic!("{task} has no sample"));
    items(path, *other)
}

/// What the runner hands to the grader: of a reply with steps the answer alone, where the rules read whole replies.
fn handed(reply: &str, task: Task, style: PromptStyle, settings: &Settings) -> String {
    let cut = style.reasoning && is_announced(task, settings);
    let whole = if style.reasoning {
        format!("{STEPS}{reply}")
    } else {
        reply.to_owned()
    };
    if cut {
        whole.rsplit("Answer:").next().unwrap().trim().to_owned()
    } else {
        whole
    }
}

/// Calls it right if the answer ends with the reference.
fn judge(request: &JudgeRequest) -> Result<String, NoReply> {
    let text = &request.messages[0].text;
    let part = |tag: &str| {
        let rest = text.split(&format!("<{tag}>\n")).nth(1).unwrap();
        rest.split(&format!("\n</{tag}>"))
            .next()
            .unwrap()
            .trim()
            .to_owned()
    };
    let is_right = part("answer").ends_with(&part("reference"));
    Ok(if request.system.contains("\"correct\"") {
        format!("{{\"correct\": {is_right}}}")
    } else {
        format!("{{\"score\": {}}}", if is_right { 5 } else { 0 })
    })
}

/// Grades right answers to every task under `settings`, without and with steps before them, and returns how many.
fn all_right(settings: &Settings) -> u32 {
    let mut python = Python::start();
    let has_python = python.is_some();
    let mut ask = judge;
    let mut grader = Grader::new(settings.clone()).with_judge(&mut ask);
    if let Some(python) = &mut python {
        grader = grader.with_runner(python);
    }
    let mut graded = 0;
    for task in Task::all() {
        let needs_python = task.metric() == Metric::Completion;
        if needs_python && !has_python {
            eprintln!("SKIPPED: {task} needs a Python");
            continue;
        }
        let full = if task.metric() == Metric::Judged {
            5.0
        } else {
            1.0
        };
        for reasoning in [false, true] {
            let style = PromptStyle {
                role: false,
                reasoning,
            };
            for item in items_of(task) {
                let reply = example_reply(&item, task, style, settings).unwrap();
                let said = handed(&reply, task, style, settings);
                let grade = grader.grade(task, &item, Some(&said));
                assert_eq!(
                    grade.value,
                    Some(full),
                    "{task}, {}, reasoning {reasoning}, item {}: {said:?} {grade:?}\n{}",
                    settings.profile,
                    item.id,
                    instruction(task, style, settings)
                );
                graded += 1;
            }
        }
    }
    graded
}

#[test]
fn every_profile_can_be_passed() {
    for &profile in Profile::VARIANTS {
        let settings = Settings {
            profile,
            ..Settings::default()
        };
        let graded = all_right(&settings);
        assert!(graded > 200, "{profile}: {graded}");
    }
}

#[test]
fn every_choice_of_rules_can_be_passed() {
    for profile in [Profile::Strict, Profile::Authors] {
        for tags in [TagRule::Strict, TagRule::Firm, TagRule::Ace] {
            all_right(&Settings {
                profile,
                tags: Some(tags),
                ..Settings::default()
            });
        }
        // The two that take one letter cannot read a set.
        for letters in [LetterReading::Strict, LetterReading::Local] {
            all_right(&Settings {
                profile,
                letters: Some(letters),
                ..Settings::default()
            });
        }
        all_right(&Settings {
            profile,
            form: ReplyForm::Answer,
            ..Settings::default()
        });
    }
    for letters in [LetterReading::Published, LetterReading::Api] {
        let settings = Settings {
            letters: Some(letters),
            ..Settings::default()
        };
        let task: Task = "FRM".parse().unwrap();
        let mut grader = Grader::new(settings.clone());
        for reasoning in [false, true] {
            let style = PromptStyle {
                role: false,
                reasoning,
            };
            for item in items_of(task) {
                let reply = example_reply(&item, task, style, &settings).unwrap();
                let grade =
                    grader.grade(task, &item, Some(&handed(&reply, task, style, &settings)));
                assert_eq!(grade.outcome, AnswerOutcome::Right, "{reply}");
            }
        }
    }
}

/// A program is accepted by the pipeline's rule as its number is.
#[test]
fn the_pipeline_runs_a_program() {
    let Some(mut python) = Python::start() else {
        return;
    };
    let settings = Settings {
        profile: Profile::BizBench,
        ..Settings::default()
    };
    let mut grader = Grader::new(settings.clone()).with_runner(&mut python);
    let task: Task = "FinCode".parse().unwrap();
    let asked = instruction(task, PromptStyle::default(), &settings);
    assert!(asked.contains("Python program"), "{asked}");
    for item in items_of(task) {
        let reply = format!(
            "A program:\n```python\n{}\n```",
            item.program.clone().unwrap()
        );
        assert_eq!(
            grader.grade(task, &item, Some(&reply)).value,
            Some(1.0),
            "{reply}"
        );
    }
}
