//! Seats that are asked in words: questions and interviews as episodes of a stream.

use crate::methods::{backend, words};
use agent_client::backends::{Func, Scripted};
use agent_client::memory::{FeedbackMode, WorkKind};
use agent_client::method::{
    EpisodeNote, EpisodeUnit, EpisodeWork, LearningStream, Method, MethodSpec, SeatPlayer, Team,
};
use agent_client::play::PlaySettings;
use agent_client::{AgentBackend, AgentError, ErrorClass, Message, ModelRole, Reply, Request};
use qa_scoring::interview::{CaseStudy, INTERVIEWER, JUDGES, cases};
use qa_scoring::{Gold, Item, env, interview};
use serde_json::json;
use sim_core::{
    DynEnvironmentSpec, DynInstance, EpisodeRecord, Header, Input, Limits, Seat, Seed, Session,
    TextReply,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An instance, and what it is called.
pub struct Asked {
    pub name: String,
    spec: Box<dyn DynEnvironmentSpec>,
    instance: Arc<dyn DynInstance>,
}

/// A question of the task `formula` or of another one.
pub fn question(task: &str, item: Item) -> Asked {
    let question = env::Config::default().question(task.parse().unwrap(), item);
    Asked {
        name: question.item.id.clone(),
        instance: env::Spec.load(&json!(question)).unwrap(),
        spec: env::Spec.boxed(),
    }
}

/// How many papers are `n` papers and one paper?
pub fn item(n: usize) -> Asked {
    let text = format!("How many papers are {n} papers and 1 paper?");
    let gold = Gold::Text((n + 1).to_string());
    question("formula", Item::new(format!("q{n}"), text, gold))
}

pub fn interview_of(case: &CaseStudy, rounds: u32, judges: u32) -> Asked {
    let config = interview::Config {
        rounds,
        judges,
        ..interview::Config::default()
    };
    Asked {
        name: case.id.clone(),
        instance: interview::Spec
            .load(&json!(config.interview(case.clone())))
            .unwrap(),
        spec: interview::Spec.boxed(),
    }
}

/// Work with text.
pub fn work(feedback: FeedbackMode, work: WorkKind) -> EpisodeWork {
    EpisodeWork {
        feedback,
        work,
        ..EpisodeWork::new(sim_core::Sense::Maximise)
    }
}

/// What was played.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    pub record: EpisodeRecord,
    pub note: EpisodeNote,
}

impl Answered {
    /// The replies of the seat.
    pub fn replies(&self, seat: &Seat) -> Vec<TextReply> {
        let entries = self
            .record
            .entries
            .iter()
            .filter(|entry| entry.seat.as_ref().unwrap_or(&Seat::AGENT) == seat);
        let actions = entries.filter_map(|entry| match &entry.input {
            Input::Act(action) => Some(action.clone()),
            _ => entry.action.clone(),
        });
        actions
            .map(|action| serde_json::from_value(action).unwrap())
            .collect()
    }

    /// The last line of the answer of the agent.
    pub fn answer(&self) -> String {
        let reply = self.replies(&Seat::AGENT).pop().unwrap();
        let text = reply.text.unwrap_or_default();
        text.rsplit("ANSWER: ")
            .next()
            .unwrap_or_default()
            .to_owned()
    }
}

/// The next episode of a stream; policies play the seats of the cast that `seats` does not name.
pub async fn next(
    stream: &mut LearningStream,
    asked: &Asked,
    mut seats: BTreeMap<Seat, SeatPlayer>,
) -> Result<Answered, AgentError> {
    let instance = &asked.instance;
    let env = instance.open()?;
    for seat in env.seats() {
        let cast = asked.spec.default_cast().iter();
        let named = cast.clone().find(|(name, _)| *name == seat.name());
        if let Some((_, policy)) = named {
            let made = instance.policy(policy, &seat, Seed(0))?;
            seats.entry(seat).or_insert(SeatPlayer::Policy(made));
        }
    }
    let (name, digest) = (asked.spec.name(), instance.digest());
    let header = Header::new(
        name,
        asked.spec.version(),
        digest,
        digest,
        Seed(0),
        0,
        "model",
    );
    let open = || Ok(instance.open()?);
    let unit = EpisodeUnit {
        name: asked.name.clone(),
        task: String::new(),
        session: Session::new(env, header, Limits::default()),
        open: &open,
        gold: None,
        truth: None,
        seats,
        after_turn: &mut |_| {},
    };
    let (record, note) = stream.next(unit).await?;
    record.verify(instance.open()?).unwrap();
    Ok(Answered { record, note })
}

fn method(name: &str) -> Method {
    name.parse::<MethodSpec>().unwrap().make().unwrap()
}

fn model(backend: Arc<dyn AgentBackend>) -> SeatPlayer {
    SeatPlayer::Model {
        backend,
        method: method("direct"),
        play: PlaySettings::default(),
    }
}

/// An interview of the ideal candidate, in which models play `others`.
async fn interviewed(
    case: &CaseStudy,
    agent: Arc<dyn AgentBackend>,
    judges: u32,
    others: Vec<(Seat, Arc<dyn AgentBackend>)>,
) -> Result<Answered, AgentError> {
    let work = work(FeedbackMode::Outcome, WorkKind::Episode);
    let mut stream = LearningStream::new(Team::of(agent), method("direct"), work);
    let seats = others.into_iter().map(|(seat, by)| (seat, model(by)));
    next(&mut stream, &interview_of(case, 2, judges), seats.collect()).await
}

fn candidate() -> Arc<dyn AgentBackend> {
    backend(|_| "First, my structure: costs and sales. What about costs?".to_owned()).0
}

#[tokio::test]
async fn a_judge_has_one_repair_and_its_marks_are_never_guessed() {
    let case = &cases().unwrap()[0];
    let good = r#"{"structure": "7", "quant": "6.5/10", "business_sense": 8, "communication": 7.0, "overall": 7, "feedback": "ok"}"#;
    let fenced = format!("Here you are:\n```json\n{good}\n```");
    let high = good.replace("\"overall\": 7", "\"overall\": 70");
    let missing = good.replace("\"quant\": \"6.5/10\", ", "");
    let answers: [(&[&str], Option<u32>); 6] = [
        (&[good], Some(0)),
        (&[&fenced], Some(0)),
        (&[&high, good], Some(1)),
        (&[&missing, good], Some(1)),
        (&[&high, &high, good], None),
        (&["I refuse.", "Still."], None),
    ];
    for (texts, repairs) in answers {
        let judge = Arc::new(Scripted::texts(texts.iter().copied()));
        let seats = vec![(JUDGES[0].clone(), Arc::clone(&judge) as _)];
        let played = interviewed(case, candidate(), 1, seats).await.unwrap();
        let score = &played.record.score;
        assert_eq!(score.is_scored(), repairs.is_some(), "{texts:?}");
        let asked = judge.asked();
        assert!(asked.iter().all(|r| r.role == ModelRole::Judge));
        match repairs {
            Some(repairs) => {
                assert_eq!(asked.len() as u32, 1 + repairs);
                assert_eq!((score.value(), score.metrics()["quant"]), (7.0, 6.5));
            }
            None => {
                assert_eq!(asked.len(), 2, "one repair at most");
                let failure = played.replies(&JUDGES[0])[0].failure.clone().unwrap();
                assert!(failure.starts_with("unusable: "), "{failure}");
            }
        }
        if asked.len() > 1 && texts[0] == high {
            assert!(
                words(&asked[1]).contains("`70` is not a mark"),
                "{}",
                words(&asked[1])
            );
        }
    }
}

#[tokio::test]
async fn several_judges_and_one_that_fails() {
    let case = &cases().unwrap()[0];
    let marks = |overall: u32| {
        let marks = json!({"structure": 6, "quant": 4, "business_sense": 8, "communication": 6,
                           "overall": overall, "feedback": ""});
        Arc::new(Scripted::texts([marks.to_string()])) as Arc<dyn AgentBackend>
    };
    let filtered = Func::new("f", |_: &Request| {
        Err(AgentError::new(ErrorClass::Filtered, "no"))
    });
    let judges = [marks(9), Arc::new(filtered) as _, marks(5), marks(6)];
    let seats = JUDGES.iter().cloned().zip(judges).collect();
    let played = interviewed(case, candidate(), 4, seats).await.unwrap();
    assert_eq!(played.record.score.value(), 6.0);
    assert_eq!(played.record.score.metrics()["judges_spread"], 4.0);
    // The one that is down is asked again later: the interview is not finished.
    let down = Func::new("f", |_: &Request| {
        Err(AgentError::new(ErrorClass::Server, "down"))
    });
    let seats = vec![(JUDGES[0].clone(), Arc::new(down) as _)];
    let error = interviewed(case, candidate(), 1, seats).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Server);
}

#[tokio::test]
async fn an_interviewer_is_asked_again_for_an_empty_message() {
    let case = &cases().unwrap()[8];
    let lines = ["Welcome.", "<think>Hm.</think>", " ", "Noted.", "", "", ""];
    let interviewer = Arc::new(Scripted::texts(lines));
    let seats = vec![(INTERVIEWER, Arc::clone(&interviewer) as _)];
    let played = interviewed(case, candidate(), 1, seats).await.unwrap();
    let asked = interviewer.asked();
    assert_eq!(asked.len(), 7);
    assert!(asked.iter().all(|r| r.role == ModelRole::Interviewer));
    let slots: std::collections::BTreeSet<_> = asked.iter().map(|r| r.slot.as_str()).collect();
    assert_eq!(slots.len(), 7, "every request has a place of its own");
    let Message::System { text } = &asked[0].messages[0] else {
        panic!("no rules");
    };
    assert!(text.contains(case.internal.solution.as_str()));
    let said: Vec<TextReply> = ["Welcome.", "Noted.", ""].map(TextReply::text).to_vec();
    assert_eq!(played.replies(&INTERVIEWER), said);
    assert_eq!(played.record.score.metrics()["rounds"], 2.0);
}

#[tokio::test]
async fn failures_of_a_candidate_end_an_interview_or_postpone_it() {
    let case = &cases().unwrap()[0];
    let failing = |class| {
        Arc::new(Func::new("f", move |request: &Request| {
            if request.messages.len() < 4 {
                return Ok(Reply::text("My structure: first costs, second sales."));
            }
            Err(AgentError::new(class, "no"))
        })) as Arc<dyn AgentBackend>
    };
    let played = interviewed(case, failing(ErrorClass::Filtered), 1, Vec::new())
        .await
        .unwrap();
    assert_eq!(played.record.score.metrics()["rounds"], 1.0);
    assert!(played.record.score.is_scored(), "what there is is judged");
    let replies = played.replies(&Seat::AGENT);
    assert_eq!(replies[1], TextReply::failed("filtered: no"));
    assert_eq!(played.note.report.filtered, 1);
    let error = interviewed(case, failing(ErrorClass::Server), 1, Vec::new()).await;
    assert_eq!(error.unwrap_err().class, ErrorClass::Server);
}

/// A message of nothing but thoughts is silence.
#[tokio::test]
async fn a_candidate_that_only_thinks_is_silent() {
    let case = &cases().unwrap()[0];
    let (thinking, _) = backend(|_| "<think>What about costs?</think>".to_owned());
    let played = interviewed(case, thinking, 1, Vec::new()).await.unwrap();
    let silence = vec![TextReply::text(""); 2];
    assert_eq!(played.replies(&Seat::AGENT), silence);
    assert_eq!(played.record.score.value(), 0.0);
    assert!(played.record.score.is_scored());
}

/// Methods work in interviews too: an online memory changes the candidate's next prompt.
#[tokio::test]
async fn methods_give_interviews_and_learn() {
    let cases = cases().unwrap();
    for (name, online) in [
        ("direct", false),
        ("cot", false),
        ("debate", false),
        ("reflexion", true),
        ("ace", true),
    ] {
        let (model, log) = backend(|request| {
            let n = request.messages.len();
            format!("First, my structure: costs and sales. What about costs in step {n}?")
        });
        let work = work(FeedbackMode::Outcome, WorkKind::Episode);
        let make = || LearningStream::new(Team::of(Arc::clone(&model)), method(name), work);
        let mut stream = make();
        let asked = [&cases[0], &cases[1]].map(|case| interview_of(case, 4, 1));
        let first = next(&mut stream, &asked[0], BTreeMap::new()).await.unwrap();
        assert_eq!(first.record.score.metrics()["rounds"], 4.0);
        let per_answer = match name {
            "debate" => 6,
            // The reasoning, then what is said.
            "cot" => 2,
            _ => 1,
        };
        let agent = &first.note.used.roles[&ModelRole::Agent];
        assert_eq!(agent.replies, 4 * per_answer, "{name}");
        let snapshot = stream.snapshot();
        let second = next(&mut stream, &asked[1], BTreeMap::new()).await.unwrap();
        assert_eq!(first.note.memory != second.note.memory, online, "{name}");
        let told = log
            .lock()
            .unwrap()
            .iter()
            .any(|r| r.role == ModelRole::Agent && words(r).contains("What you have learnt"));
        assert_eq!(told, online, "{name}");
        // A judge knows the solution: what it says is not for memories.
        let all = log.lock().unwrap().clone();
        assert!(all.iter().all(|r| !words(r).contains("numbers worked out")));
        let mut resumed = make();
        resumed.restore(&snapshot).unwrap();
        let again = next(&mut resumed, &asked[1], BTreeMap::new())
            .await
            .unwrap();
        assert_eq!(again, second, "{name}");
    }
}

/// The judge of an answer is a model at its seat: as many votes as judges, each with its own place.
#[tokio::test]
async fn a_model_judges_free_text() {
    let judge = Arc::new(Scripted::texts([
        "{\"score\": 5}",
        "four",
        "{\"score\": 4}",
    ]));
    let config = env::Config {
        scoring: qa_scoring::Settings {
            judges: 2,
            ..qa_scoring::Settings::default()
        },
        ..env::Config::default()
    };
    let item = Item::new("1", "Why?", Gold::Text("Because.".to_owned()));
    let put = config.question("RM_C".parse().unwrap(), item);
    let asked = Asked {
        name: "1".to_owned(),
        instance: env::Spec.load(&json!(put)).unwrap(),
        spec: env::Spec.boxed(),
    };
    let (agent, log) = backend(|_| "So.".to_owned());
    let work = work(FeedbackMode::None, WorkKind::Question);
    let mut stream = LearningStream::new(Team::of(agent), method("direct"), work);
    let seats = BTreeMap::from([(env::JUDGE, model(Arc::clone(&judge) as _))]);
    let played = next(&mut stream, &asked, seats).await.unwrap();
    assert_eq!(played.record.score.value(), 0.9);
    assert_eq!(log.lock().unwrap().len(), 1);
    let requests = judge.asked();
    assert!(requests.iter().all(|r| r.role == ModelRole::Judge));
    let lengths: Vec<usize> = requests.iter().map(|r| r.messages.len()).collect();
    assert_eq!(
        lengths,
        [2, 2, 4],
        "the repair shows the judge its own reply"
    );
    assert_eq!(requests[2].messages[2], Message::assistant("four"));
    assert!(words(&requests[0]).contains("<answer>\nSo.\n</answer>"));
    assert_eq!(played.note.used.roles[&ModelRole::Judge].replies, 3);
}
