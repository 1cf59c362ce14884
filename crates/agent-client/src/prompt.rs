//! Prompts of agents and memories.
//!
//! Each is a template in `prompts/`; a missing variable is an error and not an empty text. The
//! digest over all templates is part of a run's settings, so that results with other prompts cannot
//! be mixed up.

use crate::error::AgentError;
use crate::request::Schema;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use sim_core::Digest;
use sim_core::bytes::canonical_text;
use std::sync::LazyLock;

/// Name and text of every template.
pub const TEMPLATES: &[(&str, &str)] = &[
    ("cheatsheet", include_str!("../prompts/cheatsheet.txt")),
    ("debate", include_str!("../prompts/debate.txt")),
    ("discuss", include_str!("../prompts/discuss.txt")),
    ("evolve", include_str!("../prompts/evolve.txt")),
    (
        "memory_section",
        include_str!("../prompts/memory_section.txt"),
    ),
    (
        "notes_describe",
        include_str!("../prompts/notes_describe.txt"),
    ),
    ("notes_link", include_str!("../prompts/notes_link.txt")),
    ("notes_search", include_str!("../prompts/notes_search.txt")),
    ("plan_cot", include_str!("../prompts/plan_cot.txt")),
    ("plan_go", include_str!("../prompts/plan_go.txt")),
    ("plan_gold", include_str!("../prompts/plan_gold.txt")),
    ("plan_react", include_str!("../prompts/plan_react.txt")),
    (
        "playbook_curate",
        include_str!("../prompts/playbook_curate.txt"),
    ),
    (
        "playbook_reflect",
        include_str!("../prompts/playbook_reflect.txt"),
    ),
    ("refine", include_str!("../prompts/refine.txt")),
    ("reflect", include_str!("../prompts/reflect.txt")),
    ("repair", include_str!("../prompts/repair.txt")),
    (
        "results_in_text",
        include_str!("../prompts/results_in_text.txt"),
    ),
    ("roleplay", include_str!("../prompts/roleplay.txt")),
    ("summarise", include_str!("../prompts/summarise.txt")),
    ("synthesis", include_str!("../prompts/synthesis.txt")),
    (
        "tools_in_text",
        include_str!("../prompts/tools_in_text.txt"),
    ),
];

/// Name and text of the templates with which a model is asked to reason step by step.
///
/// They are a list of their own because only methods that reason use them: the keys of the records of
/// all other methods do not depend on their texts.
pub const REASONING_TEMPLATES: &[(&str, &str)] = &[
    ("think", include_str!("../prompts/think.txt")),
    ("think_answer", include_str!("../prompts/think_answer.txt")),
    ("think_go", include_str!("../prompts/think_go.txt")),
];

static ENVIRONMENT: LazyLock<Result<Environment<'static>, String>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    // A prompt with a hole would still be answered, and nobody would see it in the score.
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    for (name, text) in TEMPLATES.iter().chain(REASONING_TEMPLATES) {
        environment
            .add_template(name, text)
            .map_err(|e| format!("prompt `{name}`: {e}"))?;
    }
    Ok(environment)
});

/// The template `name` filled in with `values`.
///
/// # Errors
/// When there is no such template or a variable is missing: a fault of this program.
///
/// ```
/// use minijinja::context;
/// let words = agent_client::prompt::render("plan_gold", context! { plan => "order 400" })?;
/// assert!(words.contains("order 400"));
/// // A variable without a value is an error, never an empty text.
/// assert!(agent_client::prompt::render("plan_gold", context! {}).is_err());
/// # Ok::<(), agent_client::AgentError>(())
/// ```
pub fn render(name: &str, values: Value) -> Result<String, AgentError> {
    let environment = ENVIRONMENT.as_ref().map_err(AgentError::setup)?;
    let text = environment
        .get_template(name)
        .and_then(|template| template.render(values));
    text.map_err(|e| AgentError::setup(format!("prompt `{name}`: {e}")))
}

/// Digest over the texts of all templates; those for reasoning only if the method of a run `reasons`.
///
/// It changes with every character of a prompt.
#[must_use]
pub fn digest(reasons: bool) -> Digest {
    let more = if reasons { REASONING_TEMPLATES } else { &[] };
    let all: Vec<&str> = TEMPLATES
        .iter()
        .chain(more)
        .flat_map(|(name, text)| [*name, *text])
        .collect();
    // With a sign between that no text has: two texts that share a border differently must differ.
    Digest::of_bytes(all.join("\0").as_bytes())
}

/// The description of tools, each with name, purpose and schema, to a model that calls them in its text.
pub(crate) fn tools_in_text<'a>(
    tools: impl Iterator<Item = (&'a str, &'a str, &'a serde_json::Value)>,
) -> Result<String, AgentError> {
    let tools: Vec<Value> = tools
        .map(|(name, about, schema)| {
            context! { name => name, about => about, schema => canonical_text(schema) }
        })
        .collect();
    render("tools_in_text", context! { tools => tools })
}

/// The message to a model whose value does not fit its schema.
pub(crate) fn repair(schema: &Schema, why: &str) -> Result<String, AgentError> {
    render("repair", context! { about => &schema.about, why => why })
}

/// The text that a reply marks: what is between the last `<name>` and the following `</name>`.
pub(crate) fn inside(text: &str, name: &str) -> Option<String> {
    // The last mark: models often mention it before they use it.
    let (_, rest) = text.rsplit_once(&format!("<{name}>"))?;
    let (inner, _) = rest.split_once(&format!("</{name}>"))?;
    Some(inner.trim().to_owned())
}
