//! The texts of `describe` for interviews and questions, which are not environments.

use agent_client::AgentError;
use agent_client::interview::{CaseKind, industries};
use agent_client::method::{METHODS, MethodSpec};
use qa_runner::interview::plan::{PRESETS, VERSION, cases_of};
use qa_scoring::Task;
use run_engine::error::RunError;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Everything about the interviews.
///
/// # Errors
/// When the cases cannot be read.
pub fn describe_consulting() -> Result<String, RunError> {
    let mut out = format!(
        "consulting (version {VERSION}): interviews on cases of our own\n\
         score in marks of 10 (the judge's overall mark), higher is better\n\n\
         RULES\n  \
         The interviewer opens a case; the candidate asks, calculates and recommends. A fact is told\n  \
         only after a question that aims at it. After 12 rounds (--rounds), or when the interviewer\n  \
         ends it, judges give marks for structure, quant, business sense and communication, and one\n  \
         overall. Marks that cannot be read are left out; they do not count as 0.\n\n\
         PRESETS\n"
    );
    // Writing to a String cannot fail, hence the ignored results here and below.
    for preset in PRESETS {
        let count = cases_of(preset)?.len();
        let _ = writeln!(out, "  {preset:<14} {count} cases");
    }
    let all = cases_of("all")?;
    let industries: Vec<&str> = industries(&all).into_iter().collect();
    let _ = write!(
        out,
        "  own cases      --cases DIR; `cases check DIR` checks them\n\n\
         PARTS OF THE CASES\n  \
         --industry: {}\n  \
         --kind: {}\n  \
         --split train or test, with --train (12) and --seed\n",
        industries.join(", "),
        CaseKind::ALL.map(CaseKind::name).join(", ")
    );
    let _ = write!(
        out,
        "\nCANDIDATES (--agent)\n  \
         openai:MODEL, anthropic:MODEL, replay:DIR, or scripted: ideal, never-recommends, shotgun,\n  \
         silent, spoofer, partial:NUMBERS\n\n\
         INTERVIEWER (--interviewer) AND JUDGES (--judge, several give the median)\n  \
         rules (the default, for tests: not the published metric), openai:MODEL, anthropic:MODEL\n\n\
         {}\n\
         COMMANDS\n  \
         boardroom run consulting --preset short --agent ideal --out DIR\n  \
         resume, replay, verify, compare and export take the folder\n",
        methods("cases")
    );
    Ok(out)
}

/// Everything about the questions.
#[must_use]
pub fn describe_qa() -> String {
    let mut out = format!(
        "qa (version {}): questions of published data sets, from files (--data)\n\
         score in shares of the full score of an item (0 to 1), higher is better\n\n\
         RULES\n  \
         Each question is asked by itself, in the form of its data set. The answer is found in the\n  \
         reply and judged by named rules; an answer in free text needs a judge (--judge MODEL); without\n  \
         one it is not scored. docs/qa.md names every rule.\n\n\
         TASKS (--task; by default all that have a file), with the number of published items\n",
        qa_scoring::VERSION
    );
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for task in Task::all() {
        let name = task.to_string();
        let (group, last) = name.rsplit_once('/').unwrap_or(("", &name));
        let items = task.items().map_or_else(String::new, |n| format!(" {n}"));
        let shown = format!("{last}{items}");
        groups.entry(group.to_owned()).or_default().push(shown);
    }
    for (group, tasks) in groups {
        let _ = writeln!(out, "  {group}/: {}", tasks.join(", "));
    }
    let _ = write!(
        out,
        "\nAGENTS (--agent)\n  openai:MODEL, anthropic:MODEL, replay:DIR\n\n{}\n\
         COMMANDS\n  \
         boardroom run qa --data DIR --task FRM --agent openai:MODEL --out RUN\n  \
         boardroom score FRM --predictions ANSWERS --gold DIR\n  \
         resume, score, compare and export take the folder of a run\n",
        methods("questions")
    );
    out
}

/// One method with its settings, or all of them.
///
/// # Errors
/// When there is no method of this name.
pub fn describe_method(name: Option<&str>) -> Result<String, RunError> {
    let names = match name {
        Some(name) => vec![name],
        None => METHODS.map(|method| method.name).to_vec(),
    };
    let mut out = String::new();
    // Writing to a String cannot fail, hence the ignored results.
    for name in names {
        let spec: MethodSpec = name
            .parse()
            .map_err(|e: AgentError| RunError::usage(e.message))?;
        let _ = match METHODS.iter().find(|method| method.name == name) {
            Some(method) => writeln!(
                out,
                "{name}  {}\n  deliberator {}, memory {}, requests for a question: {}",
                method.about, method.deliberator, method.memory, method.cost
            ),
            None => writeln!(out, "{name}  a deliberator and a memory by name"),
        };
        for setting in spec.setting_list() {
            let _ = writeln!(
                out,
                "  {} = {}: {} ({})",
                setting.key, setting.default, setting.about, setting.kind
            );
        }
        out.push('\n');
    }
    out.push_str("`--method-set KEY=VALUE` changes a setting; a plan file has `method_set = { KEY = VALUE }`\n");
    Ok(out)
}

fn methods(items: &str) -> String {
    let mut out =
        "METHODS of models (--method), with the number of requests for a question\n".to_owned();
    for method in METHODS {
        let _ = writeln!(
            out,
            "  {:<11}  {}  {}",
            method.name, method.cost, method.about
        );
    }
    let _ = writeln!(
        out,
        "  methods that learn answer the {items} in order, once for each of --streams;\n  \
         `describe method NAME` lists the settings of a method"
    );
    out
}
