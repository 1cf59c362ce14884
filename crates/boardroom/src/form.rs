//! A decision as a form that a person fills in, for use without a terminal.
//!
//! The form is Markdown: the rules, everything that can be queried without arguments, and a box for
//! each argument of each tool that decides. The first line names the decision, so that an answer
//! cannot be used for another one.

use run_engine::error::RunError;
use serde_json::{Map, Value};
use sim_core::{Input, Session, ToolKind, ToolSpec};
use std::fmt::Write as _;

/// First lines of every form.
const MARK: &str = "<!-- boardroom form 1:";

/// The next decision of `session` as a form.
#[must_use]
pub fn write(session: &Session) -> String {
    let env = session.env();
    let (briefing, period) = (env.briefing(), env.period());
    let mut text = format!("{}\n\n# ", mark(session));
    let _ = writeln!(
        text,
        "{}, {} {}\n",
        session.header().environment,
        period.unit,
        period.index + 1
    );
    text.push_str(
        "The decision is written into the boxes at the end. Sentences about \
         calling a tool or about JSON are for programs.\n\n",
    );
    let _ = writeln!(text, "{}\n\n{}\n", briefing.system, briefing.opening);
    // On a copy, so that the queries of the form do not count as queries of the player.
    let mut aside = env.fork();
    let tools = env.tools();
    for tool in tools.iter().filter(|tool| tool.kind == ToolKind::Getter) {
        let reply = aside.call(&tool.name, &Value::Object(Map::new()));
        // Leave out what the opening already contains.
        if !reply.is_rejected() && !briefing.opening.contains(reply.text().trim()) {
            let _ = writeln!(text, "## {}\n\n{}\n", tool.name, reply.text());
        }
    }
    text.push_str(
        "# Your decision\n\n\
         Write between the two lines of a box. A box that stays empty is left out.\n\n",
    );
    for tool in decisions(&tools) {
        let _ = writeln!(text, "## {}\n\n{}\n", tool.name, tool.description);
        for argument in arguments(tool) {
            let _ = writeln!(
                text,
                "### {}{}\n\n{}{}\n\n```answer {}.{}\n```\n",
                argument.name,
                if argument.required {
                    ""
                } else {
                    " (may be left out)"
                },
                argument.about,
                argument.shape.hint(),
                tool.name,
                argument.name
            );
        }
    }
    text
}

/// Reads the decision from a form that was filled in for `session`.
///
/// # Errors
/// When the form is for another decision, a box is damaged or unknown, a required box is empty, or
/// boxes of two tools are filled in. The message names the line and what is expected.
pub fn read(session: &Session, text: &str) -> Result<Input, RunError> {
    let Some(found) = text.lines().find(|line| line.starts_with(MARK)) else {
        return Err(RunError::usage(
            "not a form: the line `<!-- boardroom form 1: ... -->` is missing; write a new \
             one with --form",
        ));
    };
    let wanted = mark(session);
    if found.trim() != wanted {
        return Err(RunError::usage(format!(
            "the form belongs to another decision: it says `{}`, but `{wanted}` is expected",
            sim_core::error::clip(found.trim())
        )));
    }
    let tools = session.env().tools();
    let mut filled: Option<(&ToolSpec, Map<String, Value>)> = None;
    for found in boxes(text)? {
        let known = decisions(&tools).find_map(|tool| {
            let rest = found.name.strip_prefix(tool.name.as_str())?;
            let name = rest.strip_prefix('.')?;
            let argument = arguments(tool).into_iter().find(|a| a.name == name)?;
            Some((tool, argument))
        });
        let Some((tool, argument)) = known else {
            return Err(RunError::usage(format!(
                "line {}: there is no box `{}` in this form",
                found.line, found.name
            )));
        };
        if found.content.trim().is_empty() {
            continue;
        }
        let value = argument.read(&found.content).map_err(|e| {
            RunError::usage(format!("box {} (line {}): {e}", found.name, found.line))
        })?;
        match &mut filled {
            None => {
                filled = Some((tool, Map::from_iter([(argument.name.clone(), value)])));
            }
            Some((first, map)) if first.name == tool.name => {
                if map.insert(argument.name.clone(), value).is_some() {
                    return Err(RunError::usage(format!(
                        "line {}: box {} appears twice",
                        found.line, found.name
                    )));
                }
            }
            Some((first, _)) => {
                return Err(RunError::usage(format!(
                    "boxes of `{}` and of `{}` are filled in; fill in only one of them",
                    first.name, tool.name
                )));
            }
        }
    }
    let Some((tool, map)) = filled else {
        return Err(RunError::usage("every box of the form is empty"));
    };
    if let Some(missing) = arguments(tool)
        .into_iter()
        .find(|argument| argument.required && !map.contains_key(&argument.name))
    {
        return Err(RunError::usage(format!(
            "box {}.{} is empty, but required",
            tool.name, missing.name
        )));
    }
    Ok(Input::Call {
        tool: tool.name.clone(),
        arguments: Value::Object(map),
    })
}

/// Checks on a copy whether the decision `input` would be refused: unlike an agent in a
/// conversation, the writer of a form gets no second attempt.
///
/// # Errors
/// When it would be refused, or would count as invalid; the message gives the reason. The session
/// is unchanged.
pub fn check(session: &Session, input: &Input) -> Result<(), RunError> {
    let Some(reply) = refusal(session, input) else {
        return Ok(());
    };
    let why: Vec<&str> = reply.split_whitespace().collect();
    Err(RunError::usage(format!(
        "no decision was made; correct the form, because it would give: {}",
        why.join(" ")
    )))
}

/// The reply to the decision `input` if it would be refused or would count as invalid, tried on a copy.
pub(crate) fn refusal(session: &Session, input: &Input) -> Option<String> {
    let mut aside = session.env().fork();
    let reply = aside.apply(input);
    let is_refused = reply.is_rejected() || turned_down(&aside.feedback());
    is_refused.then(|| reply.text().to_owned())
}

/// Whether an environment's feedback rejects the decision: `accepted` is false or the reply may be
/// repeated (`ceo`), or the outcome is `not_allowed` (`procurement`).
fn turned_down(feedback: &Value) -> bool {
    feedback.get("accepted") == Some(&Value::Bool(false))
        || feedback.get("retries_left").is_some()
        || feedback
            .get("outcome")
            .and_then(|outcome| outcome.get("not_allowed"))
            .is_some()
}

/// The first line of the form: names its decision.
fn mark(session: &Session) -> String {
    let (header, env) = (session.header(), session.env());
    let period = env.period();
    format!(
        "{MARK} {} instance {} seat {} {} {} -->",
        header.environment,
        header.instance.short(),
        env.turn(),
        period.unit,
        period.index + 1
    )
}

fn decisions(tools: &[ToolSpec]) -> impl Iterator<Item = &ToolSpec> {
    tools.iter().filter(|tool| tool.kind == ToolKind::Action)
}

/// The notation of an argument in a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One number.
    Number,
    /// One `name: amount` per line.
    Amounts,
    /// Entries separated by commas or line breaks.
    List,
    /// Text.
    Text,
    /// Anything else, as JSON.
    Json,
}

struct Argument {
    name: String,
    about: String,
    required: bool,
    shape: Shape,
    /// The allowed words, if the tool lists them.
    choices: Vec<String>,
}

impl Argument {
    /// Parses the content of the argument's box. A listed word may be written in any case. A word
    /// that is not listed is refused here, even if the environment would accept it and give no
    /// points.
    fn read(&self, content: &str) -> Result<Value, String> {
        let value = self.shape.read(content)?;
        let Some(word) = value.as_str().filter(|_| !self.choices.is_empty()) else {
            return Ok(value);
        };
        let mut choices = self.choices.iter();
        match choices.find(|choice| choice.eq_ignore_ascii_case(word)) {
            Some(choice) => Ok(Value::String(choice.clone())),
            None => Err(format!(
                "`{}` is not one of {}",
                sim_core::error::clip(word),
                self.choices.join(", ")
            )),
        }
    }
}

/// The arguments of a tool, in the order of its schema.
fn arguments(tool: &ToolSpec) -> Vec<Argument> {
    let of = |key: &str| tool.arguments.get(key);
    let required: Vec<&str> = of("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let properties = of("properties").and_then(Value::as_object);
    let mut all: Vec<Argument> = properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| Argument {
            name: name.clone(),
            about: about(schema),
            required: required.contains(&name.as_str()),
            shape: Shape::of(schema),
            choices: choices(schema),
        })
        .collect();
    // Required arguments first, in the order of the tool's schema.
    let place = |argument: &Argument| required.iter().position(|name| *name == argument.name);
    all.sort_by_key(|argument| (place(argument).unwrap_or(usize::MAX), argument.name.clone()));
    all
}

fn about(schema: &Value) -> String {
    let mut text = schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let choices = choices(schema);
    if !choices.is_empty() {
        let _ = write!(text, " One of: {}.", choices.join(", "));
    }
    text
}

/// The words that `schema` lists; empty if any text is allowed.
fn choices(schema: &Value) -> Vec<String> {
    let listed = schema.get("enum").and_then(Value::as_array);
    let words = listed.into_iter().flatten().filter_map(Value::as_str);
    words.map(str::to_owned).collect()
}

impl Shape {
    fn of(schema: &Value) -> Self {
        let kinds: Vec<&str> = match schema.get("type") {
            Some(Value::String(kind)) => vec![kind.as_str()],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => vec![],
        };
        let is = |kind: &str| kinds.contains(&kind);
        let plain_items = || {
            let items = schema.get("items").and_then(|items| items.get("type"));
            matches!(
                items.and_then(Value::as_str),
                Some("integer" | "number" | "string")
            )
        };
        if is("number") || is("integer") {
            Self::Number
        } else if is("string") {
            Self::Text
        } else if is("array") && plain_items() {
            Self::List
        } else if is("object") && schema.get("properties").is_none() {
            Self::Amounts
        } else {
            Self::Json
        }
    }

    fn hint(self) -> &'static str {
        match self {
            Self::Number => " A number.",
            Self::Amounts => " One `name: amount` per line.",
            Self::List => " Entries with commas between them.",
            Self::Text => "",
            Self::Json => " As JSON.",
        }
    }

    fn read(self, content: &str) -> Result<Value, String> {
        let content = content.trim();
        match self {
            Self::Text => Ok(Value::String(content.to_owned())),
            Self::Number => match plain(content) {
                number @ Value::Number(_) => Ok(number),
                _ => Err(format!(
                    "`{}` is not a number",
                    sim_core::error::clip(content)
                )),
            },
            Self::List => {
                let entries = content.split([',', '\n']).map(str::trim);
                Ok(entries.filter(|e| !e.is_empty()).map(plain).collect())
            }
            Self::Amounts => {
                let mut map = Map::new();
                for line in content.lines().map(str::trim).filter(|l| !l.is_empty()) {
                    let line = line.trim_start_matches(['-', '*']).trim();
                    let Some((name, amount)) = line.rsplit_once(':') else {
                        return Err(format!(
                            "`{}` is not `name: amount`",
                            sim_core::error::clip(line)
                        ));
                    };
                    let name = name.trim().to_owned();
                    if amount.trim().is_empty() {
                        continue;
                    }
                    if map.insert(name.clone(), plain(amount.trim())).is_some() {
                        return Err(format!("`{name}` appears twice"));
                    }
                }
                Ok(Value::Object(map))
            }
            Self::Json => serde_json::from_str(content).map_err(|e| format!("not JSON: {e}")),
        }
    }
}

/// A number if the text is one, else the text.
fn plain(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(number @ Value::Number(_)) => number,
        _ => Value::String(text.to_owned()),
    }
}

/// A box and the text in it.
struct Found {
    line: usize,
    name: String,
    content: String,
}

fn boxes(text: &str) -> Result<Vec<Found>, RunError> {
    let mut all = Vec::new();
    let mut lines = (1..).zip(text.lines());
    while let Some((line, opening)) = lines.next() {
        let Some(name) = opening.trim().strip_prefix("```answer") else {
            continue;
        };
        let mut content = String::new();
        let closed = lines.by_ref().map(|(_, l)| l).any(|l| {
            let end = l.trim() == "```";
            if !end {
                content.push_str(l);
                content.push('\n');
            }
            end
        });
        let name = name.trim().to_owned();
        if !closed || content.contains("```answer") {
            return Err(RunError::usage(format!(
                "line {line}: the closing line of box `{name}`, three backticks, is missing"
            )));
        }
        all.push(Found {
            line,
            name,
            content,
        });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn shapes_are_read_as_people_write_them() {
        let amounts = Shape::Amounts.read("- A: 5\nB : 2.5\n* Group: C: 3%\nD:\n");
        assert_eq!(amounts, Ok(json!({"A": 5, "B": 2.5, "Group: C": "3%"})));
        assert_eq!(Shape::List.read("1, 2\n3"), Ok(json!([1, 2, 3])));
        assert_eq!(Shape::Text.read(" so\nit is "), Ok(json!("so\nit is")));
        assert_eq!(Shape::Number.read("13"), Ok(json!(13)));
        assert_eq!(Shape::Json.read("[{\"a\": 1}]"), Ok(json!([{"a": 1}])));
        for (shape, text) in [
            (Shape::Number, "a lot"),
            (Shape::Amounts, "A 5"),
            (Shape::Amounts, "A: 5\nA: 6"),
            (Shape::Json, "{oops"),
        ] {
            assert!(shape.read(text).is_err(), "{shape:?} {text}");
        }
    }

    #[test]
    fn a_word_that_is_not_listed_is_refused() {
        let schema = json!({"type": "string", "enum": ["conservative", "bold"]});
        let tool = ToolSpec::new("decide", ToolKind::Action, "decides").with("kind", schema);
        let argument = &arguments(&tool)[0];
        assert_eq!(argument.read(" Bold\n"), Ok(json!("bold")));
        let error = argument.read("brave").unwrap_err();
        assert_eq!(error, "`brave` is not one of conservative, bold");
    }

    #[test]
    fn boxes_without_an_end_are_named() {
        let found = boxes("x\n```answer a.b\n 7\n```\n```answer a.c\n```\n").unwrap();
        let read: Vec<(usize, &str, &str)> = found
            .iter()
            .map(|b| (b.line, b.name.as_str(), b.content.as_str()))
            .collect();
        assert_eq!(read, [(2, "a.b", " 7\n"), (5, "a.c", "")]);
        for torn in [
            "```answer a.b\n7\n",
            "```answer a.b\n7\n```answer a.c\n```\n",
        ] {
            let error = boxes(torn).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains("line 1") && error.contains("a.b"), "{error}");
        }
    }
}
