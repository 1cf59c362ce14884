//! The requests of all methods, for games and interviews: one snapshot for each method and kind of work. Those
//! for questions, whose words come from the scorer, are in the tests of `boardroom`.
//!
//! After a prompt has changed, record the snapshots again with
//! `INSTA_UPDATE=always cargo nextest run -p agent-client requests` and read the difference.

use crate::asked::{interview_of, next, work};
use crate::episodes::{case, order, session};
use crate::methods::{Log, helper};
use agent_client::backends::Func;
use agent_client::memory::{FeedbackMode, WorkKind};
use agent_client::method::{
    EpisodeUnit, EpisodeWork, LearningStream, METHODS, MemorySpec, Method, MethodSpec, Team,
};
use agent_client::{AgentBackend, Format, Message, Reply, Request, ToolCall, ToolChoice};
use qa_scoring::interview::cases;
use sim_core::{Limits, Sense};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// A model that reasons where it may not call, calls where it may, and answers 1 elsewhere.
fn model() -> (Arc<dyn AgentBackend>, Log) {
    let log: Log = Arc::default();
    let kept = Arc::clone(&log);
    let func = Func::new("model", move |request: &Request| {
        kept.lock().unwrap().push(request.clone());
        Ok(match (helper(request), &request.choice) {
            (Some(text), _) => Reply::text(text),
            (None, ToolChoice::None) => Reply::text("Demand was 20, so 20 papers."),
            (None, _) if request.tools.is_empty() => Reply::text("Let me see.\nANSWER: positive"),
            (None, _) => Reply::calls(vec![order(20)]),
        })
    });
    (Arc::new(func), log)
}

fn method(name: &str) -> Method {
    let mut spec: MethodSpec = name.parse().unwrap();
    if let MemorySpec::Instruction(text) = &mut spec.memory {
        *text = Some("Look twice.".to_owned());
    }
    spec.make().unwrap()
}

/// The requests as text: settings, then the messages. A long text that was shown before is named by its
/// place.
fn shown(requests: &[Request]) -> String {
    let mut out = String::new();
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for (number, request) in requests.iter().enumerate() {
        let mut head = vec![format!("request {} ({})", number + 1, request.role)];
        head.extend(
            request
                .temperature
                .map(|heat| format!("temperature {heat}")),
        );
        head.extend(request.max_tokens.map(|most| format!("max_tokens {most}")));
        if !request.tools.is_empty() {
            let names: Vec<&str> = request
                .tools
                .iter()
                .map(|tool| tool.name.as_str())
                .collect();
            head.push(format!(
                "tools {}, choice {:?}",
                names.join(" "),
                request.choice
            ));
        }
        if let Format::Json(schema) = &request.format {
            head.push(format!("JSON `{}`", schema.name));
        }
        let _ = writeln!(out, "== {}", head.join(", "));
        for (place, message) in request.messages.iter().enumerate() {
            let (role, text) = match message {
                Message::System { text } => ("system", text.clone()),
                Message::User { text } => ("user", text.clone()),
                Message::Assistant(said) => {
                    let calls = said.calls.iter().map(agent_client::decide::calls::shown);
                    let parts = std::iter::once(said.text.clone()).chain(calls);
                    ("assistant", parts.collect::<Vec<_>>().join(" "))
                }
                Message::Tools { results } => {
                    let texts = results.iter().map(|result| result.text.clone());
                    ("tools", texts.collect::<Vec<_>>().join(" "))
                }
            };
            let at = format!("request {}, message {}", number + 1, place + 1);
            let first = seen.entry(text.clone()).or_insert_with(|| at.clone());
            if text.len() > 60 && *first != at {
                let _ = writeln!(out, "{role}: (as {first})");
            } else {
                let _ = writeln!(out, "{role}: {text}");
            }
        }
    }
    out
}

/// Compares the requests of a method with its snapshot, and says whether `cot` alone asks for reasoning.
fn check(kind: &str, method: &str, requests: &[Request]) {
    let text = shown(requests);
    let reasons = text.contains("step by step");
    assert_eq!(reasons, method == "cot", "{kind} {method}: {text}");
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true,
        snapshot_path => "requests"}, {
        insta::assert_snapshot!(format!("{kind}_{method}"), text);
    });
}

/// The first decision of two games of ten days, and what is learnt between them.
#[tokio::test]
async fn requests_for_games() {
    for name in METHODS.map(|method| method.name) {
        let (backend, log) = model();
        let work = EpisodeWork::new(Sense::Maximise);
        let mut stream = LearningStream::new(Team::of(backend), method(name), work);
        for index in 0..2 {
            let case = case(index);
            let open = || Ok(case.open()?);
            let unit = EpisodeUnit {
                name: index.to_string(),
                task: "Sell papers for ten days.".to_owned(),
                session: session(&*case, index, Limits::default()),
                open: &open,
                gold: None,
                truth: None,
                seats: BTreeMap::new(),
                after_turn: &mut |_| {},
            };
            stream.next(unit).await.unwrap();
        }
        let mut requests = log.lock().unwrap().clone();
        requests.retain(|request| {
            let slot = request.slot.as_str();
            slot.contains("/turn0/") || !slot.contains("/turn")
        });
        check("game", name, &requests);
    }
}

/// The first answers of two interviews, and what is learnt between them.
#[tokio::test]
async fn requests_for_interviews() {
    let cases = cases().unwrap();
    for name in METHODS.map(|method| method.name) {
        let (backend, log) = model();
        let work = work(FeedbackMode::Outcome, WorkKind::Episode);
        let mut stream = LearningStream::new(Team::of(backend), method(name), work);
        for case in &cases[..2] {
            let asked = interview_of(case, 1, 1);
            next(&mut stream, &asked, BTreeMap::new()).await.unwrap();
        }
        let requests = log.lock().unwrap().clone();
        check("interview", name, &requests);
    }
}

/// A server that calls although it may not has decided: no second request.
#[tokio::test]
async fn a_call_in_place_of_the_reasoning_counts() {
    let log: Log = Arc::default();
    let kept = Arc::clone(&log);
    let backend = Func::new("eager", move |request: &Request| {
        kept.lock().unwrap().push(request.clone());
        Ok(Reply::calls(vec![ToolCall::new(
            "c",
            "order",
            serde_json::json!({"papers": 20}),
        )]))
    });
    let work = EpisodeWork::new(Sense::Maximise);
    let mut stream = LearningStream::new(Team::of(Arc::new(backend)), method("cot"), work);
    let case = case(0);
    let open = || Ok(case.open()?);
    let unit = EpisodeUnit {
        name: "0".to_owned(),
        task: String::new(),
        session: session(&*case, 0, Limits::default()),
        open: &open,
        gold: None,
        truth: None,
        seats: BTreeMap::new(),
        after_turn: &mut |_| {},
    };
    let (record, _) = stream.next(unit).await.unwrap();
    assert_eq!(record.entries.len(), 10);
    let log = log.lock().unwrap();
    assert_eq!(log.len(), 10);
    assert!(log.iter().all(|request| request.choice == ToolChoice::None));
}
