use crate::names_the_place;
use aoa_router::trace::halves;
use aoa_router::{Bucket, TraceRecord, read_traces};
use sim_core::Seed;

const LINE: &str = r#"{"schema": 1, "sample_id": "a:1", "method": "cot", "correct": true, "score": 1.0, "difficulty_score": 4.5}"#;

#[test]
fn records_need_little() {
    let record = read_traces("f", LINE).unwrap().remove(0);
    assert_eq!(record.sample().difficulty_bucket, Bucket::Middle);
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(read_traces("f", &text).unwrap(), [record]);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let cases = [
        ("\"score\": 1.0", "\"score\": 1.5", "f line 2.score"),
        ("\"score\": 1.0", "\"score\": 1e999", "f line 2"),
        ("\"a:1\"", "\" \"", "f line 2.sample_id"),
        ("\"correct\": true", "\"correct\": 1", "f line 2.correct"),
        ("\"method\"", "\"agent\"", "f line 2"),
        ("\"schema\": 1", "\"schema\": 2", "f line 2.schema"),
        (
            "\"schema\": 1",
            "\"schema\": 1, \"feature_version\": 9",
            "f line 2.feature_version",
        ),
        (
            "\"correct\": true",
            "\"correct\": true, \"correct\": false",
            "f line 2",
        ),
        ("}", "", "f line 2"),
    ];
    names_the_place(LINE, &cases, |text| read_traces("f", text));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(
        read_traces("f", &deep)
            .unwrap_err()
            .message
            .contains("recursion")
    );
}

#[test]
fn halves_share_no_sample_and_every_cell() {
    let mut traces = Vec::new();
    for n in 0..40 {
        for method in ["cot", "ace"] {
            traces.push(TraceRecord {
                task_name: Some(format!("task {}", n % 4)),
                ..TraceRecord::new(n.to_string(), method, true)
            });
        }
    }
    let (first, second) = halves(traces.clone(), Seed(1));
    assert_eq!((first.len(), second.len()), (40, 40));
    for task in 0..4 {
        let name = Some(format!("task {task}"));
        assert_eq!(first.iter().filter(|it| it.task_name == name).count(), 10);
    }
    assert!(
        first
            .iter()
            .all(|a| second.iter().all(|b| a.sample_id != b.sample_id))
    );
    assert_eq!(halves(traces.clone(), Seed(1)), (first.clone(), second));
    assert_ne!(halves(traces, Seed(2)).0, first);
}
