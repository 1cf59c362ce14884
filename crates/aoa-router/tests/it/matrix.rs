use aoa_router::matrix::MAX_AGENTS;
use aoa_router::trace::AnswerUsage;
use aoa_router::{Incomplete, Matrix, Paired, TraceRecord};

fn trace(id: &str, method: &str, correct: bool) -> TraceRecord {
    TraceRecord {
        score: 0.5,
        usage: Some(AnswerUsage {
            calls: 2,
            input: 10,
            output: 5,
            cost: None,
        }),
        ..TraceRecord::new(id, method, correct)
    }
}

#[test]
fn traces_join_on_samples() {
    let traces = [
        trace("b", "Cot", false),
        trace("a", "cot", true),
        trace("a", "ace", false),
        trace("b", "ace", true),
    ];
    let matrix = Matrix::join(&traces, Incomplete::Refuse).unwrap();
    assert_eq!(matrix.ids(), ["a", "b"]);
    assert_eq!(matrix.names(), ["ace", "cot"]);
    assert!(matrix.is_correct(1, 0) && !matrix.is_correct(0, 0));
    let expected = Paired {
        n: 2,
        wins: 1,
        losses: 1,
    };
    assert_eq!(matrix.compare(0, 1), expected);
    assert_eq!(matrix.cost(0).calls, Some(2.0));
    assert_eq!(matrix.cost(0).tokens, Some(15.0));
    assert_eq!(matrix.cost(0).usd, None);
    assert_eq!(matrix.score(1), 0.5);
}

#[test]
fn doubled_missing_and_differing_samples_are_named() {
    let two = [trace("a", "cot", true), trace("a", " COT", true)];
    let error = Matrix::join(&two, Incomplete::LeaveOut).unwrap_err();
    assert!(
        error.message.contains("more than once: `a` by ` COT`"),
        "{error}"
    );

    let gap = [
        trace("a", "cot", true),
        trace("b", "cot", true),
        trace("b", "ace", true),
    ];
    let error = Matrix::join(&gap, Incomplete::Refuse).unwrap_err();
    assert!(
        error.message.contains("not answered: `a` by `ace`"),
        "{error}"
    );
    let matrix = Matrix::join(&gap, Incomplete::LeaveOut).unwrap();
    assert_eq!(
        (matrix.ids(), matrix.left_out()),
        (&["b".to_owned()][..], 1)
    );

    let mut other = trace("a", "ace", true);
    other.task_name = Some("finer".to_owned());
    let error = Matrix::join(&[trace("a", "cot", true), other], Incomplete::Refuse);
    assert!(error.unwrap_err().message.contains("differ"));

    let named = |method: &str, task: &str, capability: &str| TraceRecord {
        task_name: Some(task.to_owned()),
        capability: Some(capability.to_owned()),
        ..trace("a", method, true)
    };
    let alike = [
        named("cot", "FPB", "DK"),
        named("ace", "fpb", "domain knowledge"),
    ];
    assert_eq!(Matrix::join(&alike, Incomplete::Refuse).unwrap().len(), 1);

    let apart = [trace("a", "cot", true), trace("b", "ace", true)];
    assert!(Matrix::join(&apart, Incomplete::LeaveOut).is_err());
    assert!(Matrix::join(&[], Incomplete::Refuse).is_err());
}

/// Of 900 agents with 100 samples of their own each, nearly all of the 81 million pairs have no answer.
#[test]
fn missing_answers_are_counted_and_not_listed() {
    let traces: Vec<TraceRecord> = (0..90_000)
        .map(|n| TraceRecord::new(format!("{n:05}"), format!("m{:03}", n % 900), true))
        .collect();
    let error = Matrix::join(&traces, Incomplete::Refuse).unwrap_err();
    let shown = "not answered: `00001` by `m000`, `00002` by `m000`, `00003` by `m000`, `00004` by `m000`, `00005` by \
                 `m000` and 80909995 more";
    assert_eq!(error.message, shown);
    assert!(Matrix::join(&traces, Incomplete::LeaveOut).is_err());
}

#[test]
fn there_are_not_more_agents_than_can_be_compared() {
    let agents = |count: usize| {
        let traces = (0..count).map(|n| trace("a", &n.to_string(), true));
        Matrix::join(&traces.collect::<Vec<_>>(), Incomplete::Refuse)
    };
    assert!(agents(MAX_AGENTS).is_ok());
    assert_eq!(agents(MAX_AGENTS + 1).unwrap_err().place, "method");
}

#[test]
fn long_lists_are_cut() {
    let answers = (0..7).map(|n| trace(&n.to_string(), "cot", true));
    let twice: Vec<TraceRecord> = answers.clone().chain(answers).collect();
    let error = Matrix::join(&twice, Incomplete::Refuse).unwrap_err();
    let shown = "`0` by `cot`, `1` by `cot`, `2` by `cot`, `3` by `cot`, `4` by `cot` and 2 more";
    assert!(error.message.ends_with(shown), "{error}");
}
