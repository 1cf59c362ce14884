//! The tools of tables that the published data do not have. A table gives operation, name and description;
//! the arguments follow from its fields.

use super::compact::{CURSOR, LIMIT, QUERY, VERSION};
use super::{Arg, ArgBinding, Filter, OfficeTool, Op, arg, must};
use crate::source::{FieldType, SourceField, TableId, Verb, Write};
use std::sync::LazyLock;

static TOOLS: LazyLock<Vec<OfficeTool>> = LazyLock::new(|| {
    let tools = TableId::verbs().map(|(source, rule)| {
        let op = match rule.verb {
            Verb::Read => Op::Read,
            Verb::Create => Op::Create,
            Verb::Update => Op::Update,
            Verb::Delete => Op::Delete,
        };
        tool(source, op, rule.tool, rule.about)
    });
    tools.collect()
});

/// The tools of all tables that bring their own.
pub(super) fn declared() -> impl Iterator<Item = &'static OfficeTool> {
    TOOLS.iter()
}

fn tool(source: TableId, op: Op, name: &'static str, about: &'static str) -> OfficeTool {
    let (key, fields) = match source.fields().split_first() {
        Some((key, fields)) => (key, fields),
        None => return super::tool(name, op, source, about, &[]),
    };
    let mut args = match op {
        Op::Create => vec![arg(key.name, ArgBinding::NewId, "allocated when left out")],
        Op::Read => vec![arg(key.name, ArgBinding::Key, key.about)],
        _ => vec![must(key.name, ArgBinding::Key, key.about)],
    };
    match op {
        Op::Read => {
            args.extend(fields.iter().flat_map(filters));
            args.extend([QUERY, LIMIT, CURSOR]);
        }
        Op::Create => {
            let given = fields.iter().filter(|f| f.write != Write::Derived);
            args.extend(given.map(|f| Arg {
                required: f.required,
                ..arg(f.name, ArgBinding::Field(f.name), f.about)
            }));
        }
        Op::Update => {
            let names = fields.iter().filter(|f| f.write == Write::Change);
            let names: Vec<&'static str> = names.map(|f| f.name).collect();
            let changes = ArgBinding::Changes(names.leak());
            args.extend([must("changes", changes, "field: new value"), VERSION]);
        }
        _ => {}
    }
    super::tool(name, op, source, about, args.leak())
}

/// The filters of a field: a link, both ends of a span of days, or the same value.
fn filters(field: &'static SourceField) -> Vec<Arg> {
    let Some(name) = field.filter else {
        return Vec::new();
    };
    let filter = |filter| arg(name, ArgBinding::Filter(filter), field.about);
    match field.kind {
        FieldType::Link(_) => vec![filter(Filter::Link(field.name))],
        FieldType::Day | FieldType::Moment => {
            let bound = |end: &str, filter, about| {
                let name: &'static str = format!("{name}_{end}").leak();
                arg(name, ArgBinding::Filter(filter), about)
            };
            vec![
                bound("from", Filter::From(field.name), "first day"),
                bound("to", Filter::To(field.name), "last day"),
            ]
        }
        _ => vec![filter(Filter::Same(field.name))],
    }
}
