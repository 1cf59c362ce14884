//! Output files of commands. No existing content is lost.
//!
//! The rule for all of them: a file is written if there is none, or over an earlier output of the
//! same kind. Any other file is left unchanged, and so is every file in which a run or a sweep
//! stores its work. A user who wants to replace such a file has to remove it first; there is no
//! option for that.

use run_engine::error::RunError;
use run_engine::files::{regular, run_file};
use run_engine::run_dir;
use run_engine::run_dir::manifest::MANIFEST;
use run_engine::run_dir::members::SWEEP;
use run_engine::terminal::{shown, shown_path};
use std::io::{Read as _, Write as _};
use std::path::Path;

/// Length of the beginning of a file that is searched for the mark of its kind \[bytes\].
const HEAD: u64 = 256;

/// A kind of output, and how an earlier output of this kind is recognised.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutputKind {
    /// The name in messages, with its article.
    name: &'static str,
    /// A mark near the beginning of each such file.
    sign: &'static str,
}

impl OutputKind {
    pub(super) const REPORT: Self = Self::known("a report", "<title>Boardroom report");
    pub(super) const FIGURE: Self =
        Self::known("a figure of `compare`", "<title>Boardroom scores by preset");
    pub(super) const TABLE: Self = Self::known("an exported table", "environment,version,preset,");
    /// Also a figure, which begins in the same way.
    pub(super) const PAPER_PAGE: Self =
        Self::known("a page or figure of a paper", "<!-- boardroom paper");
    pub(super) const PAPER_CELLS: Self =
        Self::known("tables of a paper", "paper,table,row,row_of,");
    pub(super) const PAPER_LATEX: Self = Self::known("tables of a paper", "% boardroom paper");
    pub(super) const PAPER_OBJECT: Self = Self::known("tables of a paper", "{\n  \"paper\": ");
    pub(super) const INSTANCE: Self = Self::known(
        "an instance file",
        "{\n  \"schema\": 1,\n  \"environment\": ",
    );
    pub(super) const COMPANY: Self = Self::known("a company file", "\n  \"company\": {");
    pub(super) const TASKS: Self = Self::known("a file of tasks", "{\"id\":");
    pub(super) const TASK_RECORDS: Self = Self::known("a file of task records", "{\"form\":");
    pub(super) const TRUTH: Self = Self::known("a file of true values", "{\"defect\":");
    pub(super) const POLICY: Self = Self::known("a routing policy", "\"feature_version\":");
    pub(super) const EXPERIENCES: Self = Self::known("a file of lessons", "{\"bullet\":");
    pub(super) const QUESTIONS: Self = Self::known("a file of built questions", "[\n  {\n    \"");
    pub(super) const BUILD_REPORT: Self = Self::known("a report of `qa build`", "{\n  \"built\": ");
    pub(super) const PICTURE: Self = Self::known("a picture", "<svg ");

    const fn known(name: &'static str, sign: &'static str) -> Self {
        Self { name, sign }
    }
}

/// A path that was checked and may be written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Output<'a> {
    path: &'a Path,
    by_user: bool,
}

impl<'a> Output<'a> {
    /// Checks `path`, which the user named, without writing anything, so that it can be called before the work. A
    /// link to a file is followed, and a terminal or a pipe is written to.
    ///
    /// # Errors
    /// When it is a folder, a link that leads nowhere, a file of a run or a sweep, or a file with other content
    /// than `kind`.
    pub(super) fn at(path: &'a Path, kind: OutputKind) -> Result<Self, RunError> {
        let output = Self {
            path,
            by_user: true,
        };
        output.checked(kind)
    }

    /// As [`Output::at`], for an option that may be left out.
    ///
    /// # Errors
    /// As [`Output::at`].
    pub(super) fn named(
        path: Option<&'a Path>,
        kind: OutputKind,
    ) -> Result<Option<Self>, RunError> {
        path.map(|path| Self::at(path, kind)).transpose()
    }

    /// As [`Output::at`], for a name that the program chose. Somebody else may have put a link or a pipe there,
    /// so only an ordinary file is replaced: a line in `~/.bash_profile` is a command that the next shell
    /// executes.
    ///
    /// # Errors
    /// As [`Output::at`], and when it is a link, a device or a pipe.
    pub(super) fn chosen(path: &'a Path, kind: OutputKind) -> Result<Self, RunError> {
        let output = Self {
            path,
            by_user: false,
        };
        output.checked(kind)
    }

    fn checked(self, kind: OutputKind) -> Result<Self, RunError> {
        let path = self.path;
        let shown = shown_path(path);
        if belongs_to_a_run(path) {
            return Err(RunError::usage(format!(
                "{shown} is a file in which a run or a sweep stores its work; name another file"
            )));
        }
        let itself = regular::if_there(std::fs::symlink_metadata(path));
        let Some(itself) = itself.map_err(RunError::file(path))? else {
            return Ok(self);
        };
        // Somebody else may have put the link there.
        if itself.is_symlink() && (is_in(path, MANIFEST) || is_in(path, SWEEP)) {
            return Err(RunError::usage(format!(
                "{shown} is a link in a run folder, and such links are not followed; name another file"
            )));
        }
        if !self.by_user && !itself.is_file() && !itself.is_dir() {
            let what = if itself.is_symlink() {
                "a link"
            } else {
                "a device, pipe or socket"
            };
            return Err(RunError::usage(format!(
                "{shown} is {what}, and nothing is written through it; name another place, or remove it first"
            )));
        }
        let behind = regular::if_there(std::fs::metadata(path));
        let Some(meta) = behind.map_err(RunError::file(path))? else {
            return Err(RunError::usage(format!(
                "{shown} is a link that leads nowhere, and no file is made there; name another file, or remove \
                 the link first"
            )));
        };
        if meta.is_dir() {
            return Err(RunError::usage(format!(
                "{shown} is a folder; name a file, such as one in it"
            )));
        }
        // A terminal or a pipe: there is no content to lose.
        if !meta.is_file() || meta.len() == 0 {
            return Ok(self);
        }
        if head(path)?.contains(kind.sign) {
            return Ok(self);
        }
        Err(RunError::usage(format!(
            "{shown} is not {} and was not changed; name another file, or remove \
             this one first",
            kind.name
        )))
    }

    /// The path.
    pub(super) fn path(self) -> &'a Path {
        self.path
    }

    /// Writes `contents`, as safe to show as on a terminal, see [`shown`]. A file is written whole or left as it was.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn write(self, contents: impl AsRef<[u8]>) -> Result<(), RunError> {
        let contents = contents.as_ref();
        let clean = std::str::from_utf8(contents).map(shown);
        let contents = clean.as_ref().map_or(contents, |text| text.as_bytes());
        let path = self.path;
        let behind = regular::if_there(std::fs::metadata(path)).map_err(RunError::file(path))?;
        match behind.filter(|_| self.by_user) {
            // A link that was put there since then is replaced and not followed.
            None => run_file::replace_bytes(path, contents, false),
            // A link that the user named is kept, and the file behind it replaced.
            Some(meta) if meta.is_file() => {
                let target = std::fs::canonicalize(path).map_err(RunError::file(path))?;
                run_file::replace_bytes(&target, contents, false)
            }
            // A terminal or a pipe cannot be replaced. No file is made if it is gone.
            Some(_) => {
                let opened = std::fs::OpenOptions::new().write(true).open(path);
                let written = opened.and_then(|mut file| file.write_all(contents));
                written.map_err(RunError::file(path))
            }
        }
    }
}

/// Whether `path` is a name that a run or a sweep uses in its own folder, even if there is no such
/// file yet: the run would read the file as its own.
fn belongs_to_a_run(path: &Path) -> bool {
    let dir = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default();
    (is_in(path, MANIFEST) && run_dir::is_own_name(name))
        || (is_in(path, SWEEP) && name == SWEEP)
        // A file in a folder of the run, such as `progress`.
        || (is_in(dir, MANIFEST) && run_dir::is_own_name(name_of(dir)))
}

/// Whether there is a file `name` beside `path`.
fn is_in(path: &Path, name: &str) -> bool {
    let dir = path.parent();
    dir.is_some_and(|dir| run_file::exists(&dir.join(name)))
}

/// The last part of `dir`, such as `progress`.
fn name_of(dir: &Path) -> &std::ffi::OsStr {
    dir.file_name().unwrap_or_default()
}

/// The beginning of the file at `path`.
fn head(path: &Path) -> Result<String, RunError> {
    let file = regular::reader(path).map_err(RunError::file(path))?;
    let mut start = Vec::new();
    file.take(HEAD)
        .read_to_end(&mut start)
        .map_err(RunError::file(path))?;
    Ok(String::from_utf8_lossy(&start).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_new_empty_or_an_earlier_output_is_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("table.csv");
        let fits = |kind| Output::at(&path, kind).is_ok();
        assert!(fits(OutputKind::TABLE));
        std::fs::write(&path, "").unwrap();
        assert!(fits(OutputKind::TABLE));
        Output::at(&path, OutputKind::TABLE)
            .and_then(|output| output.write("environment,version,preset,agent\n"))
            .unwrap();
        assert!(fits(OutputKind::TABLE));
        assert!(!fits(OutputKind::REPORT));
        let error = Output::at(dir.path(), OutputKind::TABLE).unwrap_err();
        assert!(matches!(error, RunError::Usage(_)), "{error:?}");
        let place = shown_path(dir.path());
        assert!(error.to_string().starts_with(&place), "{error}");
    }

    /// A link, also one that leads nowhere or to an empty file, would let whoever put it there choose the file
    /// that is written.
    #[cfg(unix)]
    #[test]
    fn links_and_pipes_at_names_that_the_program_chooses_are_not_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let (none, empty) = (at("bash_profile"), at("empty"));
        std::fs::write(&empty, "").unwrap();
        std::os::unix::fs::symlink(&none, at("dangling")).unwrap();
        std::os::unix::fs::symlink(&empty, at("link")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_bits_truncate(0o600),
            0,
        )
        .unwrap();
        for name in ["dangling", "link", "pipe"] {
            let error = Output::chosen(&at(name), OutputKind::TABLE).unwrap_err();
            assert!(matches!(error, RunError::Usage(_)), "{name}: {error:?}");
        }
        // Put there after the check.
        for name in ["report.html", "named by the user"] {
            let path = at(name);
            let checked = match name {
                "report.html" => Output::chosen(&path, OutputKind::TABLE),
                _ => Output::at(&path, OutputKind::TABLE),
            };
            std::os::unix::fs::symlink(&none, &path).unwrap();
            checked.unwrap().write("new").unwrap();
            assert!(path.symlink_metadata().unwrap().is_file(), "{name}");
        }
        let late = at("late");
        let checked = Output::chosen(&late, OutputKind::TABLE).unwrap();
        std::fs::rename(at("link"), &late).unwrap();
        checked.write("new").unwrap();
        assert_eq!(std::fs::read_to_string(&empty).unwrap(), "");
        assert!(!none.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_the_user_named_is_followed_to_a_file_and_nowhere_else() {
        let dir = tempfile::tempdir().unwrap();
        let (path, target) = (dir.path().join("link"), dir.path().join("target"));
        std::os::unix::fs::symlink(&target, &path).unwrap();
        let error = Output::at(&path, OutputKind::TABLE).unwrap_err();
        assert!(matches!(error, RunError::Usage(_)), "{error:?}");
        std::fs::write(&target, "").unwrap();
        let output = Output::at(&path, OutputKind::TABLE).unwrap();
        output.write("new").unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "new");
        assert!(path.is_symlink());
        let null = Output::at(Path::new("/dev/null"), OutputKind::TABLE).unwrap();
        null.write("nothing").unwrap();
    }

    /// A name that a run uses is refused even if there is no such file: the run would read it as
    /// its own.
    #[test]
    fn the_files_of_a_run_or_a_sweep_are_no_outputs() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("run");
        std::fs::create_dir_all(run.join("progress")).unwrap();
        for name in ["errors.jsonl", "progress/0.jsonl", "manifest.json"] {
            let path = run.join(name);
            assert!(Output::at(&path, OutputKind::TABLE).is_ok(), "{name}");
        }
        std::fs::write(run.join(MANIFEST), "{}").unwrap();
        std::fs::write(dir.path().join(SWEEP), "").unwrap();
        let own = ["errors.jsonl", "progress/0.jsonl", "manifest.json"].map(|name| run.join(name));
        for path in own.iter().chain([&dir.path().join(SWEEP)]) {
            let error = Output::at(path, OutputKind::TABLE).unwrap_err();
            let place = shown_path(path);
            assert!(error.to_string().starts_with(&place), "{error}");
        }
        assert!(Output::at(&run.join("report.html"), OutputKind::REPORT).is_ok());
    }
}
