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
use crate::extract::{NO_FINAL_ANSWER, last_fence, without_thinking};
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
use reply_text::mark::{last_brace, loose_fence, without_fences};
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

/// Runs the last fence with the item's table; if that gives no number, the text around the code is
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
        _ => answer::number(&text),
    };
    let wanted = Right::of(right, &item.question, grader.settings.lenient);
    let (verdict, flexible) = match wanted {
        Some(wanted) if matches!(ran, FenceValue::Number(_)) => {
            let verdict = wanted.both(found.as_ref(), "", program_rules::is_within).0;
            (verdict, Some(verdict))
        }
        Some(wanted) => {
            let (verdict, flexible) = wanted.both(found.as_ref(), &text, program_rules::is_within);
            (verdict, Some(flexible))
        }
        None => (false, None),
    };
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
    let code = match last_fence(text) {
        Some(code) => {
            Some(code.to_owned()).filter(|code| !looks_like_json(code) && !is_prose(text, code))
        }
        None => loose_fence(text)
            .filter(|code| !code.is_empty() && !looks_like_json(code))
            .or_else(|| unfenced(text).map(str::to_owned)),
    };
    let snippet = code.map(|code| {
        Snippet::new(code)
            .with_table(item.table.clone())
            .with_printed()
    });
    match FenceValue::of(snippet.as_ref(), runner!(grader)) {
        FenceValue::Number(value) if !value.is_finite() => FenceValue::Failed,
        value => value,
    }
}

/// A reply that is a program without a fence: every line is code, and at least one does what no prose does.
fn unfenced(text: &str) -> Option<&str> {
    let text = text.trim();
    let mut statements = 0;
    let mut open = 0_i32;
    for line in text.lines() {
        let code = line.split('#').next().unwrap_or_default();
        let bare = code.trim();
        let inside = open > 0;
        for c in code.chars() {
            open += match c {
                '(' | '[' | '{' => 1,
                ')' | ']' | '}' => -1,
                _ => 0,
            };
        }
        if bare.is_empty() || inside {
            continue;
        }
        if !is_statement(bare) && !line.starts_with([' ', '\t']) {
            return None;
        }
        statements += 1;
    }
    // One line such as "x = 5" is an answer in words; the reader of numbers takes it.
    let does = statements > 1 || text.contains("print(") || text.contains("return ");
    (does && open == 0).then_some(text)
}

/// Whether a line is a statement of Python: an assignment to a name, a call, or one that begins with a keyword.
fn is_statement(line: &str) -> bool {
    let keyword = [
        "def ", "class ", "import ", "from ", "return ", "if ", "elif ", "else:", "for ", "while ",
        "with ", "try:", "except", "finally:", "@", "assert ", "raise ", "del ", "global ", "pass",
    ]
    .iter()
    .any(|word| line.starts_with(word));
    if keyword {
        return !matches!(
            line.split(' ').next(),
            Some("if" | "for" | "while" | "with" | "elif" | "def" | "class")
        ) || line.ends_with(':');
    }
    let name = line
        .find(|c: char| {
            !(c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '"' | '\'' | ',' | ' '))
        })
        .unwrap_or(line.len());
    let head = line.get(..name).unwrap_or_default().trim_end();
    let tail = line.get(name..).unwrap_or_default();
    let one_word = !head.is_empty() && head.split(", ").all(|part| !part.trim().contains(' '));
    let assigns = ["=", "+=", "-=", "*=", "/=", ": float =", ": int ="]
        .iter()
        .any(|sign| tail.starts_with(sign) && !tail.starts_with("=="));
    // The last line may be the name of the value alone.
    one_word
        && (assigns
            || tail.starts_with('(') && line.ends_with([')', '(', ','])
            || tail.is_empty() && head.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Whether a fence holds words and not code: its first line is no statement, and no language is named.
fn is_prose(text: &str, code: &str) -> bool {
    let Some(at) = text.rfind(code) else {
        return false;
    };
    let head = text.get(..at).unwrap_or_default().trim_end();
    let named = head.rsplit("```").next().unwrap_or_default();
    let words = matches!(
        named,
        "" | "text" | "txt" | "plaintext" | "markdown" | "md" | "math"
    );
    let first = code.lines().next().unwrap_or_default().trim();
    let statement = is_statement(first) || first.starts_with('#') || code.contains("return ");
    // "Profit = 50 - 8" over "= 42" is a calculation in words.
    words && (!statement || code.lines().any(|line| line.trim_start().starts_with("= ")))
}

/// A fence around an answer object is not code.
fn looks_like_json(code: &str) -> bool {
    code.starts_with('{') && serde_json::from_str::<serde_json::Value>(code).is_ok()
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
                _ => last_brace(reply).is_some_and(|inside| {
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
    let found = answer::number(text);
    let wanted = Right::of(right, &item.question, grader.settings.lenient);
    let exactly = |given: f64, right: f64| given == right;
    let (verdict, flexible) = wanted.map_or((false, None), |wanted| {
        let (verdict, flexible) = wanted.both(found.as_ref(), text, exactly);
        (verdict, Some(flexible))
    });
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
        Judgement::NoReference(reason) => {
            Grade::of(AnswerOutcome::Unscored, None).note(format!("the reference fails: {reason}"))
        }
    }
}
