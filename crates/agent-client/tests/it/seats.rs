//! Two agents at different seats, one of which decides in prose.

use agent_client::backends::Func;
use agent_client::play::retell::retell;
use agent_client::play::{Agent, PlayReport, PlaySettings, play_turn};
use agent_client::{ModelRole, Reply, Request, Slot, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::{
    ActionError, Cause, Causes, Digest, Environment, Header, Limits, NotFinite, PeriodCount,
    Prompt, RestoreError, Score, Seat, Seed, Session, ToolAdapter, ToolInterface, ToolKind,
    ToolOutput, ToolSpec,
};
use std::sync::Arc;

const SELLER: Seat = Seat::named("seller");
const JUDGE: Seat = Seat::named("judge");

/// The seller names a price by tool, a judge answers in words; three rounds.
#[derive(Debug, Clone, Default)]
struct Bazaar {
    state: State,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct State {
    turns: u32,
    sold: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Move {
    Price(u32),
    Deal(bool),
}

impl Environment for Bazaar {
    type State = State;
    type Action = Move;
    type Observation = u32;
    type Feedback = String;

    fn state(&self) -> &State {
        &self.state
    }

    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        self.state = state;
        Ok(())
    }

    fn seats(&self) -> Vec<Seat> {
        vec![SELLER, JUDGE]
    }

    fn turn(&self) -> Seat {
        if self.state.turns.is_multiple_of(2) {
            SELLER
        } else {
            JUDGE
        }
    }

    fn observe(&self) -> u32 {
        self.state.turns
    }

    fn step(&mut self, action: &Move) -> Result<String, ActionError> {
        match (action, self.turn() == SELLER) {
            (Move::Price(_), true) => {}
            (Move::Deal(deal), false) => self.state.sold += u32::from(*deal),
            _ => return Err(ActionError::new("not_yours", "this is for the other side")),
        }
        self.state.turns += 1;
        Ok(format!("{action:?}"))
    }

    fn forfeit(&mut self) -> String {
        self.state.turns += 1;
        "silence".to_owned()
    }

    fn is_over(&self) -> bool {
        self.state.turns >= 6
    }

    fn score(&self) -> Result<Score, NotFinite> {
        Score::new(f64::from(self.state.sold))
    }
}

impl ToolInterface for Bazaar {
    type Shown = ();

    fn tools(&self) -> Vec<ToolSpec> {
        if self.turn() == JUDGE {
            return Vec::new();
        }
        vec![
            ToolSpec::new("name_price", ToolKind::Action, "Name a price.")
                .with("price", json!({"type": "integer"})),
        ]
    }

    fn briefing(&self) -> Prompt {
        Prompt {
            system: format!("You are the {}.", self.turn()),
            opening: "It is your turn.".to_owned(),
            reminder: "Go on.".to_owned(),
        }
    }

    fn period(&self) -> PeriodCount {
        PeriodCount {
            index: self.state.turns / 2,
            total: Some(3),
            unit: "round",
        }
    }

    fn get(&self, _: &str, _: &Value) -> Result<ToolOutput, ActionError> {
        Err(ActionError::bad_arguments("there are no getters"))
    }

    fn read_call(&self, _: &str, arguments: &Value) -> Result<Move, ActionError> {
        let price = arguments.get("price").and_then(Value::as_u64);
        price
            .and_then(|p| u32::try_from(p).ok())
            .map(Move::Price)
            .ok_or_else(|| ActionError::bad_arguments("a price is needed"))
    }

    fn read_text(&self, text: &str) -> Option<Result<Move, ActionError>> {
        (self.turn() == JUDGE).then(|| match text {
            "deal" => Ok(Move::Deal(true)),
            "no deal" => Ok(Move::Deal(false)),
            _ => Err(ActionError::new("unclear", "say `deal` or `no deal`")),
        })
    }

    fn feedback_text(&self, feedback: &String) -> String {
        feedback.clone()
    }
    fn feedback_value<'a>(&self, _: &'a String) -> Option<&'a ()> {
        None
    }
}

#[tokio::test]
async fn each_seat_has_its_agent_and_role_and_prose_is_heard() {
    let header = Header {
        environment: "bazaar".to_owned(),
        version: 1,
        config: Digest::of_bytes(b""),
        instance: Digest::of_bytes(b""),
        seed: Seed(0),
        episode: 0,
        agent: "two".to_owned(),
        settings: None,
        method: None,
        feedback: None,
        stream: None,
        trial: 0,
    };
    let open = || Box::new(ToolAdapter::new(Bazaar::default()));
    let mut session = Session::new(open(), header, Limits::default());
    let seller = Func::new("seller", |request: &Request| {
        assert!(format!("{:?}", request.messages).contains("You are the seller."));
        Ok(Reply::calls(vec![ToolCall::new(
            "1",
            "name_price",
            json!({"price": 4}),
        )]))
    });
    let judge = Func::new("judge", |request: &Request| {
        assert!(format!("{:?}", request.messages).contains("You are the judge."));
        assert_eq!(request.role, ModelRole::Judge);
        let asked_again = request.messages.len() > 2;
        Ok(Reply::text(if asked_again {
            "deal"
        } else {
            "Hmm, perhaps."
        }))
    });
    let (seller, judge) = (Agent::new(Arc::new(seller)), Agent::new(Arc::new(judge)));
    let (settings, slot) = (PlaySettings::default(), Slot::new("b"));
    let mut report = PlayReport::default();
    let mut turns = 0;
    while !session.env().is_over() {
        let agent = match session.env().turn() == JUDGE {
            true => &judge,
            false => &seller,
        };
        play_turn(&mut session, agent, &settings, &slot, &mut report)
            .await
            .unwrap();
        turns += 1;
    }
    assert_eq!(
        (turns, report.refused["unclear"], report.without_call),
        (6, 3, 6)
    );
    let record = session.finish().unwrap();
    record.verify(open()).unwrap();
    let tally = record.tally();
    let refused = |causes: &Causes| causes.of(Cause::Refused);
    assert_eq!(refused(&tally.causes), 0, "the seller is not refused");
    assert_eq!(refused(&tally.causes_of_others["judge"]), 3);
    assert_eq!(tally.queries, 9, "three of the seller and six of the judge");
    assert!((record.score.value() - 3.0).abs() < 1e-9);
    let story = retell(open(), &record.entries, Some(&JUDGE));
    assert_eq!(story.lines().count(), 6, "{story}");
    assert!(
        story.starts_with("round 1: said: Hmm, perhaps. -> refused: say `deal`"),
        "{story}"
    );
}
