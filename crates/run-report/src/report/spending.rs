//! What a run's models cost, from the calls that its folders keep.

use agent_client::ledger::UsageTotals;
use agent_client::store::SlimCall;
use run_engine::engine::model::paid::prices_in;
use run_engine::engine::summary::{ModelUsage, refused_notes};
use run_engine::error::RunError;
use run_engine::files::jsonl::each_line;
use run_engine::files::store::CALLS;
use run_engine::run_dir::parts;
use std::collections::BTreeMap;
use std::path::Path;

/// Requests, tokens and money of the calls in `folders`; zero where no model was asked.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn spending<'a>(
    folders: impl Iterator<Item = &'a Path>,
) -> Result<ModelUsage, RunError> {
    let mut totals = UsageTotals::default();
    let mut refused = BTreeMap::new();
    calls(folders, |call| {
        totals.count(call.usage.as_ref(), call.cost);
        for count in &call.refused {
            *refused.entry(count.to_string()).or_default() += 1;
        }
    })?;
    let usage = ModelUsage::of(&totals);
    Ok(ModelUsage {
        notes: [refused_notes(&refused), usage.notes].concat(),
        ..usage
    })
}

/// Requests and tokens of each episode, also those of its memory and of other seats; without the episodes for which
/// `folders` hold no call.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn spending_by_episode<'a>(
    folders: impl Iterator<Item = &'a Path>,
) -> Result<BTreeMap<u64, UsageTotals>, RunError> {
    let mut episodes: BTreeMap<u64, UsageTotals> = BTreeMap::new();
    calls(folders, |call| {
        // `episode/-3/turn0/answer`.
        // By the slot, which is all that a call knows of its episode.
        let number = call.slot.strip_prefix("episode/-");
        let number = number.and_then(|slot| slot.split('/').next()?.parse().ok());
        if let Some(number) = number {
            let sum = episodes.entry(number).or_default();
            sum.count(call.usage.as_ref(), call.cost);
        }
    })?;
    Ok(episodes)
}

/// Shows `see` every call of `folders`.
fn calls<'a>(
    folders: impl Iterator<Item = &'a Path>,
    mut see: impl FnMut(SlimCall<'_>),
) -> Result<(), RunError> {
    for folder in folders.filter(|folder| parts::has(folder, CALLS)) {
        let path = folder.join(CALLS);
        let prices = prices_in(folder)?.unwrap_or_default();
        each_line(&path, |line| {
            // A line that a killed process left is not an answered call.
            if let Ok(mut call) = serde_json::from_slice::<SlimCall<'_>>(line) {
                call.cost = prices.cost_of(&call.backend, call.usage.as_ref(), call.cost);
                see(call);
            }
            Ok(())
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_any_size_are_added_up() {
        let dir = tempfile::tempdir().unwrap();
        let most = format!(
            r#"{{"slot":"a","request":{{}},"answer":{{}},"usage":{{"input":{0},"output":{0}}},"cost":999999999999999,
                "refused":[{{"count":"input","reason":"above_limit"}}]}}"#,
            u64::MAX
        );
        let line = most.replace('\n', " ");
        std::fs::write(dir.path().join(CALLS), format!("{line}\n{line}\n")).unwrap();
        let usage = spending(std::iter::once(dir.path())).unwrap();
        assert_eq!((usage.requests, usage.tokens_in), (2, u64::MAX));
        assert_eq!(usage.cost_usd, 1e15);
        assert_eq!(usage.notes.len(), 1);
    }

    #[test]
    fn calls_are_added_up_and_a_torn_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let call = r#""slot":"a","request":{},"answer":{}"#;
        let whole = format!(r#"{{{call},"usage":{{"input":10,"output":3}},"cost":0.5}}"#);
        // A line without request and answer is no call either, and `view` does not count it.
        let text = format!("{whole}\n{{{call}}}\n{{}}\n{{{call},\"usage\":{{\"inp");
        std::fs::write(dir.path().join(CALLS), text).unwrap();
        let none = dir.path().join("none");
        let usage = spending([dir.path(), none.as_path()].into_iter()).unwrap();
        assert_eq!(
            (
                usage.requests,
                usage.tokens_in,
                usage.tokens_out,
                usage.cost_usd
            ),
            (2, 10, 3, 0.5)
        );
    }

    #[test]
    fn calls_of_an_episode_are_those_of_its_seats_and_its_memory() {
        let dir = tempfile::tempdir().unwrap();
        let slots = [
            "episode/-3/turn0/answer",
            "episode/-3/after/reflect",
            "episode/-30/turn0/answer",
            "evolve/reflect",
        ];
        let line = |slot| {
            let call = r#""request":{},"answer":{},"usage":{"input":10,"output":3}"#;
            format!("{{\"slot\":\"{slot}\",{call}}}\n")
        };
        std::fs::write(dir.path().join(CALLS), slots.map(line).concat()).unwrap();
        let spent = spending_by_episode(std::iter::once(dir.path())).unwrap();
        let spent = spent.into_iter();
        let spent: Vec<_> = spent
            .map(|(episode, sum)| (episode, sum.requests, sum.usage.input))
            .collect();
        assert_eq!(spent, [(3, 2, 20), (30, 1, 10)]);
    }
}
