//! The tools: two tool sets over one engine.
//!
//! `compact` is the inventory of the paper's table 8 with twelve tools that its data needs; `fine`
//! offers the many narrow names of the published release. A tool is a row of a table: its
//! operation, its source, and how each argument is bound. Schemas, checks and the call that the
//! engine executes follow from the row.

use crate::source::{FieldType, SourceField, TableId, Write};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::{ToolKind, ToolSpec};

mod compact;
mod fine;
mod parse;
mod values;

pub use compact::{COMPACT, DISTRACTORS};
pub use fine::FINE;
pub(crate) use parse::{Call, Claim, parse};
pub(crate) use values::read_value;

/// Which names the tools have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolSet {
    /// The paper's inventory: 46 tools, and 12 that its data needs (default).
    #[default]
    Compact,
    /// The 72 names of the published release, with the same additions.
    Fine,
}

/// The operation of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Finds records.
    Read,
    /// Creates a record.
    Create,
    /// Changes a record.
    Update,
    /// Removes a record.
    Delete,
    /// Finds passages of policy documents.
    Document,
    /// Asks a language model.
    Model,
    /// Describes the principal.
    WhoAmI,
    /// Names the rule that decides about a call.
    Explain,
    /// Ends the task with a refusal.
    Refuse,
    /// Ends the task with an answer.
    Answer,
    /// Does nothing; it is a distractor.
    Distract,
}

/// A filter of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// A field links to this record.
    Link(&'static str),
    /// A field has this value, in any case.
    Same(&'static str),
    /// A field begins with this.
    Prefix(&'static str),
    /// A field matches this; `*` matches any text.
    Wildcard(&'static str),
    /// A list field has this entry.
    Has(&'static str),
    /// A date field is not before this.
    From(&'static str),
    /// A date field is not after this.
    To(&'static str),
    /// The person is one of the two participants.
    Participant,
    /// The record behind a link has this name: link field, its source, its name field.
    NameOf(&'static str, TableId, &'static str),
}

/// How an argument is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgBinding {
    /// Identifier of the record.
    Key,
    /// Identifiers of several records.
    Keys,
    /// Filters a read.
    Filter(Filter),
    /// Must agree with the record's field.
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
    Version,
    /// Words to search for.
    Query,
    /// Page size.
    Limit,
    /// Continuation of a list.
    Cursor,
    /// Names of the fields to show.
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

/// An optional argument.
pub(crate) const fn arg(name: &'static str, binding: ArgBinding, about: &'static str) -> Arg {
    Arg {
        name,
        binding,
        required: false,
        about,
    }
}

/// A required argument.
pub(crate) const fn must(name: &'static str, binding: ArgBinding, about: &'static str) -> Arg {
    Arg {
        name,
        binding,
        required: true,
        about,
    }
}

/// One tool.
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
    pub show: &'static [&'static str],
}

/// A tool by name, of either tool set or of the useless ones; `None` when there is no such tool.
///
/// ```
/// use enterprise_sandbox::toolset::{WriteKind, find};
///
/// assert_eq!(find("employee_data_read").map(|tool| tool.op), Some(WriteKind::Read));
/// assert!(find("no_such_tool").is_none());
/// ```
#[must_use]
pub fn find(name: &str) -> Option<&'static OfficeTool> {
    COMPACT
        .iter()
        .chain(FINE)
        .chain(DISTRACTORS)
        .find(|t| t.name == name)
}

impl ToolSet {
    /// Its tools, with the twelve useless ones if wanted; tools that end a task come last.
    ///
    /// ```
    /// use enterprise_sandbox::toolset::ToolSet;
    ///
    /// let names: Vec<&str> = ToolSet::Compact.tools(false).iter().map(|tool| tool.name).collect();
    /// assert!(names.contains(&"employee_data_read"));
    /// assert_eq!(ToolSet::Compact.tools(true).len(), names.len() + 12);
    /// ```
    #[must_use]
    pub fn tools(self, distractors: bool) -> Vec<&'static OfficeTool> {
        let mut tools: Vec<&'static OfficeTool> = match self {
            Self::Compact => COMPACT.iter().collect(),
            Self::Fine => {
                let own = COMPACT.iter().filter(|t| compact::is_extra(t.name));
                FINE.iter().chain(own).collect()
            }
        };
        if distractors {
            tools.extend(DISTRACTORS);
        }
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

impl OfficeTool {
    /// Type of a field of this tool's records; for code tools of any of the three sources.
    fn field(&self, name: &str) -> Option<&'static SourceField> {
        if !self.code {
            return self.source.field(name);
        }
        [TableId::Repositories, TableId::Files, TableId::Issues]
            .into_iter()
            .filter_map(|s| s.field(name))
            .find(|f| f.write != Write::Derived)
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
