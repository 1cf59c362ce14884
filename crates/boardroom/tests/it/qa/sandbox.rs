//! What a snippet may do, and how the sandbox stops one that tries more.

use python_snippets::{Sandbox, WORKER_COMMAND};
use qa_scoring::formula_eval::{Judgement, judge};
use qa_scoring::python::parse_float;
use qa_scoring::snippet::{Snippet, SnippetReply, SnippetRunner, SnippetValue, TIME_LIMIT_MS};
use qa_scoring::{Finance, Task, load};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

fn sandbox() -> Sandbox {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_boardroom"));
    Sandbox::of(program, vec![WORKER_COMMAND.to_owned()]).unwrap()
}

fn file(path: &str) -> String {
    let path = format!("{}/tests/fixtures/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn run(sandbox: &mut Sandbox, code: &str) -> SnippetReply {
    sandbox.run(&Snippet::new(code))
}

/// Every snippet fails for the given reason, or because of it counts as unsupported, and the one after it runs.
fn contained(cases: &[(&str, &str)], is_unsupported: bool) {
    let mut sandbox = sandbox();
    for (code, reason) in cases {
        // On a busy machine half a gigabyte may take longer than a second.
        let snippet = Snippet {
            time_limit_ms: if *reason == "more time" {
                1_000
            } else {
                30_000
            },
            ..Snippet::new(*code)
        };
        match (sandbox.run(&snippet), is_unsupported) {
            (SnippetReply::Failed { reason: given }, false)
            | (SnippetReply::Unsupported { what: given }, true) => {
                assert!(given.contains(reason), "{code}: {given}");
            }
            (other, _) => panic!("{code}: {other:?}"),
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
    contained(
        &[
            ("open('/etc/passwd').read()", "denied"),
            (
                "from pathlib import Path\nPath('/etc/passwd').read_text()",
                "denied",
            ),
            (
                "with open('/var/x', 'w') as f:\n    f.write('x')\n1",
                "denied",
            ),
            ("import os\nos.environ['HOME']", "denied"),
            ("import os\nos.getenv('PATH')", "denied"),
            ("import os\nos.listdir('/')", "denied"),
            ("import os\nos.fork()", "denied"),
            ("import os\nos.system('true')", "denied"),
            ("import subprocess\nsubprocess.run(['ls'])", "denied"),
            ("import socket\nsocket.socket()", "denied"),
            ("import urllib.request\n1", "denied"),
            ("import ctypes\n1", "denied"),
            ("__import__('os').getcwd()", "denied"),
            (
                "().__class__.__bases__[0].__subclasses__()",
                "AttributeError",
            ),
            ("exit()", "SystemExit"),
        ],
        false,
    );
}

#[test]
fn time_memory_depth_and_output_have_their_limits() {
    // Python has other limits, so these are not wrong.
    contained(
        &[
            ("while True:\n    pass\n1", "more time"),
            (
                "x = []\nwhile True:\n    x.append('a' * 1000000)\n1",
                "more memory",
            ),
            ("[0] * 10**10", "more memory"),
            ("'x' * 10**9", "more memory"),
            ("9 ** 9 ** 9", "more memory"),
            ("def f(n):\n    return f(n + 1)\nf(0)", "deeper recursion"),
            (
                "import sys\nsys.setrecursionlimit(9000)\ndef f(n):\n    return n and f(n - 1)\nf(5000)",
                "setrecursionlimit",
            ),
            ("for i in range(10**9):\n    print(i)\n1", "more time"),
            ("print('x' * 10**9)\n1", "more memory"),
        ],
        true,
    );
    contained(
        &[
            ("[0] * 10**6", "too large"),
            ("raise MemoryError('of its own')\n1", "MemoryError"),
            ("raise RecursionError('of its own')\n1", "RecursionError"),
        ],
        false,
    );
    // Brackets deep enough to end a parser without a limit of its own.
    let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    let mut sandbox = sandbox();
    assert!(matches!(
        run(&mut sandbox, &deep),
        SnippetReply::Failed { .. }
    ));
    assert!(matches!(run(&mut sandbox, "1"), SnippetReply::Value(_)));
}

/// A worker that aborts on a snippet with the word `die` and answers all others.
const MORTAL: &str = r#"while read -r line; do
    case "$line" in
        *die*) kill -ABRT $$ ;;
        *loop*) while :; do :; done ;;
        *flood*) yes ;;
        *) echo '{"value":{"int":42}}' ;;
    esac
done"#;

#[test]
fn an_interpreter_that_aborts_spoils_one_snippet() {
    let arguments = vec!["-c".to_owned(), MORTAL.to_owned()];
    let mut sandbox = Sandbox::of(PathBuf::from("/bin/sh"), arguments).unwrap();
    let fine = SnippetReply::Value(SnippetValue::Int(42));
    assert_eq!(run(&mut sandbox, "1"), fine);
    for (code, reason) in [
        ("die", "the interpreter ended (signal: 6"),
        ("flood", "cannot be read"),
    ] {
        let SnippetReply::Unsupported { what } = run(&mut sandbox, code) else {
            panic!("{code}");
        };
        assert!(what.contains(reason), "{what}");
        assert_eq!(run(&mut sandbox, "1"), fine);
    }
    // A snippet that exceeds its time limit is stopped from outside.
    let snippet = Snippet {
        time_limit_ms: 1,
        ..Snippet::new("loop")
    };
    let reply = sandbox.run(&snippet);
    assert!(
        matches!(reply, SnippetReply::Unsupported { .. }),
        "{reply:?}"
    );
    assert_eq!(run(&mut sandbox, "1"), fine);
    assert_eq!(sandbox.started(), 4);
    let error = Sandbox::of(PathBuf::from("/nowhere/at/all"), Vec::new()).unwrap_err();
    assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
}

/// No reply is waited for longer than the pages say, and a worker that gives none is ended (as the test above
/// shows): the bound does not depend on how busy the machine is.
#[test]
fn a_snippet_is_waited_for_two_seconds_at_most() {
    let sandbox = sandbox();
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
fn repeated_squaring_is_ended_and_is_not_counted_as_wrong() {
    let mut sandbox = sandbox();
    for code in [
        "x = 3\nfor i in range(40):\n    x = x * x\nx % 7",
        "x = 3 ** 100000000\nx % 7",
        "x = 10 ** 30000000\ny = x + 1\n(x * y) // (y * 3)",
        "len(str(7 ** 20000000))",
    ] {
        let reply = run(&mut sandbox, code);
        assert!(
            matches!(
                reply,
                SnippetReply::Unsupported { .. } | SnippetReply::Value(_)
            ),
            "{code}: {reply:?}"
        );
    }
    assert!(matches!(run(&mut sandbox, "1"), SnippetReply::Value(_)));
}

#[test]
fn snippets_agree_with_cpython_but_for_those_that_are_unsupported() {
    let table: Value = serde_json::from_str(&file("python_snippets.json")).unwrap();
    let mut sandbox = sandbox();
    let (mut agreed, mut unsupported) = (0, Vec::new());
    for row in table["snippets"].as_array().unwrap() {
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
                agreed += 1;
            }
            SnippetReply::Failed { reason } => {
                assert!(denied || truth["error"].is_string(), "{id}: {reason}");
                agreed += 1;
            }
            SnippetReply::Unsupported { what } => {
                assert!(!denied, "{id}: {what}");
                unsupported.push((id.to_owned(), what));
            }
        }
    }
    let ids: BTreeSet<&str> = unsupported.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(
        ids,
        BTreeSet::from(["import_pandas", "match_stmt", "big_alloc", "deep_recursion"]),
        "{unsupported:?}"
    );
    assert_eq!(agreed, 50);
    assert_eq!(sandbox.started(), 1, "no row ends the worker");
}

/// The snippets of our own with what CPython 3.11 makes of them; see the README of their folder.
fn own_snippets() -> Vec<(String, String, SnippetReply)> {
    // Read as replies at once: a JSON value does not hold whole numbers of more than 64 bits.
    #[derive(serde::Deserialize)]
    struct Stored {
        replies: BTreeMap<String, SnippetReply>,
    }
    let stored: Stored = serde_json::from_str(&file("snippets/cpython.json")).unwrap();
    let text = file("snippets/snippets.txt");
    let rows: Vec<_> = text
        .split("\n# ")
        .skip(1)
        .map(|part| {
            let (name, code) = part.split_once('\n').unwrap();
            let reply = stored.replies.get(name);
            let reply = reply.unwrap_or_else(|| panic!("{name} is not in cpython.json"));
            (name.to_owned(), code.to_owned(), reply.clone())
        })
        .collect();
    assert_eq!(rows.len(), stored.replies.len());
    rows
}

/// Runs the snippets of our own; returns those that are unsupported. None may be wrong: a value is
/// CPython's to the last bit, and what fails here fails there.
fn unsupported_of_our_own(runner: &mut dyn SnippetRunner) -> Vec<String> {
    let (mut wrong, mut unsupported) = (Vec::new(), Vec::new());
    for (name, code, truth) in own_snippets() {
        // These two have no end here; the others must not depend on how busy the machine is.
        let endless = matches!(name.as_str(), "repeated_squaring" | "generator_infinite");
        let snippet = Snippet {
            time_limit_ms: if endless { 1_000 } else { 20_000 },
            ..Snippet::new(code)
        };
        let reply = runner.run(&snippet);
        match (&reply, &truth) {
            (SnippetReply::Unsupported { .. }, _) => unsupported.push(name),
            (SnippetReply::Failed { .. }, SnippetReply::Failed { .. }) => {}
            _ if reply == truth => {}
            _ => wrong.push(format!("{name}: {reply:?}, CPython: {truth:?}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    unsupported
}

#[test]
fn of_our_own_snippets_none_is_wrong_and_at_most_a_tenth_is_unsupported() {
    let count = own_snippets().len();
    assert!(count >= 100, "{count}");
    let unsupported = unsupported_of_our_own(&mut sandbox());
    assert_eq!(
        unsupported,
        [
            "numpy_mean",
            "numpy_array",
            "numpy_std",
            "numpy_npv",
            "numpy_linear",
            "exit_caught",
            "dataclass",
            "repeated_squaring",
            "math_special",
            "float_methods",
            "complex_numbers",
            "power_negative_base",
            "generator_infinite",
            "class_inheritance",
            "class_property",
            "match_statement",
            "with_statement",
            "enum",
            "del_name_read",
            "del_builtin",
            "recursion_endless",
        ]
    );
    assert!(
        unsupported.len() * 10 <= count,
        "{} of {count}",
        unsupported.len()
    );
}

#[test]
fn numbers_are_rounded_as_python_rounds_them() {
    let mut sandbox = sandbox();
    for (code, value) in [
        ("round(2.675, 2)", 2.67),
        ("round(5.555, 2)", 5.55),
        ("round(7.745, 2)", 7.75),
        ("round(-7.515, 2)", -7.51),
        ("round(2.5)", 2.0),
        ("round(1234.567, -2)", 1200.0),
        ("round(number=1e300, ndigits=2)", 1e300),
        ("sum(map(round, [1.5, 2.5]))", 4.0),
        ("100 // 0.1", 999.0),
        ("-100 // 0.1", -1000.0),
        ("7 // 2 // 1.0", 3.0),
        ("a = 100\na //= 0.1\na", 999.0),
        ("((7) # a comment with // in it\n // 2)", 3.0),
        ("1.05 ** 10", 1.628_894_626_777_442),
        ("(2 ** 53 + 1) / 3", 3_002_399_751_580_331.0),
        ("float(10 ** 22)", 1e22),
        ("-5 // float('inf')", -1.0),
        ("x = 17\nx // 5", 3.0),
    ] {
        let SnippetReply::Value(given) = run(&mut sandbox, code) else {
            panic!("{code}");
        };
        assert_eq!(given.as_float(), Some(value), "{code}");
    }
}

#[test]
fn what_python_has_and_the_interpreter_lacks_is_unsupported() {
    let mut sandbox = sandbox();
    for (code, lacking) in [
        ("import numpy as np\nnp.mean([1])", "import numpy"),
        ("(1+2j).real", "complex"),
        ("class A(dict):\n    x = 1\nA().x", "inheritance"),
        (
            "class A:\n    def __bool__(self):\n        return False\nnot A()",
            "__bool__",
        ),
        ("a, b = [1, 2], {3, 'x'}\nlist(b)[0]", "order of a set"),
        ("total = 3\neval('to' + 'tal')", "eval"),
        (
            "try:\n    import numpy\nexcept ImportError:\n    x = 1\nx",
            "import numpy",
        ),
        ("any(1 / x > 0 for x in (1, 0))", "generator"),
        (
            "import statistics\nstatistics.median_grouped([1])",
            "median_grouped",
        ),
    ] {
        match run(&mut sandbox, code) {
            SnippetReply::Unsupported { what } => assert!(what.contains(lacking), "{code}: {what}"),
            other => panic!("{code}: {other:?}"),
        }
    }
    // What Python lacks as well is a failure.
    for code in [
        "import math\n[].push(1)",
        "raise NotImplementedError('x')",
        "None + 1",
    ] {
        let reply = run(&mut sandbox, code);
        assert!(
            matches!(reply, SnippetReply::Failed { .. }),
            "{code}: {reply:?}"
        );
    }
}

#[test]
fn snippets_know_nothing_of_one_another() {
    let mut sandbox = sandbox();
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
    let mut sandbox = sandbox();
    let mut compared = 0;
    for set in [Finance::FinCode, Finance::CodeFinQa, Finance::CodeTatQa] {
        let text = file(&format!("qa/finance/{}.jsonl", set.name()));
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
    let mut sandbox = sandbox();
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

/// The machine's own Python, sandboxed.
#[cfg(all(feature = "system-python", target_os = "linux"))]
mod shut_in {
    use super::*;
    use python_snippets::system::{WithSystem, system};

    /// The version of the machine's `python3`, and whether it has numpy.
    fn version_and_numpy() -> (String, bool) {
        let ask = "import sys, importlib.util as u; \
            print('%d.%d' % sys.version_info[:2], u.find_spec('numpy') is not None)";
        let output = std::process::Command::new("python3")
            .args(["-I", "-c", ask])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let (version, numpy) = text.trim().split_once(' ').unwrap();
        (version.to_owned(), numpy == "True")
    }

    #[test]
    fn with_the_machines_python_none_of_our_own_snippets_is_unsupported() {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_boardroom"));
        let mut both = match WithSystem::of(program) {
            Ok(both) => both,
            Err(e) => {
                eprintln!("SKIPPED: {e}");
                return;
            }
        };
        let (version, numpy) = version_and_numpy();
        if version != "3.11" {
            eprintln!("SKIPPED: python3 is {version}, and the stored values are those of 3.11");
            return;
        }
        assert_eq!(both.longest_wait(&Snippet::new("1")).as_millis(), 1_900);
        let unsupported = unsupported_of_our_own(&mut both);
        if numpy {
            assert_eq!(unsupported, Vec::<String>::new());
        } else {
            eprintln!("SKIPPED: the snippets that need numpy, which python3 does not have");
            let needs = |name: &String| name.starts_with("numpy_");
            assert!(unsupported.iter().all(needs), "{unsupported:?}");
            assert_eq!(unsupported.len(), 5);
        }
    }

    #[test]
    fn the_machines_python_reaches_nothing_and_runs_what_the_interpreter_cannot() {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_boardroom"));
        let mut python = match system(program) {
            Ok(python) => python,
            Err(e) => {
                eprintln!("SKIPPED: {e}");
                return;
            }
        };
        for (code, value) in [
            ("import statistics\nstatistics.mean([1, 2])", 1.5),
            ("x = 2\nmatch x:\n    case 2:\n        r = 20\nr", 20.0),
            ("round(2.675, 2)", 2.67),
            ("def g():\n    yield 1\nsum(g())", 1.0),
        ] {
            let SnippetReply::Value(given) = run(&mut python, code) else {
                panic!("{code}");
            };
            assert_eq!(given.as_float(), Some(value), "{code}");
        }
        for (code, reason) in [
            ("open('/etc/passwd').read()", "PermissionError"),
            ("open('/var/x', 'w')", "PermissionError"),
            ("import os\nos.listdir('/')", "PermissionError"),
            ("import os\nos.listdir('/tmp')", "PermissionError"),
            ("import os\nos.environ['HOME']", "KeyError"),
            ("import os\nos.fork()", "PermissionError"),
            ("import os\nos.kill(1, 0)", "PermissionError"),
            (
                "import subprocess\nsubprocess.run(['/bin/true'])",
                "PermissionError",
            ),
            ("import socket\nsocket.socket()", "PermissionError"),
            ("while True:\n    pass\n1", "timeout"),
            ("x = [0] * 10**10", "memory"),
            ("def f(n):\n    return f(n + 1)\nf(0)", "recursion"),
            ("import os\nos.abort()", "ended"),
            ("for i in range(10**9):\n    print(i)\n1", "timeout"),
        ] {
            match run(&mut python, code) {
                SnippetReply::Failed { reason: given } => {
                    assert!(given.contains(reason), "{code}: {given}");
                }
                other => panic!("{code}: {other:?}"),
            }
        }
        let again = run(&mut python, "6 * 7");
        assert_eq!(again, SnippetReply::Value(SnippetValue::Int(42)));
    }
}
