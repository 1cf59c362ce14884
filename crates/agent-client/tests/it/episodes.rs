//! The episode loop, with the newsstand environment.

use crate::newsvendor::Newsvendor;
use agent_client::backends::{Func, Scripted};
use agent_client::decide::CallStyle;
use agent_client::play::retell::retell;
use agent_client::play::{Agent, GoldPlan, Overflow, PlanMode, PlayReport, PlaySettings, play};
use agent_client::{
    AgentBackend, AgentError, Arguments, ErrorClass, Format, Message, Reply, Request, Slot,
    Structured, ToolCall, ToolChoice,
};
use serde_json::{Value, json};
use sim_core::{
    Digest, DynEnvironmentSpec, DynInstance, Ending, EpisodeRecord, Header, Input, Limits, Seed,
    Session, ToolEnvironment,
};
use std::sync::{Arc, Mutex};

pub fn case(index: u64) -> Arc<dyn DynInstance> {
    let config = Newsvendor.configure(None, &[]).unwrap();
    DynEnvironmentSpec::draw(&Newsvendor, &config, Seed(7), index).unwrap()
}

pub fn session(case: &dyn DynInstance, index: u64, limits: Limits) -> Session {
    let header = Header {
        environment: "newsvendor".to_owned(),
        version: 1,
        config: Digest::of_bytes(b"config"),
        instance: case.digest(),
        seed: Seed(7),
        episode: index,
        agent: "openai:test-model".to_owned(),
        settings: None,
        method: None,
        feedback: None,
        stream: None,
        trial: 0,
    };
    Session::new(case.open().unwrap(), header, limits)
}

pub fn order(papers: i64) -> ToolCall {
    ToolCall::new("c", "order", json!({"papers": papers}))
}

fn look() -> ToolCall {
    ToolCall::new("l", "get_yesterday", json!({}))
}

struct Played {
    record: EpisodeRecord,
    report: PlayReport,
    asked: Vec<Request>,
}

async fn play_with(
    settings: PlaySettings,
    limits: Limits,
    answer: impl Fn(usize, &Request) -> Result<Reply, AgentError> + Send + Sync + 'static,
) -> Result<Played, AgentError> {
    let asked: Arc<Mutex<Vec<Request>>> = Arc::default();
    let backend = Func::new("f", {
        let asked = Arc::clone(&asked);
        move |request: &Request| {
            let number = {
                let mut asked = asked.lock().unwrap();
                asked.push(request.clone());
                asked.len() - 1
            };
            answer(number, request)
        }
    });
    let case = case(0);
    let mut session = session(&*case, 0, limits);
    let agents = Agent::new(Arc::new(backend));
    let slot = Slot::new("e0");
    let report = play(&mut session, &agents, &settings, &slot, &mut |_| ()).await?;
    let record = session.finish().unwrap();
    record.verify_within(case.open().unwrap(), limits).unwrap();
    let asked = asked.lock().unwrap().clone();
    Ok(Played {
        record,
        report,
        asked,
    })
}

fn defaults() -> (PlaySettings, Limits) {
    (PlaySettings::default(), Limits::default())
}

#[tokio::test]
async fn each_day_begins_with_a_fresh_chat() {
    let (settings, limits) = defaults();
    let played = play_with(settings, limits, |n, _| {
        Ok(Reply::calls(vec![if n % 2 == 0 {
            look()
        } else {
            order(20)
        }]))
    })
    .await
    .unwrap();
    assert_eq!(played.record.ending, Ending::Complete);
    assert_eq!(played.asked.len(), 20);
    assert_eq!((played.report.queries, played.report.asked), (20, 20));
    let tally = played.record.tally();
    assert_eq!((tally.queries, tally.inputs, tally.forfeits), (20, 20, 0));
    for (day, pair) in played.asked.chunks(2).enumerate() {
        let [first, second] = pair else {
            panic!("pairs")
        };
        assert_eq!(first.messages.len(), 2, "day {day}");
        assert_eq!(first.choice, ToolChoice::Any);
        let names: Vec<&str> = first.tools.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names, ["get_yesterday", "order"]);
        let opening = Message::user(format!("It is day {day}. Decide how many papers to buy."));
        assert_eq!(first.messages[1], opening);
        let [.., Message::Tools { results }, Message::User { text }] = &second.messages[..] else {
            panic!("results, then the reminder");
        };
        assert!(
            results[0]
                .text
                .contains(if day == 0 { "no yesterday" } else { "wanted" })
        );
        assert_eq!(text, "Call `order` when you have decided.");
    }
    let slots: std::collections::BTreeSet<&Slot> = played.asked.iter().map(|r| &r.slot).collect();
    assert_eq!(slots.len(), 20, "no two requests share a slot");
}

#[tokio::test]
async fn calls_run_in_order_and_the_rest_is_dropped() {
    let (settings, limits) = defaults();
    let played = play_with(settings, limits, |_, _| {
        Ok(Reply::calls(vec![
            look(),
            order(-1),
            order(20),
            order(30),
            look(),
        ]))
    })
    .await
    .unwrap();
    let tally = played.record.tally();
    assert_eq!(
        (played.asked.len(), tally.inputs, tally.dropped),
        (10, 30, 20)
    );
    assert_eq!(played.report.dropped, 20);
    assert_eq!(played.report.refused["order_out_of_range"], 10);
    assert!(played.record.entries.iter().all(|e| e.query == 1));
}

#[tokio::test]
async fn the_last_query_offers_the_decision_only() {
    let (settings, limits) = defaults();
    let limits = Limits {
        calls_per_period: 3,
        ..limits
    };
    let played = play_with(settings, limits, |_, _| Ok(Reply::calls(vec![look()])))
        .await
        .unwrap();
    assert_eq!(played.record.ending, Ending::Forfeited);
    // Three forfeits in a row end the episode: 3 days of 3 queries.
    assert_eq!(played.asked.len(), 9);
    for day in played.asked.chunks(3) {
        let counts: Vec<usize> = day.iter().map(|r| r.tools.len()).collect();
        assert_eq!(counts, [2, 2, 1]);
    }
    assert_eq!(
        played.report.not_offered, 3,
        "answered and counted, not applied"
    );
    let calls = played.record.entries.iter();
    let calls = calls
        .filter(|e| matches!(e.input, Input::Call { .. }))
        .count();
    assert_eq!(calls, 6);
    assert_eq!(played.record.tally().forfeits, 10);
    assert_eq!(incidents(&played.record), 10);
}

#[tokio::test]
async fn errors_are_shown_and_end_in_a_forfeit() {
    let (settings, limits) = defaults();
    let played = play_with(settings, limits, |n, request| {
        let broken = ToolCall {
            arguments: Arguments::read("{\"papers\": 4"),
            ..order(0)
        };
        let unknown = ToolCall::new("u", "fly", json!({}));
        if n > 0
            && let Some(Message::Tools { results }) = request
                .messages
                .iter()
                .rev()
                .find(|m| matches!(m, Message::Tools { .. }))
        {
            assert!(results.iter().all(|r| r.is_error), "{results:?}");
            let text = &results[0].text;
            assert!(
                text.contains("JSON") || text.contains("no tool `fly`"),
                "{text}"
            );
        }
        Ok(Reply::calls(vec![if n % 2 == 0 {
            broken
        } else {
            unknown
        }]))
    })
    .await
    .unwrap();
    assert_eq!(played.record.ending, Ending::Forfeited);
    assert_eq!(played.asked.len(), 30, "ten tries in each of three days");
    assert_eq!(played.report.broken_arguments, 15);
    assert_eq!(played.report.refused["unknown_tool"], 15);
    assert_eq!(played.report.refused["bad_arguments"], 15);
}

#[tokio::test]
async fn hidden_errors_begin_the_period_anew() {
    let (settings, limits) = defaults();
    let limits = Limits {
        faithful_errors: true,
        tries_per_period: 3,
        ..limits
    };
    let played = play_with(settings, limits, |n, request| {
        assert_eq!(request.messages.len(), 2, "no error is shown");
        Ok(Reply::calls(vec![if n % 3 == 2 {
            order(5)
        } else {
            order(-5)
        }]))
    })
    .await
    .unwrap();
    assert_eq!(played.record.ending, Ending::Complete);
    assert_eq!(played.record.tally().restarts, 20);
    let slots: std::collections::BTreeSet<&Slot> = played.asked.iter().map(|r| &r.slot).collect();
    assert_eq!(
        slots.len(),
        30,
        "equal chats after a fresh start have slots of their own"
    );
}

/// Small models without tool calling answer in prose.
#[tokio::test]
async fn prose_is_reminded_and_then_asked_for_json() {
    let (settings, limits) = defaults();
    let played = play_with(settings, limits, |_, request| {
        Ok(Reply::text(
            match (&request.format, request.tools.is_empty()) {
                (_, false) => "I would buy about twenty papers.".to_owned(),
                _ => "{\"reason\": \"x\", \"tool\": \"order\", \"with\": {\"papers\": 20}}"
                    .to_owned(),
            },
        ))
    })
    .await
    .unwrap();
    assert_eq!(played.record.ending, Ending::Complete);
    // Two replies in prose each day, then JSON.
    assert_eq!(played.asked.len(), 30);
    assert_eq!(
        (played.report.without_call, played.report.style_changes),
        (20, 10)
    );
    let third = &played.asked[2];
    assert_eq!(third.format, Format::Text, "this backend is asked in words");
    let Message::System { text } = &third.messages[0] else {
        panic!("no rules");
    };
    assert!(text.contains("- order: Buy papers") && text.contains("\"maximum\":1000"));
}

#[tokio::test]
async fn json_calls_are_enforced_where_the_server_can() {
    let asked: Arc<Mutex<Vec<Request>>> = Arc::default();
    let backend = Func::new("schemas", {
        let asked = Arc::clone(&asked);
        move |request: &Request| {
            asked.lock().unwrap().push(request.clone());
            let n = asked.lock().unwrap().len();
            Ok(Reply::text(if n % 2 == 1 {
                json!({"reason": "", "tool": "get_yesterday", "with": {}}).to_string()
            } else {
                json!({"reason": "", "tool": "order", "with": {"papers": 9}}).to_string()
            }))
        }
    })
    .asked_for_json(Structured::Native);
    let case = case(0);
    let mut session = session(&*case, 0, Limits::default());
    let settings = PlaySettings {
        style: CallStyle::Json,
        ..PlaySettings::default()
    };
    let agents = Agent::new(Arc::new(backend));
    let slot = Slot::new("e");
    play(&mut session, &agents, &settings, &slot, &mut |_| ())
        .await
        .unwrap();
    let asked = asked.lock().unwrap();
    let Format::Json(schema) = &asked[0].format else {
        panic!("no schema");
    };
    assert_eq!(
        schema.schema["properties"]["call"]["anyOf"][1]["properties"]["tool"]["const"],
        "order"
    );
    let Some(Message::User { text }) = asked[1].messages.last() else {
        panic!("results as text");
    };
    assert!(
        text.starts_with("get_yesterday: There is no yesterday"),
        "{text}"
    );
    assert!(
        text.ends_with("Call `order` when you have decided."),
        "{text}"
    );
    assert_eq!(session.finish().unwrap().tally().inputs, 20);
}

#[derive(Debug)]
struct Clairvoyant;

impl GoldPlan for Clairvoyant {
    fn plan(&self, env: &dyn ToolEnvironment) -> Option<String> {
        Some(format!("order({{\"papers\": {}}})", env.period().index))
    }
}

#[tokio::test]
async fn plan_modes_change_the_words() {
    let run = async |plan, gold: bool| {
        let backend = Arc::new(Scripted::default());
        for _ in 0..10 {
            if plan == PlanMode::Cot {
                backend.push(Ok(Reply::text("1. look 2. order")));
            }
            backend.push(Ok(Reply::calls(vec![order(3)])));
        }
        let case = case(0);
        let mut session = session(&*case, 0, Limits::default());
        let shared: Arc<dyn AgentBackend> = Arc::clone(&backend) as _;
        let mut agent = Agent::new(shared);
        agent.memory = "Demand is at most 50.".to_owned();
        if gold {
            agent.gold = Some(Arc::new(Clairvoyant));
        }
        let settings = PlaySettings {
            plan,
            ..PlaySettings::default()
        };
        let slot = Slot::new("e");
        let done = play(&mut session, &agent, &settings, &slot, &mut |_| ()).await;
        done.map(|report| (report, backend.asked()))
    };
    let words = |request: &Request| -> String {
        request
            .messages
            .iter()
            .map(|m| format!("{m:?}\n"))
            .collect()
    };
    let (report, asked) = run(PlanMode::None, false).await.unwrap();
    assert_eq!((report.asked, asked.len()), (10, 10));
    assert!(words(&asked[0]).contains("Demand is at most 50."));
    let (report, asked) = run(PlanMode::Cot, false).await.unwrap();
    assert_eq!((report.asked, report.queries, asked.len()), (20, 10, 20));
    assert!(asked[0].tools.is_empty() && words(&asked[0]).contains("Do not act yet"));
    assert!(words(&asked[1]).contains("1. look 2. order"));
    let (_, asked) = run(PlanMode::React, false).await.unwrap();
    assert_eq!(asked.len(), 10);
    assert!(words(&asked[0]).contains("Before each call"));
    let (_, asked) = run(PlanMode::Gold, true).await.unwrap();
    assert!(
        words(&asked[7]).contains("order({\\\"papers\\\": 7})"),
        "{}",
        words(&asked[7])
    );
    let error = run(PlanMode::Gold, false).await.unwrap_err();
    assert!(error.message.contains("needs a solver"), "{error}");
}

#[tokio::test]
async fn a_plan_that_fails_is_counted_by_its_cause() {
    let settings = PlaySettings {
        plan: PlanMode::Cot,
        ..PlaySettings::default()
    };
    for (class, counts) in [
        (ErrorClass::Overflow, (10, 0)),
        (ErrorClass::Filtered, (0, 10)),
    ] {
        let answer = move |_: usize, request: &Request| match request.tools.is_empty() {
            true => Err(AgentError::new(class, "no")),
            false => Ok(Reply::calls(vec![order(2)])),
        };
        let played = play_with(settings, Limits::default(), answer).await;
        let report = played.unwrap().report;
        assert_eq!((report.overflows, report.filtered), counts, "{class}");
    }
}

/// A model whose context holds 1,200 bytes.
fn small(n: usize, request: &Request) -> Result<Reply, AgentError> {
    let size: usize = request.messages.iter().map(Message::size).sum();
    if size > 1_200 {
        return Err(AgentError::new(ErrorClass::Overflow, "too long"));
    }
    if request.tools.is_empty() {
        return Ok(Reply::text("I looked several times."));
    }
    if n % 25 == 24 {
        return Ok(Reply::calls(vec![order(1)]));
    }
    let long = ToolCall::new("long", "order", json!({"papers": "x".repeat(100)}));
    Ok(Reply::calls(vec![long]))
}

#[tokio::test]
async fn a_chat_that_is_too_long_is_cut_or_forfeited() {
    let limits = Limits {
        tries_per_period: 100,
        ..Limits::default()
    };
    for overflow in [Overflow::DropOldest, Overflow::Summarise] {
        let settings = PlaySettings {
            overflow,
            ..PlaySettings::default()
        };
        let played = play_with(settings, limits, small).await.unwrap();
        assert!(played.report.overflows > 0);
        let words = format!("{:?}", played.asked);
        let left_out = words.contains("left out to save room");
        let summary = words.contains("I looked several times.");
        assert_eq!(
            (left_out, summary),
            match overflow {
                Overflow::DropOldest => (true, false),
                _ => (left_out, true),
            }
        );
        let slots: std::collections::BTreeSet<&Slot> =
            played.asked.iter().map(|r| &r.slot).collect();
        assert_eq!(slots.len(), played.asked.len());
    }
    let settings = PlaySettings {
        overflow: Overflow::Fail,
        ..PlaySettings::default()
    };
    let error = play_with(settings, limits, small).await.err().unwrap();
    assert_eq!(error.class, ErrorClass::Overflow);
    // Rules that do not fit leave nothing to cut: every turn is forfeited.
    let played = play_with(PlaySettings::default(), limits, |_, _| {
        Err(AgentError::new(ErrorClass::Overflow, "tiny"))
    })
    .await
    .unwrap();
    assert_eq!(
        (played.record.ending, played.asked.len()),
        (Ending::Forfeited, 3)
    );
}

#[tokio::test]
async fn filtered_replies_are_counted_and_go_on() {
    let (settings, limits) = defaults();
    let played = play_with(settings, limits, |n, _| {
        if n % 2 == 0 {
            Err(AgentError::new(ErrorClass::Filtered, "no"))
        } else {
            Ok(Reply::calls(vec![order(2)]))
        }
    })
    .await
    .unwrap();
    assert_eq!(
        (played.report.filtered, played.record.ending),
        (10, Ending::Complete)
    );
}

#[tokio::test]
async fn an_interrupted_episode_asks_the_same_and_ends_the_same() {
    let answer = |request: &Request| {
        let papers = request.slot.as_str().bytes().map(i64::from).sum::<i64>() % 40;
        let seen = request.messages.len() > 2;
        Ok(Reply::calls(vec![if seen {
            order(papers)
        } else {
            look()
        }]))
    };
    let (settings, limits) = defaults();
    let whole = play_with(settings, limits, move |_, r| answer(r))
        .await
        .unwrap();
    for stop in 0..20 {
        let count = Mutex::new(0);
        let backend = Func::new("f", move |request: &Request| {
            let mut count = count.lock().unwrap();
            *count += 1;
            if *count == stop + 1 {
                return Err(AgentError::new(ErrorClass::Server, "down"));
            }
            answer(request)
        });
        let case = case(0);
        let agents = Agent::new(Arc::new(backend));
        let slot = Slot::new("e0");
        let mut first = session(&*case, 0, limits);
        let mut saved = Vec::new();
        let error = play(&mut first, &agents, &settings, &slot, &mut |s| {
            saved = s.entries().to_vec();
        })
        .await
        .unwrap_err();
        assert_eq!(error.class, ErrorClass::Server);
        let env = case.open().unwrap();
        let header = first.header().clone();
        let mut second = Session::resume(env, header, limits, saved).unwrap();
        play(&mut second, &agents, &settings, &slot, &mut |_| ())
            .await
            .unwrap();
        let record = second.finish().unwrap();
        assert_eq!(
            serde_json::to_string(&record).unwrap(),
            serde_json::to_string(&whole.record).unwrap(),
            "stopped at request {stop}"
        );
    }
}

#[tokio::test]
async fn an_episode_is_retold_from_its_log() {
    let (settings, limits) = defaults();
    let played = play_with(settings, limits, |n, _| {
        Ok(Reply::calls(vec![if n % 2 == 0 {
            look()
        } else {
            order(20 - n as i64 * 4)
        }]))
    })
    .await
    .unwrap();
    let story = retell(case(0).open().unwrap(), &played.record.entries, None);
    assert!(
        story.starts_with("day 1: order({\"papers\":16}) -> result: Sold "),
        "{story}"
    );
    assert!(
        story.contains("-> refused: an order is 0 to 1000 papers"),
        "{story}"
    );
    assert!(
        !story.contains("get_yesterday"),
        "what was read is left out"
    );
    let value: Value = serde_json::to_value(&played.report).unwrap();
    assert!(value["refused"]["order_out_of_range"].is_number());
}

fn incidents(record: &EpisodeRecord) -> usize {
    record.score.all_incidents().len()
}
