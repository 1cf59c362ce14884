//! The tools of both tool sets, read at first use from the text files under `tools/`, and those of tables that
//! the published data do not have, which follow from the fields of the table.
//!
//! A text gives names and descriptions. How an argument binds follows from the operation of the tool and the
//! declaration of the field; where it does not, a word says it ([`meant`]).

use super::{Arg, ArgBinding, Filter, OfficeTool, Op};
use crate::data::tables::{FieldType, SourceField, TableId, VerbRule, Write};
use std::sync::LazyLock;

/// All tools of the compact tool set.
///
/// The order is that of the paper's table, then the additions. [`menu`](crate::menu::menu())
/// numbers follow it.
pub static COMPACT: LazyLock<Vec<OfficeTool>> =
    LazyLock::new(|| tools(include_str!("../../tools/compact.txt"), &[]));

/// All names of the published release.
///
/// 72 names. Together with the tools that both sets share, an agent is offered 86.
pub static FINE: LazyLock<Vec<OfficeTool>> =
    LazyLock::new(|| tools(include_str!("../../tools/fine.txt"), &COMPACT));

/// Plausible tools without a function: a setting of the experiment.
///
/// Twelve tools of systems that the office does not have. They accept anything and are refused as
/// unavailable, so they cost an agent steps and nothing else.
pub static DISTRACTORS: LazyLock<Vec<OfficeTool>> =
    LazyLock::new(|| tools(include_str!("../../tools/useless.txt"), &[]));

/// The tools of all tables that bring their own.
pub(super) static DECLARED: LazyLock<Vec<OfficeTool>> = LazyLock::new(|| {
    TableId::verbs()
        .map(|(s, verb)| declared(s, verb))
        .collect()
});

/// The tools of a text, which may be like those of another.
#[expect(
    clippy::panic,
    reason = "the texts are a part of this crate, and each test of the tools reads them"
)]
fn tools(text: &'static str, others: &[OfficeTool]) -> Vec<OfficeTool> {
    let mut tools: Vec<OfficeTool> = Vec::new();
    // A comment stands in a paragraph of its own, so whatever does not begin with a name is one.
    let entries = text.split("\n\n").filter(|e| e.starts_with('['));
    for entry in entries {
        match tool(entry, |name| {
            tools.iter().chain(others).find(|t| t.name == name)
        }) {
            Some(tool) => tools.push(tool),
            None => panic!("the tool `{entry}` cannot be read"),
        }
    }
    tools
}

/// The tool of an entry: head, description and arguments.
fn tool<'a>(
    entry: &'static str,
    known: impl FnOnce(&str) -> Option<&'a OfficeTool>,
) -> Option<OfficeTool> {
    let mut lines = entry.lines();
    let (head, show) = split(lines.next()?, ": ");
    let shared = head.ends_with(" (both sets)");
    let (name, what) = head.strip_prefix('[')?.split_once("] ")?;
    let (op, table) = what.trim_end_matches(" (both sets)").split_once(' ')?;
    if op == "like" {
        let like = known(table)?;
        let about = lines.next().unwrap_or(like.about);
        return Some(OfficeTool {
            name,
            about,
            ..*like
        });
    }
    let code = table == "code";
    let mut tool = OfficeTool {
        name,
        about: lines.next()?,
        op: op.parse().ok()?,
        source: match code {
            true => TableId::Repositories,
            false => TableId::ALL.into_iter().find(|s| s.name() == table)?,
        },
        code,
        args: &[],
        show: show
            .split(", ")
            .filter(|f| !f.is_empty())
            .collect::<Vec<_>>()
            .leak(),
        shared,
    };
    let mut args = Vec::new();
    for line in lines {
        let (head, about) = split(line, ": ");
        let (names, meaning) = split(head, " = ");
        for name in names.split(", ") {
            args.push(arg(&tool, name, meaning, about)?);
        }
    }
    tool.args = args.leak();
    Some(tool)
}

/// The text before and after a separator; nothing after it without one.
fn split(text: &'static str, by: &str) -> (&'static str, &'static str) {
    text.split_once(by).unwrap_or((text, ""))
}

/// An argument of a tool; an exclamation mark behind its name makes it required.
fn arg(
    tool: &OfficeTool,
    name: &'static str,
    meaning: &'static str,
    about: &'static str,
) -> Option<Arg> {
    let (name, required) = match name.strip_suffix('!') {
        Some(name) => (name, true),
        None => (name, false),
    };
    let usual = match name {
        "query" => "words to search for, best match first",
        "limit" => "page size, 1 to 200 (default 20)",
        "cursor" => "next_cursor of the previous page",
        "expected_version" => "refuse the write when the record has moved on",
        "changes" => "field: new value",
        _ => "",
    };
    let binding = match (name, meaning) {
        ("changes", fields) => ArgBinding::Changes(changeable(tool, fields)),
        (_, "") => named(tool, name)?,
        _ => meant(tool, name, meaning)?,
    };
    Some(Arg {
        name,
        binding,
        required,
        about: if about.is_empty() { usual } else { about },
    })
}

/// How an argument binds by its name.
fn named(tool: &OfficeTool, name: &str) -> Option<ArgBinding> {
    let ends = matches!(tool.op, Op::Answer | Op::Refuse);
    Some(match name {
        "kind" if tool.code => ArgBinding::CodeKind,
        "repo_name" if tool.code => ArgBinding::Repo,
        "path" if tool.code => ArgBinding::Path,
        "issue_id" if tool.code => ArgBinding::IssueId,
        "issue_status" if tool.code => ArgBinding::IssueStatus,
        "text" | "reason" if ends => ArgBinding::Text,
        "facts" if ends => ArgBinding::Facts,
        "class" if ends => ArgBinding::Class,
        "query" => ArgBinding::Query,
        "limit" => ArgBinding::Limit,
        "cursor" => ArgBinding::Cursor,
        "fields" => ArgBinding::Fields,
        "expected_version" => ArgBinding::Version,
        "section" => ArgBinding::Section,
        "top_k" => ArgBinding::TopK,
        "prompt" => ArgBinding::Prompt,
        "max_tokens" => ArgBinding::Tokens,
        "tool" => ArgBinding::Tool,
        "arguments" => ArgBinding::Arguments,
        _ => of_field(tool, name)?,
    })
}

/// How an argument binds whose meaning is stated: a field of another name, or a word.
fn meant(tool: &OfficeTool, name: &'static str, meaning: &'static str) -> Option<ArgBinding> {
    let (word, field) = split(meaning, " ");
    Some(match (word, field) {
        ("unused", _) => ArgBinding::Unused,
        ("me", _) => ArgBinding::Me,
        ("my", "email") => ArgBinding::MyEmail,
        ("mine", field) => ArgBinding::MyOwn(field),
        ("pair", "") => ArgBinding::Pair,
        ("pair", "email") => ArgBinding::PairEmail,
        ("recipient", "email") => ArgBinding::RecipientEmail,
        ("recipient", "name") => ArgBinding::RecipientName,
        ("keys", _) => ArgBinding::Keys,
        ("participant", _) => ArgBinding::Filter(Filter::Participant),
        ("from", field) => ArgBinding::Filter(Filter::From(field)),
        ("to", field) => ArgBinding::Filter(Filter::To(field)),
        ("prefix", field) => ArgBinding::Filter(Filter::Prefix(field)),
        ("like", field) => ArgBinding::Filter(Filter::Wildcard(field)),
        ("link", field) => ArgBinding::Filter(Filter::Link(field)),
        // The name of the record behind a link.
        ("name", link) => {
            let target = tool.source.target(link)?;
            ArgBinding::Filter(Filter::NameOf(link, target, name))
        }
        _ => of_field(tool, meaning)?,
    })
}

/// How an argument for a field binds.
fn of_field(tool: &OfficeTool, name: &str) -> Option<ArgBinding> {
    let field = tool.field(name)?;
    let changes = field.write == Write::Change;
    Some(match tool.op {
        Op::Create if field.name == tool.source.key() => ArgBinding::NewId,
        _ if field.name == tool.source.key() => ArgBinding::Key,
        Op::Create => ArgBinding::Field(field.name),
        Op::Update if changes => ArgBinding::Change(field.name),
        // What a removal writes, as the leaving date.
        Op::Delete if changes => ArgBinding::Field(field.name),
        Op::Update | Op::Delete => ArgBinding::Same(field.name),
        _ => ArgBinding::Filter(match field.kind {
            FieldType::Link(_) => Filter::Link(field.name),
            FieldType::Words => Filter::Has(field.name),
            _ => Filter::Same(field.name),
        }),
    })
}

/// The fields of these names, or all that may change.
fn changeable(tool: &OfficeTool, names: &'static str) -> &'static [&'static str] {
    let all = tool.sources().iter().flat_map(|s| s.fields());
    let changeable = all.filter(|f| f.write == Write::Change).map(|f| f.name);
    match names {
        "" => changeable.collect::<Vec<_>>().leak(),
        _ => names.split(", ").collect::<Vec<_>>().leak(),
    }
}

/// The tool for a verb of a table: a read has the conditions of the fields, a new record their values.
fn declared(source: TableId, verb: &'static VerbRule) -> OfficeTool {
    let mut tool = OfficeTool {
        name: verb.tool,
        about: verb.about,
        op: verb.op,
        source,
        code: false,
        args: &[],
        show: &[],
        shared: true,
    };
    let usual = |names: &[&'static str]| {
        let args = names.iter().filter_map(|name| arg(&tool, name, "", ""));
        args.collect::<Vec<_>>()
    };
    let mut args = Vec::new();
    for field in source.fields() {
        let of_field = || arg(&tool, field.name, "", field.about);
        let required = |arg: Arg, required| Arg { required, ..arg };
        let key = field.name == source.key();
        match verb.op {
            Op::Create if key => args.extend(arg(&tool, field.name, "", "allocated when left out")),
            Op::Create if field.write != Write::Derived => {
                args.extend(of_field().map(|arg| required(arg, field.required)));
            }
            Op::Read if key => args.extend(of_field()),
            Op::Read => args.extend(conditions(&tool, field)),
            _ if key => args.extend(of_field().map(|arg| required(arg, true))),
            _ => {}
        }
    }
    args.extend(match verb.op {
        Op::Read => usual(&["query", "limit", "cursor"]),
        Op::Update => usual(&["changes!", "expected_version"]),
        _ => Vec::new(),
    });
    tool.args = args.leak();
    tool
}

/// The conditions of a field: both ends of a span of days, or its value.
fn conditions(tool: &OfficeTool, field: &'static SourceField) -> Vec<Arg> {
    let Some(name) = field.filter else {
        return Vec::new();
    };
    let args = match field.kind {
        FieldType::Day | FieldType::Moment => [("from", "first day"), ("to", "last day")]
            .map(|(end, about)| {
                let meaning = format!("{end} {}", field.name).leak();
                arg(tool, format!("{name}_{end}").leak(), meaning, about)
            })
            .to_vec(),
        _ => vec![arg(tool, name, field.name, field.about)],
    };
    args.into_iter().flatten().collect()
}
