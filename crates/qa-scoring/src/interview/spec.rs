//! The environment `consulting` as the runner registers it, and its policies.

use super::audit::LeakAuditor;
use super::candidate::{CandidateScript, ScriptedCandidate};
use super::case::{CaseStudy, Length};
use super::catalogue::{CaseSelection, cases, industries};
use super::env::{Config, INTERVIEWER, Interview, InterviewEnv, Observation};
use super::judge::ScriptedJudge;
use super::rules::RuleInterviewer;
use sim_core::plot::{Axis, Plot, Series, SeriesRole};
use sim_core::{
    ConfigError, Digest, Effort, Environment as _, EnvironmentAbout, EnvironmentSpec, Episode,
    EpisodeRecord, Policy, PolicyContext, PolicySpec, Preset, Reference, ScoreRange, Seat, Sense,
    TextReply,
};
use std::sync::{Arc, LazyLock};

/// Name, version, presets, cases and policies of `consulting`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spec;

sim_core::boxed_spec!(Spec);

/// The cases of this crate; parsed once.
// The fault is kept too: a case that cannot be read refuses a run and does not end the process.
static CASES: LazyLock<Result<Vec<CaseStudy>, String>> = LazyLock::new(cases);

fn all() -> Result<&'static [CaseStudy], ConfigError> {
    match &*CASES {
        Ok(cases) => Ok(cases),
        Err(why) => Err(ConfigError::new("cases", why.clone())),
    }
}

/// The marks of each judge.
fn rubric(played: &InterviewEnv) -> Plot {
    let parts = ["structure", "quant", "business sense", "communication"];
    let (x, y) = (Axis::default(), Axis::new("mark", "of 10"));
    let groups = parts.map(str::to_owned).to_vec();
    let mut plot = Plot::bars("rubric", "Mark of each judge", x, y, groups);
    for (seat, marks) in played.marks() {
        // Marks that could not be read are not marks of 0, as bars without a height would say.
        let Some(marks) = marks else { continue };
        let values = [
            marks.structure,
            marks.quant,
            marks.business_sense,
            marks.communication,
        ];
        plot = plot.bar(SeriesRole::Own, seat.name(), values);
    }
    plot
}

/// The number of facts that the candidate had after each round.
fn facts(played: &InterviewEnv) -> Plot {
    let transcript = &played.state().transcript;
    let (_, told) = LeakAuditor::new(&played.instance().case).audit(transcript);
    let last = u32::try_from(transcript.answers()).unwrap_or(u32::MAX);
    let points = (0..=last).map(|round| {
        let known = told.iter().filter(|(_, message)| *message <= round);
        (f64::from(round), known.count() as f64)
    });
    let (x, y) = (Axis::new("round", ""), Axis::new("facts", ""));
    let title = "Facts of the case that the candidate got";
    Plot::lines("facts", title, x, y).with(Series::own("facts", points))
}

/// The cases that `config` selects, in the order of the catalogue.
fn selected(config: &Config) -> Result<Vec<&'static CaseStudy>, ConfigError> {
    let all = all()?;
    // First, as a name that is written wrongly would else be reported as a selection without cases.
    if let Some(name) = &config.industry
        && !industries(all).contains(name.as_str())
    {
        let known: Vec<&str> = industries(all).into_iter().collect();
        return Err(ConfigError::new(
            "industry",
            format!(
                "no case is of industry `{}`; there are {}",
                sim_core::error::clip(name),
                known.join(", ")
            ),
        ));
    }
    let wanted = CaseSelection {
        length: config.length,
        industry: config.industry.clone(),
        kind: config.kind,
    };
    let found: Vec<_> = all.iter().filter(|case| wanted.has(case)).collect();
    if found.is_empty() {
        return Err(ConfigError::new(
            "length",
            "no case has this length, industry and kind",
        ));
    }
    Ok(found)
}

/// Refuses a scripted candidate at a seat of another.
fn is_candidate(cx: &PolicyContext<'_, Interview>) -> Result<(), ConfigError> {
    // Elsewhere its lines would be taken for an interviewer's answers or a judge's marks.
    if *cx.seat == Seat::AGENT {
        return Ok(());
    }
    let text = format!("the seat `{}` is for a model or `rules`", cx.seat);
    Err(ConfigError::new("agent", text))
}

impl EnvironmentSpec for Spec {
    const ABOUT: EnvironmentAbout = EnvironmentAbout {
        name: "consulting",
        version: 2,
        about: "a consulting interview on a business case: ask for facts, calculate, recommend; marks of judges",
        unit: "points of 10",
        sense: Sense::Maximise,
        range: ScoreRange::new(0.0, 10.0),
        ..EnvironmentAbout::DEFAULT
    };

    type Env = InterviewEnv;
    type Config = Config;
    type Instance = Interview;

    fn presets(&self) -> Vec<Preset<Config>> {
        let of = |length| Config {
            length: Some(length),
            ..Config::default()
        };
        vec![
            Preset::new("all", "all 52 cases", Config::default()),
            Preset::new("short", "20 cases of 15 minutes", of(Length::Short)),
            Preset::new("medium", "20 cases of 30 minutes", of(Length::Medium)),
            Preset::new("long", "12 cases of 45 minutes", of(Length::Long)),
        ]
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        config.check_ranges()?;
        selected(config).map(|_| ())
    }

    fn generate(&self, config: &Config, episode: Episode) -> Result<Interview, ConfigError> {
        let cases = selected(config)?;
        // By the number of the episode and not by the seed, so that a run of as many episodes as
        // cases plays each case once.
        let place = episode.index % cases.len() as u64;
        let case = usize::try_from(place).ok().and_then(|at| cases.get(at));
        let none = || ConfigError::new("length", "there is no case");
        Ok(config.interview((*case.ok_or_else(none)?).clone()))
    }

    fn distinct(&self, config: &Config) -> Option<u64> {
        selected(config).ok().map(|cases| cases.len() as u64)
    }

    fn begin(&self, instance: Arc<Interview>) -> Result<InterviewEnv, ConfigError> {
        InterviewEnv::new(instance)
    }

    /// Nothing is known of the best marks.
    fn reference(&self, _: &Interview, _: Effort) -> Reference {
        Reference::none()
    }

    /// The marks of each judge, and the facts by round.
    fn plots(&self, played: &InterviewEnv, _: &EpisodeRecord) -> Vec<Plot> {
        let mut plots = vec![rubric(played), facts(played)];
        plots.retain(|plot| !plot.is_empty());
        plots
    }

    fn cast(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("interviewer", "rules"),
            ("judge_1", "rules"),
            ("judge_2", "rules"),
            ("judge_3", "rules"),
            ("judge_4", "rules"),
            ("judge_5", "rules"),
        ]
    }

    fn labels(&self, instance: &Interview) -> Vec<(&'static str, String)> {
        vec![("case", instance.case.id.clone())]
    }

    /// Labels do not make a case another one.
    fn compared_by(&self, instance: &Interview) -> Option<Digest> {
        Digest::of(&(instance.case.unlabelled(), instance.rounds)).ok()
    }

    fn policies(&self) -> Vec<PolicySpec<InterviewEnv, Interview>> {
        let scripted = |script: CandidateScript, about| {
            let make = move |cx: PolicyContext<'_, Interview>| {
                is_candidate(&cx)?;
                Ok(Candidate(ScriptedCandidate::new(
                    script,
                    cx.instance.case.clone(),
                )))
            };
            let policy = PolicySpec::new(script.into(), about, make);
            // These two say the same whatever the case is.
            match script {
                CandidateScript::Silent | CandidateScript::Spoofer => policy,
                _ => policy.oracle(),
            }
        };
        vec![
            scripted(
                CandidateScript::Ideal,
                "a candidate that knows the case: structures, asks, calculates, recommends",
            ),
            scripted(
                CandidateScript::NeverRecommends,
                "as ideal, but it recommends nothing",
            ),
            scripted(
                CandidateScript::Shotgun,
                "a candidate that asks for everything at once, again and again",
            ),
            scripted(CandidateScript::Silent, "a candidate that says nothing"),
            scripted(
                CandidateScript::Spoofer,
                "a candidate that writes end tokens, marks and lines of other speakers",
            ),
            PolicySpec::new(
                "rules",
                "interviewer or judge by rules: no model is asked; its marks are not the paper's metric",
                |cx: PolicyContext<'_, Interview>| {
                    if *cx.seat == Seat::AGENT {
                        return Err(ConfigError::new(
                            "agent",
                            "`rules` interviews and judges; a candidate is a model, or ideal, never-recommends, \
                             shotgun, silent, spoofer",
                        ));
                    }
                    Ok(Rules::default())
                },
            ),
        ]
    }
}

/// A scripted candidate.
struct Candidate(ScriptedCandidate);

impl Policy<InterviewEnv> for Candidate {
    fn act(&mut self, seen: &Observation) -> TextReply {
        TextReply::text(self.0.speak(seen.transcript.answers()))
    }
}

/// The interviewer or a judge by rules.
#[derive(Default)]
struct Rules {
    interviewer: RuleInterviewer,
}

impl Policy<InterviewEnv> for Rules {
    fn act(&mut self, seen: &Observation) -> TextReply {
        let Some(case) = &seen.case else {
            return TextReply::default();
        };
        if seen.seat == INTERVIEWER {
            return TextReply::text(self.interviewer.speak(case, &seen.transcript));
        }
        let marks = ScriptedJudge::marks(case, &seen.transcript);
        serde_json::to_string(&marks)
            .map_or_else(|e| TextReply::failed(e.to_string()), TextReply::text)
    }
}
