//! Fills the tables of a spec from rows.

use super::published::{Published, is_model};
use super::rows::{Row, names};
use super::spec::{Condition, Named, PaperRows, Part, Spec, TableSpec, Where, listed};
use super::table::{PaperCell, PaperRow, PaperRowOrigin, PaperTable, slug};
use run_engine::error::RunError;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The tables of `spec`, in its order; a table that is split stands once for each value.
///
/// # Errors
/// When the spec names a figure that no row has, or a command names a label that a cell does not have.
pub(super) fn fill(
    spec: &Spec,
    published: &Published,
    rows: &[Row],
) -> Result<Vec<PaperTable>, RunError> {
    let mut ordered: Vec<&Row> = rows.iter().collect();
    ordered.sort_by_key(|row| row.place);
    // Every name that a figure may have, also of lists and of sources without a run: a figure that
    // no row has yet is missing, while one that is in none of these is misspelt.
    let mut figures: BTreeSet<&str> = spec
        .lists
        .values()
        .flatten()
        .map(|named| named.value.as_str())
        .collect();
    figures.extend(
        spec.sources
            .iter()
            .flat_map(|source| source.figures.keys())
            .map(String::as_str),
    );
    figures.extend(spec.sources.iter().flat_map(|source| source.rows.figures()));
    figures.extend(
        rows.iter()
            .flat_map(|row| row.figures.keys())
            .map(String::as_str),
    );
    let mut tables = Vec::new();
    for table in &spec.tables {
        let at = |e: String| RunError::usage(format!("{} of {}: {e}", table.place, spec.name));
        let is_in = |row: &&&Row| {
            table
                .runs
                .iter()
                .all(|(label, wanted)| wanted.holds(row.values(label)))
        };
        let rows: Vec<&Row> = ordered.iter().filter(is_in).copied().collect();
        let values: Vec<Option<String>> = match &table.split {
            None => vec![None],
            Some(label) => {
                // A list in the order of the rows; a set would sort the models by name.
                let mut values: Vec<Option<String>> = Vec::new();
                for value in rows.iter().flat_map(|row| row.values(label)) {
                    if !values.iter().any(|held| held.as_ref() == Some(value)) {
                        values.push(Some(value.clone()));
                    }
                }
                // A table without a run still stands once, with the commands that fill it.
                if values.is_empty() {
                    vec![None]
                } else {
                    values
                }
            }
        };
        for value in &values {
            let (label, wanted) = (table.split.as_deref().unwrap_or_default(), value.as_slice());
            let own = rows
                .iter()
                .filter(|row| wanted.iter().all(|value| row.values(label).contains(value)));
            let filler = Filler::new((spec, table, published), &figures, own.copied().collect());
            let mut filled = filler.table(value.as_deref()).map_err(at)?;
            if values.len() > 1 {
                filled.id = format!(
                    "{}-{}",
                    filled.id,
                    slug(value.as_deref().unwrap_or_default())
                );
            }
            tables.push(filled);
        }
    }
    Ok(tables)
}

/// Fills one table.
pub(super) struct Filler<'a> {
    pub(super) spec: &'a Spec,
    pub(super) table: &'a TableSpec,
    pub(super) published: &'a Published,
    /// Names of the figures that rows may have.
    pub(super) figures: &'a BTreeSet<&'a str>,
    pub(super) rows: Vec<&'a Row>,
    /// Names of the agents, by run.
    names: BTreeMap<usize, Vec<String>>,
}

/// A row or a column that is being made: what was said of it so far.
#[derive(Clone)]
pub(super) struct Line<'a> {
    /// Its headings.
    heads: Vec<String>,
    /// What stands for them in the names of printed rows; absent where the paper has no such row.
    keys: Option<Vec<String>>,
    pub(super) parts: Vec<&'a Part>,
    pub(super) conditions: Vec<(String, Condition)>,
    /// Values of labels, their headings and options, for commands.
    pub(super) words: BTreeMap<String, String>,
    pub(super) rows: Vec<&'a Row>,
    /// A row of the agent that it is about.
    pub(super) agent_row: Option<&'a Row>,
    /// The agent that is compared with the paper's models.
    agent: Option<String>,
}

impl<'a> Line<'a> {
    fn head(&mut self, part: &Part, text: String, usual: Option<String>) {
        if part.hidden {
            return;
        }
        match (
            part.key.as_deref().map(str::to_owned).or(usual),
            &mut self.keys,
        ) {
            // One part without a printed name is enough: no printed row has the name of the whole.
            (None, keys) => *keys = None,
            (Some(key), Some(keys)) if !key.is_empty() => keys.push(key),
            _ => {}
        }
        self.heads.push(text);
    }
}

/// A value of a label that makes a part.
struct Value<'a> {
    /// The conditions of its rows.
    of: Vec<(&'a str, String)>,
    heading: String,
    rows: Vec<&'a Row>,
}

impl<'a> Filler<'a> {
    fn new(
        (spec, table, published): (&'a Spec, &'a TableSpec, &'a Published),
        figures: &'a BTreeSet<&'a str>,
        rows: Vec<&'a Row>,
    ) -> Self {
        let mut runs = BTreeMap::new();
        for row in &rows {
            runs.entry(row.run.at)
                .or_insert_with(|| Rc::clone(&row.run));
        }
        let free: Vec<&str> = spec
            .sources
            .iter()
            .flat_map(|source| &source.free)
            .map(String::as_str)
            .collect();
        let runs: Vec<_> = runs.into_values().collect();
        let names = names(&runs, &free)
            .into_iter()
            .map(|(at, name)| (at, vec![name]))
            .collect();
        Self {
            spec,
            table,
            published,
            figures,
            rows,
            names,
        }
    }

    /// The values of a label of a row; the name of its agent depends on the other runs of the table.
    pub(super) fn values<'r>(&'r self, row: &'r Row, label: &str) -> &'r [String] {
        match row.values(label) {
            // A label of the row comes first: rows of answers name their own agent, with what
            // differs in their settings.
            [] if label == "agent" => self.names.get(&row.run.at).map_or(&[], Vec::as_slice),
            values => values,
        }
    }

    pub(super) fn is(&self, row: &Row, wanted: &Where) -> bool {
        wanted
            .iter()
            .all(|(label, condition)| condition.holds(self.values(row, label)))
    }

    pub(super) fn matching(
        &self,
        rows: &[&'a Row],
        conditions: &[(String, Condition)],
    ) -> Vec<&'a Row> {
        let is = |row: &&&Row| {
            conditions
                .iter()
                .all(|(label, one)| one.holds(self.values(row, label)))
        };
        rows.iter().filter(is).copied().collect()
    }

    fn table(&self, split: Option<&str>) -> Result<PaperTable, String> {
        let mut models = self
            .rows
            .iter()
            .filter(|row| row.run.method.is_some())
            .copied();
        let root = Line {
            heads: Vec::new(),
            keys: Some(Vec::new()),
            parts: Vec::new(),
            conditions: Vec::new(),
            words: BTreeMap::new(),
            rows: self.rows.clone(),
            // A table that is split is of one agent, so that all of its commands can name it.
            agent_row: split.and_then(|_| models.next()),
            agent: None,
        };
        // Each part multiplies the lines before it, so the rows are the product of all parts.
        // Columns, further down, are their sum.
        let mut lines = vec![root.clone()];
        for part in &self.table.rows {
            let longer: Result<Vec<_>, _> =
                lines.iter().map(|line| self.lines(part, line)).collect();
            lines = longer?.concat();
        }
        // What all cells have in common narrows the cells, not the rows of the table.
        let common: Vec<_> = self.table.cell.r#where.clone().into_iter().collect();
        let mut root = root;
        let values = common.iter().filter_map(|(label, condition)| {
            let value = condition.value()?.to_owned();
            Some((label.clone(), value))
        });
        root.words.extend(values);
        root.conditions = common;
        let columns: Result<Vec<_>, _> = self
            .table
            .columns
            .iter()
            .map(|part| self.lines(part, &root))
            .collect();
        let columns = columns?.concat();
        let headings: Vec<String> = columns
            .iter()
            .map(|column| column.heads.join(", "))
            .collect();
        let stubs = self.table.stubs.len();
        let of = split.map_or_else(String::new, |value| format!(", {value}"));
        let title = self
            .table
            .title
            .replace("{rows}", &self.rows.len().to_string());
        let title = if title.contains("{split}") {
            title.replace("{split}", &of)
        } else {
            title + &of
        };
        let mut table = PaperTable {
            id: slug(&self.table.place),
            place: self.table.place.clone(),
            title,
            stubs: self.table.stubs.clone(),
            columns: headings.clone(),
            rows: Vec::new(),
            notes: self.table.notes.clone(),
            compare: self.table.compare,
            split: split.map(str::to_owned),
        };
        let mut shown: Vec<&str> = Vec::new();
        for line in &lines {
            // Only here: how many headings a row has depends on which of its parts are hidden.
            if line.heads.len() != stubs {
                let heads = line.heads.len();
                return Err(format!("`stubs` has {stubs} headings, a row has {heads}"));
            }
            let key = line.keys.as_ref().map(|keys| keys.join(", "));
            let cells = columns.iter().zip(&headings);
            let cells: Result<Vec<_>, _> = cells
                .map(|(column, heading)| self.cell(line, column, (key.as_deref(), heading)))
                .collect();
            let cells = cells?;
            if self.table.skip_empty
                && cells.iter().all(|cell| cell.shown.is_none())
                && !self.rows.is_empty()
            {
                continue;
            }
            shown.extend(line.agent.as_deref());
            table.rows.push(PaperRow {
                labels: line.heads.clone(),
                origin: PaperRowOrigin::Runs,
                cells,
                key,
            });
        }
        if table.rows.is_empty() && !self.rows.is_empty() {
            // No row has a figure, so the table says how to fill it. With no rows to fill from, none is left out, and this
            // is not met again.
            return Self::new(
                (self.spec, self.table, self.published),
                self.figures,
                Vec::new(),
            )
            .table(split);
        }
        for row in self.published.rows(&self.table.place) {
            let model = row.split(", ").next().unwrap_or(row);
            let is_shown = shown.iter().any(|agent| is_model(agent, model));
            match self.table.paper_rows {
                None => break,
                Some(PaperRows::Others) if is_shown => continue,
                Some(_) => {}
            }
            // From the right, so that a comma in the first label, a model's name, stays in it.
            let labels = row.rsplitn(stubs, ", ").map(str::to_owned);
            let mut labels: Vec<String> = labels.collect();
            labels.reverse();
            let printed = |column: &String| {
                PaperCell::default().beside(self.published.get(&self.table.place, row, column))
            };
            table.rows.push(PaperRow {
                labels,
                origin: PaperRowOrigin::Paper,
                cells: headings.iter().map(printed).collect(),
                key: None,
            });
        }
        Ok(table)
    }

    /// The lines that `part` makes of `line`.
    fn lines(&self, part: &'a Part, line: &Line<'a>) -> Result<Vec<Line<'a>>, String> {
        let mut line = line.clone();
        line.parts.push(part);
        for (label, condition) in &part.r#where {
            line.words.extend(
                condition
                    .value()
                    .map(|value| (label.clone(), value.to_owned())),
            );
            line.conditions.push((label.clone(), condition.clone()));
        }
        if !part.r#where.is_empty() {
            let wanted: Vec<_> = part.r#where.clone().into_iter().collect();
            line.rows = self.matching(&line.rows, &wanted);
        }
        let mut found = match (&part.by, &part.each) {
            (Some(label), _) => self.by(part, label, &line),
            (None, Some(label)) => self.each(part, label, &line),
            (None, None) => vec![line],
        };
        for line in &mut found {
            let plain = part.by.is_none() && part.each.is_none();
            match (&part.is, &part.head) {
                (Some(heads), _) => {
                    for head in heads {
                        line.head(part, head.clone(), Some(head.clone()));
                    }
                }
                (None, Some(head)) => {
                    let head = filled_in(head, &line.words)?;
                    // `by` and `each` have put the value itself there; the text of the spec takes
                    // its place.
                    if !plain {
                        line.heads.pop();
                        line.keys.iter_mut().for_each(|keys| drop(keys.pop()));
                    }
                    line.head(part, head.clone(), Some(head));
                }
                (None, None) => {}
            }
        }
        if part.items.is_empty() {
            return Ok(found);
        }
        let items: Result<Vec<_>, String> = found
            .iter()
            .flat_map(|line| part.items.iter().map(move |item| self.lines(item, line)))
            .collect();
        Ok(items?.concat())
    }

    /// A line for each value of a list.
    fn each(&self, part: &'a Part, label: &str, line: &Line<'a>) -> Vec<Line<'a>> {
        let mut found = Vec::new();
        for named in self.list(part, label) {
            let mut line = line.clone();
            let wanted = [(label.to_owned(), Condition(vec![named.value.clone()]))];
            line.rows = self.matching(&line.rows, &wanted);
            // Without any run all values stand, or the table would be empty and name no command.
            if part.present && line.rows.is_empty() && !self.rows.is_empty() {
                continue;
            }
            line.conditions.extend(wanted);
            put_words(&mut line.words, label, named);
            line.head(part, named.heading.clone(), Some(named.heading.clone()));
            found.push(line);
        }
        found
    }

    fn list(&self, part: &Part, label: &str) -> &'a [Named] {
        let name = part
            .list
            .as_deref()
            .or(part.each.as_deref())
            .unwrap_or(label);
        self.spec.lists.get(name).map_or(&[], Vec::as_slice)
    }

    /// A line for each value of a label that the rows have.
    fn by(&self, part: &'a Part, label: &'a str, line: &Line<'a>) -> Vec<Line<'a>> {
        let mut values = self.grouped(part, label, line);
        // The first condition that any value has decides for all of them, so that values of one
        // kind stand together.
        if !part.prefer.is_empty() {
            let has = |value: &Value<'_>, wanted: &Where| {
                value.rows.iter().any(|row| self.is(row, wanted))
            };
            let mut wanted = part.prefer.iter();
            let first = wanted.find(|wanted| values.iter().any(|value| has(value, wanted)));
            values.retain(|value| first.is_some_and(|wanted| has(value, wanted)));
        }
        if part.sorted {
            values.sort_by(|a, b| a.heading.cmp(&b.heading));
        }
        let printed: Vec<&str> = self.published.rows(&self.table.place).collect();
        let names = printed
            .iter()
            .map(|row| row.split(", ").next().unwrap_or(row));
        let names: Vec<&str> = names.collect();
        let agent_of = |value: &Value<'a>| {
            let found = self.values(value.rows.first()?, part.model.as_deref()?);
            found.first().cloned()
        };
        let place = |agent: &Option<String>| {
            let agent = agent.as_deref()?;
            names.iter().position(|name| is_model(agent, name))
        };
        if part.as_printed {
            values.sort_by_key(|value| place(&agent_of(value)).unwrap_or(usize::MAX));
        }
        if values.is_empty() {
            let heading = part.empty.clone().unwrap_or_else(|| label.to_uppercase());
            let mut line = line.clone();
            line.rows.clear();
            // A line for a model that was not run is not a printed row; one for anything else may
            // be.
            let key = part.model.is_none().then(|| heading.clone());
            line.head(part, heading, key);
            return vec![line];
        }
        let mut found = Vec::new();
        for value in values {
            let mut line = line.clone();
            line.agent_row = line.agent_row.or(value.rows.first().copied());
            let mut usual = Some(value.heading.clone());
            if part.model.is_some() {
                line.agent = agent_of(&value);
                // The name as the paper prints it, so that the figures of the row are found,
                // however we call the model.
                usual = place(&line.agent)
                    .and_then(|at| names.get(at))
                    .map(|name| (*name).to_owned());
            }
            for (label, value) in value.of {
                line.words.insert(label.to_owned(), value.clone());
                line.conditions
                    .push((label.to_owned(), Condition(vec![value])));
            }
            line.rows = value.rows;
            line.head(part, value.heading, usual);
            found.push(line);
        }
        found
    }

    /// The values of a label: those of the list with their headings, then the others by name; without a list, all in
    /// the order of the rows. Runs of one value with different marks are different values.
    fn grouped(&self, part: &'a Part, label: &'a str, line: &Line<'a>) -> Vec<Value<'a>> {
        // A list for the order of the rows, and a map to find a value in it: an episode can be a
        // value of its own (`#`), and a search through the list would then cost its square.
        let mut found: Vec<((String, String), Vec<&'a Row>)> = Vec::new();
        let mut at: BTreeMap<(String, String), usize> = BTreeMap::new();
        for (number, row) in line.rows.iter().enumerate() {
            let own = [number.to_string()];
            let values = if label == "#" {
                &own[..]
            } else {
                self.values(row, label)
            };
            // Marks belong to methods: the same method under two settings is two values.
            let mark = if label == "method" {
                row.values("mark").first().cloned()
            } else {
                None
            };
            for value in values {
                let key = (value.clone(), mark.clone().unwrap_or_default());
                let place = *at.entry(key.clone()).or_insert_with(|| {
                    found.push((key, Vec::new()));
                    found.len() - 1
                });
                if let Some((_, rows)) = found.get_mut(place) {
                    rows.push(row);
                }
            }
        }
        let value = |((value, mark), rows): ((String, String), Vec<&'a Row>), heading: &str| {
            let heading = format!("{heading}{mark}");
            let mut of = vec![(label, value)];
            if label == "method" {
                of.push(("mark", mark));
            }
            // A row is found by its group, not by a condition.
            let of = if label == "#" { Vec::new() } else { of };
            Value { of, heading, rows }
        };
        let list: &[Named] = part.list.as_ref().map_or(&[], |_| self.list(part, label));
        let mut all = Vec::new();
        for named in list {
            let before = all.len();
            let (of, others) = found
                .into_iter()
                .partition(|((value, _), _)| *value == named.value);
            found = others;
            let mut of: Vec<_> = of;
            of.sort_by(|(a, _), (b, _)| a.cmp(b));
            all.extend(of.into_iter().map(|one| value(one, &named.heading)));
            // A value that no run has is asked for by the spec (`always`), or stands for all where
            // nothing was run.
            if all.len() == before && (part.always || self.rows.is_empty()) {
                all.push(value(
                    ((named.value.clone(), String::new()), Vec::new()),
                    &named.heading,
                ));
            }
        }
        if list.is_empty() || part.others {
            let mut others: Vec<Value<'a>> = found
                .into_iter()
                .map(|one| {
                    let heading = one.0.0.clone();
                    value(one, &heading)
                })
                .collect();
            if !list.is_empty() {
                others.sort_by(|a, b| a.heading.cmp(&b.heading));
            }
            all.extend(others);
        }
        all
    }
}

/// Puts a value of a list among the words of a command.
fn put_words(words: &mut BTreeMap<String, String>, label: &str, named: &Named) {
    words.insert(label.to_owned(), named.value.clone());
    words.insert(format!("{label}.name"), named.heading.clone());
    words.insert(format!("{label}.option"), named.option.clone());
}

/// A text in which `{label}` is replaced by its word; an option that is not set is empty.
///
/// # Errors
/// When there is no such word.
pub(super) fn filled_in(text: &str, words: &BTreeMap<String, String>) -> Result<String, String> {
    // Split at braces, not a template engine: labels have dots in their names (`method.option`),
    // and an error must name the words that this cell has.
    let mut pieces = text.split('{');
    let mut filled = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let Some((name, rest)) = piece.split_once('}') else {
            return Err(format!(
                "`{text}` has an opening brace without a closing one"
            ));
        };
        match words.get(name) {
            Some(word) => filled.push_str(word),
            None if name.ends_with(".option") => {}
            None => {
                let names: Vec<&str> = words.keys().map(String::as_str).collect();
                return Err(format!(
                    "`{text}`: this cell has no `{name}`; it has {}",
                    listed(&names, ", ")
                ));
            }
        }
        filled.push_str(rest);
    }
    Ok(filled)
}
