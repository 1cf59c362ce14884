//! A menu of numbered actions, for programs that learn: [`Action::Pick`] names an entry, and the
//! arguments come from the words of the request.
//!
//! The entries depend on the tool set only: `end`, three refusals, `answer`, and each tool that
//! reads. They write nothing, so tasks that need a write cannot succeed; [`Action::Call`] makes any
//! call. A task of picks ends after at most [`MOST_CALLS`] calls and an answer.
//!
//! Entry numbers are stable for a tool set: `end` is 0, the refusals are 1 to 3, `answer` is 4, and
//! the reads follow in the order of the table of tools. A table that gains a tool that reads
//! therefore changes the size of the action space.

use crate::action::Action;
use crate::observation::Observation;
use crate::request::{Pieces, facts, is_complete};
use crate::tasks::RefusalClass;
use crate::tools::{ArgBinding, OfficeTool, Op, ToolSet, parse};
use serde_json::{Value, json};
use sim_core::ActionError;

/// Calls after which a pick of a tool answers instead.
///
/// A learner that only reads would never end a task otherwise.
pub const MOST_CALLS: usize = 7;

/// Rows that are read when no piece of the request fits an argument.
const PAGE: u32 = 5;

/// An entry of the menu.
///
/// The arguments of a read are chosen from the words of the request, so a learner decides what to
/// look at and when to stop, not how to fill in arguments.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum MenuEntry {
    /// Ends the task without an answer.
    End,
    /// Refuses the task for this reason.
    /// Three entries, one for each class.
    Refuse(RefusalClass),
    /// Answers with the facts of the first record found that has all of them, else of the last one.
    Answer,
    /// Reads with this tool.
    Read(&'static OfficeTool),
}

impl MenuEntry {
    /// Its name: `end`, `refuse.denied`, `answer`, or the name of the tool.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Refuse(RefusalClass::Denied) => "refuse.denied",
            Self::Refuse(RefusalClass::Missing) => "refuse.missing",
            Self::Refuse(RefusalClass::Ambiguous) => "refuse.ambiguous",
            Self::Answer => "answer",
            Self::Read(tool) => tool.name,
        }
    }
}

/// The entries of a tool set, by number from 0.
///
/// ```
/// use enterprise_sandbox::menu::menu;
/// use enterprise_sandbox::tools::ToolSet;
///
/// let entries = menu(ToolSet::Compact);
/// assert_eq!(entries[4].name(), "answer");
/// assert_eq!(entries[5].name(), "employee_data_read");
/// ```
#[must_use]
pub fn menu(tools: ToolSet) -> Vec<MenuEntry> {
    let mut entries = vec![MenuEntry::End];
    entries.extend(RefusalClass::ALL.map(MenuEntry::Refuse));
    entries.push(MenuEntry::Answer);
    let reads = tools.tools(false).into_iter();
    entries.extend(reads.filter(|t| t.op == Op::Read).map(MenuEntry::Read));
    entries
}

/// How well the words of the request fit each entry of the menu: for a read, the words that it shares
/// with the tool's name and description plus 3 for each argument that it fills; 0 for other entries.
///
/// The same numbers are part of the observations of a [`Batch`](crate::Batch).
#[must_use]
pub fn fits(o: &Observation) -> Vec<usize> {
    let pieces = Pieces::of(&o.instruction);
    let fit = |entry| match entry {
        MenuEntry::Read(tool) => pieces.arguments(tool, me(o)).map_or(0, |(fit, _)| fit),
        _ => 0,
    };
    menu(o.surface).into_iter().map(fit).collect()
}

/// The action of an entry, given the records found so far and the number of calls made.
///
/// # Errors
/// When the menu has no such entry.
pub(crate) fn action(
    number: u32,
    o: &Observation,
    found: &[Value],
    calls: usize,
) -> Result<Action, ActionError> {
    let entries = menu(o.surface);
    let entry = usize::try_from(number).ok().and_then(|n| entries.get(n));
    let Some(entry) = entry else {
        return Err(ActionError::new(
            "INVALID_ARGUMENT",
            format!("the menu has the entries 0 to {}", entries.len() - 1),
        ));
    };
    Ok(match entry {
        MenuEntry::End => Action::End,
        MenuEntry::Refuse(class) => Action::refuse(*class, ""),
        MenuEntry::Read(tool) if calls < MOST_CALLS => read(tool, o),
        MenuEntry::Read(_) | MenuEntry::Answer => answer(o, found),
    })
}

/// The persona's id.
pub(crate) fn me(o: &Observation) -> &str {
    let id = o.persona.get("emp_id").and_then(Value::as_str);
    id.unwrap_or_default()
}

/// An answer with the facts of the first record that has all of them, else of the last one.
pub(crate) fn answer(o: &Observation, found: &[Value]) -> Action {
    let complete = found.iter().find(|record| is_complete(o, record));
    let facts = facts(o, complete.or(found.last()), found.len());
    Action::answer("This is what I found.", facts)
}

/// A valid read: with arguments of the request, else of a few rows, else of the persona's own record.
fn read(tool: &'static OfficeTool, o: &Observation) -> Action {
    let pieces = Pieces::of(&o.instruction);
    // Arguments that the tool does not take, or lacks, are an error and no step, so the next best ones are tried.
    let fitting = pieces
        .arguments(tool, me(o))
        .map(|(_, arguments)| arguments);
    let fitting = fitting.map(|arguments| with_fields(tool, o, arguments));
    let candidates = [fitting, Some(json!({"limit": PAGE})), Some(json!({}))];
    let valid = |arguments: &Value| parse(tool, arguments).is_ok();
    match candidates.into_iter().flatten().find(valid) {
        Some(arguments) => Action::call(tool.name, arguments),
        None => Action::call("whoami", json!({})),
    }
}

/// Asks for the requested fields, where the tool lets the caller choose and the source has them: the
/// default view leaves out fields such as leave balances.
fn with_fields(tool: &OfficeTool, o: &Observation, mut arguments: Value) -> Value {
    let chooses = tool.args.iter().find(|a| a.binding == ArgBinding::Fields);
    let wanted: Vec<&str> = o.asks.iter().map(|ask| ask.key.as_str()).collect();
    let known = wanted.iter().all(|key| tool.source.field(key).is_some());
    if let (Some(arg), true, false, Some(object)) =
        (chooses, known, wanted.is_empty(), arguments.as_object_mut())
    {
        object.insert(arg.name.to_owned(), json!(wanted));
    }
    arguments
}
