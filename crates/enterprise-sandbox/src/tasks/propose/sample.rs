//! What a model drafts a task from: a persona, a kind of request, records, tools.

use super::TaskSample;
use crate::data::overlay::Overlay;
use crate::data::tables::TableId;
use crate::tasks::draft::Ctx;
use crate::tasks::{Category, Generator, TaskDomain};
use crate::tools::{OfficeTool, ToolSet};
use serde_json::{Value, json};
use sim_core::Seed;
use std::collections::{BTreeMap, BTreeSet};

/// Longest text of a record in a sample \[characters\].
const LONGEST_TEXT: usize = 600;
/// Number of records of a source in a sample.
const RECORDS: usize = 3;

/// Kinds of requests, and the sources that they are about.
#[rustfmt::skip] // One line a kind.
const GOALS: [(TaskDomain, Category, &str, &[TableId]); 20] = {
    use Category::{Crud, Search};
    use TableId as T;
    use TaskDomain as D;
    [
        (D::Hr, Search, "find out something in my own record or that of a colleague", &[]),
        (D::Hr, Search, "check a curriculum against the employee's record", &[T::Resumes]),
        (D::Hr, Crud, "bring an employee's record up to date", &[]),
        (D::Hr, Crud, "mail a colleague about leave, a review or a policy", &[T::Emails]),
        (D::Sales, Search, "look something up about a product and its reviews", &[T::Products, T::Reviews]),
        (D::Sales, Search, "find a sale and its customer", &[T::Sales, T::Customers]),
        (D::Sales, Crud, "correct the price or the description of a product", &[T::Products]),
        (D::Sales, Crud, "record a sale or a review", &[T::Products, T::Customers, T::Sales]),
        (D::Swe, Search, "find something in a repository or its issues", &[T::Repositories, T::Issues]),
        (D::Swe, Search, "find an answer on the internal forum", &[T::Overflow]),
        (D::Swe, Crud, "open, change or close an issue", &[T::Repositories, T::Issues]),
        (D::Swe, Crud, "post a question or an answer on the internal forum", &[T::Overflow]),
        (D::It, Search, "find tickets of a person, a day or a priority", &[T::Tickets]),
        (D::It, Search, "find out who handles a ticket and how to reach them", &[T::Tickets]),
        (D::It, Crud, "raise a ticket, or change one", &[T::Tickets]),
        (D::It, Crud, "resolve a ticket and tell the person who raised it", &[T::Tickets, T::Emails]),
        (D::Business, Search, "look something up about a client", &[T::Clients]),
        (D::Business, Search, "look something up about a vendor or a mail about it", &[T::Vendors, T::Emails]),
        (D::Business, Crud, "bring a client's or vendor's record up to date", &[T::Clients, T::Vendors]),
        (D::Business, Crud, "mail a colleague about a meeting or a decision", &[T::Emails]),
    ]
};

impl Generator {
    /// What a model drafts task number `index` of a seed from; `None` if nobody can make such a request.
    /// Domain and category are those of [`schedule`](Self::schedule), with a search in place of a task
    /// that cannot be done.
    #[must_use]
    pub fn sample(&self, seed: Seed, index: u64) -> Option<TaskSample> {
        let (category, domain) = self.schedule(index);
        // Facts of a draft are read from the records that it names, so it is about what can be done.
        let category = match category {
            Category::Unanswerable => Category::Search,
            other => other,
        };
        let mut s = seed.child("propose", index).stream("sample", 0);
        let me = *s.pick(self.personas(domain))?;
        let goals: Vec<_> = GOALS
            .iter()
            .filter(|(d, c, ..)| *d == domain && *c == category)
            .collect();
        let (.., goal, sources) = **s.pick(&goals)?;
        let overlay = Overlay::default();
        let mut c = Ctx {
            office: self.office(),
            view: self.office().view(&overlay),
            me,
            domain,
            s,
            coin: false,
        };
        let mut records: BTreeMap<TableId, Vec<Value>> = BTreeMap::new();
        let mut rows: BTreeMap<TableId, BTreeSet<u32>> = BTreeMap::new();
        let people = rows.entry(TableId::Employees).or_default();
        people.insert(me.0);
        people.extend((0..RECORDS).filter_map(|_| Some(c.colleague()?.0)));
        for source in sources {
            let found = rows.entry(*source).or_default();
            if source.is_private() {
                let own = c.linked(*source, "participant", me.0);
                found.extend((0..RECORDS).filter_map(|_| c.pick(&own)));
            } else {
                found.extend((0..RECORDS).filter_map(|_| c.any(*source)));
            }
        }
        for (source, rows) in rows {
            let list = records.entry(source).or_default();
            list.extend(rows.into_iter().map(|row| shown(&c, source, row)));
        }
        let about: BTreeSet<TableId> = records.keys().copied().collect();
        Some(TaskSample {
            persona: c.my_id(),
            person: shown(&c, TableId::Employees, me.0),
            today: c.company().clock().to_string(),
            domain,
            category,
            goal,
            tools: tools(&about),
            records,
        })
    }
}

/// A record as the model sees it: the fields that the persona may see, long texts shortened.
pub(super) fn shown(c: &Ctx<'_>, source: TableId, row: u32) -> Value {
    // Everybody may read the restricted fields of their own record.
    let own = source == TableId::Employees && row == c.me.0;
    let fields = source.fields().iter().filter(|f| own || !f.restricted);
    let mut record = c.view.record(source, row, fields.map(|f| f.name));
    record.retain(|_, value| !value.is_null());
    for value in record.values_mut() {
        if let Value::String(text) = value
            && text.chars().count() > LONGEST_TEXT
        {
            let start: String = text.chars().take(LONGEST_TEXT).collect();
            *text = format!("{start} ...");
        }
    }
    record.into()
}

/// The tools for some sources: name, purpose, arguments.
fn tools(about: &BTreeSet<TableId>) -> Vec<Value> {
    let wanted = |tool: &&&OfficeTool| {
        tool.op.is_data() && tool.sources().iter().any(|source| about.contains(source))
    };
    let all = ToolSet::Compact.tools(false);
    all.iter()
        .filter(wanted)
        .map(|tool| {
            let arguments: Vec<String> = tool
                .args
                .iter()
                .map(|arg| {
                    let sign = if arg.required { " (required)" } else { "" };
                    format!("{}{sign}: {}", arg.name, arg.about)
                })
                .collect();
            json!({"tool": tool.name, "purpose": tool.about, "arguments": arguments})
        })
        .collect()
}
