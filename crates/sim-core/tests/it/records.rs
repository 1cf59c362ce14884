use crate::contract::case;
use crate::limits::header;
use crate::newsvendor::Newsvendor;
use proptest::prelude::*;
use serde_json::json;
use sim_core::testkit::play;
use sim_core::{Ending, EpisodeRecord, Input, Limits, Next, Session, Stored};

fn record() -> EpisodeRecord {
    play(&Newsvendor, &*case(0), "constant:20").unwrap()
}

#[test]
fn an_altered_order_is_named_by_its_day() {
    let mut altered = record();
    altered.entries[6].input = Input::Act(json!({"papers": 21}));
    let error = altered.verify(case(0).open().unwrap()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("day 7: the answer has digest"),
        "{error}"
    );
}

#[test]
fn any_other_alteration_is_noticed() {
    let verify = |change: fn(&mut EpisodeRecord)| {
        let mut altered = record();
        change(&mut altered);
        altered
            .verify(case(0).open().unwrap())
            .unwrap_err()
            .to_string()
    };
    assert!(verify(|r| drop(r.entries.remove(3))).starts_with("day 5: the record says period 4"));
    assert!(verify(|r| drop(r.entries.pop())).contains("the record ends as Complete"));
    assert!(verify(|r| r.ending = Ending::Abandoned).contains("ends as Abandoned"));
    assert!(verify(|r| r.score = sim_core::Score::new(1e9).unwrap()).contains("the score is"));
    assert!(verify(|r| r.digest = sim_core::Digest::of_bytes(b"x")).contains("digest chain"));
    let foreign = record().verify(case(1).open().unwrap()).unwrap_err();
    assert!(foreign.to_string().starts_with("day "), "{foreign}");
}

#[test]
fn records_are_read_by_schema() {
    let value = serde_json::to_value(record()).unwrap();
    assert_eq!(EpisodeRecord::read(value.clone()).unwrap(), record());
    let mut newer = value.clone();
    newer["schema"] = json!(99);
    assert_eq!(EpisodeRecord::read(newer).unwrap_err().place, "schema");
    let mut odd = value;
    odd["entries"][2]["period"] = json!("two");
    assert_eq!(
        EpisodeRecord::read(odd).unwrap_err().place,
        "entries[2].period"
    );
}

#[test]
fn an_interrupted_period_starts_anew() {
    let order = |papers: i64| Input::Act(json!({"papers": papers}));
    let look = Input::Call {
        tool: "get_yesterday".to_owned(),
        arguments: json!({}),
    };
    let open = || Session::new(case(0).open().unwrap(), header(), Limits::default());
    let mut whole = open();
    whole.apply(order(1));
    whole.apply(look.clone());
    whole.apply(order(2));
    let mut cut = open();
    cut.apply(order(1));
    cut.apply(look.clone());
    let mut resumed = Session::resume(
        case(0).open().unwrap(),
        header(),
        Limits::default(),
        cut.entries().to_vec(),
    )
    .unwrap();
    assert_eq!(
        resumed.entries().len(),
        1,
        "the look of the unfinished day is dropped"
    );
    resumed.apply(look);
    resumed.apply(order(2));
    assert_eq!(resumed.entries(), whole.entries());
}

#[test]
fn a_log_cut_inside_the_closing_forfeits_is_completed() {
    let mut whole = Session::new(case(0).open().unwrap(), header(), Limits::default());
    while whole.forfeit() != Next::EpisodeOver {}
    let cut = whole.entries()[..5].to_vec();
    let resumed =
        Session::resume(case(0).open().unwrap(), header(), Limits::default(), cut).unwrap();
    assert_eq!(resumed.finish().unwrap(), whole.finish().unwrap());
}

#[test]
fn a_foreign_log_does_not_resume() {
    let entries = record().entries;
    let error = Session::resume(
        case(1).open().unwrap(),
        header(),
        Limits::default(),
        entries,
    );
    assert!(error.unwrap_err().to_string().starts_with("day 1: "));
}

#[test]
fn the_tally_counts_queries_and_dropped_calls() {
    let mut s = Session::new(case(0).open().unwrap(), header(), Limits::default());
    s.query();
    s.apply(Input::Call {
        tool: "get_yesterday".to_owned(),
        arguments: json!({}),
    });
    s.apply(Input::Call {
        tool: "order".to_owned(),
        arguments: json!({"papers": 1}),
    });
    s.drop_calls(2);
    s.query();
    s.query();
    s.apply(Input::Call {
        tool: "order".to_owned(),
        arguments: json!({"papers": 1}),
    });
    let tally = s.finish().unwrap().tally();
    assert_eq!((tally.inputs, tally.queries, tally.dropped), (3, 2, 2));
}

/// The numbers of queries begin again with each seat, turn and try of a period.
#[test]
fn the_tally_counts_the_queries_of_all_seats_and_tries() {
    let mut s = Session::new(crate::seats::table(), header(), Limits::default());
    while !s.env().is_over() {
        s.query();
        let tool = format!("say_{}", s.env().turn());
        s.apply(Input::Call {
            tool,
            arguments: json!({"number": 5}),
        });
    }
    assert_eq!(s.finish().unwrap().tally().queries, 4);

    let limits = Limits {
        faithful_errors: true,
        ..Limits::default()
    };
    let mut s = Session::new(case(0).open().unwrap(), header(), limits);
    for papers in [5_000, 1, 1] {
        s.query();
        s.apply(Input::Act(json!({"papers": papers})));
    }
    let tally = s.finish().unwrap().tally();
    assert_eq!((tally.restarts, tally.queries), (1, 3));
}

/// Inputs that limits produce are computed again and not taken from the record; every field is compared.
#[test]
fn a_record_that_its_limits_do_not_allow_is_noticed() {
    let limits = Limits {
        calls_per_period: 3,
        tries_per_period: 2,
        ..Limits::default()
    };
    let order = |papers: i64| Input::Act(json!({"papers": papers}));
    let mut s = Session::new(case(0).open().unwrap(), header(), limits);
    // Two refusals forfeit the first day, spent queries the second.
    s.apply(order(5_000));
    s.apply(order(5_000));
    for _ in 0..4 {
        s.query();
    }
    while !s.env().is_over() {
        s.query();
        s.apply(order(10));
    }
    let record = s.finish().unwrap();
    let verify =
        |record: &EpisodeRecord, limits| record.verify_within(case(0).open().unwrap(), limits);
    verify(&record, limits).unwrap();
    let fewer = Limits {
        calls_per_period: 2,
        ..limits
    };
    verify(&record, fewer).unwrap_err();
    for change in [
        |r: &mut EpisodeRecord| r.entries[2].input = Input::Restart,
        |r: &mut EpisodeRecord| drop(r.entries.remove(2)),
        |r: &mut EpisodeRecord| r.entries[4].query = 4,
        |r: &mut EpisodeRecord| r.entries[0].dropped = 1,
        |r: &mut EpisodeRecord| r.schema = 0,
    ] {
        let mut altered = record.clone();
        change(&mut altered);
        verify(&altered, limits).unwrap_err();
    }
}

proptest! {
    /// Ten doubles that need all their digits survive the round trip of a record.
    #[test]
    fn floats_survive(bits in proptest::collection::vec(any::<u64>(), 10)) {
        let floats: Vec<f64> =
            bits.into_iter().map(f64::from_bits).filter(|x| x.is_finite()).collect();
        let mut kept = record();
        kept.entries[0].action = Some(json!(floats));
        let text = serde_json::to_string(&kept).unwrap();
        let read: EpisodeRecord = serde_json::from_str(&text).unwrap();
        let back: Vec<f64> =
            serde_json::from_value(read.entries[0].action.clone().unwrap()).unwrap();
        let same = floats.iter().zip(&back).all(|(a, b)| a.to_bits() == b.to_bits());
        prop_assert!(same && floats.len() == back.len());
    }
}

#[test]
fn counts_of_a_record_with_any_numbers_stop_at_the_largest() {
    let mut altered = record();
    altered.entries[0].dropped = u32::MAX;
    altered.entries[1].dropped = 2;
    assert_eq!(altered.tally().dropped, u32::MAX);
}
