//! The driver: starts workers, watches them, and keeps what fails.

use crate::limits::{SECONDS, processor_time, takes_more};
use crate::report::{Failure, Tally};
use crate::shrink::{shrink, signature};
use crate::sizes;
use crate::target::Target;
use crate::watch::Watch;
use crate::work::{Job, note_panics};
use anyhow::{Context as _, Result};
use sim_core::{Digest, Seed};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often a silent worker is looked at.
// Lines of a worker are read as they come, so this only bounds how late a hang is noticed.
const TICK: Duration = Duration::from_millis(250);

/// Time that a target may take to open (seconds).
// Far above the limit of an input: some targets play whole runs to make their seeds.
const OPENING: f64 = 300.0;

/// Crashes after which a target is left alone: each costs a start.
const MOST_CRASHES: u64 = 40;

/// Time for making one input smaller (seconds).
const SHRINKING: f64 = 20.0;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The targets.
    pub targets: Vec<&'static Target>,
    /// Seed of the mutations.
    pub seed: u64,
    /// Worker processes at a time.
    pub workers: u32,
    /// How long, for all targets together (seconds).
    pub seconds: f64,
    /// Whether elements are repeated instead of inputs mutated, see [`sizes`].
    pub sizes: bool,
    /// Folder for the inputs that fail and for the workers.
    pub folder: PathBuf,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// What became of the inputs, by target.
    pub tallies: BTreeMap<&'static str, Tally>,
    /// The ways to fail.
    pub failures: Vec<Failure>,
}

/// What a worker said.
enum Said {
    Line(String),
    /// Its end, with its last words.
    End(String),
}

/// Plays all targets for their share of the time.
///
/// # Errors
/// When a worker cannot be started or a target cannot be opened.
pub fn drive(wanted: &Wanted) -> Result<Found> {
    let weights: u32 = wanted.targets.iter().map(|target| target.weight).sum();
    let all = wanted.seconds * f64::from(wanted.workers);
    let found = Mutex::new(Found::default());
    // One queue, not a fixed part of the targets for each worker: a target that ends early, after
    // too many crashes, leaves its worker free for the next one.
    let next = Mutex::new(wanted.targets.iter());
    let ended: Vec<Result<()>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..wanted.workers.max(1))
            .map(|number| {
                let (found, next) = (&found, &next);
                scope.spawn(move || -> Result<()> {
                    loop {
                        let target = next.lock().unwrap_or_else(PoisonError::into_inner).next();
                        let Some(target) = target else {
                            return Ok(());
                        };
                        let share = f64::from(target.weight) / f64::from(weights.max(1));
                        let work = Place {
                            target,
                            seed: wanted.seed,
                            folder: &wanted.folder,
                            number,
                        };
                        if let Err(error) = work.through(all * share, wanted.sizes, found) {
                            // The other targets are still played.
                            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                            found.failures.push(Failure {
                                target: target.name,
                                case: None,
                                why: format!("{error:#}"),
                                count: 1,
                                kept: "none".to_owned(),
                            });
                        }
                    }
                })
            })
            .collect();
        let joined = threads.into_iter().map(|thread| {
            let crashed = |_| Err(anyhow::anyhow!("the driver crashed"));
            thread.join().unwrap_or_else(crashed)
        });
        joined.collect()
    });
    ended.into_iter().collect::<Result<()>>()?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Plays single inputs, each in a process of its own.
///
/// # Errors
/// When a worker cannot be started.
pub fn play_files(target: &'static Target, files: &[PathBuf], folder: &Path) -> Result<Found> {
    let job = |file| {
        Ok(Job {
            from: 0,
            seconds: f64::MAX,
            most: 1,
            sizes: false,
            file: Some(std::path::absolute(file)?),
        })
    };
    let jobs: Result<Vec<Job>> = files.iter().map(job).collect();
    Place::alone(target, 0, folder).jobs(&jobs?)
}

/// Plays one case again, in a process of its own.
///
/// # Errors
/// When a worker cannot be started.
pub fn play_case(
    target: &'static Target,
    seed: u64,
    case: u64,
    sizes: bool,
    folder: &Path,
) -> Result<Found> {
    let job = Job {
        from: case,
        seconds: f64::MAX,
        most: 1,
        sizes,
        file: None,
    };
    Place::alone(target, seed, folder).jobs(&[job])
}

/// The input of a case, made in a process of its own.
///
/// # Errors
/// When the process cannot be started, or the target cannot be opened there.
pub fn input_of(target: &'static Target, seed: u64, case: u64, folder: &Path) -> Result<Vec<u8>> {
    let file = folder.join("case");
    // One of an earlier case would be taken for this one.
    let _ = std::fs::remove_file(&file);
    keep_apart(&Place::alone(target, seed, folder), case, false, &file)?;
    std::fs::read(&file).with_context(|| format!("target `{}` does not open", target.name))
}

/// Where and for what a worker works.
struct Place<'a> {
    target: &'static Target,
    seed: u64,
    folder: &'a Path,
    number: u32,
}

/// How a worker ended.
struct Ended {
    /// The case after the last one that was begun.
    next: u64,
    /// Number of cases that are played however long they take.
    round: u64,
    /// Whether it crashed or was killed.
    crashed: bool,
}

impl<'a> Place<'a> {
    /// The place of the only worker.
    fn alone(target: &'static Target, seed: u64, folder: &'a Path) -> Self {
        Self {
            target,
            seed,
            folder,
            number: 0,
        }
    }

    /// Plays jobs, one after the other.
    fn jobs(&self, jobs: &[Job]) -> Result<Found> {
        let found = Mutex::new(Found::default());
        for job in jobs {
            self.job(job, &found)?;
        }
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Plays the target for so many seconds.
    fn through(&self, seconds: f64, sizes: bool, found: &Mutex<Found>) -> Result<()> {
        let watch = Watch::start();
        let (mut from, mut crashes, mut round) = (0, 0, 0);
        while (watch.seconds() < seconds || from < round) && crashes < MOST_CRASHES {
            let job = Job {
                from,
                // After it a round is still played to its end.
                seconds: (seconds - watch.seconds()).max(0.0),
                most: u64::MAX,
                sizes,
                file: None,
            };
            let ended = self.job(&job, found)?;
            crashes += u64::from(ended.crashed);
            // A worker that begins no case leaves out the rest of the round.
            // Otherwise the loop would start workers for ever: those that are left out begin no
            // case, and `from` stays where it is.
            let is_over = !ended.crashed && ended.next == from;
            round = ended.round;
            from = if is_over {
                ended.next.max(round)
            } else {
                ended.next
            };
        }
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.tallies.entry(self.target.name).or_default().seconds += watch.seconds();
        Ok(())
    }

    /// Starts a worker on a job and watches it to its end.
    fn job(&self, job: &Job, found: &Mutex<Found>) -> Result<Ended> {
        let (mut child, said) = self.start(job)?;
        let mut watched = Watched {
            place: self,
            job,
            found,
            running: None,
            shorter: None,
            opened: false,
            round: 0,
            next: job.from,
        };
        let since = Watch::start();
        let crashed = loop {
            match said.recv_timeout(TICK) {
                Ok(Said::Line(line)) if line == "done" => {
                    let _ = child.wait();
                    break false;
                }
                Ok(Said::Line(line)) => watched.line(&line, child.id())?,
                // The output ended without `done`. That is a crash, unless nothing was heard
                // before: then the target cannot make its seeds, which is a fault of the test.
                Ok(Said::End(last)) => {
                    let status = child.wait()?;
                    anyhow::ensure!(
                        watched.opened,
                        "target `{}` does not open ({status}): {last}",
                        self.target.name
                    );
                    watched.failed(&format!("the process ended ({status}): {last}"))?;
                    break true;
                }
                Err(RecvTimeoutError::Timeout) => {
                    let hung = watched.hangs(child.id());
                    let slow = !watched.opened && takes_more(since, 0.0, child.id(), OPENING);
                    if hung || slow {
                        let _ = child.kill();
                        let _ = child.wait();
                        anyhow::ensure!(!slow, "target `{}` does not open", self.target.name);
                        let most = watched.most_seconds();
                        watched.failed(&format!("hang: more than {most} s"))?;
                        break true;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break true,
            }
        };
        Ok(Ended {
            next: watched.next,
            round: watched.round,
            crashed,
        })
    }

    /// A worker process, with what it says.
    fn start(&self, job: &Job) -> Result<(Child, Receiver<Said>)> {
        let own = std::env::current_exe().context("this program")?;
        let dir = self.dir();
        std::fs::create_dir_all(&dir).with_context(|| dir.display().to_string())?;
        let mut command = Command::new(own);
        command
            .args(["work", self.target.name])
            .args(["--seed", &self.seed.to_string()]);
        match &job.file {
            Some(file) => {
                command.arg("--file").arg(file);
            }
            None => {
                command.args(["--from", &job.from.to_string()]);
                command.args(["--seconds", &job.seconds.to_string()]);
                command.args(["--most", &job.most.to_string()]);
                if job.sizes {
                    command.arg("--sizes");
                }
            }
        }
        let mut child = command
            .current_dir(&dir)
            // An input may name a model; nobody is to be asked.
            .env("OPENAI_BASE_URL", "off:")
            .env("ANTHROPIC_BASE_URL", "off:")
            .env_remove("OPENAI_API_KEY")
            .env_remove("ANTHROPIC_API_KEY")
            .env("MALLOC_ARENA_MAX", "2")
            // Its last words are kept, and a long trace would be most of them.
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("a worker cannot be started")?;
        let (say, said) = channel();
        let out = child.stdout.take().context("the worker's output")?;
        let err = child.stderr.take().context("the worker's errors")?;
        std::thread::spawn(move || {
            // Beside the output, not after it: a worker that fills the pipe of its errors waits
            // until somebody reads them, and would count as hung.
            let last = std::thread::spawn(move || last_words(err));
            for line in BufReader::new(out).lines() {
                let Ok(line) = line else { break };
                if say.send(Said::Line(line)).is_err() {
                    return;
                }
            }
            // By the same thread as the lines, so that it cannot arrive before one of them.
            let _ = say.send(Said::End(last.join().unwrap_or_default()));
        });
        Ok((child, said))
    }

    fn dir(&self) -> PathBuf {
        let name = format!("work-{}-{}", std::process::id(), self.number);
        self.folder.join(name)
    }
}

/// The end of what a process wrote to its standard error.
fn last_words(mut err: impl std::io::Read) -> String {
    let (mut last, mut piece) = (Vec::new(), [0_u8; 4_096]);
    while let Ok(length @ 1..) = err.read(&mut piece) {
        last.extend_from_slice(piece.get(..length).unwrap_or_default());
        let over = last.len().saturating_sub(1_000);
        last.drain(..over);
    }
    String::from_utf8_lossy(&last).trim().replace('\n', " ")
}

/// An input that is being played.
struct Running {
    case: u64,
    /// What is repeated in it; empty for a mutation.
    what: String,
    since: Watch,
    /// Processor time before it (seconds).
    before: f64,
}

/// A worker that is being watched.
struct Watched<'a> {
    place: &'a Place<'a>,
    job: &'a Job,
    found: &'a Mutex<Found>,
    /// The input that is being played.
    running: Option<Running>,
    /// The case before, of the same element if it is a shorter one, and its time \[microseconds\].
    shorter: Option<(u64, u64)>,
    opened: bool,
    /// Number of cases that are played however long they take.
    round: u64,
    next: u64,
}

impl Watched<'_> {
    fn line(&mut self, line: &str, id: u32) -> Result<()> {
        // Six, because the last part of `end` is the reason, which holds blanks.
        let words: Vec<&str> = line.splitn(6, ' ').collect();
        match words.as_slice() {
            ["round", cases] => {
                self.opened = true;
                self.round = cases.parse().context("a worker's line")?;
            }
            ["begin", case, what @ ..] => {
                let case = case.parse().context("a worker's line")?;
                let before = processor_time(id).unwrap_or(0.0);
                self.opened = true;
                // As soon as the case begins: if it ends the process, the next worker must not play
                // it again.
                self.next = case + 1;
                self.running = Some(Running {
                    case,
                    what: what.concat(),
                    since: Watch::start(),
                    before,
                });
            }
            ["end", case, word, micros, peak, why] => {
                let what = self.running.take().map(|running| running.what);
                let what = what.unwrap_or_default();
                let number = |text: &str| text.parse::<u64>().unwrap_or(0);
                {
                    let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
                    let tally = found.tallies.entry(self.place.target.name).or_default();
                    tally.executions += 1;
                    tally.refused += u64::from(*word == "refused");
                    if *word != "failed" && number(micros) > tally.slowest {
                        (tally.slowest, tally.slowest_case) = (number(micros), number(case));
                    }
                    tally.peak = tally.peak.max(number(peak));
                }
                let (case, micros) = (number(case), number(micros));
                if *word == "failed" {
                    self.keep(case, &named(why, &what))?;
                } else if self.job.sizes {
                    let shorter = self.shorter.replace((case, micros));
                    // Times are compared within one element. The smallest size of the next one
                    // follows the largest of this one.
                    let per_element = sizes::SIZES.len() as u64;
                    let shorter = shorter.filter(|(number, _)| {
                        *number < case && number / per_element == case / per_element
                    });
                    // A size that was left out makes the step larger.
                    let growth = |number: u64| {
                        let steps = u32::try_from(case.saturating_sub(number)).unwrap_or(1);
                        sizes::GROWTH.saturating_pow(steps)
                    };
                    if let Some((number, before)) = shorter
                        && micros > sizes::SHORT.max(before.saturating_mul(growth(number)))
                    {
                        let why = format!("growth: {before} to {micros} microseconds");
                        self.keep(case, &named(&why, &what))?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether the running input takes too long: by its own processor time where the system tells,
    /// since others may keep the machine busy.
    fn hangs(&self, id: u32) -> bool {
        let Some(Running { since, before, .. }) = &self.running else {
            return false;
        };
        takes_more(*since, *before, id, self.most_seconds())
    }

    /// Processor time that the running input may take (seconds).
    fn most_seconds(&self) -> f64 {
        if self.job.sizes {
            sizes::SECONDS
        } else {
            SECONDS
        }
    }

    /// The running input ended its process.
    fn failed(&mut self, why: &str) -> Result<()> {
        let Some(Running { case, what, .. }) = self.running.take() else {
            return Ok(());
        };
        {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            let tally = found.tallies.entry(self.place.target.name).or_default();
            tally.executions += 1;
        }
        self.keep(case, &named(why, &what))
    }

    /// Keeps an input that failed, unless another one failed in the same way.
    fn keep(&self, case: u64, why: &str) -> Result<()> {
        let target = self.place.target;
        let same = signature(why);
        let file = self.job.file.as_ref();
        {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.tallies.entry(target.name).or_default().failed += 1;
            let known = found
                .failures
                .iter_mut()
                .find(|known| known.target == target.name && signature(&known.why) == same);
            if let Some(known) = known {
                known.count += 1;
                return Ok(());
            }
            // Listed before the input is kept, so that the lock is free while a process makes the
            // input smaller: that takes up to 20 s, and the other workers find failures meanwhile.
            found.failures.push(Failure {
                target: target.name,
                case: file.is_none().then_some(case),
                why: why.to_owned(),
                count: 1,
                kept: file.map_or_else(String::new, |file| file.display().to_string()),
            });
        }
        // A grown input is made again from its number: it is too long to be kept.
        if self.job.sizes || file.is_some() {
            return Ok(());
        }
        let kept = kept(self.place, case, why)?;
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for known in &mut found.failures {
            if known.target == target.name && signature(&known.why) == same {
                known.kept.clone_from(&kept);
            }
        }
        Ok(())
    }
}

/// The reason with what is repeated in the input.
fn named(why: &str, what: &str) -> String {
    if what.is_empty() {
        why.to_owned()
    } else {
        format!("{what} {why}")
    }
}

/// Writes the input of a case beside others that failed, as small as it can be made; its path.
///
/// What ends a process or hangs is kept as it is: trying smaller ones would do the same to this one.
fn kept(place: &Place<'_>, case: u64, why: &str) -> Result<String> {
    // Named by the way to fail, not by the case: the same failure of a later run overwrites the
    // file instead of adding one.
    let name = Digest::of_bytes(format!("{} {}", place.target.name, signature(why)).as_bytes());
    let short: String = name.to_string().chars().take(12).collect();
    let path = place.folder.join("failures").join(place.target.name);
    std::fs::create_dir_all(&path)?;
    let path = path.join(short);
    // By the words of the reason, since it comes from another process as a line of text.
    let alive =
        !why.starts_with("hang") && !why.starts_with("the process") && !why.starts_with("memory");
    keep_apart(place, case, alive, &std::path::absolute(&path)?)?;
    Ok(path.display().to_string())
}

/// [`keep`] in a process and a folder of its own: targets of commands empty their working folder.
fn keep_apart(place: &Place<'_>, case: u64, smaller: bool, output: &Path) -> Result<()> {
    let own = std::env::current_exe().context("this program")?;
    let dir = place
        .folder
        .join(format!("shrink-{}-{}", std::process::id(), place.number));
    std::fs::create_dir_all(&dir)?;
    let mut command = Command::new(own);
    command
        .args(["keep", place.target.name, "--seed", &place.seed.to_string()])
        .args(["--case", &case.to_string()])
        .arg("--output")
        .arg(output)
        .current_dir(&dir)
        .env("OPENAI_BASE_URL", "off:")
        .env("ANTHROPIC_BASE_URL", "off:")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if smaller {
        command.arg("--shrink");
    }
    // A worker that dies at it leaves the input as it was.
    let _ = command.status();
    let _ = std::fs::remove_dir_all(&dir);
    Ok(())
}

/// Writes the input of a case to a file; with `smaller` as small as it can be made.
///
/// # Errors
/// When the target cannot be opened or the file not be written.
pub fn keep(target: &Target, seed: u64, case: u64, smaller: bool, output: &Path) -> Result<()> {
    note_panics();
    let mut opened = (target.open)()?;
    let input = opened.input(target.name, Seed(seed), case);
    std::fs::write(output, &input).with_context(|| output.display().to_string())?;
    if smaller {
        crate::limits::cap_memory();
        let small = shrink(&mut opened, &input, SHRINKING);
        std::fs::write(output, small)?;
    }
    Ok(())
}
