//! Interviews: cases, and what was said.

use crate::bundle::Bundle;
use crate::target::{Opened, Target, Verdict, files, longest, repository};
use anyhow::{Context as _, Result};
use qa_scoring::interview::matching::{is_request, numbers, sentences};
use qa_scoring::interview::transcript::harmless;
use qa_scoring::interview::{
    CaseStudy, Config, LeakAuditor, ScriptedJudge, Spec, State, Transcript,
};
use run_engine::files::regular::MOST_SMALL;
use sim_core::strict::{MOST_STORED_VALUES, holds_more_than};
use sim_core::{DynEnvironmentSpec as _, Effort, Input, Seat, Seed, ToolEnvironment, bytes};
use std::collections::BTreeMap;

/// Cases.
pub const CASE: Target = Target {
    name: "case",
    about: "cases of consulting interviews: read, held with scripted candidates, judged",
    weight: 2,
    longest: longest::FILE,
    open: cases,
};

/// Transcripts.
pub const TRANSCRIPT: Target = Target {
    name: "transcript",
    about: "transcripts of interviews: audited and judged",
    weight: 1,
    longest: longest::TEXT,
    open: transcripts,
};

/// The cases of the repository.
fn texts() -> Result<Vec<Vec<u8>>> {
    let files = files(&repository("fixtures/qa/cases"))?;
    let cases = files
        .into_iter()
        .filter(|(name, _)| name.ends_with(".json"));
    Ok(cases.map(|(_, content)| content).collect())
}

const SCRIPTS: [&str; 4] = ["ideal", "shotgun", "spoofer", "silent"];

/// The interview on `case` in which the policy `script` answers.
fn held(case: &CaseStudy, script: &str) -> Result<Box<dyn ToolEnvironment>> {
    let interview = bytes::json(&Config::default().interview(case.clone()));
    let instance = Spec.load(&interview)?;
    let mut env = instance.open()?;
    let mut players = BTreeMap::new();
    while !env.is_over() {
        let seat = env.turn();
        let name = if seat == Seat::AGENT { script } else { "rules" };
        if !players.contains_key(&seat) {
            let player = instance.policy_with(name, &seat, Seed(0), Effort::Quick)?;
            players.insert(seat.clone(), player);
        }
        let player = players.get_mut(&seat).context("a player")?;
        let action = player.act(&*env)?;
        let reply = env.apply(&Input::Act(action));
        anyhow::ensure!(!reply.is_rejected(), "refused: {}", reply.text());
    }
    Ok(env)
}

fn cases() -> Result<Opened> {
    Ok(Opened::new(texts()?, move |input| {
        let text = String::from_utf8_lossy(input);
        // The program refuses a longer case, and counts the values before it parses them.
        if input.len() as u64 > MOST_SMALL {
            return Verdict::Refused;
        }
        if holds_more_than(input, MOST_STORED_VALUES) {
            return Verdict::Refused;
        }
        let Ok(case) = CaseStudy::parse(&text) else {
            return Verdict::Refused;
        };
        let _ = case.hidden_texts();
        let _ = case.lint();
        for script in SCRIPTS {
            let score = match held(&case, script) {
                Ok(env) => env.score(),
                Err(e) => return Verdict::Broken(format!("{script}: {e}")),
            };
            if !score.is_ok_and(|score| score.value().is_finite()) {
                return Verdict::Broken("a mark that is not finite".to_owned());
            }
        }
        Verdict::Played
    }))
}

fn transcripts() -> Result<Opened> {
    let mut seeds = Vec::new();
    for content in texts()?.into_iter().take(4) {
        let Ok(case) = CaseStudy::parse(&String::from_utf8_lossy(&content)) else {
            continue;
        };
        for script in SCRIPTS {
            let env = held(&case, script)?;
            let mut saved = env.snapshot();
            let state = saved.get_mut("state").context("a state")?.take();
            let state: State = serde_json::from_value(state)?;
            let bundle = Bundle::default()
                .with("kind", content.clone())
                .with("transcript", serde_json::to_vec(&state.transcript)?);
            seeds.push(bundle.write());
        }
    }
    Ok(Opened::new(seeds, |input| {
        let Some(bundle) = Bundle::read(input) else {
            return Verdict::Refused;
        };
        let text = bundle.text("transcript");
        let _ = (harmless(&text), numbers(&text), is_request(&text));
        let _ = sentences(&text);
        let (Ok(case), Ok(transcript)) = (
            CaseStudy::parse(&bundle.text("kind")),
            serde_json::from_str::<Transcript>(&text),
        ) else {
            return Verdict::Refused;
        };
        let _ = LeakAuditor::new(&case).audit(&transcript);
        let marks = ScriptedJudge::marks(&case, &transcript);
        let _ = (transcript.as_json(), transcript.as_text());
        if marks.mean4().is_finite() {
            Verdict::Played
        } else {
            Verdict::Broken("a mark that is not finite".to_owned())
        }
    }))
}
