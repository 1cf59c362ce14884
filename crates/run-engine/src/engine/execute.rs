//! Plays episodes on all cores and writes their records.

use crate::clock::Stopwatch;
use crate::engine::drive::{Drive, Driven, UnitOutcome, drive, on_all_cores};
use crate::engine::episode::{EpisodeRunner, ScriptUse};
use crate::engine::finished::Finished;
use crate::engine::live::EpisodesSoFar;
use crate::engine::summary::{Collected, Kept, MetricNames, RowReference, observations};
use crate::error::RunError;
use crate::files::Jsonl;
use crate::plan::Plan;
use crate::plan::agent::{AgentSpec, OWN, is_served};
use crate::plan::cast::policy_name;
use crate::plan::model::RunBudget;
use crate::plan::script::Script;
use crate::plan::source::InstanceSource;
use crate::registry::Registry;
use crate::run_dir::{Folder, REFERENCES};
use crate::secrets;
use crate::terminal::{shown_name, shown_path};
use crate::words::counted;
use serde_json::Value;
use sim_core::scrub::CleanLine;
use sim_core::{
    Digest, DynEnvironmentSpec, DynInstance, Entry, EpisodeRecord, Input, ToolEnvironment,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time between two syncs of the record file in a run without models; what was lost in between is
/// played again.
const SYNC_EVERY: Duration = Duration::from_millis(100);

/// How a run is played, shown and stopped.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions<'a> {
    /// Concurrency and cost limits of its models.
    pub means: &'a RunBudget,
    /// Whether each step with action and feedback is kept.
    pub steps: bool,
    /// Whether a progress bar is drawn on a terminal.
    pub progress: bool,
    /// Set from outside to stop after the episodes that are being played.
    pub stop: &'a AtomicBool,
}

/// Plays all episodes of `plan` that `folder` does not hold yet, and sums up all of them.
///
/// # Errors
/// When the plan cannot be run or the folder cannot be read or written. Failed episodes are not an
/// error: they are listed in the returned value.
pub fn execute(
    registry: &Registry,
    plan: &Plan,
    folder: Option<&Folder>,
    options: RunOptions<'_>,
) -> Result<Finished, RunError> {
    let kind = registry.kind(&plan.environment)?;
    let source = InstanceSource::of(kind, plan)?;
    let table = EpisodeRunner::new(plan, &source)?;
    if let AgentSpec::Own { name, .. } = &table.agent {
        return Err(RunError::usage(format!(
            "`{}` is an agent of another program: only that program can begin or continue its runs",
            sim_core::error::clip(name)
        )));
    }
    play_all(&table, folder, options)
}

/// Plays all episodes of the plan of `table` that `folder` does not hold yet, and sums up all of them.
///
/// # Errors
/// As for [`execute`].
pub(crate) fn play_all(
    table: &EpisodeRunner<'_>,
    folder: Option<&Folder>,
    options: RunOptions<'_>,
) -> Result<Finished, RunError> {
    let plan = table.plan;
    // Read before anything is written: a folder that holds records of another run is refused and
    // stays as it was.
    let (mut records, done) = Records::open(table, folder, SYNC_EVERY)?;
    let references = table.references(folder)?;
    let indices: Vec<u64> = plan.indices().collect();
    records.begin(indices.iter().any(|index| !done.contains_key(index)))?;
    let so_far = EpisodesSoFar::default();
    let how = Drive {
        asked: indices.len() as u64,
        status: Some(&so_far),
        progress: options.progress,
        stop: options.stop,
        out: folder.map(Folder::path),
    };
    let has_figures = records.has_figures();
    // Neither a file, nor the steps, nor figures need a log, and playing without one takes a small
    // part of the time.
    let keeps_scores_alone = folder.is_none() && !options.steps && !has_figures;
    let names = records.names();
    let one = |index: u64| -> Result<Scored, RunError> {
        let case = table.case(index)?;
        // Finished episodes pass through here too: the summary needs their references, and here those are
        // searched on all cores.
        let against = RowReference::new(&*references.of(&*case)?);
        let scored = |kept| Scored {
            line: None,
            kept,
            played: None,
            against,
            steps: Vec::new(),
            script: None,
        };
        if let Some(kept) = done.get(&index) {
            return Ok(scored(kept.clone()));
        }
        if keeps_scores_alone && let Some(played) = table.rollout(&*case, index)? {
            so_far.played(played.periods);
            return Ok(scored(names.keep(
                &played.score,
                played.tally,
                Some(played.refused),
            )));
        }
        let played = table.play(&*case, index, options.steps)?;
        let record = played.record;
        so_far.played(periods(&record.entries));
        Ok(Scored {
            // Serialised here, by the thread that played, because the writer is one thread for all of them.
            line: folder.map(|_| record_line(&record)).transpose()?,
            steps: played.steps,
            script: played.script,
            // Played again for its environment, which `play` has turned into the record.
            played: has_figures
                .then(|| Ok::<_, RunError>(keep(&names, &record, &*case)?.1))
                .transpose()?,
            ..scored(names.keep(&record.score, record.tally(), Some(played.refused)))
        })
    };
    let work = |index| match one(index) {
        Ok(scored) => UnitOutcome::Done(scored),
        // One attempt: an episode draws from its own seed, so a second one would end in the same
        // way.
        Err(e) => UnitOutcome::failed(e.to_string(), 1),
    };
    let script = match &table.agent {
        AgentSpec::Script { script, .. } => Some(script),
        _ => None,
    };
    let (mut steps, mut uses) = (Vec::new(), ScriptUses::default());
    let driven = drive(
        &how,
        indices.clone(),
        |handle| {
            on_all_cores(&handle, options.stop, &indices, work);
            Ok(())
        },
        |index, scored| {
            // Written before it is counted: the summary must not hold an episode whose record is missing.
            if let Some(line) = &scored.line {
                records.write(index, line)?;
            }
            so_far.scored(&scored.kept);
            records.count(index, scored.kept, scored.played, scored.against);
            steps.extend(scored.steps);
            if let (Some(script), Some(one)) = (script, scored.script) {
                uses.add(index, one, script.len());
            }
            Ok(())
        },
    )?;
    let mut finished = records.conclude(driven, &how, table)?;
    finished.steps = steps;
    let remarks = script.map_or_else(Vec::new, |script| uses.notes(script));
    finished.notes.extend(remarks);
    Ok(finished)
}

/// The agent of a seat that does nothing.
const NOBODY: &str = "none";

/// Who plays the seats that are not under test, with what is said of those that are policies: marks by rules are no
/// published metric.
fn note_of_others(
    kind: &dyn DynEnvironmentSpec,
    plan: &Plan,
    source: &InstanceSource<'_>,
) -> Option<String> {
    let others = plan.cast_aside(kind);
    if others.is_empty() {
        return None;
    }
    // The first episode of this shard says which seats there are. Its error is dropped, because it
    // is also that of the episode.
    let seats = source.case(plan.shard.index).ok()?.open().ok()?.seats();
    let is_there = |name: &str| seats.iter().any(|seat| seat.name() == name);
    let mut words = Vec::new();
    let mut about = BTreeSet::new();
    for (seat, agent) in others.iter().filter(|(seat, _)| is_there(seat)) {
        if agent != NOBODY {
            words.push(format!("{seat} {}", shown_name(agent)));
        }
        let policies = kind.policy_list().into_iter();
        let policy = policies.filter(|policy| policy.name == *agent && agent != NOBODY);
        about.extend(policy.map(|policy| policy.about));
    }
    let words = (!words.is_empty()).then(|| words.join(", "))?;
    let about: Vec<String> = about.iter().map(|about| format!(" ({about})")).collect();
    Some(words + &about.concat())
}

/// Whether neither the instances nor the agent draw any lots: then there is nothing to estimate.
#[must_use]
pub fn is_deterministic(
    kind: &dyn DynEnvironmentSpec,
    plan: &Plan,
    source: &InstanceSource<'_>,
) -> bool {
    // Only a policy and a script are known to play the same twice.
    if plan.asks_models() || plan.agent == "human" || is_served(&plan.agent) {
        return false;
    }
    let draws = |agent: &str| {
        let name = policy_name(agent);
        let mut policies = kind.policy_list().into_iter();
        // Nobody here knows whether an agent of another program draws, so it counts as one that
        // does.
        name == OWN || policies.any(|p| p.random && p.name == name)
    };
    source.distinct().is_some() && !plan.agents().any(draws)
}

/// What is kept of `record`, and its environment at the end. It is played again on `case` for the refusals: a record
/// does not hold the replies.
///
/// # Errors
/// When the instance cannot be opened.
pub(crate) fn keep(
    names: &MetricNames,
    record: &EpisodeRecord,
    case: &dyn DynInstance,
) -> Result<(Kept, Box<dyn ToolEnvironment>), RunError> {
    let mut env = case.open()?;
    let (mut refused, mut has_actions) = (0, false);
    for entry in &record.entries {
        let reply = env.apply(&entry.input);
        refused += u64::from(reply.is_rejected());
        // A forfeit comes from the harness and a getter decides nothing, so neither is an action of
        // the agent.
        has_actions |= entry.input != Input::Forfeit && reply.action().is_some();
    }
    let kept = names.keep(&record.score, record.tally(), Some(refused));
    Ok((kept.with_actions(has_actions), env))
}

/// Number of periods that an episode with these entries has reached.
pub(crate) fn periods(entries: &[Entry]) -> u64 {
    let last = entries.last();
    last.map_or(0, |entry| u64::from(entry.period) + 1)
}

/// The finished episodes, by number.
pub(crate) type Scores = BTreeMap<u64, Kept>;

/// A finished episode: its number, what is kept of it, and its environment where figures need it.
type Finish = (u64, Kept, Option<Box<dyn ToolEnvironment>>);

/// The finished episodes of a folder, in the order of the file; refuses records of another run.
fn finished(
    table: &EpisodeRunner<'_>,
    folder: &Folder,
    collected: &Collected,
) -> Result<Vec<Finish>, RunError> {
    let (names, has_figures) = (collected.names(), collected.has_figures());
    let plan = table.plan;
    let see = |record: EpisodeRecord| {
        let index = record.header.episode;
        // The whole header is compared, with the digests of instance and settings: a record of another version
        // or agent would otherwise silently become part of this run.
        let foreign = || {
            RunError::usage(format!(
                "the record of episode {index} belongs to another run than the manifest"
            ))
        };
        if !plan.holds(index) {
            return Err(foreign());
        }
        let case = table.case(index)?;
        if record.header != table.header(&*case, index) {
            return Err(foreign());
        }
        let (kept, played) = keep(&names, &record, &*case)?;
        Ok((index, kept, has_figures.then_some(played)))
    };
    Ok(folder.scan(see)?.results)
}

/// An episode that was played, or kept before; then it has no line.
struct Scored {
    line: Option<CleanLine>,
    kept: Kept,
    /// Its environment at the end, where figures need it and it was played now.
    played: Option<Box<dyn ToolEnvironment>>,
    against: RowReference,
    steps: Vec<Value>,
    /// What the game took of the script, where a script played it now.
    script: Option<ScriptUse>,
}

/// What the games of a run took of their script.
#[derive(Default)]
struct ScriptUses {
    episodes: u64,
    /// Games that ended before the last input, and the fewest inputs that one of them took.
    shorter: u64,
    least: Option<usize>,
    /// Games that refused an input.
    refusing: u64,
    /// The first input that was refused, with the game and the reason. Games come in any order; of those that
    /// refused the same input, the first one is kept, so that the remark is the same in every run.
    first_refused: Option<(usize, u64, String)>,
}

impl ScriptUses {
    fn add(&mut self, index: u64, one: ScriptUse, inputs: usize) {
        self.episodes += 1;
        if one.used < inputs {
            self.shorter += 1;
            self.least = Some(self.least.map_or(one.used, |least| least.min(one.used)));
        }
        if let Some((input, message)) = one.first_refused {
            self.refusing += 1;
            let is_first = |(i, episode, _): &(usize, u64, String)| (*i, *episode) > (input, index);
            if self.first_refused.as_ref().is_none_or(is_first) {
                self.first_refused = Some((input, index, message));
            }
        }
    }

    /// The remarks on inputs that were refused, and on a script that was longer than the games. The records are
    /// complete, so these are not errors.
    fn notes(&self, script: &Script) -> Vec<String> {
        let of_all = |n: u64| format!("{n} of {}", counted(self.episodes, "episode"));
        let mut notes = Vec::new();
        if let Some((input, _, message)) = &self.first_refused
            && let Some(line) = script.line(*input)
        {
            notes.push(format!(
                "inputs of the script were refused in {}; the first stands in line {line}: {}",
                of_all(self.refusing),
                secrets::scrub().text(message)
            ));
        }
        if let Some(line) = self.least.and_then(|least| script.line(least)) {
            notes.push(format!(
                "the script is longer than the game: {} ended before its last input; line {line} holds the first \
                 input that was not used",
                of_all(self.shorter)
            ));
        }
        notes
    }
}

/// A record as a line without keys.
pub(crate) fn record_line(record: &EpisodeRecord) -> Result<CleanLine, RunError> {
    let line = serde_json::to_string(record).map_err(RunError::failed)?;
    Ok(secrets::scrub().clean_line(line))
}

/// The records of a run of episodes: in its folder, if it has one, and in its summary.
pub(crate) struct Records<'a> {
    folder: Option<&'a Folder>,
    file: Option<Jsonl>,
    /// Time between two syncs of the file, and since the last one.
    sync: (Duration, Stopwatch),
    watch: Stopwatch,
    /// Numbers of the episodes in the order of the file.
    stands: Vec<u64>,
    collected: Collected,
}

impl<'a> Records<'a> {
    /// The records in `folder`, with score and tally of each episode that has one.
    ///
    /// # Errors
    /// When the folder cannot be read, or holds records of another run.
    pub(crate) fn open(
        table: &EpisodeRunner<'_>,
        folder: Option<&'a Folder>,
        sync_every: Duration,
    ) -> Result<(Self, Scores), RunError> {
        let watch = Stopwatch::start();
        let mut collected = Collected::new(table.source.kind());
        let (mut scores, mut stands) = (Scores::new(), Vec::new());
        if let Some(folder) = folder {
            for (index, kept, played) in finished(table, folder, &collected)? {
                stands.push(index);
                if let Some(played) = played {
                    collected.add_played(index, played);
                }
                if scores.insert(index, kept).is_some() {
                    return Err(RunError::usage(format!(
                        "there are two records of episode {index} in {}; remove one of the two lines",
                        shown_path(folder.path())
                    )));
                }
            }
        }
        let records = Self {
            folder,
            file: None,
            sync: (sync_every, watch),
            watch,
            stands,
            collected,
        };
        Ok((records, scores))
    }

    /// Opens the record file for appending, if there is a folder and anything is left to do (`is_needed`).
    /// A truncated last line is moved out of the file in any case; otherwise nothing changes.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(crate) fn begin(&mut self, is_needed: bool) -> Result<(), RunError> {
        let Some(folder) = self.folder else {
            return Ok(());
        };
        if is_needed {
            // A search may append to this file too, and the caller names every line that was moved.
            folder.set_torn_aside(REFERENCES)?;
            self.file = Some(folder.appender()?);
            return Ok(());
        }
        folder.set_torn_aside(Plan::RECORDS)
    }

    /// Appends the record of episode `index` to the file, if there is one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write(&mut self, index: u64, line: &CleanLine) -> Result<(), RunError> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        file.line(line)?;
        self.stands.push(index);
        // A sync takes longer than many episodes of a policy. What a crash loses between two of them is played
        // again from its seed; replies of models are paid for, so their runs sync after every record.
        if self.sync.1.elapsed() >= self.sync.0 {
            file.sync()?;
            self.sync.1 = Stopwatch::start();
        }
        Ok(())
    }

    /// The names of metrics that the episodes share.
    pub(crate) fn names(&self) -> Arc<MetricNames> {
        self.collected.names()
    }

    /// Whether the environment has figures of its own, which need the environments of finished episodes.
    pub(crate) fn has_figures(&self) -> bool {
        self.collected.has_figures()
    }

    /// Adds episode `index` to the summary, with its environment at the end where figures need it.
    pub(crate) fn count(
        &mut self,
        index: u64,
        kept: Kept,
        played: Option<Box<dyn ToolEnvironment>>,
        against: RowReference,
    ) {
        self.collected.add(index, kept, against);
        if let Some(played) = played.filter(|_| self.has_figures()) {
            self.collected.add_played(index, played);
        }
    }

    /// Brings everything to the disk, puts the records in order and sums up.
    ///
    /// # Errors
    /// When a file cannot be written, or the budget is exhausted.
    pub(crate) fn conclude(
        mut self,
        driven: Driven,
        how: &Drive<'_>,
        table: &EpisodeRunner<'_>,
    ) -> Result<Finished, RunError> {
        let (plan, source) = (table.plan, table.source);
        if let Some(folder) = self.folder {
            self.file.as_mut().map_or(Ok(()), Jsonl::sync)?;
            folder.write_errors(&driven.errors())?;
            // A resumed run appends what was missing at the end; sorting once makes its file equal to that of a
            // run that was never interrupted.
            folder.put_in_order(&self.stands, &plan.in_order())?;
            // A folder that was moved or deleted during the run takes all writes without an error on Unix.
            folder.check_still_there()?;
        }
        // Last of all, because an exhausted budget is an error: by now everything that was paid for
        // is in the files.
        let unplayed = driven.left(how)?;
        let idle = self.collected.idle_note();
        let kind = source.kind();
        // Where the agent makes no random choices, a list of instances leaves nothing to chance.
        let observed = (!is_deterministic(kind, plan, source)).then(|| {
            let listed = source.listed_digests();
            let met = self.collected.indices().map(|index| {
                // Streams play the same episodes under further numbers; the attempt is what they
                // share. `max` and `checked_rem` because a plan may have no episodes and a run no
                // list.
                let attempt = index % plan.episodes.max(1);
                let place = attempt.checked_rem(listed.len() as u64);
                let place = place.and_then(|place| usize::try_from(place).ok());
                let instance = place.and_then(|place| listed.get(place).copied());
                // Draws are told apart by their numbers alone.
                (instance.unwrap_or(Digest([0; 32])), (plan.seed.0, attempt))
            });
            // Not settled: an agent that always plays the same on a list has no interval here, as it leaves nothing to
            // chance. `compare`, which asks whether agents differ on further instances, counts its instances.
            observations(&met.collect::<Vec<_>>(), listed.len(), false)
        });
        let mut summary = self.collected.summarise(kind, plan, observed.as_deref());
        summary.notes.extend(note_of_others(kind, plan, source));
        // Set here and not in `summarise`, which knows only the episodes that have scores.
        summary.failed = driven.failures.len() as u64;
        summary.count_failures(driven.failures.values());
        summary.seconds = self.watch.elapsed().as_secs_f64();
        summary.out = how.out.map(|dir| dir.to_string_lossy().into_owned());
        let failures = driven.failures.into_iter();
        let failures =
            failures.map(|(index, failure)| (format!("{} {index}", Plan::UNIT), failure.error));
        Ok(Finished {
            summary,
            steps: Vec::new(),
            failures: failures.collect(),
            unplayed,
            notes: idle.into_iter().collect(),
        })
    }
}
