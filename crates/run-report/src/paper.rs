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
mod strategic;
mod table;

use crate::paper::table::tables_csv;
pub use draw::PaperFigure;
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
/// When a folder cannot be read, a record does not replay, or a figure cannot be drawn.
pub fn paper(
    registry: &Registry,
    paper: PaperName,
    inputs: &PaperInputs,
) -> Result<PaperReport, RunError> {
    match paper {
        PaperName::Strategic => strategic::report(registry, inputs),
        PaperName::Markets => markets::report(registry, inputs),
        PaperName::Office => office::report(registry, inputs),
        PaperName::Ceo => ceo::report(registry, inputs),
        PaperName::Bizcompass => bizcompass::report(inputs),
    }
}

impl PaperReport {
    /// Number of cells that no run fills.
    #[must_use]
    pub fn unfilled(&self) -> usize {
        self.tables.iter().map(PaperTable::unfilled).sum()
    }

    /// All tables as one Markdown page; figures are linked as `ID.svg`.
    #[must_use]
    pub fn markdown(&self) -> String {
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
    #[must_use]
    pub fn latex(&self) -> String {
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
