//! The worker: plays inputs one after another in this process and tells what becomes of each.
//!
//! It writes the number of cases that every run plays, then a line before each input and one after it:
//!
//! ```text
//! round CASES
//! begin CASE WHAT-IS-REPEATED
//! end CASE played|refused|failed MICROSECONDS PEAK-BYTES WHAT
//! ```

use crate::limits::{self, MEMORY, STALE, cap_memory, forget_peak, processor_time};
use crate::sizes;
use crate::target::{Opened, Target, Verdict};
use crate::watch::Watch;
use anyhow::Result;
use sim_core::Seed;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Where the last panics of any thread were; emptied for each input.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// What a worker plays, as the driver writes it on its command line.
#[derive(Debug, Clone, clap::Args)]
pub struct Job {
    /// The first case
    #[arg(long, default_value_t = 0)]
    pub from: u64,
    /// How long cases are played, in seconds
    #[arg(long, default_value_t = f64::MAX)]
    pub seconds: f64,
    /// Only so many cases
    #[arg(long, default_value_t = u64::MAX)]
    pub most: u64,
    /// Repeats elements instead of mutating inputs
    #[arg(long)]
    pub sizes: bool,
    /// This file in place of cases
    #[arg(long)]
    pub file: Option<PathBuf>,
}

/// How an input ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// What became of it; the reason where it failed.
    pub verdict: Result<Verdict, String>,
    /// Time that it took \[microseconds\]. Above one second it is processor time, if the system reports it.
    pub micros: u128,
    /// Largest size of the process meanwhile (bytes).
    pub peak: u64,
    /// By how much that is more than before (bytes).
    pub grew: u64,
}

/// Notes every panic with its place, in whatever thread, and prints nothing.
pub fn note_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(
            || "?".to_owned(),
            |at| format!("{}:{}:{}", at.file(), at.line(), at.column()),
        );
        // The place of a sum that overflows is in the standard library: its caller says more.
        let place = if place.starts_with("crates/") {
            place
        } else {
            caller().map_or(place.clone(), |caller| format!("{caller} in {place}"))
        };
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let what = text.or_else(|| payload.downcast_ref::<&str>().copied());
        let what = what.unwrap_or("(no message)");
        let what: String = what.chars().take(300).collect();
        let mut panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
        panics.push(format!("panic at {place}: {}", what.replace('\n', " ")));
    }));
}

/// The nearest place in a package of ours, this one left out.
fn caller() -> Option<String> {
    let trace = std::backtrace::Backtrace::force_capture().to_string();
    let places = trace.lines().filter_map(|line| {
        let (_, place) = line.split_once("/crates/")?;
        Some(format!("crates/{place}"))
    });
    let mut ours = places.filter(|place| !place.starts_with("crates/fuzz/"));
    ours.next()
}

fn panics() -> Vec<String> {
    std::mem::take(&mut *PANICS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Plays one input.
pub fn play(opened: &mut Opened, input: &[u8]) -> Played {
    // Of the input before: a thread that it left behind may have panicked since.
    panics();
    forget_peak();
    let (_, size) = limits::sizes();
    let (watch, before) = (Watch::start(), processor_time(std::process::id()));
    let caught = catch_unwind(AssertUnwindSafe(|| (opened.play)(input)));
    let taken = watch.time();
    let micros = match (before, processor_time(std::process::id())) {
        // Elapsed time depends on the load of the machine. Processor time does not, but the system
        // counts it in hundredths of a second, which is too coarse for short inputs.
        (Some(before), Some(after)) if taken > Duration::from_secs(1) => {
            Duration::try_from_secs_f64(after - before).map_or(taken, |own| own.min(taken))
        }
        _ => taken,
    }
    .as_micros();
    let (peak, _) = limits::sizes();
    // Copies of the input that this program makes to play it.
    let most = MEMORY.saturating_add(3 * input.len() as u64);
    // A panic of another thread counts, though somebody caught it.
    let panicked = panics().into_iter().next();
    let verdict = match (caught, panicked) {
        (_, Some(place)) => Err(place),
        (Ok(Verdict::Broken(promise)), None) => Err(promise),
        (Ok(_), None) if peak > most => Err(format!("memory: {} MB", peak >> 20)),
        (Ok(verdict), None) => Ok(verdict),
        (Err(_), None) => Err("panic at an unknown place".to_owned()),
    };
    Played {
        verdict,
        micros,
        peak,
        grew: peak.saturating_sub(size),
    }
}

/// Plays inputs and writes to `out` what becomes of each. Ends early when the process has grown too
/// large; its caller goes on with a new one.
///
/// # Errors
/// When the target cannot be opened, a file cannot be read, or nobody reads `out` any more.
pub fn work(target: &Target, seed: Seed, job: &Job, out: &mut dyn Write) -> Result<()> {
    note_panics();
    cap_memory();
    let mut opened = (target.open)()?;
    anyhow::ensure!(!opened.seeds.is_empty(), "there are no valid inputs");
    match &job.file {
        Some(file) => {
            one(&mut opened, 0, &std::fs::read(file)?, "", out)?;
        }
        // No line of rounds for a file: the driver then takes its `begin` as the sign that the target is open.
        None => cases(target, &mut opened, seed, job, out)?,
    }
    writeln!(out, "done")?;
    out.flush()?;
    Ok(())
}

/// Plays cases until their time is over.
fn cases(
    target: &Target,
    opened: &mut Opened,
    seed: Seed,
    job: &Job,
    out: &mut dyn Write,
) -> Result<()> {
    let watch = Watch::start();
    let round = if job.sizes { sizes::round(opened) } else { 0 };
    // Also where there are no rounds: the driver takes this line as the sign that the target is open.
    writeln!(out, "round {round}")?;
    // The cases before this one are longer ones of an element that a shorter one has settled.
    let mut needed = 0;
    for case in job.from..job.from.saturating_add(job.most) {
        if case >= round && watch.seconds() > job.seconds {
            break;
        }
        // A single case that was asked for by number is played whatever its length.
        if job.sizes && job.most > 1 && (case < needed || sizes::is_too_long(target, case)) {
            continue;
        }
        let (input, what) = if job.sizes {
            sizes::input(opened, target.name, seed, case)
        } else {
            (opened.input(target.name, seed, case), String::new())
        };
        let played = one(opened, case, &input, &what, out)?;
        // Before the size of the process is looked at: an input may have 100 MB.
        drop(input);
        // An input ten times as long takes at most half of the memory limit, if memory grows with the length.
        if played.micros <= u128::from(sizes::NEEDLESS)
            && played.grew <= MEMORY / 20
            && sizes::has_longer(case)
        {
            // Only the next size is left out. The one after it is a hundred times as long, for which this time
            // proves nothing.
            needed = case + 2;
        }
        let (_, size) = limits::sizes();
        if size > STALE {
            break;
        }
    }
    Ok(())
}

fn one(
    opened: &mut Opened,
    case: u64,
    input: &[u8],
    what: &str,
    out: &mut dyn Write,
) -> Result<Played> {
    writeln!(out, "begin {case} {what}")?;
    // Before the input is played: if that ends the process, this line is all that tells which one
    // it was.
    out.flush()?;
    let played = play(opened, input);
    let (word, what) = match &played.verdict {
        Ok(Verdict::Refused) => ("refused", ""),
        Ok(_) => ("played", ""),
        Err(why) => ("failed", why.as_str()),
    };
    let (micros, peak) = (played.micros, played.peak);
    writeln!(
        out,
        "end {case} {word} {micros} {peak} {}",
        what.replace('\n', " ")
    )?;
    out.flush()?;
    Ok(played)
}
