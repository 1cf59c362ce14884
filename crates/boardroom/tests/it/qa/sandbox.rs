//! What a snippet gives, what it may do, and how the sandbox stops one that tries more.

use crate::program::sandbox;
use python_snippets::{Sandbox, trust_programs};
use qa_scoring::formula_eval::{Judgement, judge};
use qa_scoring::python::parse_float;
use qa_scoring::snippet::{Snippet, SnippetReply, SnippetRunner, SnippetValue, TIME_LIMIT_MS};
use qa_scoring::{Finance, Task, load};
use serde_json::Value;

fn file(path: &str) -> String {
    let path = format!("{}/tests/fixtures/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn run(sandbox: &mut Sandbox, code: &str) -> SnippetReply {
    sandbox.run(&Snippet::new(code))
}

/// Every snippet fails for the given reason, and the one after it runs.
fn contained(cases: &[(&str, &str)]) {
    let Some(mut sandbox) = sandbox() else {
        return;
    };
    for (code, reason) in cases {
        // On a busy machine two gigabytes may take longer than a second.
        let snippet = Snippet {
            time_limit_ms: if *reason == "timeout" { 1_000 } else { 30_000 },
            ..Snippet::new(*code)
        };
        match sandbox.run(&snippet) {
            SnippetReply::Failed { reason: given } => {
                assert!(given.contains(reason), "{code}: {given}");
            }
            other => panic!("{code}: {other:?}"),
        }
        let next = run(&mut sandbox, "6 * 7");
        assert_eq!(
            next,
            SnippetReply::Value(SnippetValue::Int(42)),
            "after {code}"
        );
    }
}

#[test]
fn the_host_is_out_of_reach() {
    contained(&[
        ("open('/etc/passwd').read()", "PermissionError"),
        ("open('/proc/self/environ').read()", "PermissionError"),
        (
            "from pathlib import Path\nPath('/etc/passwd').read_text()",
            "PermissionError",
        ),
        (
            "with open('/var/x', 'w') as f:\n    f.write('x')\n1",
            "PermissionError",
        ),
        ("import os\nos.listdir('/')", "PermissionError"),
        ("import os\nos.listdir('/tmp')", "PermissionError"),
        ("import os\nos.getcwd()", "PermissionError"),
        ("import os\nos.environ['HOME']", "KeyError"),
        ("import os\nos.chmod('/usr/lib', 0o755)", "PermissionError"),
        ("import os\nos.chown('/usr/lib', 0, 0)", "PermissionError"),
        ("import os\nos.utime('/usr/lib')", "PermissionError"),
        ("import os\nos.truncate('/etc/hosts', 0)", "PermissionError"),
        ("import os\nos.fork()", "PermissionError"),
        ("import os\nos.kill(1, 0)", "PermissionError"),
        ("import os\nos.kill(os.getppid(), 9)", "PermissionError"),
        (
            "import os\nos.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
            "PermissionError",
        ),
        (
            "import os, resource\nresource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))",
            "PermissionError",
        ),
        (
            "import os\nos.execv('/bin/true', ['true'])",
            "PermissionError",
        ),
        (
            "import subprocess\nsubprocess.run(['/bin/true'])",
            "PermissionError",
        ),
        (
            "import threading\nthreading.Thread(target=print).start()\n1",
            "RuntimeError",
        ),
        ("import socket\nsocket.socket()", "PermissionError"),
        (
            "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:1')",
            "URLError",
        ),
        ("exit()", "NameError"),
        ("import sys\nsys.exit()", "SystemExit"),
        ("import os\nos.abort()", "ended"),
        ("import os\nos._exit(0)", "ended"),
        ("import os\nos.write(1, b'noise')\n1", "cannot be read"),
    ]);
}

#[test]
fn time_memory_depth_and_output_have_their_limits() {
    contained(&[
        ("while True:\n    pass\n1", "timeout"),
        (
            "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass\n1",
            "timeout",
        ),
        ("9 ** 9 ** 9", "timeout"),
        ("import time\ntime.sleep(60)", "timeout"),
        ("for i in range(10**9):\n    print(i)\n1", "timeout"),
        (
            "x = []\nwhile True:\n    x.append('a' * 1000000)\n1",
            "memory",
        ),
        ("[0] * 10**10", "memory"),
        ("def f(n):\n    return f(n + 1)\nf(0)", "recursion"),
        ("[0] * 10**6", "too large"),
    ]);
    // Brackets deep enough to end a parser without a limit of its own.
    let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    contained(&[(deep.as_str(), "")]);
}

/// A program in place of Python in the jail, which answers everything but a few words.
#[cfg(unix)]
fn in_place_of_python(text: &str) -> (tempfile::TempDir, Result<Sandbox, String>) {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("worker");
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let started = Sandbox::of(path).map_err(|e| e.to_string());
    (dir, started)
}

#[cfg(unix)]
#[test]
fn a_process_that_dies_spoils_one_snippet() {
    if sandbox().is_none() {
        return;
    }
    let (_dir, started) = in_place_of_python(
        r#"echo; read -r line; case "$line" in
            *die*) kill -ABRT $$ ;;
            *loop*) while :; do :; done ;;
            *flood*) yes ;;
            *) echo '{"value":{"int":42}}' ;;
        esac"#,
    );
    let mut sandbox = started.unwrap();
    let fine = SnippetReply::Value(SnippetValue::Int(42));
    for (code, reason) in [
        ("die", "ended (signal: 6"),
        ("flood", "cannot be read"),
        ("loop", "timeout"),
    ] {
        let snippet = Snippet {
            time_limit_ms: if code == "loop" { 1 } else { 20_000 },
            ..Snippet::new(code)
        };
        let SnippetReply::Failed { reason: given } = sandbox.run(&snippet) else {
            panic!("{code}");
        };
        assert!(given.contains(reason), "{given}");
        assert_eq!(run(&mut sandbox, "1"), fine);
    }
}

#[cfg(unix)]
#[test]
fn without_a_jail_only_trusted_programs_run() {
    if sandbox().is_none() {
        return;
    }
    let no_jail = "echo 'error: Landlock is not at hand' >&2; exit 1";
    let (_dir, refused) = in_place_of_python(no_jail);
    let why = refused.unwrap_err();
    for part in ["Landlock is not at hand", "--trust-programs"] {
        assert!(why.contains(part), "{why}");
    }
    trust_programs();
    let (_dir, started) = in_place_of_python(no_jail);
    let mut trusted = started.unwrap();
    let snippet = "import os\nos.path.exists('/etc')";
    assert_eq!(
        run(&mut trusted, snippet),
        SnippetReply::Value(SnippetValue::Bool(true))
    );
    assert!(matches!(
        run(&mut trusted, "while True:\n    pass\n1"),
        SnippetReply::Failed { .. }
    ));
    // Where there is a jail, trusted programs run in it too.
    let Some(mut jailed) = sandbox() else {
        panic!("there was a jail");
    };
    assert!(matches!(
        run(&mut jailed, "open('/etc/passwd').read()"),
        SnippetReply::Failed { .. }
    ));
}

/// No reply is waited for longer than the pages say, and a process that gives none is ended (as the tests above
/// show): the bound does not depend on how busy the machine is.
#[test]
fn a_snippet_is_waited_for_two_seconds_at_most() {
    let Some(sandbox) = sandbox() else {
        return;
    };
    let snippet = Snippet::new("1");
    assert_eq!(snippet.time_limit_ms, TIME_LIMIT_MS);
    assert_eq!(sandbox.longest_wait(&snippet).as_millis(), 1_900);
    // A program of FormulaEval is a snippet like any other.
    let mut asked = 0;
    let mut look = |snippet: &Snippet| {
        asked += 1;
        let wait = sandbox.longest_wait(snippet).as_millis();
        assert!(wait < 2_000, "{wait} ms: {snippet:?}");
        SnippetReply::Failed {
            reason: "not run".to_owned(),
        }
    };
    let judgement = judge("def f(x):\n", "    return x", "    return x", &mut look);
    assert!(
        matches!(judgement, Judgement::NoReference(_)),
        "{judgement:?}"
    );
    assert!(asked > 0);
}

#[test]
fn snippets_agree_with_the_stored_values() {
    let table: Value = serde_json::from_str(&file("python_snippets.json")).unwrap();
    let Some(mut sandbox) = sandbox() else {
        return;
    };
    let rows = table["snippets"].as_array().unwrap();
    for row in rows {
        let (id, code) = (row["id"].as_str().unwrap(), row["code"].as_str().unwrap());
        let df = Some(row["df"].clone()).filter(|df| !df.is_null());
        let reply = sandbox.run(&Snippet::new(code).with_table(df));
        let truth = &row["cpython"];
        let denied = row["must_be_denied"] == true;
        match reply {
            SnippetReply::Value(value) => {
                assert!(!denied && truth["error"].is_null(), "{id}: {value:?}");
                let want = match &truth["float"] {
                    Value::Number(number) => number.as_f64(),
                    Value::String(text) => parse_float(text),
                    _ => None,
                };
                assert_eq!(value.as_float(), want, "{id}");
            }
            SnippetReply::Failed { reason } => {
                assert!(denied || truth["error"].is_string(), "{id}: {reason}");
            }
            SnippetReply::Unsupported { what } => {
                assert_eq!((id, &*what), ("import_pandas", "import pandas"));
                eprintln!("SKIPPED: the snippet that needs pandas, which Python does not have");
            }
        }
    }
    assert_eq!(rows.len(), 54);
}

#[test]
fn the_value_is_that_of_the_last_statement_or_what_is_printed() {
    let Some(mut sandbox) = sandbox() else {
        return;
    };
    let three = SnippetValue::Int(3);
    let printed = |text: &str| SnippetValue::Text(text.to_owned());
    for code in [
        "a = 1\na + 2",
        "a = 1\nb = a + 2  # sum\n",
        "x: int = 3",
        "t = 5; t += 3",
        "a = b = 3",
        "x = (\n  1 + # one\n  2\n)",
        "return 3",
    ] {
        for snippet in [Snippet::new(code), Snippet::new(code).with_printed()] {
            let reply = sandbox.run(&snippet);
            assert_eq!(reply, SnippetReply::Value(three.clone()), "{code}");
        }
    }
    // These have no value of their own.
    for (code, value) in [
        ("if True:\n    print(1)", Some(printed("1\n"))),
        ("print('a')\nprint(2.5)", Some(printed("a\n2.5\n"))),
        ("def solution():\n    return 3", Some(three.clone())),
        (
            "def solve(x=3):\n    return x\ndef helper(a):\n    return a",
            Some(three),
        ),
        ("def f(x):\n    return x", Some(printed(""))),
        (
            "if __name__ == '__main__':\n    print(3)",
            Some(printed("3\n")),
        ),
        // What was assigned last, or is named as the answer, where nothing is printed.
        ("x = 3\nassert x > 2", Some(SnippetValue::Int(3))),
        (
            "total = 0\nfor i in range(3):\n    total += 1",
            Some(SnippetValue::Int(3)),
        ),
        (
            "try:\n    answer = 3\n    other = 4\nexcept ValueError:\n    answer = 0",
            Some(SnippetValue::Int(3)),
        ),
        ("", None),
        ("# nothing", None),
        ("x = = 3", None),
    ] {
        let reply = sandbox.run(&Snippet::new(code).with_printed());
        match (reply, value) {
            (SnippetReply::Value(given), Some(value)) => assert_eq!(given, value, "{code}"),
            (SnippetReply::Failed { .. }, None) => {}
            (reply, _) => panic!("{code}: {reply:?}"),
        }
        let alone = run(&mut sandbox, code);
        let none = SnippetValue::None;
        assert!(
            matches!(alone, SnippetReply::Failed { .. }) || alone == SnippetReply::Value(none),
            "{code}: {alone:?}"
        );
    }
}

/// Where a print counts, imports that are never used need not be there, a write counts as a print, and a function at
/// the end is called.
#[test]
fn programs_of_models_are_taken_as_they_are_meant() {
    let Some(mut sandbox) = sandbox() else {
        return;
    };
    for (code, value) in [
        (
            "import absent_module as am\nimport os.absent\nprint(3)",
            SnippetValue::Text("3\n".to_owned()),
        ),
        (
            "import sys\nsys.stdout.write('3')",
            SnippetValue::Text("3".to_owned()),
        ),
        ("def f():\n    return 3\n\nf", SnippetValue::Int(3)),
        ("final_answer(3)", SnippetValue::Int(3)),
    ] {
        let reply = sandbox.run(&Snippet::new(code).with_printed());
        assert_eq!(reply, SnippetReply::Value(value), "{code}");
    }
    // A module that is used is missing, and the published rule runs what stands there.
    let used = "import absent_module as am\nam.f()\nprint(3)";
    for snippet in [
        Snippet::new(used).with_printed(),
        Snippet::new("import absent_module\n3"),
    ] {
        let reply = sandbox.run(&snippet);
        assert!(
            matches!(reply, SnippetReply::Unsupported { .. }),
            "{reply:?}"
        );
    }
}

#[test]
fn a_snippet_has_the_same_value_every_time() {
    let Some(mut sandbox) = sandbox() else {
        return;
    };
    for code in [
        "import random\nrandom.random()",
        "' '.join({'oak', 'ash', 'elm', 'fir', 'yew'})",
        "hash('oak')",
    ] {
        let first = run(&mut sandbox, code);
        assert!(matches!(first, SnippetReply::Value(_)), "{first:?}");
        assert_eq!(run(&mut sandbox, code), first, "{code}");
    }
    for (code, lacking) in [
        ("import datetime\ndatetime.datetime.now().year", "now"),
        ("from datetime import date\ndate.today().year", "today"),
        ("import time\ntime.time()", "time"),
        ("import no_such_module\n1", "import no_such_module"),
    ] {
        match run(&mut sandbox, code) {
            SnippetReply::Unsupported { what } => assert!(what.contains(lacking), "{code}: {what}"),
            other => panic!("{code}: {other:?}"),
        }
    }
    // A clock that nobody asks does not count, nor does a name like one.
    for code in ["import time\n1", "time = 1\nnow = time\nnow"] {
        assert_eq!(
            run(&mut sandbox, code),
            SnippetReply::Value(SnippetValue::Int(1))
        );
    }
}

#[test]
fn snippets_know_nothing_of_one_another() {
    let Some(mut sandbox) = sandbox() else {
        return;
    };
    assert!(matches!(
        run(&mut sandbox, "secret = 41\nsecret"),
        SnippetReply::Value(_)
    ));
    let SnippetReply::Failed { reason } = run(&mut sandbox, "secret + 1") else {
        panic!("the name is still there");
    };
    assert!(reason.contains("NameError"), "{reason}");
    let table = serde_json::json!({"Total": {"2021": 2.5, "2022": "—"}});
    let with = Snippet::new("answer = df['Total']['2021'] * 2").with_table(Some(table));
    assert_eq!(
        sandbox.run(&with),
        SnippetReply::Value(SnippetValue::Float(5.0))
    );
    assert!(matches!(
        run(&mut sandbox, "df['Total']"),
        SnippetReply::Failed { .. }
    ));
}

#[test]
fn programs_of_the_samples_give_their_answers() {
    let Some(mut sandbox) = sandbox() else {
        return;
    };
    let mut compared = 0;
    for set in [Finance::FinCode, Finance::CodeFinQa, Finance::CodeTatQa] {
        let text = file(&format!("qa/finance/{set}.jsonl"));
        for item in load::items(Task::Finance(set), text.as_bytes())
            .unwrap()
            .records
        {
            let code = item.program.clone().unwrap();
            let snippet = Snippet::new(code).with_table(item.table.clone());
            let SnippetReply::Value(value) = sandbox.run(&snippet) else {
                panic!("{item:?}");
            };
            let (right, got): (f64, f64) = (
                item.gold_text().unwrap().parse().unwrap(),
                value.as_float().unwrap(),
            );
            assert!(
                (got - right).abs() <= 0.005 + 1e-6 * right.abs(),
                "{got} {right}"
            );
            assert_eq!(item.table.is_some(), set == Finance::CodeTatQa);
            compared += 1;
        }
    }
    assert_eq!(compared, 16);
}

#[test]
fn function_bodies_are_judged_as_in_the_stored_table() {
    let table: Value = serde_json::from_str(&file("formula_eval.json")).unwrap();
    let Some(mut sandbox) = sandbox() else {
        return;
    };
    let rows = table["rows"].as_array().unwrap();
    for row in rows {
        let text = |field: &str| row[field].as_str().unwrap();
        let judgement = judge(
            text("prompt"),
            text("reference"),
            text("candidate"),
            &mut sandbox,
        );
        let right = judgement == Judgement::Right;
        assert_eq!(right, row["equal"] == true, "{}: {judgement:?}", text("id"));
        assert!(
            !matches!(
                judgement,
                Judgement::Unsupported(_) | Judgement::NoReference(_)
            ),
            "{}: {judgement:?}",
            text("id")
        );
    }
    assert_eq!(rows.len(), 8);
}
