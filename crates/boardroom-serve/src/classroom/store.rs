//! The links and choices of a classroom, as they are stored.

use crate::sessions::ClosedBy;
use run_engine::error::RunError;
use run_engine::files::{regular, run_file};
use serde::{Deserialize, Serialize};
use sim_core::error::in_json_words;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What happens in the classroom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Phase {
    /// People join.
    Lobby,
    /// They play.
    Running,
    /// The teacher has stopped the games.
    Paused,
}

/// Everything about a classroom that is not in its games.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    pub(super) teacher: String,
    pub(super) phase: Phase,
    /// Time for a decision \[s\].
    pub(super) limit: Option<u64>,
    /// By team, then by seat in the order of the game.
    pub(super) teams: Vec<Vec<Place>>,
    /// Why games ended before their last period, by the place of the team.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) closed: BTreeMap<usize, ClosedBy>,
}

/// A seat of a team.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Place {
    pub(super) seat: String,
    pub(super) token: String,
    /// The name of the person who joined.
    pub(super) name: Option<String>,
    /// The policy that plays.
    pub(super) bot: Option<String>,
}

/// Where it is stored in the run folder `dir`.
pub(super) fn path(dir: &Path) -> PathBuf {
    dir.join("progress").join("classroom.json")
}

impl Stored {
    /// What an earlier server stored at `path`; `None` if there is nothing.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, RunError> {
        let value = run_file::json(path, regular::MOST_SMALL)?;
        let wrong = |e: serde_json::Error| in_json_words(&e.to_string());
        let read = value.map(|value| serde_json::from_value(value).map_err(wrong));
        read.transpose().map_err(RunError::in_file(path))
    }

    /// A seat of a team; `None` if there is no such seat.
    pub(super) fn place_mut(&mut self, team: usize, seat: usize) -> Option<&mut Place> {
        self.teams.get_mut(team)?.get_mut(seat)
    }

    /// Stores it at `path`, readable by its owner only, because it holds the tokens.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn write(&self, path: &Path) -> Result<(), RunError> {
        if let Some(dir) = path.parent() {
            // A run folder that was removed is not made anew: what was in it is lost.
            run_file::make_folder(dir)?;
        }
        let text = serde_json::to_string(self).map_err(RunError::failed)?;
        run_file::replace(path, &text, true)
    }
}
