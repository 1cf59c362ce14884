//! The game that agents, people or clients play.

use super::args::{ConfigArgs, InstanceArgs, SeatArgs, whole};
use clap::Args;
pub(super) use offered::GameOf;
use run_engine::error::RunError;
use run_engine::plan::{Plan, RunRequest};
use run_engine::run_dir::Folder;
use run_engine::run_dir::fresh::RunDirGuard;
use sim_core::{Effort, Seed};
use std::path::Path;

/// The game that agents, people or clients play.
#[derive(Debug, Clone, Args)]
pub(super) struct GameArgs {
    /// Environment, as `list` names it
    #[arg(required = true)]
    environment: Option<String>,
    #[command(flatten)]
    pub(super) config: ConfigArgs,
    #[command(flatten)]
    pub(super) instance: InstanceArgs,
    #[command(flatten)]
    pub(super) seats: SeatArgs,
    /// Seed of the episodes
    #[arg(long, default_value_t = 0, value_parser = whole)]
    pub(super) seed: u64,
}

impl GameArgs {
    /// The request for `episodes` of this game, or for as many as are usual, in which `agent` decides.
    ///
    /// # Errors
    /// When a seat is named twice, or an option has no model.
    pub(super) fn request(
        &self,
        agent: &str,
        episodes: Option<u64>,
    ) -> Result<RunRequest, RunError> {
        Ok(RunRequest {
            environment: self.environment.clone().unwrap_or_default(),
            seats: self.seats.request()?,
            preset: self.config.preset.clone(),
            settings: self.config.settings.clone(),
            suite: self.instance.suite.clone(),
            instance: self.instance.instance.clone(),
            agent: agent.to_owned(),
            episodes,
            seed: Seed(self.seed),
            // Nobody at a game should wait for a search.
            effort: Effort::Quick,
            ..RunRequest::default()
        })
    }
}

/// The folder at `path`, if one is named, for games of `plan`: that of an earlier process, or a new one with the guard
/// that removes it if the work in it cannot begin.
///
/// # Errors
/// When it holds other games, or cannot be made.
pub(super) fn folder(
    path: Option<&Path>,
    plan: &Plan,
) -> Result<(Option<Folder>, Option<RunDirGuard>), RunError> {
    let Some(path) = path else {
        return Ok((None, None));
    };
    if let Some(folder) = Folder::reopen(path, plan)? {
        return Ok((Some(folder), None));
    }
    // Before the folder is made: only what this process makes is removed.
    let fresh = RunDirGuard::before(Some(path));
    Ok((Some(Folder::create(path, plan.clone())?), fresh))
}

// `GameOf` is public because `Command`, of which it is a part, is; in a module of its own its stages and fields are not.
/// Games with the options of `play`, `serve` and `classroom`.
mod offered {
    use super::GameArgs;
    use crate::cli::Console;
    use crate::cli::args::Heat;
    use crate::cli::consulting::InterviewArgs;
    use crate::cli::qa::QuestionArgs;
    use clap::{Arg, Args, Subcommand};
    use run_engine::error::RunError;
    use run_engine::plan::RunRequest;
    use serde_json::Value;

    /// An option of `run` as these commands show it. Beside clients and people `--seat` takes a policy only (a class
    /// names its models with `--model` and `--bot`), so the options of models at seats are not shown. Those that name
    /// an agent are read all the same, and the plan says why it refuses a model.
    fn beside_clients(option: Arg) -> Arg {
        match option.get_id().as_str() {
            "seats" => option.value_name("SEAT=POLICY").help(
                "Let a policy play a seat, such as brewery=sterman (repeatable); clients or people play the others",
            ),
            "seat_set" => option
                .hide(true)
                .value_parser(for_models::<(String, Value)>),
            "judge_temperature" => option.hide(true).value_parser(for_models::<Heat>),
            "interviewer" | "judge" | "judges" => option.hide(true),
            _ => option,
        }
    }

    /// Refuses an option of a model at a seat.
    fn for_models<T>(_: &str) -> Result<T, &'static str> {
        Err(
            "this option is for models; beside people and clients, only policies can take a --seat \
             (`boardroom run` seats models)",
        )
    }

    /// The game of a command that clients or people play, and the options `O` of the command. Environments with
    /// options of their own have those of `run`.
    // The options `O` stand in each stage: what follows the word `qa` is read as options of the stage alone.
    #[derive(Debug, Args)]
    #[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
    #[command(mut_args(beside_clients))]
    pub struct GameOf<O: Args> {
        #[command(subcommand)]
        stage: Option<Stage<O>>,
        #[command(flatten)]
        game: GameArgs,
        #[command(flatten)]
        options: O,
    }

    /// Environments with options of their own.
    #[derive(Debug, Subcommand)]
    enum Stage<O: Args> {
        /// Questions of the data sets
        Qa(Box<QuestionGame<O>>),
        /// Consulting interviews
        Consulting(Box<InterviewGame<O>>),
    }

    /// The questions of a command.
    #[derive(Debug, Args)]
    #[command(mut_args(beside_clients))]
    struct QuestionGame<O: Args> {
        #[command(flatten)]
        questions: QuestionArgs,
        #[command(flatten)]
        options: O,
    }

    /// The interviews of a command.
    #[derive(Debug, Args)]
    #[command(mut_args(beside_clients))]
    struct InterviewGame<O: Args> {
        #[command(flatten)]
        interviews: InterviewArgs,
        #[command(flatten)]
        options: O,
    }

    impl<O: Args> GameOf<O> {
        /// The options of the command.
        pub(in crate::cli) fn options(&self) -> &O {
            match &self.stage {
                None => &self.options,
                Some(Stage::Qa(game)) => &game.options,
                Some(Stage::Consulting(game)) => &game.options,
            }
        }

        /// The request for `episodes` of the game, in which `agent` decides; without a number for each instance of a
        /// list, or else for `most`.
        ///
        /// # Errors
        /// Names what does not exist or does not fit.
        pub(in crate::cli) fn request(
            &self,
            agent: &str,
            episodes: Option<u64>,
            most: u64,
            console: &mut Console<'_>,
        ) -> Result<RunRequest, RunError> {
            let request = match &self.stage {
                None => return self.game.request(agent, episodes.or(Some(most))),
                Some(Stage::Qa(game)) => game.questions.request(console)?.0,
                Some(Stage::Consulting(game)) => game.interviews.request(console.registry)?,
            };
            let drawn = request.list.is_none().then_some(most);
            Ok(RunRequest {
                agent: agent.to_owned(),
                episodes: episodes.or(drawn),
                ..request
            })
        }
    }
}
