use crate::contract::case;
use serde_json::json;
use sim_core::{Digest, Ending, Header, Input, Limits, Next, Query, Seed, Session, ToolKind};

pub fn header() -> Header {
    Header {
        environment: "newsvendor".to_owned(),
        version: 1,
        config: Digest::of_bytes(b"config"),
        instance: Digest::of_bytes(b"instance"),
        seed: Seed(1),
        episode: 0,
        agent: "script:test".to_owned(),
        settings: None,
        method: None,
        feedback: None,
        stream: None,
        trial: 0,
    }
}

fn session(limits: Limits) -> Session {
    Session::new(case(0).open().unwrap(), header(), limits)
}

fn order(papers: i64) -> Input {
    Input::Call {
        tool: "order".to_owned(),
        arguments: json!({"papers": papers}),
    }
}

fn look() -> Input {
    Input::Call {
        tool: "get_yesterday".to_owned(),
        arguments: json!({}),
    }
}

#[test]
fn refused_decisions_end_in_a_forfeit_and_looks_do_not() {
    let mut s = session(Limits {
        tries_per_period: 3,
        ..Limits::default()
    });
    for _ in 0..5 {
        assert_eq!(s.apply(look()).next, Next::GoOn);
    }
    assert_eq!(s.apply(order(-1)).next, Next::GoOn);
    assert_eq!(
        s.apply(Input::Say {
            text: "twenty please".to_owned()
        })
        .next,
        Next::GoOn
    );
    let last = s.apply(order(5_000));
    assert_eq!(last.next, Next::Forfeited);
    assert_eq!(
        last.reply.text(),
        "an order is 0 to 1000 papers, not `5000`"
    );
    assert_eq!(s.env().period().index, 1);
    assert_eq!(s.apply(order(5)).next, Next::TurnOver);
}

#[test]
fn queries_are_counted_and_the_last_offers_decisions_only() {
    let mut s = session(Limits {
        calls_per_period: 2,
        ..Limits::default()
    });
    assert_eq!(s.query(), Query::Go { last: false });
    assert_eq!(s.offered(false).len(), 2);
    assert_eq!(s.query(), Query::Go { last: true });
    assert!(
        s.offered(true)
            .iter()
            .all(|tool| tool.kind == ToolKind::Action)
    );
    assert_eq!(s.query(), Query::Spent(Next::Forfeited));
    assert_eq!(
        s.query(),
        Query::Go { last: false },
        "a new period has new queries"
    );
}

#[test]
fn three_forfeits_in_a_row_forfeit_the_rest() {
    let mut s = session(Limits::default());
    assert_eq!(s.forfeit(), Next::Forfeited);
    assert_eq!(s.apply(order(10)).next, Next::TurnOver);
    assert_eq!(s.forfeit(), Next::Forfeited);
    assert_eq!(s.forfeit(), Next::Forfeited);
    assert_eq!(s.forfeit(), Next::EpisodeOver);
    let record = s.finish().unwrap();
    assert_eq!(record.ending, Ending::Forfeited);
    assert_eq!(record.tally().forfeits, 9);
    assert_eq!(record.score.all_incidents().len(), 9);
    record.verify(case(0).open().unwrap()).unwrap();
}

#[test]
fn the_faithful_mode_starts_the_period_anew() {
    let limits = Limits {
        faithful_errors: true,
        tries_per_period: 3,
        ..Limits::default()
    };
    let mut s = session(limits);
    assert_eq!(s.apply(order(-1)).next, Next::Restarted);
    assert_eq!(s.apply(order(-1)).next, Next::Restarted);
    assert_eq!(s.apply(order(-1)).next, Next::Forfeited);
    assert_eq!(s.apply(order(1)).next, Next::TurnOver);
    while !s.env().is_over() {
        s.apply(order(1));
    }
    let record = s.finish().unwrap();
    assert_eq!((record.tally().restarts, record.tally().forfeits), (2, 1));
    assert_eq!(record.ending, Ending::Complete);
    record.verify(case(0).open().unwrap()).unwrap();
}

#[test]
fn a_reply_without_end_is_cut_off() {
    let mut s = session(Limits {
        inputs_per_period: 100,
        ..Limits::default()
    });
    let mut looks = 0;
    while s.apply(look()).next == Next::GoOn {
        looks += 1;
    }
    assert_eq!(looks, 99);
    assert_eq!(s.env().period().index, 1);
}

#[test]
fn counts_of_zero_are_refused() {
    assert!(Limits::default().check().is_ok());
    let error = Limits {
        tries_per_period: 0,
        ..Limits::default()
    }
    .check()
    .unwrap_err();
    assert_eq!(error.to_string(), "tries_per_period: must be at least 1");
}

#[test]
fn nothing_happens_after_the_end() {
    let mut s = session(Limits::default());
    while !s.env().is_over() {
        s.apply(order(3));
    }
    let entries = s.entries().len();
    for input in [order(1), Input::Forfeit, Input::Restart, look()] {
        assert_eq!(s.apply(input).next, Next::EpisodeOver);
    }
    assert_eq!(s.query(), Query::Spent(Next::EpisodeOver));
    assert_eq!(s.forfeit(), Next::EpisodeOver);
    assert_eq!(s.entries().len(), entries);
}
