//! Interviews: cases, and what was said.

use crate::bundle::Bundle;
use crate::target::{Opened, Target, Verdict, files, repository};
use agent_client::Slot;
use agent_client::interview::matching::{is_request, numbers, sentences};
use agent_client::interview::transcript::harmless;
use agent_client::interview::{
    CandidateScript, CaseStudy, InterviewSettings, LeakAuditor, RuleInterviewer, ScriptedCandidate,
    ScriptedJudge, Transcript, hold,
};
use anyhow::{Context as _, Result};

/// Cases.
pub const CASE: Target = Target {
    name: "case",
    about: "cases of consulting interviews: read, held with scripted candidates, judged",
    weight: 2,
    open: cases,
};

/// Transcripts.
pub const TRANSCRIPT: Target = Target {
    name: "transcript",
    about: "transcripts of interviews: audited and judged",
    weight: 1,
    open: transcripts,
};

/// The cases of the repository.
fn texts() -> Result<Vec<Vec<u8>>> {
    let files = files(&repository("crates/agent-client/fixtures"))?;
    let cases = files
        .into_iter()
        .filter(|(name, _)| name.ends_with(".json"));
    Ok(cases.map(|(_, content)| content).collect())
}

const SCRIPTS: [CandidateScript; 4] = [
    CandidateScript::Ideal,
    CandidateScript::Shotgun,
    CandidateScript::Spoofer,
    CandidateScript::Silent,
];

fn cases() -> Result<Opened> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .context("the runtime")?;
    Ok(Opened::new(texts()?, move |input| {
        let text = String::from_utf8_lossy(input);
        let Ok(case) = CaseStudy::parse(&text) else {
            return Verdict::Refused;
        };
        let _ = case.hidden_texts();
        let _ = case.lint();
        for script in SCRIPTS {
            let mut candidate = ScriptedCandidate::new(script, case.clone());
            let held = runtime.block_on(hold(
                &case,
                &mut RuleInterviewer::new(),
                &mut candidate,
                &[&ScriptedJudge],
                &InterviewSettings::default(),
                &Slot::new("case"),
            ));
            let scores = held.ok().and_then(|held| held.panel.scores);
            if scores.is_some_and(|scores| !scores.mean4().is_finite()) {
                return Verdict::Broken("a mark that is not finite".to_owned());
            }
        }
        Verdict::Played
    }))
}

fn transcripts() -> Result<Opened> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .context("the runtime")?;
    let mut seeds = Vec::new();
    for content in texts()?.into_iter().take(4) {
        let Ok(case) = CaseStudy::parse(&String::from_utf8_lossy(&content)) else {
            continue;
        };
        for script in SCRIPTS {
            let mut candidate = ScriptedCandidate::new(script, case.clone());
            let held = runtime.block_on(hold(
                &case,
                &mut RuleInterviewer::new(),
                &mut candidate,
                &[&ScriptedJudge],
                &InterviewSettings::default(),
                &Slot::new("case"),
            ))?;
            let transcript = serde_json::to_vec(&held.transcript)?;
            let bundle = Bundle::default()
                .with("kind", content.clone())
                .with("transcript", transcript);
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
