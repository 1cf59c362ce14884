//! FormulaEval: checks a function body by running it.
//!
//! The reference and the candidate are run on the same drawn inputs and their outputs are compared.
//! The published evaluation seeds its inputs with Python's salted hash, so every run has different
//! ones; here they depend on the prompt alone.
//!
//! | step | function |
//! |---|---|
//! | find the last function of the prompt, its class and its parameters | [`find_target`] |
//! | make a whole program of the answer | [`candidate_program`] |
//! | draw four inputs by the names of the parameters | [`draw`] |
//! | call both programs on them | [`harness`] |
//! | compare the outputs, within 1e-4 | [`equal`] |

mod cases;
mod compare;
mod program;
mod target;

pub use cases::{CallInputs, InputValue, draw};
pub use compare::equal;
pub use program::{assemble, candidate_program, harness};
pub use target::{Parameter, TargetFunction, find_target};

use crate::snippet::{Snippet, SnippetReply, SnippetRunner, SnippetValue};
use serde::{Deserialize, Serialize};

/// Maximum number of draws if the reference itself fails on the inputs.
pub const ATTEMPTS: u64 = 5;

/// Inputs drawn for each attempt.
pub const CASES: usize = 4;

/// The result of a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Judgement {
    /// All outputs agree.
    Right,
    /// Some output differs.
    Wrong,
    /// The candidate failed to run.
    Failed(String),
    /// The candidate or the reference cannot be run here.
    Unsupported(String),
    /// The reference failed on every draw, so the candidate cannot be judged.
    NoReference(String),
}

/// Runs a candidate body against the reference body.
///
/// # Source
/// Design page, section 8: four inputs, up to five draws, outputs equal within 1e-4.
///
/// `reference` and `candidate` are bodies of the function that `prompt` begins. Each of at most five draws runs two
/// programs.
pub fn judge(
    prompt: &str,
    reference: &str,
    candidate: &str,
    runner: &mut dyn SnippetRunner,
) -> Judgement {
    let reference_program = assemble(prompt, reference);
    // In the whole program and not in the prompt: the last function counts, and the body may define
    // it.
    let Some(target) = find_target(&reference_program) else {
        return Judgement::NoReference("the prompt defines no function".to_owned());
    };
    let Some(candidate) = candidate_program(candidate, prompt, &target) else {
        return Judgement::Failed("the answer holds no code".to_owned());
    };
    let mut last = String::new();
    for attempt in 0..ATTEMPTS {
        let cases = draw(prompt, &target, attempt);
        let calls = harness(&target, &cases);
        let wanted = match run(&reference_program, &calls, runner) {
            SnippetReply::Value(value) => value,
            SnippetReply::Unsupported { what } => return Judgement::Unsupported(what),
            SnippetReply::Failed { reason } => {
                // Only the reference gets new inputs. A candidate that fails where the reference
                // does not is wrong.
                last = reason;
                continue;
            }
        };
        return match run(&candidate, &calls, runner) {
            SnippetReply::Value(given) if equal(&given, &wanted) => Judgement::Right,
            // After the comparison: the reference may have no value either.
            SnippetReply::Value(SnippetValue::None) => {
                Judgement::Failed("the program has no value".to_owned())
            }
            SnippetReply::Value(_) => Judgement::Wrong,
            SnippetReply::Failed { reason } => Judgement::Failed(reason),
            SnippetReply::Unsupported { what } => Judgement::Unsupported(what),
        };
    }
    Judgement::NoReference(last)
}

/// Runs a program with the calls of the harness after it.
fn run(program: &str, calls: &str, runner: &mut dyn SnippetRunner) -> SnippetReply {
    runner.run(&Snippet::new(format!("{}\n\n{calls}", program.trim_end())))
}
