//! The scheduler of all runs: order, failures, budget, trouble.

use run_engine::RunError;
use run_engine::engine::drive::{Drive, Driven, RunHandle, UnitOutcome, drive, on_all_cores};
use serde_json::json;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn drive_units(
    work: impl Fn(u64) -> UnitOutcome<u64> + Sync + Send,
    stop: &AtomicBool,
) -> (Vec<u64>, Result<Driven, RunError>) {
    let units: Vec<u64> = (0..50).collect();
    let how = Drive {
        asked: 50,
        status: None,
        progress: false,
        stop,
        out: None,
    };
    let mut kept = Vec::new();
    let feed = |handle: RunHandle<u64>| {
        on_all_cores(&handle, stop, &units, work);
        Ok(())
    };
    let driven = drive(&how, units.clone(), feed, |number, double| {
        assert_eq!(double, 2 * number);
        kept.push(number);
        Ok(())
    });
    (kept, driven)
}

#[test]
fn results_come_in_order_and_failures_are_listed() {
    let stop = AtomicBool::new(false);
    let work = |unit| match unit % 10 {
        3 => UnitOutcome::failed("three".to_owned(), 1),
        _ => UnitOutcome::Done(2 * unit),
    };
    let (kept, driven) = drive_units(work, &stop);
    let driven = driven.unwrap();
    assert!(kept.is_sorted() && kept.len() == 45);
    assert_eq!((driven.done, driven.failures.len()), (45, 5));
    let first = json!({"episode": 3, "error": "three", "tries": 1});
    assert_eq!(driven.errors().first(), Some(&first));
}

#[test]
fn a_failure_of_all_units_and_the_budget_stop_the_run() {
    let last = |unit| match unit {
        20 => UnitOutcome::Failed {
            why: "key".to_owned(),
            tries: 1,
            ends_run: true,
            role: None,
        },
        _ => {
            std::thread::sleep(Duration::from_millis(1));
            UnitOutcome::Done(2 * unit)
        }
    };
    let (kept, driven) = drive_units(last, &AtomicBool::new(false));
    assert!(kept.len() < 49, "{kept:?}");
    assert_eq!(driven.unwrap().failures.len(), 1);
    let spent = |unit| match unit {
        0 => UnitOutcome::Budget("all is spent".to_owned()),
        _ => UnitOutcome::Done(2 * unit),
    };
    let how = |stop| Drive {
        asked: 50,
        status: None,
        progress: false,
        stop,
        out: None,
    };
    let stop = AtomicBool::new(false);
    let (_, driven) = drive_units(spent, &stop);
    let driven = driven.unwrap();
    let left = driven.left(&how(&stop));
    assert!(matches!(left, Err(RunError::Budget(_))), "{left:?}");
    let one = Drive {
        asked: driven.done + 1,
        ..how(&stop)
    };
    let left = driven.left(&one).unwrap_err().to_string();
    assert!(left.ends_with("1 episode is left"), "{left}");
}

#[test]
fn trouble_and_panics_end_the_run() {
    let stop = AtomicBool::new(false);
    let full = |unit| match unit {
        7 => UnitOutcome::Trouble(RunError::Failed("disk full".to_owned())),
        _ => UnitOutcome::Done(2 * unit),
    };
    let (_, driven) = drive_units(full, &stop);
    assert!(matches!(driven, Err(RunError::Failed(_))));
    let crash = |unit| match unit {
        7 => panic!("a fault"),
        _ => UnitOutcome::Done(2 * unit),
    };
    let caught = std::panic::catch_unwind(|| drive_units(crash, &AtomicBool::new(false)));
    assert!(caught.is_err());
}
