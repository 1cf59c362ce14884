//! The construction chain with a scripted model.

use qa_scoring::construct::{ConstructionPlan, QuestionForm, SourceText, Step, build, to_record};
use qa_scoring::judge::{JudgeRequest, NoReply, Round};
use qa_scoring::{Domain, Gold, QuestionType, Task, load};
use serde_json::{Value, json};

const TEXT: &str = "Let demand be D = 100 - 2p. Costs are c = 10 per unit.\nTable 1 lists prices and sales. \
    The main result is that the monopolist sets p = 30.";

/// The model's reply to the question named by its first word.
fn reply(request: &JudgeRequest) -> Result<String, NoReply> {
    let text = &request.messages[0].text;
    let about = |word: &str| text.contains(&format!("<question>\n{word}"));
    let draft = |name: &str, evidence: &[&str]| json!({"question": format!("{name} What price does the monopolist set?"), "answer": "30, since marginal revenue 50 - q equals 10.", "evidence": evidence});
    let value = if request.system.contains("You write examination questions") {
        if request.round == Round::First {
            // The first reply cannot be read; the repair can.
            return Ok("Here are some questions.".to_owned());
        }
        json!({"questions": [
            draft("Plain", &["Costs are c = 10 per unit. Table 1 lists prices and sales."]),
            draft("Invented", &["Costs are c = 12 per unit."]),
            draft("Shallow", &["Let demand be D = 100 - 2p."]),
            draft("Open", &["The main result is that the monopolist sets p = 30."]),
            draft("Stubborn", &["Let demand be D = 100 - 2p."]),
            draft("Mute", &["Let demand be D = 100 - 2p."]),
        ]})
    } else if request.system.contains("three scales") {
        let a = if about("Shallow") { 5 } else { 7 };
        json!({"A": a, "B": 7, "C": 8, "why": "x"})
    } else if request.system.contains("become a choice") {
        let clarity = if about("Open") { 6 } else { 9 };
        json!({"clarity": clarity, "misconception": 9})
    } else if about("Mute") {
        return Err(NoReply {
            reason: "quota".to_owned(),
        });
    } else {
        let tried = text.contains("An earlier try broke these rules");
        let last = if about("Stubborn") || !tried {
            "None of the above"
        } else {
            "60"
        };
        json!({"question": "What price is set?", "right": "30", "distractors": [
            {"text": "20", "kind": "missing_step"},
            {"text": "10", "kind": "anchor_trap"},
            {"text": last, "kind": "sign_error"},
        ]})
    };
    Ok(format!("<think>hm</think>\n```json\n{value}\n```"))
}

#[test]
fn every_draft_is_accounted_for() {
    let sources = [SourceText {
        name: "monopoly".to_owned(),
        text: TEXT.to_owned(),
    }];
    let plan = ConstructionPlan {
        drafts: 6,
        ..ConstructionPlan::default()
    };
    let mut requests = 0;
    let mut model = |request: &JudgeRequest| {
        requests += 1;
        reply(request)
    };
    let report = build(&sources, &plan, &mut model);
    let steps: Vec<(Step, usize)> = report.dropped_by_step().into_iter().collect();
    assert_eq!(
        steps,
        [
            (Step::Evidence, 1),
            (Step::Filter, 1),
            (Step::Distractors, 1)
        ]
    );
    assert!(report.dropped[0].reason.contains("c = 12"));
    let forms: Vec<(&str, &QuestionForm)> = report
        .built
        .iter()
        .map(|b| (b.item.id.as_str(), &b.form))
        .collect();
    assert_eq!(forms.len(), 3);
    assert!(matches!(forms[0], ("monopoly:1", QuestionForm::Choice(d)) if d.len() == 3));
    assert!(matches!(forms[1], ("monopoly:4", QuestionForm::Open)));
    assert!(matches!(
        forms[2],
        ("monopoly:5", QuestionForm::OpenAfterLint(_))
    ));
    let choice = &report.built[0].item;
    let right = choice.gold_letters().unwrap().single().unwrap();
    let place = usize::from(u8::try_from(right).unwrap() - b'A');
    assert_eq!(choice.options[place], "30");
    assert!(!choice.options.iter().any(|o| o.contains("above")));
    // Draft and its repair; three requests and a second set of options for each of two choices; and so on.
    assert_eq!(requests, 16);
    assert_eq!(
        build(&sources, &plan, &mut |r: &JudgeRequest| reply(r)),
        report
    );
}

#[test]
fn finished_questions_load_as_published_ones_do() {
    let sources = [SourceText {
        name: "m".to_owned(),
        text: TEXT.to_owned(),
    }];
    let plan = ConstructionPlan {
        drafts: 6,
        ..ConstructionPlan::default()
    };
    let report = build(&sources, &plan, &mut |r: &JudgeRequest| reply(r));
    let mut loaded = 0;
    for built in &report.built {
        let kind = if built.item.options.is_empty() {
            QuestionType::General
        } else {
            QuestionType::Single
        };
        let bytes = serde_json::to_vec(&Value::Array(vec![to_record(built)])).unwrap();
        let file = load::items(Task::Knowledge(Domain::Econ, kind), &bytes).unwrap();
        assert_eq!(file.records, std::slice::from_ref(&built.item));
        assert!(file.remarks.is_empty(), "{:?}", file.remarks);
        assert_ne!(built.item.gold, Gold::Absent);
        loaded += 1;
    }
    assert_eq!(loaded, 3);
}

#[test]
fn a_model_that_never_answers_drops_the_source() {
    let sources = [SourceText {
        name: "s".to_owned(),
        text: "t".to_owned(),
    }];
    let mut silent = |_: &JudgeRequest| -> Result<String, NoReply> {
        Err(NoReply {
            reason: "offline".to_owned(),
        })
    };
    let report = build(&sources, &ConstructionPlan::default(), &mut silent);
    assert!(report.built.is_empty());
    assert_eq!(report.dropped.len(), 1);
    assert_eq!(report.dropped[0].step, Step::Draft);
}
