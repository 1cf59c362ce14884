//! The environment `qa` as the runner registers it, its own questions, and its policies.

use super::figures::reports;
use super::question::{Config, Observation, Question, QuestionEnv};
use crate::item::{Gold, Item};
use crate::letters::LetterSet;
use crate::prompt::{PromptStyle, example_reply};
use crate::task::Task;
use serde_json::Value;
use sim_core::{
    ConfigError, Digest, Effort, EnvironmentAbout, EnvironmentSpec, Episode, Policy, PolicyContext,
    PolicySpec, Preset, Reference, ScoreRange, Sense, Status, TextReply,
};
use std::sync::Arc;

/// Name, version, presets, questions and policies of `qa`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spec;

sim_core::boxed_spec!(Spec);

/// The questions of this crate, one of each of three kinds: they show how a run looks and measure nothing.
fn examples() -> Result<Vec<(Task, Item)>, ConfigError> {
    let task = |name: &str| {
        let task = name.parse::<Task>();
        task.map_err(|e| ConfigError::new("task", e.to_string()))
    };
    let options = ["falls", "rises", "does not change", "is not defined"];
    let choice = Item {
        options: options.map(str::to_owned).to_vec(),
        ..Item::new(
            "1",
            "The demand for a good falls and its supply does not change. What does its price do?",
            Gold::Letters(LetterSet::of_letter('A')),
        )
    };
    let label = Item::new(
        "2",
        "The committee must raise the rate at once, or inflation will not come down.",
        Gold::Text("hawkish".to_owned()),
    );
    let number = Item::new(
        "3",
        "A firm sold goods for 480 in May and for 600 in June. By which share did its sales rise?",
        Gold::Text("0.25".to_owned()),
    );
    Ok(vec![
        (task("econ/single")?, choice),
        (task("FOMC")?, label),
        (task("formula")?, number),
    ])
}

impl EnvironmentSpec for Spec {
    const ABOUT: EnvironmentAbout = EnvironmentAbout {
        name: "qa",
        version: crate::VERSION,
        about: "questions of published data sets (BizCompass, ten finance sets) or of your own; graded by the rules of each set",
        unit: "share of the full score of an item",
        sense: Sense::Maximise,
        range: ScoreRange::SHARE,
        ..EnvironmentAbout::DEFAULT
    };

    type Env = QuestionEnv;
    type Config = Config;
    type Instance = Question;

    fn presets(&self) -> Vec<Preset<Config>> {
        vec![Preset::new(
            "examples",
            "three questions of our own; name a data set with --data",
            Config::default(),
        )]
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        config.check()
    }

    fn generate(&self, config: &Config, episode: Episode) -> Result<Question, ConfigError> {
        let mut all = examples()?;
        // By the number of the episode and not by the seed: three episodes play each question once.
        let place = episode.index % all.len().max(1) as u64;
        let (task, item) = all.swap_remove(usize::try_from(place).unwrap_or_default());
        Ok(config.question(task, item))
    }

    fn distinct(&self, _: &Config) -> Option<u64> {
        examples().ok().map(|all| all.len() as u64)
    }

    fn begin(&self, instance: Arc<Question>) -> Result<QuestionEnv, ConfigError> {
        QuestionEnv::new(instance)
    }

    /// A right answer has the full score.
    fn reference(&self, _: &Question, _: Effort) -> Reference {
        Reference {
            optimum: Some(1.0),
            bound: Some(1.0),
            baseline: None,
            status: Status::Proven,
            method: "the full score".to_owned(),
        }
    }

    fn cast(&self) -> &'static [(&'static str, &'static str)] {
        &[("judge", "none"), ("executor", "none")]
    }

    fn labels(&self, instance: &Question) -> Vec<(&'static str, String)> {
        vec![
            ("task", instance.task.to_string()),
            ("item", instance.uid()),
        ]
    }

    fn group(&self, instance: &Question) -> Option<String> {
        Some(instance.task.to_string())
    }

    /// The question and the rules; not the examples and the role in the prompt.
    fn compared_by(&self, instance: &Question) -> Option<Digest> {
        // Two ways of asking the same question are what comparisons are for.
        Digest::of(&(instance.task, &instance.item, &instance.scoring)).ok()
    }

    fn figures(&self, played: &[&QuestionEnv]) -> Option<Vec<Value>> {
        let reports = reports(played).into_iter().map(|mut report| {
            // The single grades are in the records.
            report.grades.clear();
            sim_core::bytes::json(&report)
        });
        Some(reports.collect())
    }

    fn policies(&self) -> Vec<PolicySpec<QuestionEnv, Question>> {
        let agent = |cx: &PolicyContext<'_, Question>| {
            if *cx.seat == sim_core::Seat::AGENT {
                Ok(())
            } else {
                let may = if *cx.seat == super::question::EXECUTOR {
                    "`python`"
                } else {
                    "a model"
                };
                let text = format!("the seat `{}` is for {may} or `none`", cx.seat);
                Err(ConfigError::new("agent", text))
            }
        };
        vec![
            PolicySpec::new(
                "oracle",
                "gives the right answer in the form that is asked for",
                move |cx: PolicyContext<'_, Question>| {
                    agent(&cx)?;
                    let Question {
                        task,
                        item,
                        scoring,
                        ..
                    } = cx.instance;
                    let style = PromptStyle::default();
                    Ok(Says(example_reply(item, *task, style, scoring)))
                },
            )
            .oracle(),
            PolicySpec::new(
                "silent",
                "gives an empty answer",
                move |cx: PolicyContext<'_, Question>| {
                    agent(&cx)?;
                    Ok(Says(Some(String::new())))
                },
            ),
            PolicySpec::new(
                "none",
                "judges and runs nothing: free text is not scored, programs count as unsupported",
                |cx: PolicyContext<'_, Question>| {
                    if *cx.seat == sim_core::Seat::AGENT {
                        let text = "`none` is for the seats judge and executor; an agent is a model, oracle or silent";
                        return Err(ConfigError::new("agent", text));
                    }
                    Ok(Says(None))
                },
            ),
        ]
    }
}

/// Says one text, or nothing.
struct Says(Option<String>);

impl Policy<QuestionEnv> for Says {
    fn act(&mut self, _: &Observation) -> TextReply {
        TextReply {
            text: self.0.clone(),
            ..TextReply::default()
        }
    }
}
