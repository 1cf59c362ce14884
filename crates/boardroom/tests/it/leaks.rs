//! A judged agent can find out nothing before it has acted, except the results of its own actions.
//!
//! Two episodes that differ only in hidden state get the same random calls. Up to the first outcome
//! that depends on the hidden state, every answer must be the same text and the same JSON.

use boardroom::registry::Registry;
use boardroom_serve::ServerMode;
use boardroom_serve::sessions::{ClientAnswer, SessionLimits, SessionManager};
use run_engine::plan::source::InstanceFile;
use run_engine::plan::{Plan, RunRequest};
use serde_json::{Value, json};
use sim_core::testkit::small_or_full;
use sim_core::{Seed, Stream};
use std::path::{Path, PathBuf};

/// Number of calls in a sequence.
const CALLS: usize = 14;

/// How to make a second instance that differs only in hidden state, and how to act.
struct Subject {
    environment: &'static str,
    preset: &'static str,
    settings: &'static [(&'static str, &'static str)],
    /// Instances drawn, and sequences played on each.
    instances: u64,
    sequences: u64,
    /// Changes what is hidden.
    hide: fn(&mut Value, &mut Stream),
    /// A decision that the environment may accept.
    decide: fn(&Value, &mut Stream) -> (&'static str, Value),
    /// Hidden numbers that no answer may spell out before the end.
    secrets: fn(&Value) -> Vec<f64>,
}

fn subjects() -> Vec<Subject> {
    vec![
        Subject {
            environment: "beer-game",
            preset: "random",
            settings: &[],
            instances: 50,
            sequences: 80,
            hide: |game, draw| {
                let demand = game["demand"].as_array_mut().unwrap();
                for week in demand.iter_mut().skip(1) {
                    *week = json!(week.as_u64().unwrap() + 1 + draw.below(400));
                }
                game["order_up_to"] = json!([1.0, 2.0, 3.0, 4.0]);
            },
            decide: |_, draw| ("place_order", json!({"quantity": draw.below(900)})),
            secrets: |_| vec![],
        },
        Subject {
            environment: "procurement",
            preset: "medium",
            settings: &[],
            instances: 15,
            sequences: 140,
            hide: |market, draw| {
                for category in market["effectiveness"].as_array_mut().unwrap() {
                    let values = category.as_array_mut().unwrap();
                    draw.shuffle(values);
                }
                market["seed_plan"] = json!([]);
            },
            decide: |market, draw| {
                // Offers of every category, because without them every plan fails, for any
                // hidden state.
                let offers = market["menu"]["offers"].as_array().unwrap().len();
                let share = draw.uniform(0.1, 0.6);
                let lines: Vec<String> = (1..=offers)
                    .filter(|_| draw.chance(share))
                    .map(|offer| format!("'Offer_{offer}': 1"))
                    .collect();
                let plan = format!("{{{}}}", lines.join(", "));
                ("submit_purchase_plan", json!({"purchase_plan": plan}))
            },
            secrets: |_| vec![],
        },
        Subject {
            environment: "scheduling",
            preset: "basic",
            settings: &[],
            instances: 15,
            sequences: 110,
            hide: |market, draw| {
                for side in ["workers", "tasks"] {
                    for ranking in market["preferences"][side].as_array_mut().unwrap() {
                        draw.shuffle(ranking.as_array_mut().unwrap());
                    }
                }
                market["feedback_seed"] = json!(Seed(draw.bits()));
            },
            decide: |market, draw| {
                let n = market["preferences"]["workers"].as_array().unwrap().len();
                let mut tasks: Vec<usize> = (1..=n).collect();
                draw.shuffle(&mut tasks);
                let pairs: Vec<String> = (1..)
                    .zip(&tasks)
                    .map(|(worker, task)| format!("'W{worker}': 'T{task}'"))
                    .collect();
                let text = format!("{{{}}}", pairs.join(", "));
                ("submit_assignment", json!({"assignment": text}))
            },
            secrets: |_| vec![],
        },
        Subject {
            environment: "pricing",
            preset: "medium",
            settings: &[],
            instances: 15,
            sequences: 110,
            // The most expensive product sets the printed ceiling; the sensitivity of the cheapest
            // one is printed nowhere.
            hide: |market, _| {
                let costs = numbers(&market["costs"]);
                let alpha = numbers(&market["alpha"]);
                let cheapest = (0..costs.len())
                    .min_by(|a, b| (costs[*a] * alpha[*a]).total_cmp(&(costs[*b] * alpha[*b])))
                    .unwrap();
                market["alpha"][cheapest] = json!(alpha[cheapest] * 0.9);
            },
            decide: |market, draw| {
                let n = numbers(&market["costs"]).len();
                let prices: Vec<String> = (1..=n)
                    .map(|i| format!("'Product_{i}': {:.2}", draw.uniform(1.0, 60.0)))
                    .collect();
                let text = format!("{{{}}}", prices.join(", "));
                ("set_prices", json!({"prices_dict_str": text}))
            },
            secrets: |market| {
                let mut all = numbers(&market["quality"]);
                all.extend(numbers(&market["alpha"]));
                all.extend(numbers(&market["costs"]));
                all
            },
        },
        Subject {
            environment: "efficiency-equality",
            preset: "both",
            settings: &[],
            instances: 10,
            sequences: 60,
            hide: |firm, draw| {
                let workers = firm["productivity"].as_array().unwrap().len();
                // The tasks of a period are visible once it has begun; a sequence does not reach
                // these.
                let beyond = workers * (CALLS + 1);
                for size in firm["sizes"]
                    .as_array_mut()
                    .unwrap()
                    .iter_mut()
                    .skip(beyond)
                {
                    *size = json!(size.as_u64().unwrap() + 1);
                }
                draw.shuffle(firm["productivity"].as_array_mut().unwrap());
            },
            decide: |firm, draw| {
                let n = firm["productivity"].as_array().unwrap().len();
                let pairs: Vec<String> = (1..=n)
                    .map(|task| format!("'T{task}': 'W{}'", 1 + draw.index(n)))
                    .collect();
                let text = format!("{{{}}}", pairs.join(", "));
                ("submit_assignment", json!({"assignment": text}))
            },
            secrets: |_| vec![],
        },
    ]
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap();
    list.iter().map(|v| v.as_f64().unwrap()).collect()
}

/// A judged game of the instance in `file`.
struct Seat {
    sessions: SessionManager,
    id: String,
    instance: Value,
}

impl Seat {
    fn at(environment: &str, file: &Path, instance: &Value) -> Self {
        let request = RunRequest {
            environment: environment.to_owned(),
            instance: Some(file.to_owned()),
            agent: "mcp".to_owned(),
            ..RunRequest::default()
        };
        let plan = Plan::new(&Registry::new(), request).unwrap();
        let sessions = SessionManager::new(
            Registry::new().into(),
            plan,
            ServerMode::Eval,
            SessionLimits::default(),
            None,
        )
        .unwrap();
        let id = sessions.bound().unwrap().id.clone();
        Self {
            sessions,
            id,
            instance: instance.clone(),
        }
    }
}

/// One call of a sequence.
#[derive(Debug, Clone)]
struct Call {
    tool: String,
    arguments: Value,
}

/// A random call: a getter with odd arguments, a tool that does not exist, or a decision.
fn call(subject: &Subject, sessions: &SessionManager, instance: &Value, draw: &mut Stream) -> Call {
    let odd = [
        json!({}),
        json!(null),
        json!([1]),
        json!({"seed": 1}),
        json!({"x": "y".repeat(50)}),
    ];
    if draw.chance(0.35) {
        let (tool, arguments) = (subject.decide)(instance, draw);
        return Call {
            tool: tool.to_owned(),
            arguments,
        };
    }
    let names: Vec<&str> = sessions
        .tools()
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    let tool = if draw.chance(0.05) {
        "reveal_optimum"
    } else {
        names[draw.index(names.len())]
    };
    // Mostly empty arguments, which getters take.
    let arguments = if draw.chance(0.7) {
        json!({})
    } else {
        odd[draw.index(odd.len())].clone()
    };
    Call {
        tool: tool.to_owned(),
        arguments,
    }
}

/// Compares two games; returns how many of the calls got the same answer.
fn compare(
    ours: &Seat,
    twin: &Seat,
    calls: &[Call],
    secrets: &[String],
    leak: impl Fn(&Seat, ClientAnswer) -> ClientAnswer,
) -> Result<usize, String> {
    if ours.sessions.tools() != twin.sessions.tools() {
        return Err("the tools tell the two apart".to_owned());
    }
    let first = ours.sessions.status(&ours.id);
    if first != twin.sessions.status(&twin.id) {
        return Err("the rules or the opening tell the two apart".to_owned());
    }
    let mut turn = first.value["turn"].clone();
    for (same, call) in calls.iter().enumerate() {
        let ask = |seat: &Seat| {
            let answer = seat
                .sessions
                .call(&seat.id, &call.tool, call.arguments.clone(), None);
            leak(seat, answer)
        };
        let (answer, other) = (ask(ours), ask(twin));
        let over = answer.value["over"] == true;
        if !over {
            let told = format!("{} {}", answer.text, answer.value);
            if let Some(secret) = secrets.iter().find(|secret| told.contains(*secret)) {
                return Err(format!("the answer to {call:?} tells {secret}: {told}"));
            }
            if answer.value.get("score").is_some() || answer.value.get("score_so_far").is_some() {
                return Err(format!("the answer to {call:?} tells the score"));
            }
        }
        let outcome = over || answer.value["turn"] != turn;
        turn = answer.value["turn"].clone();
        if answer != other {
            if outcome {
                return Ok(same);
            }
            return Err(format!(
                "the answers to {call:?} differ before any outcome does: {answer:?} {other:?}"
            ));
        }
        if over {
            break;
        }
    }
    Ok(calls.len())
}

/// Numbers that are unlikely to appear by chance, as they would be printed.
fn spelt_out(secrets: &[f64]) -> Vec<String> {
    let plain = secrets.iter().filter(|x| x.fract() != 0.0);
    let texts = plain.map(|x| format!("{x}"));
    texts.filter(|text| text.len() >= 8).collect()
}

/// Writes the instance as `run --instance` reads it.
fn file(dir: &Path, name: &str, subject: &Subject, instance: &Value) -> PathBuf {
    let kind = Registry::new();
    let stored = json!({
        "schema": <InstanceFile as sim_core::Stored>::SCHEMA,
        "environment": subject.environment,
        "version": kind.kind(subject.environment).unwrap().version(),
        "instance": instance,
    });
    let path = dir.join(name);
    std::fs::write(&path, stored.to_string()).unwrap();
    path
}

/// Counts over the sequences of a subject.
#[derive(Debug, Default)]
struct Tally {
    sequences: u64,
    told_apart: u64,
}

fn try_all(
    subject: &Subject,
    leak: impl Fn(&Seat, ClientAnswer) -> ClientAnswer,
) -> Result<Tally, String> {
    let dir = tempfile::tempdir().unwrap();
    let registry = Registry::new();
    let spec = registry.kind(subject.environment).unwrap();
    let settings: Vec<(String, Value)> = subject
        .settings
        .iter()
        .map(|(key, value)| ((*key).to_owned(), serde_json::from_str(value).unwrap()))
        .collect();
    let config = spec.configure(Some(subject.preset), &settings).unwrap();
    let mut tally = Tally::default();
    for k in 0..subject.instances {
        let case = spec.draw(&config, Seed(31), k).unwrap();
        let instance = case.instance().clone();
        let mut draw = Seed(32).stream(subject.environment, k);
        let mut other = instance.clone();
        (subject.hide)(&mut other, &mut draw);
        assert_ne!(instance, other, "{}", subject.environment);
        let secrets = spelt_out(&(subject.secrets)(&instance));
        let (one, two) = (
            file(dir.path(), "one.json", subject, &instance),
            file(dir.path(), "two.json", subject, &other),
        );
        for _ in 0..subject.sequences {
            let ours = Seat::at(subject.environment, &one, &instance);
            let twin = Seat::at(subject.environment, &two, &other);
            let calls: Vec<Call> = (0..CALLS)
                .map(|_| call(subject, &ours.sessions, &instance, &mut draw))
                .collect();
            let same = compare(&ours, &twin, &calls, &secrets, &leak)?;
            tally.sequences += 1;
            tally.told_apart += u64::from(same < calls.len());
        }
    }
    Ok(tally)
}

/// In the ordinary run a tenth of the sequences.
#[test]
fn slow_ten_thousand_sequences_of_calls_learn_nothing_but_outcomes() {
    let mut sequences = 0;
    for mut subject in subjects() {
        subject.sequences = small_or_full(subject.sequences.div_ceil(10), subject.sequences);
        let tally = try_all(&subject, |_, answer| answer)
            .unwrap_or_else(|e| panic!("{}: {e}", subject.environment));
        // Pairs that never differ would prove nothing.
        assert!(
            tally.told_apart > tally.sequences / 20,
            "{}: {tally:?}",
            subject.environment
        );
        sequences += tally.sequences;
    }
    assert!(sequences >= small_or_full(1_000, 10_000), "{sequences}");
}

/// A getter that prints next week's demand is detected, and so is a hidden number in a reply.
#[test]
fn a_planted_leak_is_found() {
    let mut subjects = subjects();
    for subject in &mut subjects {
        (subject.instances, subject.sequences) = (2, 20);
    }
    let beer = &subjects[0];
    let found = try_all(beer, |seat, mut answer| {
        answer
            .text
            .push_str(&seat.instance["demand"][20].to_string());
        answer
    });
    assert!(found.unwrap_err().contains("differ before any outcome"));
    let pricing = subjects
        .iter()
        .find(|s| s.environment == "pricing")
        .unwrap();
    let found = try_all(pricing, |seat, mut answer| {
        answer
            .text
            .push_str(&seat.instance["quality"][0].to_string());
        answer
    });
    assert!(found.unwrap_err().contains("tells"));
}
