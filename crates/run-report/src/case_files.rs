//! Cases from files of the user, and which cases a run holds.

use qa_scoring::env::Part;
use qa_scoring::interview::{
    CaseFinding, CaseKind, CaseSelection, CaseStudy, Length, cases, industries, split,
};
use run_engine::error::RunError;
use run_engine::files::{regular, with_extension};
use run_engine::terminal::shown_path;
use sim_core::Seed;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The preset with all cases.
const ALL: &str = "all";

/// The length of the cases of a preset; `None` for all of them.
fn length_of(preset: &str) -> Result<Option<Length>, RunError> {
    match preset.parse() {
        Err(_) if preset != ALL => Err(RunError::usage(format!(
            "`consulting` has no preset `{}`; there are all, short, medium, long",
            sim_core::error::clip(preset)
        ))),
        found => Ok(found.ok()),
    }
}

/// Which cases a run holds.
#[derive(Debug, Clone)]
pub struct CaseRequest<'a> {
    /// Folder or file with the user's cases; the program's own if absent.
    pub files: Option<&'a Path>,
    /// `all` or a length.
    pub preset: &'a str,
    /// Only cases of this industry.
    pub industry: Option<&'a str>,
    /// Only cases of this kind.
    pub kind: Option<CaseKind>,
    /// One part of a split of the remaining cases.
    pub part: Option<Part>,
    /// Number of cases for training, if there is a split.
    pub train: usize,
    /// Seed of the split.
    pub seed: Seed,
}

impl CaseRequest<'_> {
    /// The wanted cases, in the order of the catalogue or of the file names.
    ///
    /// # Errors
    /// When a file is wrong (its name is in the message), or no case is left.
    pub fn cases(&self) -> Result<Vec<CaseStudy>, RunError> {
        let mut found = all_cases(self.files)?;
        if let Some(industry) = self
            .industry
            .filter(|name| !industries(&found).contains(name))
        {
            let names: Vec<&str> = industries(&found).into_iter().collect();
            return Err(RunError::usage(format!(
                "no case is of industry `{}`; there are {}",
                sim_core::error::clip(industry),
                names.join(", ")
            )));
        }
        let wanted = CaseSelection {
            length: length_of(self.preset)?,
            industry: self.industry.map(str::to_owned),
            kind: self.kind,
        };
        found.retain(|case| wanted.has(case));
        if let Some(part) = self.part {
            let (train, test) = split(found, self.seed, self.train);
            found = match part {
                Part::Train => train,
                Part::Test => test,
            };
        }
        if found.is_empty() {
            return Err(RunError::usage(
                "no case is left; widen --preset, --industry, --kind or --train",
            ));
        }
        Ok(found)
    }

    /// The choice as a short text for the manifest: `all`, `long/energy`,
    /// `own/test-12-0` (12 cases for training, seed 0).
    #[must_use]
    pub fn label(&self) -> String {
        let own = self.files.map(|_| "own".to_owned());
        let part = self.part.map(|part| match part {
            Part::Train => format!("train-{}-{}", self.train, self.seed.0),
            Part::Test => format!("test-{}-{}", self.train, self.seed.0),
        });
        let preset = (self.preset != ALL).then(|| self.preset.to_owned());
        let industry = self.industry.map(str::to_owned);
        let kind = self.kind.map(|kind| kind.to_string());
        let parts: Vec<String> = [own, preset, industry, kind, part]
            .into_iter()
            .flatten()
            .collect();
        if parts.is_empty() {
            self.preset.to_owned()
        } else {
            parts.join("/")
        }
    }
}

/// All cases of `files`, or those of the program if it is absent.
///
/// # Errors
/// When a file cannot be read or played, has a right answer that does not follow from its facts, or
/// two cases have one id. The message names the file.
pub fn all_cases(files: Option<&Path>) -> Result<Vec<CaseStudy>, RunError> {
    let Some(files) = files else {
        return cases().map_err(RunError::Failed);
    };
    let mut known: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut found = Vec::new();
    for path in paths(files)? {
        let wrong = |why: String| RunError::usage(format!("{}: {why}", shown_path(&path)));
        let case = read(&path)?.map_err(wrong)?;
        if let Some(mistake) = case.lint().iter().find(|found| found.is_wrong_answer()) {
            return Err(wrong(format!("case `{}`: {mistake}", case.id)));
        }
        if let Some(other) = known.insert(case.id.clone(), path.clone()) {
            let other = shown_path(&other);
            return Err(wrong(format!("case `{}` is in {other} too", case.id)));
        }
        found.push(case);
    }
    Ok(found)
}

/// What the checker says of a file: its findings, or why it cannot be played.
#[derive(Debug)]
pub struct CheckedFile {
    /// The file.
    pub path: PathBuf,
    /// The findings of a case that can be played.
    pub found: Result<Vec<CaseFinding>, String>,
}

/// Checks the case files below each of `places`.
///
/// # Errors
/// When a file or folder cannot be read. Mistakes in a case are results.
pub fn check(places: &[PathBuf]) -> Result<Vec<CheckedFile>, RunError> {
    let mut checked = Vec::new();
    for place in places {
        for path in paths(place)? {
            let found = read(&path)?.map(|case| case.lint());
            checked.push(CheckedFile { path, found });
        }
    }
    Ok(checked)
}

/// The file itself, or the `*.json` files of a folder by name.
fn paths(place: &Path) -> Result<Vec<PathBuf>, RunError> {
    let paths = with_extension(place, "json")?;
    if paths.is_empty() {
        return Err(RunError::usage(format!(
            "{}: there is no case file (*.json)",
            shown_path(place)
        )));
    }
    Ok(paths)
}

fn read(path: &Path) -> Result<Result<CaseStudy, String>, RunError> {
    let bytes = regular::json_bytes(path, regular::MOST_SMALL).map_err(RunError::file(path))?;
    let text = String::from_utf8(bytes).map_err(|_| "the file is not UTF-8".to_owned());
    Ok(text.and_then(|text| CaseStudy::parse(&text)))
}
