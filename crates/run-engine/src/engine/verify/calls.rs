//! The stored calls of a run: checks each of them, and answers requests from them without a network.

use super::lines;
use crate::engine::model::backends::Models;
use crate::engine::model::paid;
use crate::engine::model::paid::Paid;
use crate::error::RunError;
use crate::files::names::MANIFEST;
use crate::files::store::{CALLS, FileStore};
use crate::run_dir::outcome::{Check, Verified};
use crate::run_dir::{Learnt, PRICES};
use crate::terminal::shown_path;
use crate::words::counted;
use agent_client::cassette::{Cassette, CassetteMode};
use agent_client::cause::{Cause, Causes};
use agent_client::request::ModelRole;
use agent_client::store::{Store, StoredCall};
use agent_client::wire::Dialect;
use agent_client::wire::ways::Way;
use sim_core::Digest;
use sim_core::scrub::Scrub;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The stored calls of a run, ready to answer.
#[derive(Debug)]
pub struct Calls {
    cassette: Cassette,
    seen: BTreeMap<[u8; 32], Seen>,
    /// Lines that can be read.
    count: u64,
    /// The weaker ways of the run's own calls that the plan does not name, by model.
    ways: BTreeMap<String, BTreeSet<Way>>,
}

/// The first call with a key.
#[derive(Debug)]
struct Seen {
    number: u64,
    role: ModelRole,
    answer: Digest,
    /// The cause that follows from the server's answer alone.
    cause: Cause,
}

/// Checks the lines of a file of calls one by one.
#[derive(Default)]
struct Auditor<'a> {
    name: &'a str,
    /// The models of the run; absent if the calls belong to another run, which has its own models.
    dialects: Option<&'a [&'a Dialect]>,
    prices: Option<Vec<Paid>>,
    unpriced: u64,
    /// Calls of which a key was taken out.
    scrubbed: u64,
    places: BTreeSet<u64>,
    seen: BTreeMap<[u8; 32], Seen>,
    count: u64,
    again: u64,
    ways: BTreeMap<String, BTreeSet<Way>>,
}

impl Calls {
    /// Reads the calls of the run in `dir`, or those of the recording that `agent` names
    /// (`replay:DIR`), and reports what is wrong with them. `None` if there is no such file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open(
        dir: &Path,
        agent: &str,
        dialects: &[&Dialect],
        found: &mut Verified,
    ) -> Result<Option<Self>, RunError> {
        let recording = agent.strip_prefix("replay:").map(Path::new);
        let file = recording.map_or_else(|| dir.join(CALLS), crate::plan::model::calls_in);
        let (Some(parent), Some(name)) = (file.parent(), file.file_name().and_then(|n| n.to_str()))
        else {
            return Ok(None);
        };
        let own = recording.is_none();
        let mut auditor = Auditor {
            name,
            dialects: own.then_some(dialects),
            prices: if own { paid::kept(dir)? } else { None },
            ..Auditor::default()
        };
        // All lines are checked, also those that no record needs: their costs are part of those of the run.
        let ends = lines::each(parent, name, Check::Calls, found, |line, found| {
            auditor.line(&line, found);
        })?;
        let Some(ends) = ends else {
            found.find(
                Check::Calls,
                shown_path(&file),
                "there are no calls to read in it, so no decision can be made again",
            );
            return Ok(None);
        };
        let cut = ends.cut + u64::from(ends.torn > 0);
        if cut > 0 {
            let lines = counted(cut, "line");
            let first = ends
                .first_cut
                .map(|line| format!(", the first is line {line}"));
            let first = first.unwrap_or_default();
            found
                .remarks
                .push(format!("{name}: {lines} truncated{first}"));
        }
        auditor.remark(found);
        // Replaying with the lines that can be read still checks all decisions that do not need the others; one
        // broken line must not end the check of a whole run.
        let store = Sound {
            file: FileStore::to_read(&file),
            places: auditor.places,
        };
        let cassette = Cassette::open(Arc::new(store), CassetteMode::Replay, Scrub::default())
            .map_err(RunError::in_file(&file))?;
        Ok(Some(Self {
            cassette,
            seen: auditor.seen,
            count: auditor.count,
            ways: auditor.ways,
        }))
    }

    /// Models for `dialects` whose requests are answered by these calls alone.
    ///
    /// # Errors
    /// A fault of this program.
    pub fn models(&self, dialects: &[&Dialect]) -> Result<Models, RunError> {
        Models::stored(&self.cassette, dialects)
    }

    /// Compares the ways in which the calls were sent with those that the manifest has as learnt. A call may have a
    /// limit on the reply that was tried during an outage and is not learnt.
    pub fn check_learnt(&self, learnt: &BTreeMap<String, Learnt>, found: &mut Verified) {
        for (model, ways) in &self.ways {
            let stated = learnt.get(model).map(|learnt| &learnt.ways);
            let missing = ways
                .iter()
                .filter(|way| **way != Way::NeedsLimit)
                .filter(|way| !stated.is_some_and(|all| all.contains(way)));
            let missing: Vec<&str> = missing.map(Into::into).collect();
            if !missing.is_empty() {
                let what = format!(
                    "stored calls to {model} were sent in ways that `learnt` does not list: {}",
                    missing.join(", ")
                );
                found.find(Check::Manifest, MANIFEST, what);
            }
        }
        for (model, learnt) in learnt {
            let sent = self.ways.get(model);
            let unused = learnt
                .ways
                .iter()
                .filter(|way| !sent.is_some_and(|all| all.contains(way)));
            let unused: Vec<&str> = unused.map(Into::into).collect();
            if !unused.is_empty() {
                let what = format!("that the server of {model} needs {}", unused.join(", "));
                found.leave(Check::Manifest, what, "no stored call was sent in this way");
            }
        }
    }

    /// Reports how the calls were used after the work was repeated with them. `what` names the work
    /// (`the decisions of 12 records`) if all of it gave what is stored; the calls must then have the causes that
    /// the records count.
    pub fn settle(&self, what: Option<String>, recorded: &Causes, found: &mut Verified) {
        let (mut used, mut asked) = (0, Causes::default());
        for (key, seen) in &self.seen {
            match self.cassette.asked_by(&Digest(*key)) {
                None => {}
                Some(role) => {
                    used += 1;
                    if role == ModelRole::Agent {
                        asked.count(seen.cause);
                    }
                    if role != seen.role {
                        let place = format!("{CALLS} line {}", seen.number);
                        let what = format!("its role is `{}`, but the {role} asked", seen.role);
                        found.find(Check::Calls, place, what);
                    }
                }
            }
        }
        let all = counted(self.count, "stored call");
        if let Some(what) = what {
            compare_causes(recorded, &asked, found);
            found.prove(
                Check::Decisions,
                format!("{what}, made again from {used} of {all}"),
            );
        }
        // Not a finding: a failed attempt at an episode leaves calls without a record.
        let unused = self.count - used.min(self.count);
        if unused > 0 {
            found.remarks.push(format!(
                "no record for {unused} of {all}: calls of attempts that were repeated, or of units that have no record"
            ));
        }
        found.leave(
            Check::Calls,
            "that a model gave the stored replies",
            "invented replies with invented calls look the same",
        );
    }
}

/// Compares the causes in the records with those of their calls. The causes `refused` and `malformed` of a
/// record may be `said` in its calls, because only the environment and the tools show them.
fn compare_causes(recorded: &Causes, asked: &Causes, found: &mut Verified) {
    let wire = [Cause::CutOff, Cause::Filtered, Cause::NoRoom, Cause::Failed];
    let differs = |cause: &Cause| recorded.of(*cause) != asked.of(*cause);
    let replies = match recorded.total() {
        1 => "1 reply".to_owned(),
        count => format!("{count} replies"),
    };
    if recorded.total() != asked.total() || wire.iter().any(differs) {
        let what = format!(
            "the records count {replies} ({recorded}), but the calls of these records have {} ({asked})",
            asked.total()
        );
        return found.find(Check::Calls, CALLS, what);
    }
    if !recorded.is_empty() {
        found.prove(Check::Calls, format!("the causes of {replies}"));
    }
}

impl Auditor<'_> {
    fn line(&mut self, read: &lines::JsonLine, found: &mut Verified) {
        let place = format!("{} line {}", self.name, read.number);
        let line = match StoredCall::read(&read.text) {
            Ok(line) => line,
            Err(e) => {
                let what = format!("it is not a model call: {e}");
                return found.find(Check::Calls, place, what);
            }
        };
        for fault in line.faults() {
            found.find(Check::Calls, &*place, fault);
        }
        if let Some(dialects) = self.dialects {
            let known = dialects
                .iter()
                .any(|dialect| dialect.name() == line.backend);
            if !known {
                let what = format!("the plan does not use the model `{}`", line.backend);
                found.find(Check::Calls, &*place, what);
            }
            let told = line.dialect.as_ref();
            // Only the first line of each model holds its settings, so a missing dialect is not a fault.
            if known && told.is_some_and(|told| !dialects.contains(&told)) {
                let what = "its model settings differ from those of the plan";
                found.find(Check::Calls, &*place, what);
            }
            self.cost(&line, &place, found);
            let of_model = dialects
                .iter()
                .filter(|dialect| dialect.name() == line.backend);
            let planned: BTreeSet<Way> = of_model.flat_map(|d| d.ways.iter().copied()).collect();
            let learnt: BTreeSet<Way> = line.ways.difference(&planned).copied().collect();
            if !learnt.is_empty() {
                self.ways
                    .entry(line.backend.clone())
                    .or_default()
                    .extend(learnt);
            }
        }
        self.count += 1;
        self.scrubbed += u64::from(line.is_scrubbed());
        self.places.insert(read.place);
        // What a replay hands on. Costs may differ, as the prices of two sessions do.
        let value = serde_json::json!([line.status, line.answer]);
        let text = sim_core::bytes::canonical_text(&value);
        let seen = Seen {
            number: read.number,
            role: line.role,
            cause: line.cause,
            answer: Digest::of_bytes(text.as_bytes()),
        };
        match self.seen.get(&line.key.0) {
            None => {
                self.seen.insert(line.key.0, seen);
            }
            // Harmless: a replay uses the first line of a key. With another answer nobody could say which of the two
            // the run had used.
            Some(first) if first.answer == seen.answer => self.again += 1,
            Some(first) => {
                let number = first.number;
                let what = format!("it has the same request as line {number} but another answer");
                found.find(Check::Calls, place, what);
            }
        }
    }

    /// Checks that the cost of the call is that of its tokens at one of the run's prices.
    fn cost(&mut self, line: &StoredCall, place: &str, found: &mut Verified) {
        let wrong = match (line.cost, &line.usage, &self.prices) {
            (None, None, _) => false,
            (Some(cost), _, None) => {
                self.unpriced += u64::from(cost.dollars() > 0.0);
                false
            }
            (Some(cost), Some(usage), Some(prices)) => {
                let model = line.backend.split_once(':').map_or("", |(_, model)| model);
                let mut fitting = prices.iter().filter(|paid| paid.model == model);
                !fitting.any(|paid| {
                    let (due, cost) = (paid.price.of(usage).dollars(), cost.dollars());
                    // Both amounts are whole numbers that are compared as doubles; the tolerance covers that rounding and
                    // nothing more.
                    (due - cost).abs() <= 1e-12 + 1e-12 * due
                })
            }
            (None, Some(_), _) | (Some(_), None, Some(_)) => true,
        };
        if wrong {
            let what =
                format!("its cost differs from the cost of its tokens at the prices in {PRICES}");
            found.find(Check::Calls, place, what);
        }
    }

    fn remark(&self, found: &mut Verified) {
        if self.again > 0 {
            let calls = counted(self.again, "call");
            let text = format!("{}: {calls} repeated with the same answer", self.name);
            found.remarks.push(text);
        }
        if self.scrubbed > 0 {
            found.leave(
                Check::Calls,
                format!("the text of {}", counted(self.scrubbed, "request")),
                "a key was masked, so the text cannot be compared with its digest",
            );
        }
        if self.prices.is_some() && self.count > 0 {
            let why = format!("they are those that {PRICES} names");
            found.leave(Check::Calls, "the prices", why);
        }
        if self.unpriced > 0 {
            found.leave(
                Check::Calls,
                format!("the costs of {}", counted(self.unpriced, "call")),
                format!("the folder has no {PRICES}"),
            );
        }
    }
}

/// The lines of a file that can be read as calls.
#[derive(Debug)]
struct Sound {
    file: FileStore,
    places: BTreeSet<u64>,
}

impl Store for Sound {
    fn scan(&self, see: &mut dyn FnMut(u64, &str)) -> io::Result<()> {
        self.file.scan(&mut |place, line| {
            if self.places.contains(&place) {
                see(place, line);
            }
        })
    }

    fn read(&self, place: u64) -> io::Result<String> {
        self.file.read(place)
    }

    fn append(&self, line: &str) -> io::Result<u64> {
        self.file.append(line)
    }
}
