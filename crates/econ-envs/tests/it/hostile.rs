//! Scripted agents that misbehave, in any environment.

use serde_json::{Value, json};
use sim_core::{
    DynEnvironmentSpec, Input, Limits, Next, Query, Seed, Session, ToolKind, ToolReply,
};
use sim_core::{EpisodeRecord, Header};

fn session(spec: &dyn DynEnvironmentSpec, limits: Limits) -> Session {
    let config = spec.configure(None, &[]).unwrap();
    let instance = spec.draw(&config, Seed(3), 0).unwrap();
    let header = Header {
        environment: spec.name().to_owned(),
        version: spec.version(),
        config: instance.digest(),
        instance: instance.digest(),
        seed: Seed(3),
        episode: 0,
        agent: "script".to_owned(),
        settings: None,
        method: None,
        feedback: None,
        stream: None,
        trial: 0,
    };
    Session::new(instance.open().unwrap(), header, limits)
}

fn finish(session: Session) -> EpisodeRecord {
    let record = session.finish().unwrap();
    assert!(record.score.value().is_finite());
    assert!(
        !record.score.all_incidents().is_empty(),
        "nothing flags the misbehaviour"
    );
    record
}

/// Reads for ever and never decides: the queries of each period run out.
pub(crate) fn never_submits(spec: &dyn DynEnvironmentSpec, getter: &str) -> EpisodeRecord {
    let mut session = session(spec, Limits::default());
    let mut queries = 0;
    while !session.env().is_over() {
        match session.query() {
            Query::Go { last } => {
                queries += 1;
                let tools = session.offered(last);
                assert!(!last || tools.iter().all(|t| t.name != getter));
                session.apply(Input::Call {
                    tool: getter.to_owned(),
                    arguments: json!({}),
                });
            }
            Query::Spent(next) => assert!(matches!(next, Next::Forfeited | Next::EpisodeOver)),
        }
        assert!(queries < 1_000, "the episode does not end");
    }
    // Three forfeits in a row end it.
    assert_eq!(queries, 120);
    finish(session)
}

/// Sends garbage to the action tool until it is over.
pub(crate) fn sends_garbage(
    spec: &dyn DynEnvironmentSpec,
    tool: &str,
    argument: &str,
) -> EpisodeRecord {
    let garbage: Vec<Value> = sim_core::testkit::hostile_values()
        .into_iter()
        .chain([
            json!("{'a': 1, 'a': 2}"),
            json!("{'W1': {'T1': ['T1', NaN]}}"),
            json!("{'Product_1': -1}"),
            json!("{'Product_1': 1e999}"),
            json!("{'\u{1F980}': '\u{202e}'}"),
            json!("{".repeat(10_000)),
            json!("```json\n{}\n```"),
        ])
        .collect();
    let mut session = session(spec, Limits::default());
    let mut sent = 0;
    while !session.env().is_over() {
        let before = session.env().snapshot();
        let value = garbage[sent % garbage.len()].clone();
        let outcome = session.apply(Input::Call {
            tool: tool.to_owned(),
            arguments: json!({argument: value}),
        });
        assert!(outcome.reply.is_rejected(), "accepted: {:?}", outcome.reply);
        assert!(outcome.reply.text().len() < 2_000);
        if outcome.next == Next::GoOn {
            assert_eq!(session.env().snapshot(), before);
        }
        sent += 1;
        assert!(sent < 1_000, "the episode does not end");
    }
    // Ten tries a turn, until the first seat has let three of its turns pass.
    let seats = session.env().seats().len();
    assert_eq!(sent, 10 * (2 * seats + 1));
    finish(session)
}

/// The same with limits that let it go on for a thousand refusals in the first period.
pub(crate) fn sends_garbage_for_long(spec: &dyn DynEnvironmentSpec, tool: &str, argument: &str) {
    let limits = Limits {
        tries_per_period: 1_000,
        ..Limits::default()
    };
    let mut session = session(spec, limits);
    let before = session.env().snapshot();
    for sent in 1..=1_000 {
        let outcome = session.apply(Input::Call {
            tool: tool.to_owned(),
            arguments: json!({argument: format!("{{'x': {sent}")}),
        });
        assert!(outcome.reply.is_rejected());
        if sent < 1_000 {
            assert_eq!(outcome.next, Next::GoOn);
            assert_eq!(session.env().snapshot(), before);
        } else {
            assert_eq!(outcome.next, Next::Forfeited);
        }
    }
}

/// Writes ten megabytes of notes; what is kept stays below the limit.
pub(crate) fn writes_a_book(spec: &dyn DynEnvironmentSpec) -> EpisodeRecord {
    let mut session = session(spec, Limits::default());
    let page = "x".repeat(10_000);
    let (mut written, mut refused) = (0, 0);
    for _ in 0..1_000 {
        if session.env().is_over() {
            break;
        }
        let arguments = json!({"notes": page});
        match session
            .apply(Input::Call {
                tool: "write_notes".to_owned(),
                arguments,
            })
            .reply
        {
            ToolReply::Shown { .. } => written += 1,
            ToolReply::Rejected { .. } => refused += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(written > 0 && refused > 0);
    assert!(session.env().snapshot().to_string().len() < 2_000_000);
    while !session.env().is_over() {
        session.forfeit();
    }
    finish(session)
}

/// An argument that a tool does not have is answered, takes no reading and plays nothing.
#[test]
fn unknown_arguments_are_refused() {
    use econ_envs::{litmus, pricing, procurement, scheduling};
    let specs: [(&dyn DynEnvironmentSpec, &str, Value); 6] = [
        (
            &procurement::Spec,
            "submit_purchase_plan",
            json!({"purchase_plan": "{}"}),
        ),
        (
            &scheduling::Spec,
            "submit_assignment",
            json!({"assignment": "{}"}),
        ),
        (
            &pricing::Spec,
            "set_prices",
            json!({"prices_dict_str": "{}"}),
        ),
        (
            &litmus::collusion::Spec,
            "set_prices",
            json!({"prices_dict_str": "{}"}),
        ),
        (
            &litmus::efficiency::Spec,
            "submit_assignment",
            json!({"assignment": "{}"}),
        ),
        (&litmus::patience::Spec, "answer", json!({"choice": "A"})),
    ];
    for (spec, action, mut arguments) in specs {
        let config = spec.configure(None, &[]).unwrap();
        let mut game = spec.draw(&config, Seed(3), 0).unwrap().open().unwrap();
        let tools = game.tools();
        assert!(tools.iter().any(|tool| tool.name == action), "{action}");
        arguments["attempt"] = json!(4);
        let reply = game.call(action, &arguments);
        assert!(reply.text().contains("`attempt`"), "{}", reply.text());
        assert_eq!(game.period().index, 0);
        let getters = tools.iter().filter(|tool| tool.kind == ToolKind::Getter);
        // The tools of notes are not those of the environment, and have arguments.
        for tool in getters.filter(|tool| !tool.name.ends_with("_notes")) {
            let refused = game.call(&tool.name, &json!({"last": 3}));
            assert!(refused.is_rejected(), "{}", tool.name);
            assert!(
                !game.call(&tool.name, &json!({})).is_rejected(),
                "{}",
                tool.name
            );
        }
    }
}
