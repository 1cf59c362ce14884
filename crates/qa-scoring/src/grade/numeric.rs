//! Numbers, tags and code.
//!
//! | task | right if |
//! |---|---|
//! | program | within 1 % of the right number; near 0, within 1e-6 (authors: 0.01) |
//! | quantity | within 1e-6, or the same span |
//! | formula | exactly the same number; within 1 % is reported beside it |
//! | tags | every place is right; the headline counts places |
//! | completion | equal outputs on four drawn inputs |
//!
//! Only the strict profile gives code the item's table as `df`, and takes a number of the text around code that did not
//! run, if the text announces it as the answer.

use super::{AnswerOutcome, Detail, Grade, Grader, TagRule};
use crate::extract::{NO_FINAL_ANSWER, last_fence, programs, without_thinking};
use crate::formula_eval::{self, Judgement};
use crate::item::Item;
use crate::profile::Profile;
use crate::python::float_text;
use crate::rules::compare::Right;
use crate::rules::number::{FenceValue, bizbench_brace};
use crate::rules::{
    formula as formula_rules, program as program_rules, quantity as quantity_rules,
    tags as tag_rules,
};
use crate::snippet::{Snippet, SnippetReply, SnippetRunner};
use reply_text::answer::{self, Answer, Rule};
use reply_text::mark::{last_brace, without_fences};
use reply_text::number::Number;

/// Borrows the runner again, for one call.
macro_rules! runner {
    ($grader:expr) => {
        $grader.runner.as_mut().map(|runner| &mut **runner as _)
    };
}

/// A computed number.
pub(super) fn program(grader: &mut Grader<'_>, item: &Item, reply: &str) -> Grade {
    let Some(right) = item.gold_text().map(str::to_owned) else {
        return Grade::no_gold();
    };
    match grader.settings.profile {
        Profile::Strict => strict_program(grader, item, &right, reply),
        Profile::Paper => {
            let verdict =
                program_rules::authors(reply, &right, program_rules::NEAR_ZERO, runner!(grader));
            Grade::verdict(verdict)
        }
        Profile::Authors => {
            let answer = grader.answer_of(reply);
            let verdict =
                program_rules::authors(&answer, &right, program_rules::RELATIVE, runner!(grader));
            no_final_answer(Grade::verdict(verdict), &answer)
        }
        Profile::BizBench => {
            let value = bizbench_value(grader, reply);
            let wanted = program_rules::right_number(&right);
            let verdict = match (value, wanted) {
                (Some(value), Some(wanted)) => {
                    program_rules::is_close(value, wanted, program_rules::NEAR_ZERO)
                }
                _ => false,
            };
            let grade = Grade::verdict(verdict);
            match value {
                Some(value) => grade.read(float_text(value)),
                None => grade.without_answer(),
            }
        }
    }
}

/// Marks a grade whose published extraction found nothing.
fn no_final_answer(grade: Grade, answer: &str) -> Grade {
    if answer == NO_FINAL_ANSWER {
        grade.without_answer()
    } else {
        grade.read(answer)
    }
}

/// Runs the last program with the item's table; if that gives no number, the text around the code is
/// searched.
fn strict_program(grader: &mut Grader<'_>, item: &Item, right: &str, reply: &str) -> Grade {
    let Some(spoken) = without_thinking(reply).text() else {
        return Grade::of(AnswerOutcome::NoAnswer, 0.0);
    };
    let ran = strict_fence(grader, item, &spoken);
    let text = match &ran {
        FenceValue::NoCode => spoken.into_owned(),
        // Digits inside code are not an answer.
        _ => without_fences(&spoken),
    };
    let found = match &ran {
        FenceValue::Number(value) => Some(Answer {
            forms: vec![Number::bare(*value)],
            rule: Rule::Program,
        }),
        _ => answer::number_asked(&text, &item.question),
    };
    let wanted = Right::of(right, &item.question, grader.settings.lenient);
    let (verdict, flexible) = match wanted {
        Some(wanted) if matches!(ran, FenceValue::Number(_)) => {
            let verdict = wanted.both(found.as_ref(), "", program_rules::is_within).0;
            // Both rules take what the program computed: no number of the text stands against it.
            (verdict, Some(verdict))
        }
        Some(wanted) => {
            let (verdict, flexible) = wanted.both(found.as_ref(), &text, program_rules::is_within);
            (verdict, Some(flexible))
        }
        None => (false, None),
    };
    // Only where the text has no answer either: a number that the reply announces beside its code
    // is one.
    let Some(found) = found else {
        return match ran {
            FenceValue::Unsupported(what) => Grade::of(AnswerOutcome::Unsupported, 0.0).note(what),
            FenceValue::NotRun => Grade::of(AnswerOutcome::Unsupported, 0.0)
                .note("there is nothing to run the code with"),
            FenceValue::Failed => Grade::of(AnswerOutcome::Wrong, 0.0).note("the code failed"),
            _ => Grade::of(AnswerOutcome::NoAnswer, 0.0),
        }
        .flexible(flexible);
    };
    let grade = Grade::verdict(verdict)
        .read(float_text(found.value()))
        .flexible(flexible);
    match ran {
        FenceValue::NotRun => grade.note("the code was not run"),
        FenceValue::Failed => grade.note("the code failed"),
        FenceValue::Unsupported(what) => grade.note(what),
        _ => grade,
    }
}

fn strict_fence(grader: &mut Grader<'_>, item: &Item, text: &str) -> FenceValue {
    let programs = programs(text);
    let mut run = |code: String| {
        let snippet = Snippet::new(code)
            .with_table(item.table.clone())
            .with_printed();
        match FenceValue::of(Some(&snippet), runner!(grader)) {
            // Without this an overflow would be the answer, and the text beside the code would not
            // be searched.
            FenceValue::Number(value) if !value.is_finite() => FenceValue::Failed,
            value => value,
        }
    };
    let Some((last, before)) = programs.split_last() else {
        return FenceValue::NoCode;
    };
    match run(last.clone()) {
        // The last program may use what those before it define.
        FenceValue::Failed if !before.is_empty() => run(programs.join("\n\n")),
        value => value,
    }
}

/// The value by the rule of the BizBench pipeline: where a fence occurs, exactly one block that opens
/// and closes at the start of a line; else the double brackets.
fn bizbench_value(grader: &mut Grader<'_>, reply: &str) -> Option<f64> {
    if !reply.contains("```") {
        return bizbench_brace(reply);
    }
    let marks = reply.lines().filter(|line| line.starts_with("```")).count();
    if marks != 2 || reply.matches("```").count() != 2 {
        return None;
    }
    let code = last_fence(reply)?;
    match grader.runner.as_mut()?.run(&Snippet::new(code)) {
        SnippetReply::Value(value) => value.as_float(),
        _ => None,
    }
}

/// Longest span that a grade repeats \[characters\].
const MOST_READ: usize = 200;

/// A copied number or span.
pub(super) fn quantity(grader: &mut Grader<'_>, item: &Item, reply: &str) -> Grade {
    let Some(right) = item.gold_text().map(str::to_owned) else {
        return Grade::no_gold();
    };
    match grader.settings.profile {
        Profile::Strict => {
            let Some(spoken) = without_thinking(reply).text() else {
                return Grade::of(AnswerOutcome::NoAnswer, 0.0);
            };
            let lenient = grader.settings.lenient;
            let copied = quantity_rules::strict(&spoken, &right, &item.question, lenient);
            let grade = Grade::verdict(copied.right).flexible(copied.flexible);
            match copied.read {
                Some(read) => grade.read(crate::span::first_chars(&read, MOST_READ)),
                None => grade.without_answer(),
            }
        }
        Profile::Authors => {
            let answer = grader.answer_of(reply);
            let verdict = quantity_rules::authors(&answer, &right, runner!(grader));
            no_final_answer(Grade::verdict(verdict), &answer)
        }
        Profile::Paper => Grade::verdict(quantity_rules::authors(reply, &right, runner!(grader))),
        Profile::BizBench => {
            let given = bizbench_brace(reply);
            let wanted = program_rules::right_number(&right);
            let verdict = match (given, wanted) {
                (Some(given), Some(wanted)) => quantity_rules::is_same(given, wanted),
                // The pipeline has a rule for numbers only; words in brackets are compared as spans.
                _ => last_brace(reply).is_some_and(|(inside, _)| {
                    quantity_rules::plain_span(inside) == quantity_rules::plain_span(&right)
                }),
            };
            let grade = Grade::verdict(verdict);
            match given {
                Some(value) => grade.read(float_text(value)),
                None => grade.without_answer(),
            }
        }
    }
}

/// A plain number.
pub(super) fn formula(grader: &mut Grader<'_>, item: &Item, reply: &str) -> Grade {
    let Some(right) = item.gold_text() else {
        return Grade::no_gold();
    };
    let spoken = without_thinking(reply).text();
    let text = spoken.as_deref().unwrap_or_default();
    let found = answer::number_asked(text, &item.question);
    let wanted = Right::of(right, &item.question, grader.settings.lenient);
    let exactly = |given: f64, right: f64| given == right;
    let (verdict, flexible) = wanted.map_or((false, None), |wanted| {
        let (verdict, flexible) = wanted.both(found.as_ref(), text, exactly);
        (verdict, Some(flexible))
    });
    // Under every profile: it says how many answers the exact rule refuses for their rounding
    // alone.
    let close =
        wanted.is_some_and(|wanted| wanted.both(found.as_ref(), "", program_rules::is_within).0);
    let given = found.map(|found| found.value());
    let detail = Detail::Number {
        given,
        within_one_per_cent: close,
    };
    let grade = match grader.settings.profile {
        Profile::Authors => {
            let answer = grader.answer_of(reply);
            let verdict = formula_rules::authors(&answer, right);
            no_final_answer(Grade::verdict(verdict), &answer)
        }
        Profile::BizBench => Grade::verdict(formula_rules::first_home(reply, right)),
        Profile::Strict | Profile::Paper => {
            let grade = Grade::verdict(verdict).flexible(flexible);
            match given {
                Some(value) => grade.read(float_text(value)),
                None => grade.without_answer(),
            }
        }
    };
    grade.detail(detail)
}

/// A list of tags.
pub(super) fn tags(grader: &mut Grader<'_>, item: &Item, reply: &str) -> Grade {
    let Some(right) = item.gold_text() else {
        return Grade::no_gold();
    };
    let rule = grader
        .settings
        .tags
        .unwrap_or(match grader.settings.profile {
            Profile::Strict => TagRule::Strict,
            Profile::Paper | Profile::Authors | Profile::BizBench => TagRule::Firm,
        });
    let counts = match rule {
        TagRule::Strict => tag_rules::strict(reply, right),
        TagRule::Firm => tag_rules::authors(&grader.answer_of(reply), right),
        TagRule::Ace => tag_rules::ace(&grader.answer_of(reply), right),
    };
    let mut grade = Grade::verdict(counts.all).detail(Detail::Tags(counts));
    if !counts.all && counts.hits > 0 {
        grade = grade.note(format!("{} of {} places right", counts.hits, counts.places));
    }
    grade
}

/// The missing body of a function.
pub(super) fn completion(grader: &mut Grader<'_>, item: &Item, reply: &str) -> Grade {
    let Some(right) = item.gold_text().map(str::to_owned) else {
        return Grade::no_gold();
    };
    let Some(spoken) = without_thinking(reply)
        .text()
        .map(std::borrow::Cow::into_owned)
    else {
        return Grade::of(AnswerOutcome::NoAnswer, 0.0);
    };
    // An answer without code is wrong also where nothing can run it.
    let mut nothing = |_: &Snippet| SnippetReply::Unsupported {
        what: "there is nothing to run the code with".to_owned(),
    };
    let runner: &mut dyn SnippetRunner = match grader.runner.as_mut() {
        Some(runner) => &mut **runner,
        None => &mut nothing,
    };
    match formula_eval::judge(&item.question, &right, &spoken, runner) {
        Judgement::Right => Grade::verdict(true),
        Judgement::Wrong => Grade::verdict(false),
        Judgement::Failed(reason) => Grade::verdict(false).note(reason),
        Judgement::Unsupported(what) => Grade::of(AnswerOutcome::Unsupported, 0.0).note(what),
        Judgement::NoReference(reason) => Grade::of(AnswerOutcome::Unscored, None)
            .note(format!("the program of the right answer fails: {reason}")),
    }
}
