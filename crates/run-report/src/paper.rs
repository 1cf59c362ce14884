//! The tables and figures of the papers, filled from runs.
//!
//! A paper is a function from runs to [`PaperTable`]s and [`PaperFigure`]s. Our figures have 95 %
//! intervals, and the published ones stand beside them. A cell that no run fills names the command
//! that fills it.
//!
//! A table is defined once, and Markdown, CSV, LaTeX and JSON are made from the definition. To add a
//! paper, write a function `report` in a file of its own below `paper/`, its printed figures in
//! `published/NAME.csv`, and a variant of [`PaperName`].

mod bizcompass;
mod ceo;
mod draw;
mod episodes;
mod markets;
mod office;
mod published;
mod settings;
mod strategic;
mod table;

use crate::paper::table::tables_csv;
use crate::runs::Run;
pub use draw::PaperFigure;
use run_engine::terminal::shown_path;
pub use table::{PaperCell, PaperRow, PaperRowOrigin, PaperTable};

use run_engine::error::RunError;
use run_engine::registry::Registry;
use serde::Serialize;
use std::path::PathBuf;

/// The papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PaperName {
    /// "EnterpriseBench: .. Strategic Reasoning and Decision-Making": methods on questions, interviews
    /// and games.
    Strategic,
    /// "EconAgentBench": unknown markets.
    Markets,
    /// "Can LLMs Help You at Work?": the enterprise office.
    Office,
    /// "Can LLMs Be CEOs?": capital reallocation.
    Ceo,
    /// "BizCompass": knowledge and application questions.
    Bizcompass,
}

impl PaperName {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Strategic,
        Self::Markets,
        Self::Office,
        Self::Ceo,
        Self::Bizcompass,
    ];

    /// The short name, as on the command line and in `docs/sources.md`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Strategic => "strategic",
            Self::Markets => "markets",
            Self::Office => "office",
            Self::Ceo => "ceo",
            Self::Bizcompass => "bizcompass",
        }
    }

    /// Its title.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Strategic => {
                "EnterpriseBench: Benchmarking LLM Agents on Enterprise-Level Strategic Reasoning and \
                 Decision-Making"
            }
            Self::Markets => {
                "EconAgentBench: Economic Benchmarks for LLM Agents in Unknown Environments"
            }
            Self::Office => {
                "Can LLMs Help You at Work? A Sandbox for Evaluating LLM Agents in Enterprise Environments"
            }
            Self::Ceo => {
                "Can LLMs Be CEOs? Benchmarking Strategic Resource Reallocation with Multi-Role Agent \
                 Simulation"
            }
            Self::Bizcompass => "BizCompass: a benchmark of business knowledge and its application",
        }
    }
}

/// What the tables are filled from.
#[derive(Debug, Clone, Default)]
pub struct PaperInputs {
    /// Folders of episodes: runs, shards, sweeps.
    pub episodes: Vec<PathBuf>,
    /// Folders of question runs.
    pub questions: Vec<PathBuf>,
    /// Folders of interviews.
    pub interviews: Vec<PathBuf>,
    /// Folders of published result files of BizCompass.
    pub results: Vec<PathBuf>,
    /// The user's own tables that fill parts of a paper.
    pub tables: Vec<PathBuf>,
    /// Capability and difficulty of questions, as `boardroom qa label` writes them.
    pub labels: Option<PathBuf>,
    /// Whether runs of episodes with other settings than the paper's are used too, in rows that say so.
    pub other_settings: bool,
}

/// A remark on a run: why no table uses it, or the settings under which it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunNote {
    /// Its first folder.
    pub folder: PathBuf,
    /// The remark, without a full stop.
    pub remark: String,
}

impl RunNote {
    fn of(run: &Run, remark: impl Into<String>) -> Self {
        let folder = run.folders.first().map(|folder| folder.path().to_owned());
        Self {
            folder: folder.unwrap_or_default(),
            remark: remark.into(),
        }
    }

    fn line(&self) -> String {
        format!("{}: {}", shown_path(&self.folder), self.remark)
    }
}

/// The tables and figures of a paper, with the runs that they do not use or that have other settings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperPage {
    /// The tables and figures.
    #[serde(flatten)]
    pub report: PaperReport,
    /// Runs that no table uses, with the reason.
    pub unused: Vec<RunNote>,
    /// Runs that are used although their settings are not those of the paper, with these settings.
    pub other_settings: Vec<RunNote>,
}

/// The tables and figures of a paper.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperReport {
    /// The paper.
    pub paper: PaperName,
    /// Its tables, in the order of the paper.
    pub tables: Vec<PaperTable>,
    /// Its figures; those without a run are absent.
    pub figures: Vec<PaperFigure>,
}

/// The tables and figures of `paper` for the runs at hand.
///
/// # Errors
/// When a folder cannot be read, a plan was played twice with one seed, a record does not replay, or a figure
/// cannot be drawn.
pub fn paper(
    registry: &Registry,
    paper: PaperName,
    inputs: &PaperInputs,
) -> Result<PaperPage, RunError> {
    let mut page = match paper {
        PaperName::Strategic => strategic::report(registry, inputs)?,
        PaperName::Markets => markets::report(registry, inputs)?,
        PaperName::Office => office::report(registry, inputs)?,
        PaperName::Ceo => ceo::report(registry, inputs)?,
        PaperName::Bizcompass => PaperPage {
            report: bizcompass::report(inputs)?,
            unused: Vec::new(),
            other_settings: Vec::new(),
        },
    };
    let of_games = |folder: &PathBuf| RunNote {
        folder: folder.clone(),
        remark: "no table of the paper has episodes".to_owned(),
    };
    let of_items = |what: &'static str| {
        move |folder: &PathBuf| RunNote {
            folder: folder.clone(),
            remark: format!("no table of the paper has {what}"),
        }
    };
    match paper {
        PaperName::Strategic => {}
        PaperName::Bizcompass => {
            page.unused.extend(inputs.episodes.iter().map(of_games));
            let interviews = inputs.interviews.iter();
            page.unused.extend(interviews.map(of_items("interviews")));
        }
        PaperName::Markets | PaperName::Office | PaperName::Ceo => {
            let questions = inputs.questions.iter();
            page.unused
                .extend(questions.map(of_items("answers to questions")));
            let interviews = inputs.interviews.iter();
            page.unused.extend(interviews.map(of_items("interviews")));
        }
    }
    Ok(page)
}

impl PaperPage {
    /// All tables as one Markdown page, with the runs that no table uses; figures are linked as `ID.svg`.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = self.report.markdown();
        for (heading, notes) in self.notes() {
            text.push_str(&format!("\n## {heading}\n\n"));
            for note in notes {
                text.push_str(&format!("- {}\n", note.line()));
            }
        }
        text
    }

    /// All tables as LaTeX, with the runs that no table uses in comments.
    #[must_use]
    pub fn latex(&self) -> String {
        let mut text = self.report.latex();
        for (heading, notes) in self.notes() {
            text.push_str(&format!("\n% {heading}\n"));
            for note in notes {
                text.push_str(&format!("% {}\n", note.line().replace(['\n', '\r'], " ")));
            }
        }
        text
    }

    /// The lists of runs with their headings; empty ones are left out.
    fn notes(&self) -> impl Iterator<Item = (&'static str, &[RunNote])> {
        let lists = [
            ("Runs that no table uses", self.unused.as_slice()),
            (
                "Runs with other settings than the paper's",
                self.other_settings.as_slice(),
            ),
        ];
        lists.into_iter().filter(|(_, notes)| !notes.is_empty())
    }
}

impl PaperReport {
    /// Number of cells that no run fills.
    #[must_use]
    pub fn unfilled(&self) -> usize {
        self.tables.iter().map(PaperTable::unfilled).sum()
    }

    /// All tables as one Markdown page; figures are linked as `ID.svg`.
    fn markdown(&self) -> String {
        let mut text = format!(
            "<!-- boardroom paper {} -->\n# {}\n\nOur figures have 95 % intervals; the paper's figures stand \
             beside them.\n",
            self.paper.name(),
            self.paper.title()
        );
        for table in &self.tables {
            text.push('\n');
            text.push_str(&table.markdown());
        }
        for figure in &self.figures {
            text.push_str(&format!(
                "\n## {}: {}\n\n![{}]({}.svg)\n",
                figure.place, figure.title, figure.title, figure.id
            ));
        }
        text
    }

    /// All tables as LaTeX.
    fn latex(&self) -> String {
        let tables = self
            .tables
            .iter()
            .map(|table| table.latex(self.paper.name()));
        tables.collect::<Vec<_>>().join("\n")
    }

    /// All tables as comma-separated values, one line per cell.
    ///
    /// # Errors
    /// When a cell cannot be written.
    pub fn csv(&self) -> Result<String, RunError> {
        let mut text = Vec::new();
        tables_csv(self.paper.name(), &self.tables, &mut text)?;
        String::from_utf8(text).map_err(|e| RunError::Failed(e.to_string()))
    }
}
