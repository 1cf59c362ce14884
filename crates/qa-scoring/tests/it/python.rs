//! A snippet runner with the machine's own Python, for tests only: it is not a sandbox.

use qa_scoring::snippet::{Snippet, SnippetReply, SnippetRunner, SnippetValue};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Reads one JSON snippet a line, writes one JSON reply a line. The value of the last statement is
/// that of its `value` field.
const WORKER: &str = r#"
import ast, contextlib, io, json, sys
def plain(v):
    if v is None: return "none"
    if isinstance(v, bool): return {"bool": v}
    if isinstance(v, int): return {"big": str(v)} if abs(v) >= 2**126 else {"int": v}
    if isinstance(v, float): return {"float": repr(v)}
    if isinstance(v, str): return {"text": v}
    if isinstance(v, (list, tuple)): return {"list": [plain(x) for x in v]}
    if isinstance(v, dict): return {"map": [[str(k), plain(x)] for k, x in v.items()]}
    return {"other": type(v).__name__}
for line in sys.stdin:
    snippet = json.loads(line)
    names = {} if snippet.get("df") is None else {"df": snippet["df"]}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            block = ast.parse(snippet["code"])
            last = ast.Expression(block.body.pop().value)
            exec(compile(block, "<s>", "exec"), names)
            value = eval(compile(last, "<s>", "eval"), names)
        reply = {"value": plain(value)}
    except BaseException as e:
        reply = {"failed": {"reason": type(e).__name__}}
    sys.__stdout__.write(json.dumps(reply) + "\n")
    sys.__stdout__.flush()
"#;

pub(crate) struct Python {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Python {
    /// Starts the worker; prints `SKIPPED` and returns `None` if there is no Python 3.11 or newer.
    pub(crate) fn start() -> Option<Self> {
        let spawned = Command::new("python3")
            .args(["-I", "-S", "-c", WORKER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = spawned else {
            eprintln!("SKIPPED: no python3");
            return None;
        };
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Some(Self {
            child,
            input,
            output,
        })
    }
}

impl SnippetRunner for Python {
    fn run(&mut self, snippet: &Snippet) -> SnippetReply {
        let line = serde_json::to_string(snippet).unwrap();
        writeln!(self.input, "{line}").unwrap();
        let mut reply = String::new();
        self.output.read_line(&mut reply).unwrap();
        serde_json::from_str(&reply).unwrap()
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A runner that answers from a table of known snippets.
pub(crate) fn scripted(
    known: &'static [(&'static str, f64)],
) -> impl FnMut(&Snippet) -> SnippetReply {
    move |snippet| match known.iter().find(|(code, _)| *code == snippet.code) {
        Some((_, value)) => SnippetReply::Value(SnippetValue::Float(*value)),
        None => SnippetReply::Failed {
            reason: "unknown".to_owned(),
        },
    }
}

/// A JSON number, or one of the texts for numbers that JSON lacks.
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(n) => n.as_f64(),
        Value::String(text) => qa_scoring::python::parse_float(text),
        _ => None,
    }
}

#[test]
fn the_worker_follows_the_rule_of_the_last_statement() {
    let Some(file) = crate::golden::vectors("python_snippets.json") else {
        return;
    };
    let Some(mut python) = Python::start() else {
        return;
    };
    // Host access, exits and memory bombs need a sandbox; this worker is not one.
    let skip = ["big_alloc", "import_pandas", "deep_recursion"];
    let mut compared = 0;
    for row in crate::golden::rows(&file, "snippets") {
        if row["must_be_denied"] == json!(true) || skip.contains(&row["id"].as_str().unwrap()) {
            continue;
        }
        let code = row["code"].as_str().unwrap();
        let df = Some(row["df"].clone()).filter(|df| !df.is_null());
        let reply = python.run(&Snippet::new(code).with_table(df));
        let want = &row["cpython"];
        match reply {
            SnippetReply::Value(value) => {
                assert!(want["error"].is_null(), "{code}");
                assert_eq!(value.as_float(), number(&want["float"]), "{code}");
            }
            SnippetReply::Failed { .. } => assert!(want["error"].is_string(), "{code}"),
            SnippetReply::Unsupported { what } => panic!("{what}"),
        }
        compared += 1;
    }
    assert!(compared > 40, "{compared}");
}
