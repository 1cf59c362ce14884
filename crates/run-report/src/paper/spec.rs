//! A paper as data: where its rows come from, its tables and its figures. `docs/papers.md` describes every key.

use super::compare::ComparedWith;
use run_engine::error::RunError;
use serde::Deserialize;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Conditions on labels, all of which a row must satisfy.
pub(super) type Where = BTreeMap<String, Condition>;

/// A paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spec {
    /// Short name, such as `ceo`.
    pub(super) name: String,
    /// Title of the paper.
    pub(super) title: String,
    /// File of the printed figures, beside the file of the spec.
    pub(super) published: Option<String>,
    /// Seed of the bootstrap of intervals; without one, means have the resamples of `boardroom report`.
    #[serde(default)]
    pub(super) seed: Option<u64>,
    /// Values of labels in the order of the tables, each with its heading and the option that makes it.
    #[serde(default)]
    pub(super) lists: BTreeMap<String, Vec<Named>>,
    #[serde(rename = "source")]
    pub(super) sources: Vec<SourceSpec>,
    #[serde(rename = "table")]
    pub(super) tables: Vec<TableSpec>,
    #[serde(rename = "figure", default)]
    pub(super) figures: Vec<FigureSpec>,
}

/// A value of a label: `"basic"`, `["basic", "BASIC"]` or `["cot", "CoT", " --planning cot"]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "OneOrMore")]
pub(super) struct Named {
    pub(super) value: String,
    /// How tables call it.
    pub(super) heading: String,
    /// What `{label.option}` is in a command.
    pub(super) option: String,
}

impl From<OneOrMore> for Named {
    fn from(text: OneOrMore) -> Self {
        let mut parts = Vec::from(text).into_iter();
        let value = parts.next().unwrap_or_default();
        Self {
            heading: parts.next().unwrap_or_else(|| value.clone()),
            option: parts.next().unwrap_or_default(),
            value,
        }
    }
}

/// A condition on a label: one of its values, `*` for any value, `!x` for none that is `x`.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "OneOrMore")]
pub(super) struct Condition(pub(super) Vec<String>);

impl Condition {
    /// Whether a label with these values satisfies it.
    pub(super) fn holds(&self, values: &[String]) -> bool {
        self.0.iter().any(|wanted| match wanted.strip_prefix('!') {
            Some(other) => values.iter().all(|value| value != other),
            None if wanted == "*" => !values.is_empty(),
            None => values.contains(wanted),
        })
    }

    /// The value that it asks for, if it is a single one.
    pub(super) fn value(&self) -> Option<&str> {
        match self.0.as_slice() {
            // Only such a value can be put into a command or a heading.
            [one] if one != "*" && !one.starts_with('!') => Some(one),
            _ => None,
        }
    }
}

impl From<OneOrMore> for Condition {
    fn from(text: OneOrMore) -> Self {
        Self(text.into())
    }
}

/// A text or a list of texts.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl From<OneOrMore> for Vec<String> {
    fn from(text: OneOrMore) -> Self {
        match text {
            OneOrMore::One(text) => vec![text],
            OneOrMore::More(texts) => texts,
        }
    }
}

/// What a source reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SourceKind {
    /// Episodes of an environment.
    #[default]
    Episodes,
    /// Answers to questions, under the methods of a model.
    Questions,
    /// Interviews, under the methods of a model.
    Interviews,
    /// Answers of every model to the questions of BizCompass, and what is computed from them.
    Bizcompass,
}

/// Where rows come from.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceSpec {
    #[serde(default)]
    pub(super) rows: SourceKind,
    /// The environment of episodes.
    #[serde(default)]
    pub(super) environment: String,
    /// Its presets; every preset if there are none.
    #[serde(default)]
    pub(super) presets: Vec<String>,
    /// Whether the tables have a place for other presets, which are then marked.
    #[serde(default)]
    pub(super) other_presets: bool,
    /// The list of instances.
    pub(super) suite: Option<String>,
    /// Policies that have a place in the tables; all of them if absent.
    pub(super) policies: Option<Vec<String>>,
    /// Paths of the settings, and `planning`, that the tables distinguish, so that names do not; `*` for all settings.
    #[serde(default)]
    pub(super) free: Vec<String>,
    /// Whether figures are measured by the reference (`ratio`, `solved`).
    #[serde(default)]
    pub(super) reference: bool,
    /// Path of a list, each entry of which is a row (`state.results`).
    pub(super) each: Option<String>,
    /// Further labels by name, each a path.
    #[serde(default)]
    pub(super) labels: BTreeMap<String, String>,
    /// Further figures by name, each a path or another figure; `*` takes all numbers of an object.
    #[serde(default)]
    pub(super) figures: BTreeMap<String, String>,
}

/// A table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableSpec {
    /// Its place in the paper.
    pub(super) place: String,
    /// What it shows; `{rows}` is the number of rows, `{split}` the value of `split`.
    pub(super) title: String,
    #[serde(default)]
    pub(super) notes: Vec<String>,
    /// Headings of the labels of its rows.
    pub(super) stubs: Vec<String>,
    /// The runs that it is about.
    #[serde(default)]
    pub(super) runs: Where,
    /// A label, for each value of which there is a table.
    pub(super) split: Option<String>,
    /// What stands for an agent in the commands of a table without runs.
    #[serde(default = "nobody")]
    pub(super) nobody: String,
    /// What its cells have in common.
    #[serde(default)]
    pub(super) cell: Part,
    /// How its rows are made: the product of these.
    pub(super) rows: Vec<Part>,
    /// How its columns are made: one after the other.
    pub(super) columns: Vec<Part>,
    /// With what its published figures are compared, if it is a list of comparisons with a verdict each.
    pub(super) compare: Option<ComparedWith>,
    /// Which rows of the printed table stand below ours.
    pub(super) paper_rows: Option<PaperRows>,
    /// Whether a row without any figure is left out.
    #[serde(default)]
    pub(super) skip_empty: bool,
}

fn nobody() -> String {
    "AGENT".to_owned()
}

/// Rows of the printed table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PaperRows {
    /// Those of models that are not among ours.
    Others,
    All,
}

/// A statistic of the rows of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Stat {
    /// Mean of a figure with its interval.
    Mean,
    /// Standard deviation of a figure.
    Sd,
    /// Share of the observations for which `holds` is true or the figure is above 0.5, as a count.
    Share,
    /// The same as a number.
    Rate,
    /// Number of rows.
    Count,
    /// Number of different values of a label.
    Distinct,
    /// The values of a label, counted.
    Words,
    /// Difference of the means of two groups.
    Difference,
    /// p of Welch's one-sided test of this difference.
    P,
    /// Mean difference of observations that two groups share, with its interval.
    Paired,
    /// Place of a mean between the means of several groups.
    Normalised,
    /// Pearson's r of two figures.
    Correlation,
    /// The figure of a single row with the interval that it has.
    Given,
}

/// The scale of normalised figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Scale {
    /// The least mean is 1, the largest 0.
    Cost,
    /// The mean as a part of the largest one.
    Earnings,
}

/// What a cell says without a figure: `say`, if the runs have a row with the cell's own values of the labels
/// `keys` that satisfies `where`; the command that fills the cell, if such a row exists and `say` is absent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Absent {
    #[serde(default)]
    pub(super) keys: Vec<String>,
    #[serde(default)]
    pub(super) r#where: Where,
    pub(super) say: Option<String>,
}

/// A row, a column or what several of them have in common. The part that is nearest to the cell decides; the
/// conditions of all of them hold.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Part {
    /// Its heading; `{label.name}` is the heading of a listed value.
    pub(super) head: Option<String>,
    /// Its headings, where it has several.
    pub(super) is: Option<Vec<String>>,
    /// A label: a part for each of its values in the runs.
    pub(super) by: Option<String>,
    /// A label: a part for each value in a list.
    pub(super) each: Option<String>,
    /// The list; it has the name of the label if absent.
    pub(super) list: Option<String>,
    /// With `by`: values outside of the list are parts too, after the listed ones.
    pub(super) others: bool,
    /// With `by` and `list`: a listed value is a part even if no run has it.
    pub(super) always: bool,
    /// With `by`: the order of values is that of their names, not of the runs.
    pub(super) sorted: bool,
    /// With `by`: the models of the paper come first, in its order.
    pub(super) as_printed: bool,
    /// With `by`: only the values that have a row with the first of these conditions that any value has.
    pub(super) prefer: Vec<Where>,
    /// With `each`: only values that the runs have.
    pub(super) present: bool,
    /// It has no heading.
    pub(super) hidden: bool,
    /// Its heading if there is no run.
    pub(super) empty: Option<String>,
    /// The label whose value is compared with the names of the paper's models.
    pub(super) model: Option<String>,
    /// What stands for its heading in the names of printed rows; an empty text if nothing does.
    pub(super) key: Option<String>,
    /// Parts within this one.
    pub(super) items: Vec<Self>,

    pub(super) r#where: Where,
    pub(super) stat: Option<Stat>,
    /// The figure or label that the statistic is of.
    pub(super) of: Option<String>,
    /// The second figure of a correlation.
    pub(super) with: Option<String>,
    /// What a share is the share of.
    pub(super) holds: Option<Where>,
    /// The other group of a difference: the conditions that are different.
    pub(super) than: Option<Where>,
    /// The rows of the paper whose statistic stands beside ours.
    pub(super) beside: Option<Where>,
    /// Labels that make an observation: values that agree in them are averaged first. `#` is the row itself.
    pub(super) over: Option<Vec<String>>,
    /// What a figure can be.
    pub(super) range: Option<[f64; 2]>,
    pub(super) interval: Option<bool>,
    pub(super) times: Option<f64>,
    pub(super) decimals: Option<usize>,
    /// The fewest observations of a correlation.
    pub(super) least: Option<usize>,
    pub(super) scale: Option<Scale>,
    /// The list of the methods whose means are the ends of the scale.
    pub(super) ends: Option<String>,
    /// Whether errors of the provider are counted and remarked.
    pub(super) provider_errors: Option<bool>,
    pub(super) absent: Option<Vec<Absent>>,
    /// The command that fills the cell; `{options}` names the agent, `{label}` is a value of the cell.
    pub(super) command: Option<String>,
}

impl TableSpec {
    /// Its parts, without those within others.
    fn parts(&self) -> impl Iterator<Item = &Part> {
        let cell = std::iter::once(&self.cell);
        cell.chain(&self.rows).chain(&self.columns)
    }

    /// All of its conditions, also those of parts within others.
    pub(super) fn conditions(&self) -> Vec<&Where> {
        let parts = self.parts().flat_map(Part::all_conditions);
        std::iter::once(&self.runs).chain(parts).collect()
    }
}

impl Part {
    /// Its own conditions.
    fn conditions(&self) -> impl Iterator<Item = &Where> {
        let rules = self.absent.iter().flatten().map(|rule| &rule.r#where);
        std::iter::once(&self.r#where)
            .chain(&self.holds)
            .chain(&self.than)
            .chain(&self.beside)
            .chain(&self.prefer)
            .chain(rules)
    }

    /// Its conditions with those of the parts within it.
    fn all_conditions(&self) -> Vec<&Where> {
        let items = self.items.iter().flat_map(Self::all_conditions);
        self.conditions().chain(items).collect()
    }

    /// Whether the runs decide how many parts it makes.
    fn has_by(&self) -> bool {
        self.by.is_some() || self.present || self.items.iter().any(Self::has_by)
    }

    /// The lists that hold all headings which further runs can give it; `None` if the spec does not say them all.
    pub(super) fn heading_lists(&self) -> Option<Vec<&str>> {
        if !self.has_by() {
            return Some(Vec::new());
        }
        // Headings of its own stand in place of those of the list, or before those of its items.
        let is_plain = self.head.is_none() && self.is.is_none();
        if self.by.is_none() && self.each.is_none() {
            let items = self.items.iter().map(Self::heading_lists);
            let lists = items.collect::<Option<Vec<_>>>();
            return lists.filter(|_| is_plain).map(|lists| lists.concat());
        }
        let list = match &self.by {
            Some(_) => self.list.as_ref(),
            None => self.list.as_ref().or(self.each.as_ref()),
        };
        // The heading of a method may have a mark, which its runs decide.
        let is_whole = is_plain && self.items.is_empty() && !self.others;
        let is_whole = is_whole && self.by.as_deref() != Some("method");
        list.filter(|_| is_whole).map(|list| vec![list.as_str()])
    }
}

/// How a figure is drawn from a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Drawing {
    /// Means with intervals; a group for each column, a dot for each first label of a row.
    Dots,
    /// Means with intervals; a group for each row, a dot for each column.
    DotsByRow,
    /// Shares as a divided bar for each row.
    Shares,
    /// The observations of each cell as points; a panel for each column.
    Points,
    /// A heat map from -1 to 1.
    Heat,
}

/// A figure.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FigureSpec {
    pub(super) place: String,
    pub(super) title: String,
    pub(super) draw: Drawing,
    /// Place of the table.
    pub(super) table: String,
    /// The columns that are drawn; all of them if absent.
    pub(super) columns: Option<Vec<String>>,
    /// Whether these columns make one group, with the first one in it that has a figure or no command.
    #[serde(default)]
    pub(super) first: bool,
    /// Number of rows that are drawn, from the first one on.
    pub(super) rows: Option<usize>,
    /// Whether groups have no heading.
    #[serde(default)]
    pub(super) bare: bool,
    /// Short forms of headings.
    #[serde(default)]
    pub(super) short: BTreeMap<String, String>,
}

/// Labels that rows of every source have.
const LABELS: [&str; 17] = [
    "#",
    "source",
    "environment",
    "preset",
    "suite",
    "seed",
    "agent",
    "player",
    "method",
    "mark",
    "planning",
    "is_model",
    "instance",
    "attempt",
    "incident",
    "online",
    "model",
];

impl SourceKind {
    /// Labels of the rows of this kind alone.
    fn labels(self) -> &'static [&'static str] {
        match self {
            Self::Episodes => &[],
            Self::Questions => &[
                "capability",
                "difficulty",
                "question",
                "data_set",
                "scored",
                "labelled",
                "rule",
                "condition",
                "choose",
            ],
            Self::Interviews => &["case", "judges"],
            Self::Bizcompass => &[
                "domain",
                "kind",
                "task",
                "family",
                "question",
                "variant",
                "temperature",
                "top_p",
                "whose",
                "benchmark",
                "scenario",
                "role",
                "figure",
                "column",
            ],
        }
    }
}

impl SourceKind {
    /// Figures that rows of this kind may have, beside those of the runs.
    pub(super) fn figures(self) -> &'static [&'static str] {
        match self {
            Self::Episodes => &["score", "ratio", "solved"],
            Self::Questions => &["score"],
            Self::Interviews => &[
                "overall",
                "structure",
                "quant",
                "business_sense",
                "communication",
                "spread",
            ],
            Self::Bizcompass => &[
                "value",
                "judged",
                "right",
                "f1",
                "rouge1",
                "rouge2",
                "rouge_l",
                "knowledge",
                "application",
            ],
        }
    }
}

impl Spec {
    /// Reads the text of a spec; `file` names it in errors.
    ///
    /// # Errors
    /// Says what is wrong, in which line or part, and what would be right.
    pub(super) fn read(file: &str, text: &str) -> Result<Self, RunError> {
        let spec: Self = toml::from_str(text).map_err(|e| {
            // The place of an error in `toml` is a byte; people look for a line.
            let before = e.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(0, |before| before.matches('\n').count() + 1);
            RunError::usage(format!("{file} line {line}: {}", e.message().trim_end()))
        })?;
        spec.check()
            .map_err(|e| RunError::usage(format!("{file}: {e}")))?;
        Ok(spec)
    }

    /// Checks the names of labels, lists and tables.
    fn check(&self) -> Result<(), String> {
        let mut labels: BTreeSet<&str> = LABELS.into_iter().collect();
        for source in &self.sources {
            labels.extend(source.rows.labels());
            labels.extend(source.labels.keys().map(String::as_str));
            // A figure may also be the name of another one, which only rows know.
            let figures = source.figures.values();
            let figures = figures.filter(|path| super::paths::is_path(path));
            for path in source.labels.values().chain(&source.each).chain(figures) {
                super::paths::check(path)?;
            }
        }
        if self.sources.is_empty() {
            return Err("there is no `[[source]]`, so no table has a row".to_owned());
        }
        for table in &self.tables {
            let at = |e: String| format!("{}: {e}", table.place);
            for part in table.parts() {
                self.check_part(part, &labels).map_err(at)?;
            }
            for label in table.runs.keys().chain(&table.split) {
                known("label", label, &labels).map_err(at)?;
            }
            if table.rows.is_empty() || table.columns.is_empty() {
                return Err(at(
                    "a table has at least one part in `rows` and one in `columns`".to_owned(),
                ));
            }
        }
        let tables: BTreeSet<&str> = self
            .tables
            .iter()
            .map(|table| table.place.as_str())
            .collect();
        for figure in &self.figures {
            known("table", &figure.table, &tables)
                .map_err(|e| format!("figure {}: {e}", figure.place))?;
        }
        Ok(())
    }

    fn check_part(&self, part: &Part, labels: &BTreeSet<&str>) -> Result<(), String> {
        if let Some([low, high]) = part.range
            && low.partial_cmp(&high) != Some(Ordering::Less)
        {
            return Err(format!(
                "`range = [{low}, {high}]`: the second number must be above the first"
            ));
        }
        let mut named: Vec<&String> = part.conditions().flat_map(BTreeMap::keys).collect();
        named.extend(part.by.iter().chain(&part.each).chain(&part.model));
        named.extend(part.over.iter().flatten());
        for rule in part.absent.iter().flatten() {
            named.extend(&rule.keys);
        }
        // Of these two `of` is a label; of all others it is a figure, which only the rows know.
        if let Some(Stat::Words | Stat::Distinct) = part.stat {
            named.extend(&part.of);
        }
        for label in named {
            known("label", label, labels)?;
        }
        let lists: BTreeSet<&str> = self.lists.keys().map(String::as_str).collect();
        // Without `list` the label names the list of its values.
        let own = part.each.as_ref().filter(|_| part.list.is_none());
        for list in part.list.iter().chain(own).chain(&part.ends) {
            known("list", list, &lists)?;
        }
        part.items
            .iter()
            .try_for_each(|item| self.check_part(item, labels))
    }
}

/// Checks that `name` is one of the names of its kind.
pub(super) fn known(kind: &str, name: &str, names: &BTreeSet<&str>) -> Result<(), String> {
    if names.contains(name) {
        return Ok(());
    }
    let all: Vec<&str> = names.iter().copied().collect();
    let right = match kind.strip_suffix('y') {
        _ if all.is_empty() => "there are none".to_owned(),
        Some(stem) => format!("the {stem}ies are {}", all.join(", ")),
        None => format!("the {kind}s are {}", all.join(", ")),
    };
    Err(format!("there is no {kind} `{name}`; {right}"))
}

/// Names with `between` them; `none` if there are none.
pub(super) fn listed(names: &[&str], between: &str) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(between)
    }
}
