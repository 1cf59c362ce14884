//! The tables and figures of the papers, filled from runs.
//!
//! A paper is data: a spec (`papers/NAME.toml`) names where its rows come from, and for each table its rows, its
//! columns and the statistic of a cell. One engine computes the cells, with 95 % intervals and the published figures
//! beside them. A cell that no run fills names the command that fills it. Markdown, CSV, LaTeX and JSON are made from
//! the same tables, and figures are drawn from their cells. `docs/papers.md` says how to write a spec.

mod bizcompass;
mod cells;
mod compare;
mod draw;
mod engine;
mod episodes;
mod figures;
mod methods;
mod normalised;
mod paths;
mod published;
mod render;
mod rows;
mod settings;
mod spec;
mod stats;
mod table;

use crate::paper::table::tables_csv;
use crate::runs::Run;
pub use compare::{ComparedWith, Comparison, Verdict};
pub use draw::PaperFigure;
use published::Published;
use run_engine::error::RunError;
use run_engine::files::regular;
use run_engine::registry::Registry;
use run_engine::terminal::{shown_name, shown_path};
use serde::Serialize;
use spec::{SourceKind, Spec};
use std::path::{Path, PathBuf};
pub use table::{PaperCell, PaperRow, PaperRowOrigin, PaperTable};

/// The papers that the program knows: name, spec, printed figures.
const PAPERS: [(&str, &str, &str); 5] = [
    (
        "strategic",
        include_str!("../papers/strategic.toml"),
        include_str!("../papers/strategic.csv"),
    ),
    (
        "markets",
        include_str!("../papers/markets.toml"),
        include_str!("../papers/markets.csv"),
    ),
    (
        "office",
        include_str!("../papers/office.toml"),
        include_str!("../papers/office.csv"),
    ),
    (
        "ceo",
        include_str!("../papers/ceo.toml"),
        include_str!("../papers/ceo.csv"),
    ),
    (
        "bizcompass",
        include_str!("../papers/bizcompass.toml"),
        include_str!("../papers/bizcompass.csv"),
    ),
];

/// Most bytes of a spec or of its printed figures.
const MOST_BYTES: u64 = 4 << 20;

/// A paper: its spec and the figures that it prints.
#[derive(Debug, Clone)]
pub struct Paper {
    spec: Spec,
    published: Published,
}

impl Paper {
    /// Names of the papers that the program knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PAPERS.iter().map(|(name, ..)| *name)
    }

    /// The text of the spec of a paper that the program knows, as a pattern for another one.
    #[must_use]
    pub fn spec_of(name: &str) -> Option<&'static str> {
        PAPERS
            .iter()
            .find(|(known, ..)| *known == name)
            .map(|(_, spec, _)| *spec)
    }

    /// A paper that the program knows.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn named(name: &str) -> Result<Self, RunError> {
        let found = PAPERS.iter().find(|(known, ..)| *known == name);
        let Some((_, spec, published)) = found else {
            let names: Vec<&str> = Self::names().collect();
            return Err(RunError::usage(format!(
                "there is no paper `{name}`; choose from {}",
                names.join(", ")
            )));
        };
        Ok(Self {
            spec: Spec::read(&format!("{name}.toml"), spec)?,
            published: Published::read(published).map_err(RunError::Failed)?,
        })
    }

    /// The paper of a spec of the user, with the printed figures in the file that it names.
    ///
    /// # Errors
    /// When a file cannot be read; when the spec is wrong, says where and what would be right.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let text = regular::text(path, MOST_BYTES).map_err(RunError::file(path))?;
        let spec = Spec::read(&shown_path(path), &text)?;
        let published = match &spec.published {
            None => Published::default(),
            Some(file) => {
                let file = path.with_file_name(file);
                let text = regular::text(&file, MOST_BYTES).map_err(RunError::file(&file))?;
                let wrong = |e| RunError::usage(format!("{} {e}", shown_path(&file)));
                let published = Published::read(&text).map_err(wrong)?;
                published.check(&spec).map_err(wrong)?;
                published
            }
        };
        Ok(Self { spec, published })
    }

    /// Whether it reads the user's tables and result files.
    #[must_use]
    pub fn reads_tables(&self) -> bool {
        self.has(SourceKind::Bizcompass)
    }

    fn has(&self, kind: SourceKind) -> bool {
        self.spec.sources.iter().any(|source| source.rows == kind)
    }

    /// Its tables and figures for the runs at hand.
    ///
    /// # Errors
    /// When a folder cannot be read, a plan was played twice with one seed, a record does not replay, a figure
    /// cannot be drawn, or the spec names a figure that no row has.
    pub fn fill(&self, registry: &Registry, inputs: &PaperInputs) -> Result<PaperPage, RunError> {
        let mut reading = episodes::read(registry, inputs, &self.spec)?;
        if self.has(SourceKind::Questions) || self.has(SourceKind::Interviews) {
            methods::arrange(registry, &mut reading, inputs)?;
        } else if self.reads_tables() {
            bizcompass::read(registry, &mut reading, inputs)?;
        } else {
            let kinds = [
                (&inputs.questions, "answers to questions"),
                (&inputs.interviews, "interviews"),
            ];
            for (folders, what) in kinds {
                // Told and not ignored: the user named these folders and expects them in a table.
                reading.unused.extend(folders.iter().map(|folder| RunNote {
                    folder: folder.clone(),
                    remark: format!("no table of the paper has {what}"),
                }));
            }
        }
        // Numbered when all of them are there: the label `#` tells rows apart that agree in all
        // others.
        for (row, place) in reading.rows.iter_mut().zip(0..) {
            row.place = place;
        }
        // A copy, because what runs print belongs to this page and the paper may be filled again.
        let mut published = self.published.clone();
        reading
            .printed
            .into_iter()
            .for_each(|printed| published.add(printed));
        let mut tables = engine::fill(&self.spec, &published, &reading.rows)?;
        for (place, note) in reading.notes {
            let mut tables = tables.iter_mut();
            if let Some(table) = tables.find(|table| place.is_none_or(|place| table.place == place))
            {
                table.notes.push(note);
            }
        }
        let figures = figures::figures(&self.spec, &tables)?;
        let misplaced = self.published.misplaced(&self.spec, &tables);
        Ok(PaperPage {
            paper: self.spec.name.clone(),
            title: self.spec.title.clone(),
            tables,
            figures,
            misplaced,
            unused: reading.unused,
            other_settings: reading.others,
        })
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
        Self {
            folder: run.folder().to_owned(),
            remark: remark.into(),
        }
    }

    fn line(&self) -> String {
        format!("{}: {}", shown_path(&self.folder), shown_name(&self.remark))
    }
}

/// The tables and figures of a paper, with the runs that they do not use or that have other settings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperPage {
    /// The paper's short name.
    pub paper: String,
    /// Its title.
    #[serde(skip)]
    pub title: String,
    /// Its tables, in the order of the paper.
    pub tables: Vec<PaperTable>,
    /// Its figures; those without a run are absent.
    pub figures: Vec<PaperFigure>,
    /// Published figures that stand in no table, one line each.
    #[serde(skip)]
    pub misplaced: Vec<String>,
    /// Runs that no table uses, with the reason.
    pub unused: Vec<RunNote>,
    /// Runs that are used although their settings are not those of the paper, with these settings.
    pub other_settings: Vec<RunNote>,
}

impl PaperPage {
    /// All tables as one Markdown page, with the runs that no table uses; figures are linked as `ID.svg`.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!(
            // The first line tells a file of this program from one of the user, which is not
            // written over.
            "<!-- boardroom paper {} -->\n# {}\n\n",
            self.paper, self.title
        );
        let summary = compare::summary(&self.tables);
        text.push_str(&if summary.is_empty() {
            "Our figures have 95 % intervals; the paper's figures stand beside them.\n".to_owned()
        } else {
            format!("## Result\n\n{summary}")
        });
        for table in &self.tables {
            text.push('\n');
            text.push_str(&table.markdown());
        }
        for figure in &self.figures {
            let title = shown_name(&figure.title);
            text.push_str(&format!(
                "\n## {}: {title}\n\n![{title}]({}.svg)\n",
                figure.place, figure.id
            ));
        }
        for (heading, notes) in self.notes() {
            text.push_str(&format!("\n## {heading}\n\n"));
            for note in notes {
                text.push_str(&format!("- {}\n", note.line()));
            }
        }
        text
    }

    /// All tables for a terminal of this width \[columns\], with the runs that no table uses.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        let tables = self.tables.iter().map(|table| table.text(width));
        let mut text = tables.collect::<Vec<_>>().join("\n");
        for (heading, notes) in self.notes() {
            text.push_str(&format!("\n{heading}\n"));
            for note in notes {
                text.push_str(&format!("  {}\n", note.line()));
            }
        }
        text
    }

    /// All tables as an HTML page, with the runs that no table uses; figures are linked as `ID.svg`.
    #[must_use]
    pub fn html(&self) -> String {
        let mut text = format!(
            "<!doctype html>\n<!-- boardroom paper {} -->\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <title>{title}</title>\n<h1>{title}</h1>\n",
            self.paper,
            title = render::html(&self.title)
        );
        text.extend(self.tables.iter().map(PaperTable::html));
        for figure in &self.figures {
            let title = shown_name(&format!("{}: {}", figure.place, figure.title));
            let title = render::html(&title);
            text.push_str(&format!(
                "<h2>{title}</h2>\n<img src=\"{}.svg\" alt=\"{title}\">\n",
                figure.id
            ));
        }
        for (heading, notes) in self.notes() {
            let lines = notes
                .iter()
                .map(|note| format!("<li>{}</li>\n", render::html(&note.line())));
            text.push_str(&format!(
                "<h2>{heading}</h2>\n<ul>\n{}</ul>\n",
                lines.collect::<String>()
            ));
        }
        text + "</html>\n"
    }

    /// All tables as LaTeX, with the runs that no table uses in comments.
    #[must_use]
    pub fn latex(&self) -> String {
        let tables = self.tables.iter().map(|table| table.latex(&self.paper));
        let mut text = tables.collect::<Vec<_>>().join("\n");
        for (heading, notes) in self.notes() {
            text.push_str(&format!("\n% {heading}\n"));
            for note in notes {
                // One line each, or what follows a line end would no longer be a comment.
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

    /// Number of cells that no run fills.
    #[must_use]
    pub fn unfilled(&self) -> usize {
        self.tables.iter().map(PaperTable::unfilled).sum()
    }

    /// The figures of tables that compare which are outside their tolerance or that no run fills, and the published
    /// figures that stand in no table, one line each.
    #[must_use]
    pub fn missed(&self) -> Vec<String> {
        let mut all = compare::missed(&self.tables);
        all.extend_from_slice(&self.misplaced);
        all
    }

    /// All tables as comma-separated values, one line per cell.
    ///
    /// # Errors
    /// When a cell cannot be written.
    pub fn csv(&self) -> Result<String, RunError> {
        let mut text = Vec::new();
        tables_csv(&self.paper, &self.tables, &mut text)?;
        String::from_utf8(text).map_err(RunError::failed)
    }
}

#[cfg(test)]
mod tests;
