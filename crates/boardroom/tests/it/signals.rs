//! A signal ends the program: at once while there is nothing to save, otherwise after the episodes in
//! progress.

use crate::program::{boardroom, ends, names, ok, until};
use crate::server::{Act, Server, reply, said};
use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::time::Duration;

/// A market whose best plan takes far longer to search for than a test may last.
const LONG_SEARCH: &str = "run procurement --preset hard --set categories=20 \
                           --set products_per_category=20 --set products_p=0.1 --set units_p=0.05 \
                           --reference search --agent greedy --episodes 1";

fn start(line: &str) -> Child {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = boardroom(&words);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Waits until the program handles `SIGTERM`: before that, the system ends it.
fn wait_for_handler(child: &mut Child) {
    let file = format!("/proc/{}/status", child.id());
    until(child, || {
        let status = std::fs::read_to_string(&file).unwrap();
        let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
        caught & (1 << 14) != 0
    });
}

pub fn terminate(child: &Child) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
}

#[test]
fn one_signal_ends_a_long_search_for_a_reference() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let mut child = start(&format!("{LONG_SEARCH} --out {}", out.display()));
    until(&mut child, || out.join("manifest.json").exists());
    terminate(&child);
    let (code, time) = ends(&mut child);
    assert_eq!(code, Some(130));
    assert!(time < Duration::from_secs(5), "{time:?}");
}

#[test]
fn one_signal_ends_a_long_verify_and_a_long_report() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run").display().to_string();
    ok(&format!(
        "run beer-game --preset random --agent sterman --episodes 12000 --json --out {out}"
    ));
    let page = dir.path().join("page.html").display().to_string();
    for line in [
        format!("verify {out}"),
        format!("rescore {out}"),
        format!("report {out} --output {page}"),
    ] {
        let mut child = start(&line);
        wait_for_handler(&mut child);
        terminate(&child);
        let (code, time) = ends(&mut child);
        assert_eq!(code, Some(130), "{line}");
        assert!(time < Duration::from_secs(5), "{line}: {time:?}");
    }
}

#[test]
fn one_signal_during_a_run_keeps_what_was_played() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let mut child = start(&format!(
        "run beer-game --preset random --agent sterman --episodes 1000000 --json --out {}",
        out.display()
    ));
    let records = out.join("episodes.jsonl");
    until(&mut child, || {
        std::fs::metadata(&records).is_ok_and(|meta| meta.len() > 0)
    });
    terminate(&child);
    assert_eq!(ends(&mut child).0, Some(130));
    let text = std::fs::read_to_string(&records).unwrap();
    assert!(text.ends_with('\n'), "the last record is whole");
}

/// A part of a company looks like a company.
#[test]
fn a_signal_during_an_export_names_the_folder_that_is_not_complete() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("company");
    let line = format!(
        "office export --preset small --set company.employees=5000 -o {}",
        out.display()
    );
    let words: Vec<&str> = line.split(' ').collect();
    let mut command = boardroom(&words);
    let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    until(&mut child, || out.join("office.json").exists());
    terminate(&child);
    let told = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.status.code(), Some(130), "{err}");
    names(&err, &[out.to_str().unwrap(), "not complete"]);
}

/// A wording is paid for, so the file of wordings is written although the drawing stops.
#[test]
fn a_signal_loses_no_wording() {
    let dir = tempfile::tempdir().unwrap();
    let wordings = dir.path().join("wordings.json");
    let server = Server::acting(|n, _| Act::Answer(said(&format!("I need no {n}, please."))));
    let line = "office tasks --preset small --count 100000 --rephrase openai:m";
    let mut command = server.command(&format!("{line} --wordings {}", wordings.display()));
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until(&mut child, || server.answered() >= 5);
    terminate(&child);
    assert_eq!(ends(&mut child).0, Some(130));
    let text = std::fs::read_to_string(&wordings).unwrap();
    let kept: BTreeMap<String, String> = serde_json::from_str(&text).unwrap();
    // The last reply may still be under way when the program is seen to stop.
    assert!(kept.len() + 1 >= server.answered(), "{}", kept.len());
}

/// A request that was sent is paid for, so its reply is recorded although the run stops.
#[test]
fn a_signal_loses_no_reply_in_flight() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let server = Server::acting(|n, body| {
        std::thread::sleep(Duration::from_millis(if n < 6 { 10 } else { 500 }));
        Act::Answer(reply(body, n))
    });
    let line = "run beer-game --set weeks=5 --episodes 40 --agent openai:m --method direct --concurrency 8";
    let mut command = server.command(&format!("{line} --out {}", out.display()));
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until(&mut child, || server.answered() >= 10);
    terminate(&child);
    let (code, time) = ends(&mut child);
    assert_eq!(code, Some(130));
    assert!(time < Duration::from_secs(5), "{time:?}");
    let calls = std::fs::read_to_string(out.join("calls.jsonl")).unwrap();
    assert_eq!(calls.lines().count(), server.seen.lock().unwrap().len());
}
