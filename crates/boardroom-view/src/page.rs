//! The pages: what each shows, and the template, style and script around it.

use crate::first_difference::{MOST_READ, pairs};
use crate::name::{EPISODES, PageName};
use crate::run::{Gap, RecordView, RunView};
use crate::search::search;
use crate::site::Site;
use crate::turns::{Conversation, causes_words, conversation, run_pictures, spent_words};
use base64::Engine as _;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use pictures::Picture;
use run_engine::error::RunError;
use run_engine::plan::source::InstanceSource;
use run_engine::terminal::{shown, shown_path};
use run_engine::words::{direction, fine, number};
use serde::Serialize;
use serde_json::json;
use sim_core::Digest;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

const TEMPLATES: [(&str, &str); 7] = [
    ("base", include_str!("page/base.html")),
    ("index", include_str!("page/index.html")),
    ("run", include_str!("page/run.html")),
    ("record", include_str!("page/record.html")),
    ("compare", include_str!("page/compare.html")),
    ("search", include_str!("page/search.html")),
    ("help", include_str!("page/help.html")),
];

/// The style of all pages, with that of figures.
static ALL_STYLE: LazyLock<String> = LazyLock::new(|| format!("{}{STYLE}", pictures::STYLE));

/// What a page may load: its own style and script, by their digests, and nothing else. So a script in the
/// text of a model could not run, even if the text were shown as markup.
pub(crate) static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; form-action 'self'; base-uri \
         'none'",
        source(SCRIPT),
        source(&ALL_STYLE)
    )
});

/// The digest of a text as a content-security policy names it.
fn source(text: &str) -> String {
    let digest = Digest::of_bytes(text.as_bytes()).0;
    format!(
        "'sha256-{}'",
        base64::engine::general_purpose::STANDARD.encode(digest)
    )
}

// Kept as a result: a fault of a template is an error of each page and does not end the server.
static PAGES: LazyLock<Result<Environment<'static>, String>> = LazyLock::new(|| {
    let mut env = Environment::new();
    // A misspelt name in a template must be an error and not an empty cell.
    env.set_undefined_behavior(UndefinedBehavior::Strict);
    env.set_auto_escape_callback(|_| AutoEscape::Html);
    for (name, text) in TEMPLATES {
        env.add_template(name, text).map_err(|e| e.to_string())?;
    }
    Ok(env)
});

/// How a page is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode<'a> {
    /// By the server: pages can change, and there is a search.
    Live,
    /// As a file beside these comparisons, the only ones that are linked.
    File(&'a BTreeSet<PageName>),
}

fn render<T: Serialize>(
    template: &str,
    mode: Mode<'_>,
    title: &str,
    body: T,
) -> Result<String, RunError> {
    let failed = |e: String| RunError::Failed(format!("the page `{template}`: {e}"));
    let env = PAGES.as_ref().map_err(|e| failed(e.clone()))?;
    let page = env.get_template(template);
    let page = page.map_err(|e| failed(e.to_string()))?;
    let context = json!({
        "title": title,
        "live": mode == Mode::Live,
        "policy": POLICY.as_str(),
        "style": ALL_STYLE.as_str(),
        "script": SCRIPT,
        "page": serde_json::to_value(body).map_err(|e| failed(e.to_string()))?,
    });
    let html = page.render(minijinja::value::Serde(context));
    let html = html.map_err(|e| failed(format!("{e:#}")))?;
    // As on a terminal: a browser obeys marks of writing direction as well.
    Ok(shown(&html).into_owned())
}

/// A page of `site`; `None` if there is none of this name. `query` is the text that is searched for.
///
/// # Errors
/// When a record cannot be read.
pub(crate) fn page(
    site: &Site,
    name: &PageName,
    query: &str,
    mode: Mode<'_>,
) -> Result<Option<String>, RunError> {
    let html = match name {
        PageName::Index => index(site, mode)?,
        PageName::Help => render("help", mode, "Help", ())?,
        PageName::Search => found(site, query, mode)?,
        PageName::Run(id, part) => match site.run(id) {
            Some(run) => return run_page(site, &run, *part, mode),
            None => return Ok(None),
        },
        PageName::Record(id, place) => match site.run(id) {
            Some(run) => return record_page(site, &run, *place, mode),
            None => return Ok(None),
        },
        PageName::Compare(a, b) => match (site.run(a), site.run(b)) {
            (Some(a), Some(b)) => compared(site, &a, &b, mode)?,
            _ => return Ok(None),
        },
    };
    Ok(Some(html))
}

/// A cell with a number: what is shown, and what filters and sorting use.
#[derive(Debug, Serialize)]
struct Figure {
    text: String,
    value: Option<f64>,
    about: String,
}

fn figure(value: Option<f64>) -> Figure {
    Figure {
        text: value.map_or_else(|| "–".to_owned(), fine),
        value,
        about: String::new(),
    }
}

#[derive(Debug, Serialize)]
struct RunRow {
    id: String,
    link: String,
    place: String,
    environment: String,
    preset: String,
    agent: String,
    method: String,
    status: &'static str,
    records: String,
    share: Option<f64>,
    score: Figure,
    gap: Figure,
    normalised: Figure,
    cost: Figure,
    tokens: Figure,
    verified: String,
    started: u64,
}

fn run_row(run: &RunView) -> RunRow {
    let about = &run.about;
    let done = run.records.len() as f64;
    let total = about.total.map(|total| total as f64);
    let (mut gap, mut normalised) = (figure(None), figure(None));
    match &run.gap {
        // Without a record there is nothing to measure.
        Gap::Open if run.records.is_empty() => {}
        Gap::Open => "…".clone_into(&mut gap.text),
        Gap::Known(regret, share) => {
            gap = figure(Some(*regret));
            normalised = figure(*share);
        }
        Gap::None(why) => gap.about.clone_from(why),
    }
    let spent = &run.calls.spent.totals;
    // A policy has no tokens, which is not the same as 0 of them.
    let asked = (spent.requests > 0).then_some(());
    let tokens = spent.usage.input.saturating_add(spent.usage.output) as f64;
    RunRow {
        id: run.id.clone(),
        link: PageName::Run(run.id.clone(), 1).file(),
        place: shown(&run.place).into_owned(),
        environment: about.plan.environment.clone(),
        preset: about.preset.clone(),
        agent: shown(&about.agent).into_owned(),
        method: about.method.clone(),
        status: run.status.into(),
        records: total.map_or_else(
            || number(done),
            |total| format!("{} of {}", number(done), number(total)),
        ),
        share: total.filter(|total| *total > 0.0).map(|total| done / total),
        score: figure(run.mean()),
        gap,
        normalised,
        // Without a price a cost of 0 would say that the run was free.
        cost: figure(Some(spent.cost.dollars()).filter(|cost| *cost > 0.0)),
        tokens: figure(asked.map(|()| tokens)),
        verified: run.verified.clone(),
        started: about.started_unix,
    }
}

#[derive(Debug, Serialize)]
struct Index {
    root: String,
    rows: Vec<RunRow>,
    environments: Vec<String>,
    agents: Vec<String>,
    faults: BTreeMap<String, String>,
    episodes: String,
}

fn index(site: &Site, mode: Mode<'_>) -> Result<String, RunError> {
    let runs = site.runs();
    let mut rows: Vec<RunRow> = runs.values().map(run_row).collect();
    // The newest first. Runs that began in the same second, as those of a plan of policies do, by name.
    rows.sort_by(|a, b| {
        b.started
            .cmp(&a.started)
            .then_with(|| a.place.cmp(&b.place))
    });
    let distinct = |of: fn(&RunRow) -> &String| -> Vec<String> {
        let all: BTreeSet<&String> = rows.iter().map(of).collect();
        all.into_iter().cloned().collect()
    };
    let episodes: usize = runs.values().map(|run| run.records.len()).sum();
    let page = Index {
        root: shown_path(site.root()),
        environments: distinct(|row| &row.environment),
        agents: distinct(|row| &row.agent),
        faults: site.faults(),
        episodes: number(episodes as f64),
        rows,
    };
    render("index", mode, "Runs", page)
}

#[derive(Debug, Serialize)]
struct RecordRow {
    link: String,
    name: String,
    score: Figure,
    inputs: u64,
    forfeits: u64,
    /// Number of replies with another cause than `said`.
    not_said: u64,
    causes: String,
    ending: String,
}

#[derive(Debug, Serialize)]
struct RunPage {
    run: RunRow,
    unit: &'static str,
    better: &'static str,
    spent: String,
    /// The replies by cause.
    causes: String,
    /// What to do if more than 2 % of them have another cause than `said`.
    remark: String,
    /// The other roles, each with its replies by cause and the remark on them.
    participants: Vec<(String, String, String)>,
    /// What the server refused, and how the model was asked then.
    refusals: Vec<String>,
    parts: Vec<(usize, String, bool)>,
    rows: Vec<RecordRow>,
    /// Plots over all records whose instances have labels: questions and interviews.
    pictures: Vec<Picture>,
    /// Other runs of the same task: link, name.
    others: Vec<(String, String)>,
    settings: String,
}

/// The number of a record, with the most precise label of its instance, if that has any.
fn named(record: &RecordView, source: Option<&InstanceSource<'_>>) -> String {
    let case = source.and_then(|source| source.case(record.episode).ok());
    match case.and_then(|case| case.labels().pop()) {
        Some((_, label)) => format!("{}: {label}", record.name),
        None => record.name.clone(),
    }
}

fn run_page(
    site: &Site,
    run: &RunView,
    part: usize,
    mode: Mode<'_>,
) -> Result<Option<String>, RunError> {
    let parts = run.records.len().div_ceil(EPISODES).max(1);
    if part == 0 || part > parts {
        return Ok(None);
    }
    let from = (part - 1) * EPISODES;
    // A run of an environment that this program does not know is still shown, without units.
    let kind = site.registry().kind(&run.about.plan.environment).ok();
    let source = kind.and_then(|kind| InstanceSource::of(kind, &run.about.plan).ok());
    let row = |(place, record): (usize, &RecordView)| RecordRow {
        link: PageName::Record(run.id.clone(), place).file(),
        name: shown(&named(record, source.as_ref())).into_owned(),
        score: figure(record.score),
        inputs: record.inputs,
        forfeits: record.forfeits,
        not_said: record.causes.not_said(),
        causes: causes_words(&record.causes),
        ending: record.ending.clone(),
    };
    let all = run.records.iter().enumerate();
    let plan = kind.map(|kind| {
        (
            kind.unit(),
            direction(kind.is_ranked().then(|| kind.sense())),
        )
    });
    let (unit, better) = plan.unwrap_or(("", ""));
    let settings = serde_json::to_string_pretty(&run.about.plan).unwrap_or_default();
    let (causes, participants) = run.causes()?;
    let others = site.partners(run, |other| {
        let name = PageName::Compare(run.id.clone(), other.id.clone());
        let is_there = match mode {
            Mode::Live => true,
            Mode::File(compared) => compared.contains(&name),
        };
        is_there.then(|| {
            let text = format!("{} ({})", shown(&other.about.agent), shown(&other.place));
            (name.file(), text)
        })
    });
    let page = RunPage {
        run: run_row(run),
        causes: causes.to_string(),
        remark: causes.remark().unwrap_or_default(),
        participants: participants
            .iter()
            .map(|(role, causes)| {
                let remark = causes.remark_of(&format!(" of the {role}"));
                (role.clone(), causes.to_string(), remark.unwrap_or_default())
            })
            .collect(),
        refusals: run.about.refusals.clone(),
        unit,
        better,
        spent: spent_words(&run.calls.spent),
        parts: (1..=parts)
            .map(|n| (n, PageName::Run(run.id.clone(), n).file(), n == part))
            .collect(),
        rows: all.skip(from).take(EPISODES).map(row).collect(),
        pictures: run_pictures(site, run)?,
        others: others.into_iter().flatten().collect(),
        settings: shown(&settings).into_owned(),
    };
    render("run", mode, &run.place, page).map(Some)
}

#[derive(Debug, Serialize)]
struct RecordPage {
    run: RunRow,
    name: String,
    score: Figure,
    unit: &'static str,
    causes: String,
    previous: Option<String>,
    next: Option<String>,
    up: String,
    /// The conversation.
    episode: Conversation,
}

fn record_page(
    site: &Site,
    run: &RunView,
    place: usize,
    mode: Mode<'_>,
) -> Result<Option<String>, RunError> {
    let Some(record) = run.records.get(place) else {
        return Ok(None);
    };
    let link = |place: usize| {
        let there = run.records.get(place);
        there.map(|_| PageName::Record(run.id.clone(), place).file())
    };
    let unit = site.registry().kind(&run.about.plan.environment).ok();
    let page = RecordPage {
        run: run_row(run),
        name: shown(&record.name).into_owned(),
        score: figure(record.score),
        unit: unit.map_or("", |kind| kind.unit()),
        causes: std::iter::once(causes_words(&record.causes))
            .chain(
                record
                    .others
                    .iter()
                    .map(|(role, causes)| match causes_words(causes) {
                        none if none.is_empty() => none,
                        words => format!("{role}: {words}"),
                    }),
            )
            .filter(|words| !words.is_empty())
            .collect::<Vec<_>>()
            .join("; "),
        previous: place.checked_sub(1).and_then(link),
        next: link(place + 1),
        up: PageName::Run(run.id.clone(), place / EPISODES + 1).file(),
        episode: conversation(site, run, record)?,
    };
    let title = format!("{} · {}", run.place, record.name);
    render("record", mode, &title, page).map(Some)
}

fn compared(site: &Site, a: &RunView, b: &RunView, mode: Mode<'_>) -> Result<String, RunError> {
    let (pairs, alone) = pairs(a, b);
    let kind = site.registry().kind(&a.about.plan.environment).ok();
    let better = kind.map_or("", |kind| direction(kind.is_ranked().then(|| kind.sense())));
    let title = format!("{} and {}", a.place, b.place);
    let page = json!({
        "a": run_row(a),
        "b": run_row(b),
        "pairs": pairs,
        "alone": alone,
        "most_read": MOST_READ,
        "better": better,
        "same_task": a.task() == b.task(),
    });
    render("compare", mode, &title, page)
}

fn found(site: &Site, query: &str, mode: Mode<'_>) -> Result<String, RunError> {
    let (places, more) = match mode {
        Mode::Live => search(site, query),
        // A file has no server that could search.
        Mode::File(_) => (Vec::new(), false),
    };
    let page = json!({"query": query, "places": places, "more": more});
    render("search", mode, "Search", page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_digests_and_no_wildcard() {
        assert_eq!(
            source(""),
            "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
        );
        for loose in ["unsafe", "*", "http", "blob"] {
            assert!(!POLICY.contains(loose), "{loose}");
        }
    }

    #[test]
    fn templates_are_read_and_have_no_scripts_or_styles_of_their_own() {
        assert!(PAGES.as_ref().is_ok(), "{:?}", PAGES.as_ref().err());
        for (name, text) in TEMPLATES {
            for banned in ["onclick", "style=", "http:", "https:", "javascript:"] {
                assert!(!text.contains(banned), "{name} has {banned}");
            }
            let scripts = text.matches("<script").count();
            assert_eq!(scripts, usize::from(name == "base"), "{name}");
        }
        for banned in ["innerHTML", "eval(", "document.write", "insertAdjacentHTML"] {
            assert!(!SCRIPT.contains(banned), "{banned}");
        }
    }
}
