//! One snippet in the built-in interpreter.

use super::rewrite::{Level, Program, rewrite};
use super::{classify, last_value, value};
use monty::{MontyRun, RunProgress};
use monty_types::{
    CompileOptions, ExcType, MontyException, MontyObject, NameLookupResult, PrintWriter,
    PrintWriterCallback, ResourceLimits, ResourceTracker,
};
use qa_scoring::snippet::{Snippet, SnippetReply, SnippetValue};
use std::borrow::Cow;
use std::time::Duration;

/// Depth of calls that the interpreter allows. CPython stops at 1,000; the functions that stand in
/// for operators need some more.
const DEPTH: usize = 1_200;

/// Maximum size of a value that is created in one operation \[bytes\]; larger ones are refused
/// before they are created. Values that grow step by step are limited by the memory of the process.
const LARGEST: usize = 1 << 27;

/// The functions of the prelude that this process computes.
const HOST: [&str; 3] = ["_p_unsupported", "_p_evaluate", "_p_judge"];

/// The end of what a snippet prints.
#[derive(Default)]
struct Printed(String);

/// Most of a snippet's output that is kept \[bytes\].
const PRINTED: usize = 1 << 14;

impl Printed {
    fn add(&mut self, text: &str) {
        self.0.push_str(text);
        if self.0.len() > 2 * PRINTED {
            let from = (self.0.len() - PRINTED..)
                .find(|&at| self.0.is_char_boundary(at))
                .unwrap_or(self.0.len());
            self.0.drain(..from);
        }
    }
}

impl PrintWriterCallback for Printed {
    fn stdout_write(&mut self, text: Cow<'_, str>) -> Result<(), MontyException> {
        self.add(&text);
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.add(end.encode_utf8(&mut [0; 4]));
        Ok(())
    }
}

/// Runs a snippet in a new interpreter. What it prints counts only where the snippet says so and nothing else has a
/// value.
pub(super) fn run(snippet: &Snippet) -> SnippetReply {
    let code = match last_value::rewrite(&snippet.code, snippet.printed) {
        Ok(code) => code,
        Err(reason) => return SnippetReply::Failed { reason },
    };
    let mut inputs: Vec<_> = snippet
        .df
        .iter()
        .map(|table| ("df".to_owned(), value::table(table)))
        .collect();
    if snippet.printed && snippet.code.contains("__name__") {
        inputs.push((
            "__name__".to_owned(),
            MontyObject::String("__main__".to_owned()),
        ));
    }
    let mut printed = Printed::default();
    let limit = Duration::from_millis(u64::from(snippet.time_limit_ms));
    let reply = match attempt(&code, Level::Usual, inputs.clone(), limit, &mut printed) {
        // A program that the interpreter cannot run may run with other operators.
        Err(SnippetReply::Unsupported { .. }) => {
            printed.0.clear();
            attempt(&code, Level::Careful, inputs, limit / 2, &mut printed)
        }
        first => first,
    };
    match reply.map(value::out) {
        Ok(Some(SnippetValue::None)) if snippet.printed => {
            SnippetReply::Value(SnippetValue::Text(printed.0))
        }
        Ok(Some(value)) => SnippetReply::Value(value),
        Ok(None) => SnippetReply::Failed {
            reason: "the value is too large".to_owned(),
        },
        // The interpreter is slower than Python, and its limits are not Python's.
        Err(SnippetReply::Failed { reason }) if classify::is_limit(&reason) => {
            super::given_up(false, &reason)
        }
        Err(reply) => reply,
    }
}

/// The value of a program, or why there is none.
fn attempt(
    code: &str,
    level: Level,
    inputs: Vec<(String, MontyObject)>,
    limit: Duration,
    printed: &mut Printed,
) -> Result<MontyObject, SnippetReply> {
    let program = rewrite(code, level).map_err(|what| SnippetReply::Unsupported { what })?;
    let eager = program.eager;
    match execute(program, code, inputs, limit, printed) {
        Err(SnippetReply::Failed { reason }) if eager => Err(SnippetReply::Unsupported {
            what: format!("a generator that computes one value after another ({reason})"),
        }),
        // An object may define how it counts as a number; the second attempt asks it.
        Ok(MontyObject::ClassInstance(object)) if level == Level::Usual => {
            Err(SnippetReply::Unsupported {
                what: format!(
                    "an object as the value ({})",
                    MontyObject::ClassInstance(object)
                ),
            })
        }
        result => result,
    }
}

fn execute(
    program: Program,
    code: &str,
    inputs: Vec<(String, MontyObject)>,
    limit: Duration,
    printed: &mut Printed,
) -> Result<MontyObject, SnippetReply> {
    let (names, values) = inputs.into_iter().unzip();
    let compiled = MontyRun::new(program.code, "snippet.py", names, CompileOptions::default())
        .map_err(|error| classify::refused(&error))?;
    let limits = ResourceLimits {
        max_duration: Some(limit),
        max_memory: Some(LARGEST),
        max_recursion_depth: DEPTH,
        ..ResourceLimits::default()
    };
    let raised = |error| classify::raised(&error, code);
    let tracker = ResourceTracker::new(limits);
    let mut progress = compiled
        .start(values, tracker, PrintWriter::Callback(printed))
        .map_err(raised)?;
    loop {
        let next = match progress {
            RunProgress::Complete(value) => return Ok(value),
            RunProgress::NameLookup(lookup) => {
                let answer = if HOST.contains(&lookup.name.as_str()) {
                    NameLookupResult::Value(MontyObject::Function {
                        name: lookup.name.clone(),
                        docstring: None,
                    })
                } else {
                    NameLookupResult::Undefined
                };
                lookup.resume(answer, PrintWriter::Callback(printed))
            }
            RunProgress::FunctionCall(call) => {
                let answer = answer(&call.function_name, &call.args, code, limit)?;
                call.resume(answer, PrintWriter::Callback(printed))
            }
            RunProgress::OsCall(call) => {
                let denied = classify::host_call(call.function_call.name())?;
                call.resume(denied, PrintWriter::Callback(printed))
            }
            RunProgress::ResolveFutures(_) => {
                return Err(SnippetReply::Unsupported {
                    what: "asyncio".to_owned(),
                });
            }
        };
        progress = next.map_err(raised)?;
    }
}

/// The value of a function that the program calls in this process; an error ends the program.
fn answer(
    function: &str,
    arguments: &[MontyObject],
    code: &str,
    limit: Duration,
) -> Result<MontyObject, SnippetReply> {
    match (function, arguments) {
        ("_p_evaluate", [MontyObject::String(text), MontyObject::Dict(names)]) => {
            let names = names.into_iter().filter_map(|(name, value)| match name {
                MontyObject::String(name) => Some((name.clone(), value.clone())),
                _ => None,
            });
            let text = last_value::rewrite(text, false).unwrap_or_default();
            attempt(
                &text,
                Level::Usual,
                names.collect(),
                limit,
                &mut Printed::default(),
            )
            .map_err(|_| SnippetReply::Unsupported {
                what: "eval of this text".to_owned(),
            })
        }
        ("_p_judge", [MontyObject::Exception { exc_type, arg }]) => {
            match classify::raised(&MontyException::new(*exc_type, arg.clone()), code) {
                unsupported @ SnippetReply::Unsupported { .. } => Err(unsupported),
                _ => Ok(MontyObject::None),
            }
        }
        ("_p_unsupported", [MontyObject::String(what)]) => {
            Err(SnippetReply::Unsupported { what: what.clone() })
        }
        _ => Err(classify::raised(
            &MontyException::new(
                ExcType::NameError,
                Some(format!("name '{function}' is not defined")),
            ),
            code,
        )),
    }
}
