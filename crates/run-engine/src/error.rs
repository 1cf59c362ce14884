//! Why a command failed, with its exit code.

use crate::terminal::{shell_path, shown_path};
use serde::Serialize;
use sim_core::ConfigError;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

/// A command that could not do its work, in one or two lines for a person.
#[derive(Debug, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum RunError {
    /// The command line, a setting, an instance or a script is wrong. Exit code 2.
    #[error("{0}")]
    Usage(String),
    /// A configuration that a simulator refused. Exit code 2.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A file or folder could not be read or written. Exit code 2.
    #[error("{place}: {source}")]
    File {
        /// Which file.
        place: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another process is using the folder. Exit code 4.
    #[error("{0}")]
    Busy(String),
    /// The work was done, but part of it failed. Exit code 1.
    #[error("{0}")]
    Failed(String),
    /// The money that the run may cost is spent. Exit code 3.
    #[error("{0}")]
    Budget(String),
    /// Stopped by the user; `boardroom resume` goes on. Exit code 130.
    #[error("interrupted; {0}")]
    Interrupted(String),
    /// A person left a game before its end; says how to go on. This is not an error. Exit code 130.
    #[error("{0}")]
    Left(String),
}

impl RunError {
    /// A wrong use of the program, with what would be right.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    /// A failure of the program or of something that it needs.
    pub fn failed(e: impl std::fmt::Display) -> Self {
        Self::Failed(e.to_string())
    }

    /// Makes an error of the file at `path` from what the system said.
    pub fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::File {
            place: shown_path(path),
            source,
        }
    }

    /// Makes an error of what is wrong in the file at `path`.
    pub fn in_file<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> Self + '_ {
        move |e| Self::usage(format!("{}: {e}", shown_path(path)))
    }

    /// The same error with `place` before it, such as the folder that it is about.
    #[must_use]
    pub fn at(self, place: &str) -> Self {
        match self {
            Self::Failed(text) => Self::Failed(format!("{place}{text}")),
            Self::Busy(text) => Self::Busy(format!("{place}{text}")),
            Self::Budget(text) => Self::Budget(format!("{place}{text}")),
            Self::Interrupted(text) => Self::Interrupted(format!("{place}{text}")),
            Self::Left(text) => Self::Left(format!("{place}{text}")),
            // With a place before it, nothing but the text is left of a setting or a file. All
            // three have the exit code 2.
            wrong => Self::Usage(format!("{place}{wrong}")),
        }
    }

    /// The same error of a run in the folder `dir`. A full disk is not a mistake of the user: the run failed, and goes on
    /// when there is room.
    #[must_use]
    pub fn of_run(self, dir: Option<&Path>) -> Self {
        match (self, dir) {
            (Self::File { place, source }, Some(dir))
                if matches!(
                    source.kind(),
                    ErrorKind::StorageFull | ErrorKind::QuotaExceeded
                ) =>
            {
                Self::Failed(format!(
                    "{place}: {source}; what was written before is kept: make room, then `boardroom resume {}` \
                     continues the run",
                    shell_path(dir)
                ))
            }
            (error, _) => error,
        }
    }

    /// Whether the program was not given something that a setting names ([`ConfigError::is_missing`]).
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Config(error) if error.is_missing)
    }

    /// Whether what was asked for cannot be done, and not only failed this time.
    #[must_use]
    pub fn is_of_request(&self) -> bool {
        matches!(self, Self::Usage(_) | Self::Config(_) | Self::File { .. })
    }

    /// What kind of error it is, as `--json` prints it: `usage`, `config`, `file`, `busy`, `failed`,
    /// `budget`, `interrupted` or `left`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.into()
    }

    /// The setting or the file at fault, if the error is about one.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        match self {
            Self::Config(error) => Some(error.place.as_str()).filter(|place| !place.is_empty()),
            Self::File { place, .. } => Some(place),
            _ => None,
        }
    }

    /// The exit code that scripts rely on.
    #[must_use]
    pub fn code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Config(_) | Self::File { .. } => 2,
            Self::Failed(_) => 1,
            Self::Budget(_) => 3,
            Self::Busy(_) => 4,
            Self::Interrupted(_) | Self::Left(_) => 130,
        }
    }

    /// [`RunError::code`] as the result of a program.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code())
    }
}
/// `value` as JSON.
///
/// # Errors
/// When it cannot be serialised.
pub fn json<T: Serialize>(value: &T) -> Result<String, RunError> {
    serde_json::to_string(value).map_err(RunError::failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_a_failure_of_a_run_that_has_a_folder() {
        let error = |kind: ErrorKind| RunError::file(Path::new("a/calls.jsonl"))(kind.into());
        let dir = Some(Path::new("a"));
        let full = error(ErrorKind::StorageFull).of_run(dir);
        assert_eq!(full.code(), 1);
        assert!(full.to_string().contains("boardroom resume a"), "{full}");
        assert_eq!(error(ErrorKind::StorageFull).of_run(None).code(), 2);
        assert_eq!(error(ErrorKind::PermissionDenied).of_run(dir).code(), 2);
    }
}
