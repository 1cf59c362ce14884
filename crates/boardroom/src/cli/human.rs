//! `play`.

use super::Console;
use super::game::{GameOf, folder};
use crate::play::{Played, Screen, play as play_session, score_text};
use clap::Args;
use run_engine::engine::episode::EpisodeRunner;
use run_engine::engine::others::Others;
use run_engine::error::RunError;
use run_engine::interrupt::LastWords;
use run_engine::plan::source::InstanceSource;
use run_engine::plan::{Plan, RunRequest};
use run_engine::run_dir::Folder;
use run_engine::run_dir::fresh::RunDirGuard;
use run_engine::run_dir::progress::Progress;
use run_engine::secrets;
use run_engine::terminal;
use run_engine::terminal::{shell_word, shown_path};
use run_report::picture::main_plot;
use sim_core::{Effort, Limits, Session};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

/// Printed when a game was played without `--out`.
const NOT_KEPT: &str = "the game was not saved (no --out)";

/// Arguments of `play`.
pub type PlayArgs = GameOf<PlayOptions>;

/// Options of `play` besides the game.
#[derive(Debug, Args)]
pub struct PlayOptions {
    /// Run folder; with the folder of an unfinished game, that game continues
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn play(game: &PlayArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let out = game.options().out.as_deref();
    let wanted = RunRequest {
        // A person may make any number of queries before a decision.
        limits: Limits {
            tries_per_period: 1_000,
            ..Limits::default()
        },
        ..game.request("human", Some(1), 1, console)?
    };
    let plan = Plan::new(console.registry, wanted)?;
    if plan.agent != "human" {
        return Err(RunError::usage(
            "every seat has an agent of its own, so none is left for you; leave out one --seat",
        ));
    }
    let (folder, fresh) = folder(out, &plan)?;
    if let (Some(path), Some(folder)) = (out, &folder)
        && folder.records()? > 0
    {
        return Err(RunError::usage(format!(
            "the game in {} is over; name another folder",
            shown_path(path)
        )));
    }
    let came = sit(out, &plan, folder.as_ref(), console);
    RunDirGuard::settle(fresh, came)
}

/// Plays the game of `plan`, or the rest of it.
fn sit(
    out: Option<&Path>,
    plan: &Plan,
    folder: Option<&Folder>,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let spec = console.registry.kind(&plan.environment)?;
    let source = InstanceSource::of(spec, plan)?;
    let runner = EpisodeRunner::new(plan, &source)?;
    let case = runner.case(0)?;
    let header = runner.header(&*case, 0);
    let mut kept = None;
    let session = match folder {
        Some(folder) => {
            let (mut progress, entries) = Progress::open(folder.path(), 0, 0)?;
            let session = Session::continue_from(case.open()?, header, plan.limits, entries)
                .map_err(|e| RunError::usage(format!("the stored game does not replay: {e}")))?;
            progress.take_over(&session)?;
            kept = Some(progress);
            session
        }
        None => Session::new(case.open()?, header, plan.limits),
    };
    let mut others = Others::after(plan, spec, (0, &*case), session.entries())?;
    // A game that was stopped after its last decision and before its record was written is over
    // at once: it only gets its record.
    let screen = Screen {
        // In a file or a pipe the escapes would be characters among the text.
        clear: std::io::stdout().is_terminal(),
        width: terminal::width(),
    };
    let played = {
        let mut lines = std::io::stdin().lock();
        let _words = LastWords::new(how_to_go_on(out));
        play_session(
            session,
            &mut others,
            kept.as_mut(),
            screen,
            &mut lines,
            console.out,
        )?
    };
    let Played::Finished { session, told } = played else {
        return Err(RunError::Left(how_to_go_on(out)));
    };
    let nothing_kept = folder.is_none();
    let score = score_text(&session, spec.unit())?;
    // Write to the disk before printing, so that no record is lost when the reader of the output
    // has closed the pipe.
    let record = session.finish().map_err(RunError::failed)?;
    if let (Some(folder), Some(progress)) = (folder, kept) {
        // The record before the log goes: a log that stays does no harm, but a game that is in
        // neither is lost.
        let mut appender = folder.appender()?;
        let line = serde_json::to_string(&record).map_err(RunError::failed)?;
        appender.line(&secrets::scrub().clean_line(line))?;
        appender.sync()?;
        progress.done()?;
    }
    console.print(&told)?;
    console.print(&score)?;
    console.print(&main_plot(&*case, &record)?)?;
    let reference = case.reference(Effort::Quick);
    if let Some(value) = reference.value() {
        let status = match reference.status {
            sim_core::Status::Proven => "the proven optimum",
            sim_core::Status::Bound => "no play can beat",
            _ => "the best known",
        };
        console.print(&format!(
            "{status} is {}\n",
            run_engine::words::number(value)
        ))?;
    }
    if nothing_kept {
        console.remark(&format!("{NOT_KEPT}\n"))?;
    }
    Ok(())
}

/// The message about an unfinished game: where it is saved, and that the command of this process continues it.
fn how_to_go_on(out: Option<&Path>) -> String {
    let Some(dir) = out else {
        return NOT_KEPT.to_owned();
    };
    // The words of this process, because nothing else repeats all options of the game.
    let words = std::env::args_os().skip(1);
    let words: Vec<String> = words
        .map(|word| shell_word(&word.to_string_lossy()))
        .collect();
    format!(
        "the game is saved in {}; `boardroom {}` continues it",
        shown_path(dir),
        words.join(" ")
    )
}
