//! Cases from files of the user, and which cases a run holds.

use clap::Args;
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

/// Which cases there are to choose from.
// The comments of the fields are the help texts of their options.
#[derive(Debug, Args)]
pub struct CaseRequest {
    /// Which cases: all, short, medium or long
    #[arg(long, default_value = ALL)]
    pub preset: String,
    /// Your own cases: a folder of *.json files, or one file (see `cases check`)
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,
    /// Only cases of this industry, as `cases list` names it
    #[arg(long)]
    pub industry: Option<String>,
    /// Only cases of this kind, as `cases list` names it
    #[arg(long)]
    pub kind: Option<CaseKind>,
}

/// One part of a split of the chosen cases, the number of cases for training, and the seed of the split.
pub type CaseSplit = (Part, usize, Seed);

impl CaseRequest {
    /// The wanted cases, in the order of the catalogue or of the file names; of a `split` one part.
    ///
    /// # Errors
    /// When a file is wrong (its name is in the message), or no case is left.
    pub fn cases(&self, split_in: Option<CaseSplit>) -> Result<Vec<CaseStudy>, RunError> {
        let mut found = all_cases(self.cases.as_deref())?;
        if let Some(industry) = self
            .industry
            .as_deref()
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
            length: length_of(&self.preset)?,
            industry: self.industry.clone(),
            kind: self.kind,
        };
        // The choice before the split: `--train` counts chosen cases, not those of the catalogue.
        found.retain(|case| wanted.has(case));
        if let Some((part, train, seed)) = split_in {
            let (train, test) = split(found, seed, train);
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
    pub fn label(&self, split_in: Option<CaseSplit>) -> String {
        let own = self.cases.as_ref().map(|_| "own".to_owned());
        let part = split_in.map(|(part, train, seed)| match part {
            Part::Train => format!("train-{train}-{}", seed.0),
            Part::Test => format!("test-{train}-{}", seed.0),
        });
        let preset = Some(self.preset.clone()).filter(|preset| preset != ALL);
        let kind = self.kind.map(|kind| kind.to_string());
        let parts = [own, preset, self.industry.clone(), kind, part];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            self.preset.clone()
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
        let wrong = RunError::in_file(&path);
        let case = read(&path)?.map_err(&wrong)?;
        // Of all findings only this one stops a run: it would mark a right reply as wrong, and the
        // others are advice.
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
    // Two results, because a file that cannot be read is an error for everyone, and a mistake in it
    // is what `check` reports.
    let bytes = regular::json_bytes(path, regular::MOST_SMALL).map_err(RunError::file(path))?;
    let text = String::from_utf8(bytes).map_err(|_| "the file is not UTF-8".to_owned());
    Ok(text.and_then(|text| CaseStudy::parse(&text)))
}
