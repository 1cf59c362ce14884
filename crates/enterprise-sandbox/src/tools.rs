//! The tools: two tool sets over one engine.
//!
//! `compact` is the inventory of the paper's table 8 with twelve tools that its data needs; `fine`
//! offers the many narrow names of the published release. A tool is a row of a table: its
//! operation, its source, and how each argument is bound. Schemas, checks and the call that the
//! engine executes follow from the row.
//!
//! ```text
//!  OfficeTool ─┬─ spec()   JSON Schema for the agent: names, types, ranges, descriptions
//!              ├─ parse    arguments ─► checked call, or an error that needs no data
//!              └─ Office   executes the call by its operation
//! ```
//!
//! The same table gives all three, so they cannot drift apart. To add a tool is to add a row; only
//! plans of tasks and scripted policies name tools.
//!
//! The tool set is a variable of experiments: in the paper's error study, 18 of 69 failures were
//! calls of a wrong tool, and the published release has several narrow readers where the paper's
//! table has one. Both sets work on the same state and are understood at any time; an instance says
//! which one is offered.
//!
//! # Example
//!
//! What an agent is offered, and how a call of it is checked:
//!
//! ```
//! use enterprise_sandbox::tools::office::Office;
//! use enterprise_sandbox::tools::{COMPACT, Op, ToolSet};
//! use serde_json::json;
//!
//! let tools = ToolSet::Compact.tools(false);
//! assert_eq!(COMPACT.len(), 59); // 46 of the paper, 12 more, and `answer`
//! assert!(tools.len() >= COMPACT.len()); // tables may bring tools of their own
//! let writes = tools.iter().filter(|t| matches!(t.op, Op::Create | Op::Update | Op::Delete));
//! assert!(writes.count() > 30);
//!
//! let good = json!({"priority": "high", "Issue": "No network since Monday."});
//! assert!(Office::check_call("it_service_management_create_issue", &good).is_ok());
//! let bad = json!({"priority": "urgent", "Issue": "No network since Monday."});
//! let error = Office::check_call("it_service_management_create_issue", &bad).unwrap_err();
//! assert_eq!(error.code, "INVALID_ARGUMENT");
//! ```

use crate::data::tables::{FieldType, SourceField, TableId, Write};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::error::clip;
use sim_core::{ActionError, ToolKind, ToolSpec};

pub mod embedding;
pub mod office;
mod parse;
mod tables;

pub use crate::data::tables::Op;
pub(crate) use parse::{Call, check_facts, check_long, parse};
use tables::DECLARED;
pub use tables::{COMPACT, DISTRACTORS, FINE};

/// Which names the tools have.
///
/// The engine behind both is the same. The serialised form is `compact` or `fine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolSet {
    /// The paper's inventory: 46 tools, and 12 that its data needs (default).
    #[default]
    Compact,
    /// The 72 names of the published release, with the same additions.
    Fine,
}

/// A filter of a read.
///
/// All filters of a call have to match. Values are compared in the current state of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// A field links to this record.
    Link(&'static str),
    /// A field has this value, in any case.
    /// For names, addresses and words of a list.
    Same(&'static str),
    /// A field begins with this.
    Prefix(&'static str),
    /// A field matches this; `*` matches any text.
    Wildcard(&'static str),
    /// A list field has this entry.
    Has(&'static str),
    /// A date field is not before this.
    /// Whole days: a moment counts as its day.
    From(&'static str),
    /// A date field is not after this.
    To(&'static str),
    /// The person is one of the two participants.
    Participant,
    /// The record behind a link has this name: link field, its source, its name field.
    /// Only records that the caller may read are considered.
    NameOf(&'static str, TableId, &'static str),
}

/// How an argument is used.
///
/// This is the whole vocabulary of tools. The first group selects records, the second writes them,
/// the third names the caller, the last is for tools without a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgBinding {
    /// Identifier of the record.
    Key,
    /// Identifiers of several records.
    Keys,
    /// Filters a read.
    Filter(Filter),
    /// Must agree with the record's field.
    /// Published tools repeat such fields; a contradiction is refused, so that a call cannot mean
    /// another record than it says.
    Same(&'static str),
    /// Value of a field of a new record.
    Field(&'static str),
    /// Identifier of a new record.
    NewId,
    /// New value of a field.
    Change(&'static str),
    /// Object of new values.
    Changes(&'static [&'static str]),
    /// Version that the caller has seen.
    /// For optimistic concurrency.
    Version,
    /// Words to search for.
    Query,
    /// Page size.
    /// 1 to 200, default 20.
    Limit,
    /// Continuation of a list.
    /// The `next_cursor` of the previous page.
    Cursor,
    /// Names of the fields to show.
    /// Restricted fields may be named; they are withheld by name if the caller may not see them.
    Fields,
    /// Repository, file or issue.
    CodeKind,
    /// Path of a file.
    Path,
    /// Identifier of an issue.
    IssueId,
    /// Name of a repository.
    Repo,
    /// Open or closed.
    IssueStatus,
    /// Must be the principal's id.
    /// The published tools let the caller say who they are; here the claim has to be true.
    Me,
    /// Must be the principal's id; the read is restricted to it.
    MyOwn(&'static str),
    /// Must be the principal's address.
    MyEmail,
    /// Id of one of two people; one of them must be the principal.
    Pair,
    /// Address of one of two people; one of them must be the principal.
    PairEmail,
    /// Address of the recipient.
    RecipientEmail,
    /// Name of the recipient, to tell two people with one address apart.
    RecipientName,
    /// Section of a document.
    Section,
    /// Number of passages.
    TopK,
    /// Free text for a model.
    Prompt,
    /// Number of tokens.
    Tokens,
    /// Name of a tool.
    Tool,
    /// Arguments of a tool.
    Arguments,
    /// Class of a refusal.
    Class,
    /// Final text.
    Text,
    /// Facts by key.
    Facts,
    /// Accepted and ignored.
    /// For arguments that the published tools require and that the office decides itself.
    Unused,
}

/// One argument of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Arg {
    /// Name.
    pub name: &'static str,
    /// How it is used.
    pub binding: ArgBinding,
    /// Whether it is required.
    pub required: bool,
    /// Description for the agent.
    pub about: &'static str,
}

/// One tool.
///
/// Tables of tools are read once; a tool is passed around by reference.
#[derive(Debug, Clone, Copy)]
pub struct OfficeTool {
    /// Name.
    pub name: &'static str,
    /// Description for the agent.
    pub about: &'static str,
    /// Its operation.
    pub op: Op,
    /// Its source; the code tools determine it from their arguments.
    pub source: TableId,
    /// Whether it is one of the code tools that serve repositories, files and issues.
    pub code: bool,
    /// Arguments.
    pub args: &'static [Arg],
    /// Fields that a read shows; empty for the default view.
    /// Published tools that answer one question (the skills of a person) show one field.
    pub show: &'static [&'static str],
    /// Whether both tool sets have it.
    pub shared: bool,
}

/// A tool by name, of either tool set or of the useless ones; `None` when there is no such tool.
///
/// ```
/// use enterprise_sandbox::tools::{Op, find};
///
/// assert_eq!(find("employee_data_read").map(|tool| tool.op), Some(Op::Read));
/// assert!(find("no_such_tool").is_none());
/// ```
///
/// Names are unique over all three tables.
#[must_use]
pub fn find(name: &str) -> Option<&'static OfficeTool> {
    let mut all = compact().chain(FINE.iter()).chain(DISTRACTORS.iter());
    all.find(|t| t.name == name)
}

/// The tool of that name, or the error that there is none.
pub(crate) fn known(name: &str) -> Result<&'static OfficeTool, ActionError> {
    let unknown = || format!("there is no tool `{}`", clip(name));
    find(name).ok_or_else(|| ActionError::new("unknown_tool", unknown()))
}

/// The tool of the compact tool set for an operation on the records of a source.
pub(crate) fn tool_for(op: Op, source: TableId) -> Option<&'static OfficeTool> {
    compact().find(|tool| tool.op == op && tool.serves(source))
}

/// The tools of the compact tool set: those of the published tables, then those of others.
fn compact() -> impl Iterator<Item = &'static OfficeTool> {
    COMPACT.iter().chain(DECLARED.iter())
}

impl ToolSet {
    /// Its tools, with the twelve useless ones if wanted; tools that end a task come last.
    ///
    /// ```
    /// use enterprise_sandbox::tools::ToolSet;
    ///
    /// let names: Vec<&str> = ToolSet::Compact.tools(false).iter().map(|tool| tool.name).collect();
    /// assert!(names.contains(&"employee_data_read"));
    /// assert_eq!(ToolSet::Compact.tools(true).len(), names.len() + 12);
    /// ```
    #[must_use]
    pub fn tools(self, distractors: bool) -> Vec<&'static OfficeTool> {
        let mut tools: Vec<&'static OfficeTool> = match self {
            Self::Compact => compact().collect(),
            Self::Fine => FINE.iter().chain(compact().filter(|t| t.shared)).collect(),
        };
        if distractors {
            tools.extend(DISTRACTORS.iter());
        }
        // Stable: the others keep their places, by which the menu is numbered.
        tools.sort_by_key(|t| matches!(t.op, Op::Answer | Op::Refuse));
        tools
    }
}

/// JSON Schema of the values of a field.
fn kind_schema(kind: FieldType) -> Value {
    match kind {
        FieldType::Id | FieldType::Link(_) => json!({"type": ["string", "integer"]}),
        FieldType::Text(max) => json!({"type": "string", "maxLength": max}),
        FieldType::Whole(low, high) => json!({"type": "integer", "minimum": low, "maximum": high}),
        FieldType::Money => json!({"type": "number", "minimum": 0}),
        FieldType::Rating => json!({"type": "number", "minimum": 0, "maximum": 5}),
        FieldType::Day => json!({"type": "string", "format": "date"}),
        FieldType::Moment => json!({"type": "string", "format": "date-time"}),
        FieldType::Choice(words) => json!({"type": "string", "enum": words}),
        FieldType::Flag => json!({"type": "boolean"}),
        FieldType::Words => json!({"type": "array", "items": {"type": "string"}}),
        FieldType::Level => json!({"type": "string", "pattern": "^[A-Z]{2}[0-9]{2}$"}),
    }
}

/// The sources of the code tools.
const CODE: [TableId; 3] = [TableId::Repositories, TableId::Files, TableId::Issues];

impl OfficeTool {
    /// The sources whose records it serves: its own, or all three of a code tool.
    pub(crate) fn sources(&self) -> &[TableId] {
        match self.code {
            true => &CODE,
            false => std::slice::from_ref(&self.source),
        }
    }

    /// Whether it serves the records of a source.
    pub(crate) fn serves(&self, source: TableId) -> bool {
        self.sources().contains(&source)
    }

    /// Type of a field of this tool's records; for code tools of any of the three sources.
    fn field(&self, name: &str) -> Option<&'static SourceField> {
        let mut fields = self.sources().iter().filter_map(|s| s.field(name));
        // Several of the three tables may have a field of the name; a call writes the one that can be written.
        fields.find(|f| !self.code || f.write != Write::Derived)
    }

    /// JSON Schema of an argument. Ids may be numbers or texts whatever their source, because models
    /// write both; the check of the argument reads both.
    fn schema_of(&self, arg: &Arg) -> Value {
        let of_field = |name: &str| {
            self.field(name)
                .map_or_else(|| json!({"type": "string"}), |f| kind_schema(f.kind))
        };
        let mut schema = match arg.binding {
            ArgBinding::Field(name) | ArgBinding::Change(name) => of_field(name),
            ArgBinding::Key | ArgBinding::NewId | ArgBinding::Same(_) => {
                json!({"type": if self.source.numbered() {
                    json!(["integer", "string"])
                } else {
                    json!(["string", "integer"])
                }})
            }
            ArgBinding::Filter(Filter::From(_) | Filter::To(_)) => kind_schema(FieldType::Day),
            ArgBinding::Filter(Filter::Same(name)) => of_field(name),
            ArgBinding::Filter(Filter::Link(_)) => json!({"type": ["string", "integer"]}),
            ArgBinding::Keys => {
                json!({"type": "array", "items": {"type": "string"}, "maxItems": 200})
            }
            ArgBinding::Changes(names) => {
                let properties: serde_json::Map<String, Value> = names
                    .iter()
                    .map(|n| ((*n).to_owned(), of_field(n)))
                    .collect();
                json!({"type": "object", "minProperties": 1, "additionalProperties": false,
                       "properties": properties})
            }
            ArgBinding::Version => json!({"type": "integer", "minimum": 1}),
            ArgBinding::Limit => json!({"type": "integer", "minimum": 1, "maximum": 200}),
            ArgBinding::TopK => json!({"type": "integer", "minimum": 1, "maximum": 10}),
            ArgBinding::Tokens => json!({"type": "integer", "minimum": 1, "maximum": 100_000}),
            ArgBinding::Fields => {
                let names: Vec<&str> = self.source.fields().iter().map(|f| f.name).collect();
                json!({"type": "array", "items": {"type": "string", "enum": names}})
            }
            ArgBinding::CodeKind => {
                json!({"type": "string", "enum": ["repository", "file", "issue"]})
            }
            ArgBinding::IssueStatus => json!({"type": "string", "enum": ["open", "closed"]}),
            ArgBinding::Class => {
                json!({"type": "string", "enum": ["denied", "missing", "ambiguous"]})
            }
            ArgBinding::Arguments => json!({"type": "object"}),
            ArgBinding::Facts => json!({"type": "object", "maxProperties": 60}),
            ArgBinding::Query => json!({"type": "string", "minLength": 1, "maxLength": 400}),
            ArgBinding::Text | ArgBinding::Prompt => json!({"type": "string", "maxLength": 20_000}),
            ArgBinding::Unused => json!({}),
            _ => json!({"type": "string", "maxLength": 300}),
        };
        if let (Some(object), false) = (schema.as_object_mut(), arg.about.is_empty()) {
            object.insert("description".to_owned(), arg.about.into());
        }
        schema
    }

    /// The tool as it is offered. Every data tool, including reads, is of the kind that changes the
    /// state, because each use is recorded in the audit trail.
    #[must_use]
    pub fn spec(&self) -> ToolSpec {
        let kind = match self.op {
            Op::Answer | Op::Refuse => ToolKind::Action,
            Op::WhoAmI | Op::Explain => ToolKind::Getter,
            _ => ToolKind::Write,
        };
        let mut spec = ToolSpec::new(self.name, kind, self.about);
        for arg in self.args {
            let schema = self.schema_of(arg);
            spec = if arg.required {
                spec.with(arg.name, schema)
            } else {
                spec.with_optional(arg.name, schema)
            };
        }
        spec
    }
}
