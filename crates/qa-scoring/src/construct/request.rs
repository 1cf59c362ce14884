//! The requests to the model at each step; the wording is ours.
//!
//! Each request has a system message with the task and the form of the reply, and one message with the material between
//! tags, which tell text of the source from an instruction.

use super::step::QuestionDraft;
use crate::judge::JudgeRequest;
use crate::quality::{ErrorKind, RuleViolation};
use strum::VariantArray;

/// A first request: the steps have one model and no panel.
fn ask(system: &str, text: String) -> JudgeRequest {
    JudgeRequest::first(0, system, text)
}

const DRAFT: &str = "\
You write examination questions from a source text. A good question needs several steps of reasoning, \
brings together more than one piece of the text (an equation, a table, an assumption, a definition, the \
setting, the procedure), and concerns what the text is really about. It can be answered from the question \
alone: put every definition, equation and figure that is needed into it, in the words of the text. Give with \
each question its full answer, and the sentences of the text that it rests on, copied character by character.

Reply with one JSON object and nothing else:
{\"questions\": [{\"question\": \"...\", \"answer\": \"...\", \"evidence\": [\"...\", \"...\"]}]}";

/// Asks for `count` questions from a text.
#[must_use]
pub fn draft_request(text: &str, count: u32) -> JudgeRequest {
    ask(
        DRAFT,
        format!(
            "Write {count} questions.\n\n<source>\n{}\n</source>",
            text.trim()
        ),
    )
}

const SCORE: &str = "\
You rate an examination question on three scales from 1 to 10, whole numbers. On each choose the highest \
band that the question meets in full.

A, depth of reasoning. Count a step only if it yields something new.
1-3: at most two steps. 4-6: three or four steps in a line. 7-8: five or six, later ones using earlier \
results, with a comparison of two situations, a what-if or a derivation in stages, over at least two sources. \
9-10: seven or more in one tight chain, with the set-up changed or a bias taken apart by stated criteria.

B, synthesis. A source is an equation, a table, an assumption, a definition, the setting, or the procedure; \
count it only if the answer would change without it.
1-3: one source. 4-6: two. 7-8: three or more, an equation and a table among them. 9-10: more than three that \
constrain each other.

C, centrality to the source's contribution.
1-3: beside the point. 4-6: supporting. 7-8: serves a key condition, mechanism or baseline. 9-10: is the \
contribution.

Reply with one JSON object and nothing else: {\"A\": n, \"B\": n, \"C\": n, \"why\": \"one sentence\"}";

/// A draft as the later steps see it, without its quotations.
fn shown(draft: &QuestionDraft) -> String {
    format!(
        "<question>\n{}\n</question>\n\n<answer>\n{}\n</answer>",
        draft.question, draft.answer
    )
}

/// Asks for the three scores of a question.
#[must_use]
pub fn score_request(draft: &QuestionDraft) -> JudgeRequest {
    ask(SCORE, shown(draft))
}

const SUITABILITY: &str = "\
You decide whether an open question should become a choice among options. Rate two things from 0 to 10: \
clarity, how completely the answer can be caught by one option without losing what the question tests; and \
misconception, how many typical mistakes there are that wrong options could be made of.

Reply with one JSON object and nothing else: {\"clarity\": n, \"misconception\": n}";

/// Asks how fit a question is for options.
#[must_use]
pub fn suitability_request(draft: &QuestionDraft) -> JudgeRequest {
    ask(SUITABILITY, shown(draft))
}

/// Asks for the right option and `count` wrong ones; `findings` are the rules that an earlier
/// attempt violated.
#[must_use]
pub fn distractor_request(
    draft: &QuestionDraft,
    count: u32,
    findings: &[RuleViolation],
) -> JudgeRequest {
    let kinds: Vec<String> = ErrorKind::VARIANTS
        .iter()
        .map(|kind| format!("- {kind}: {}", kind.recipe()))
        .collect();
    let system = format!(
        "You turn an open question into a choice with one right option. Write the right answer as an \
         option, and {count} wrong options, each made of one kind of mistake from this list:\n{}\n\n\
         All options have the same grammar and about the same length, no two can be true together, and none \
         speaks of the others (no \"all of the above\"). Rewrite the question so that it asks for one \
         option.\n\nReply with one JSON object and nothing else:\n{{\"question\": \"...\", \"right\": \
         \"...\", \"distractors\": [{{\"text\": \"...\", \"kind\": \"...\"}}]}}",
        kinds.join("\n")
    );
    let mut text = shown(draft);
    if !findings.is_empty() {
        let list: Vec<String> = findings.iter().map(|f| format!("- {f}")).collect();
        text.push_str(
            "\n\nAn earlier try broke these rules (options counted with the right one as A):\n",
        );
        text.push_str(&list.join("\n"));
    }
    ask(&system, text)
}
