//! One rollout: a game that is opened by `reset` and played by `step`.

use super::Reward;
use crate::sessions::{ClientAnswer, Opened, SCORE_SO_FAR, SessionManager, add, merge};
use serde_json::{Map, Value, json};
use sim_core::error::clip;
use sim_core::{Sense, ToolKind, ToolSpec};
use std::sync::Arc;

/// What is wrong with a message, in the words of OpenEnv.
#[derive(Debug)]
pub(super) struct Fault {
    /// The code: `VALIDATION_ERROR`, `EXECUTION_ERROR`, `CAPACITY_REACHED`, ..
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, message }
    }

    pub(super) fn invalid(message: String) -> Self {
        Self::new("VALIDATION_ERROR", message)
    }
}

#[derive(Debug)]
pub(super) struct Rollout {
    sessions: Arc<SessionManager>,
    client: String,
    reward: Reward,
    game: Option<Game>,
}

#[derive(Debug)]
struct Game {
    id: String,
    /// The identifier that the client chose, if it did.
    named: Option<String>,
    episode: u64,
    trial: u32,
    steps: u64,
    score: f64,
    over: bool,
}

impl Rollout {
    pub(super) fn new(sessions: Arc<SessionManager>, client: &str, reward: Reward) -> Self {
        Self {
            sessions,
            client: client.to_owned(),
            reward,
            game: None,
        }
    }

    /// The identifier of its game.
    pub(super) fn id(&self) -> Option<&str> {
        self.game.as_ref().map(|game| game.id.as_str())
    }

    /// The identifier that the client chose.
    pub(super) fn named(&self) -> Option<&str> {
        self.game.as_ref()?.named.as_deref()
    }

    /// Whether its game goes on.
    pub(super) fn is_open(&self) -> bool {
        self.id().is_some_and(|id| self.sessions.is_open(id))
    }

    /// Closes the game before its end.
    pub(super) fn close(&mut self) {
        if let Some(game) = self.game.take().filter(|game| !game.over) {
            let _ = self.sessions.close_episode(&game.id);
        }
    }

    /// Opens the episode that `data` asks for, with `seed`, `episode` and `trial`; other keys are left
    /// to the client.
    pub(super) fn reset(&mut self, data: &Map<String, Value>) -> Result<Value, Fault> {
        let seed = number(data, "seed")?;
        let episode = number(data, "episode")?;
        let trial = number(data, "trial")?.map(trial_of).transpose()?;
        let named = match data.get("episode_id") {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) if name.len() <= 255 => Some(name.clone()),
            Some(_) => {
                let why = "`episode_id` must be a text of at most 255 bytes";
                return Err(Fault::invalid(why.to_owned()));
            }
        };
        let episodes = self.sessions.plan().episodes.max(1);
        // Trainers draw seeds from all of 64 bits; the games of a plan are numbered from 0.
        let episode = episode.or(seed.map(|seed| seed % episodes));
        let is_full = |refused: &ClientAnswer| {
            let code = refused.value.get("rejected");
            code.is_some_and(|code| code == "full")
        };
        // The running game is closed once the new one is open, so that a reset that is refused leaves it as it is; earlier
        // only where its own place is the one that is missing.
        let mut opened = self.open_at_start(episode, trial);
        if self.is_open() && opened.as_ref().is_err_and(|refused| is_full(refused)) {
            self.close();
            opened = self.open_at_start(episode, trial);
        }
        let opened = opened.map_err(|refused| {
            let code = if is_full(&refused) {
                "CAPACITY_REACHED"
            } else {
                "EXECUTION_ERROR"
            };
            Fault::new(code, refused.text)
        })?;
        self.close();
        let answer = self.sessions.status(&opened.id);
        let score = score_of(&answer.value).unwrap_or(0.0);
        self.game = Some(Game {
            id: opened.id.clone(),
            named,
            episode: opened.episode,
            trial: opened.trial,
            steps: 0,
            score,
            over: false,
        });
        Ok(json!({
            "observation": self.observation(answer),
            "reward": null,
            "done": false,
        }))
    }

    /// Opens a game at its start. A trial of the episode that an earlier server left unfinished is closed, as a
    /// rollout whose connection ends, and the next one is opened; one that is asked for by its number is refused.
    fn open_at_start(
        &self,
        episode: Option<u64>,
        trial: Option<u32>,
    ) -> Result<Opened, Box<ClientAnswer>> {
        // Before it is opened: a reset that is refused closes no game.
        if let (Some(number), Some(trial)) = (episode, trial)
            && self.sessions.is_unfinished(number, trial)
        {
            let why = format!(
                "trial {trial} of episode {number} was begun on an earlier server; leave `trial` out to open the \
                 next one"
            );
            return Err(Box::new(ClientAnswer::refused("given_out", why)));
        }
        // Without an episode a trial is not read, and must not be that of the episode which is found.
        let trial = episode.and(trial);
        let mut opened = self.sessions.open(&self.client, episode, trial)?;
        while opened.goes_on {
            let _ = self.sessions.close_episode(&opened.id);
            let episode = Some(opened.episode);
            opened = self.sessions.open(&self.client, episode, trial)?;
        }
        Ok(opened)
    }

    /// Calls the tool that `action` names.
    pub(super) fn step(&mut self, action: &Map<String, Value>) -> Result<Value, Fault> {
        let (tool, arguments) = call_of(action, self.sessions.tools())?;
        let Some(game) = &mut self.game else {
            return Err(Fault::new("EXECUTION_ERROR", "call reset first"));
        };
        // A step of OpenEnv names no turn.
        let answer = self.sessions.call(&game.id, &tool, arguments, None);
        game.steps += 1;
        let over = is_over(&answer.value);
        // A call after the end must not pay the result a second time.
        let was_over = std::mem::replace(&mut game.over, over);
        let before = game.score;
        // A refused call tells no score, and so changes none.
        let after = score_of(&answer.value).unwrap_or(before);
        game.score = after;
        let gain = match self.sense() {
            Sense::Maximise => 1.0,
            Sense::Minimise => -1.0,
        };
        let result = answer.value.get("result").cloned();
        let reward = match self.reward {
            _ if was_over => 0.0,
            // The sum with 0 makes a plain zero of a negative one.
            Reward::Score => gain * (after - before) + 0.0,
            Reward::Unit => {
                let unit = result.as_ref().and_then(|result| result.get("unit_score"));
                unit.and_then(Value::as_f64).unwrap_or(0.0)
            }
        };
        let mut value = json!({
            "observation": self.observation(answer),
            "reward": reward,
            "done": over,
        });
        if let Some(result) = result {
            add(&mut value, "metadata", json!({"result": result}));
        }
        Ok(value)
    }

    /// Episode and number of steps.
    pub(super) fn state(&self) -> Value {
        let Some(game) = &self.game else {
            return json!({"episode_id": null, "step_count": 0});
        };
        json!({
            "episode_id": game.named.as_deref().unwrap_or(&game.id),
            "step_count": game.steps,
            "game": game.id,
            "episode": game.episode,
            "trial": game.trial,
            "done": game.over,
        })
    }

    /// The answer to a message of MCP within the rollout: the tools of the environment, which tell no
    /// reward.
    pub(super) fn mcp(&mut self, request: &Value) -> Value {
        let id = request.get("id").cloned().unwrap_or_default();
        let method = request.get("method").and_then(Value::as_str);
        let result = match method.unwrap_or_default() {
            "tools/list" => {
                let tools = self.sessions.tools().iter().map(|spec| {
                    json!({"name": spec.name, "description": spec.description,
                        "inputSchema": spec.arguments})
                });
                Ok(json!({"tools": tools.collect::<Vec<_>>()}))
            }
            "tools/call" => self.mcp_call(request.get("params").unwrap_or(&Value::Null)),
            other => Err((-32601, format!("there is no method `{}`", clip(other)))),
        };
        match result {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err((code, message)) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
            }
        }
    }

    fn mcp_call(&mut self, params: &Value) -> Result<Value, (i64, String)> {
        let action = match params {
            Value::Object(map) => map.clone(),
            _ => Map::new(),
        };
        let mut stepped = self
            .step(&action)
            .map_err(|fault| (-32602, fault.message))?;
        // What an agent calls tells it no reward; `step` tells it to the trainer.
        let seen = stepped.get_mut("observation").map(Value::take);
        let seen = seen.unwrap_or_default();
        Ok(json!({
            "content": [{"type": "text", "text": seen.get("text")}],
            "isError": seen.get("error") == Some(&Value::Bool(true)),
            "structuredContent": seen,
        }))
    }

    /// What an agent sees of an answer: neither the score before the end nor the seed.
    fn observation(&self, answer: ClientAnswer) -> Value {
        let mut text = answer.text;
        if let Some(reminder) = answer.reminder {
            text = format!("{text}\n\n{reminder}");
        }
        let mut value = answer.value;
        if let Some(map) = value.as_object_mut() {
            for hidden in [
                SCORE_SO_FAR,
                "score",
                "result",
                "not_kept",
                "reply",
                "reminder",
            ] {
                // Removed here and not left out there: other clients are shown these.
                map.remove(hidden);
            }
        }
        let id = self.id().unwrap_or_default();
        let seen = self.sessions.seat_state(id).map(|state| state.observation);
        merge(
            &mut value,
            json!({"text": text, "error": answer.error, "observation": seen}),
        );
        value
    }

    fn sense(&self) -> Sense {
        let spec = self.sessions.registry().kind(self.sessions.environment());
        spec.map_or(Sense::Maximise, sim_core::DynEnvironmentSpec::sense)
    }
}

impl Drop for Rollout {
    /// A client that is gone does not come back: its game ends.
    fn drop(&mut self) {
        self.close();
    }
}

/// The schemas of the protocol.
pub(super) fn schemas(sessions: &SessionManager) -> Value {
    let action = |spec: &ToolSpec| {
        json!({
            "type": "object",
            "description": spec.description,
            "properties": {"tool": {"const": spec.name}, "arguments": spec.arguments},
            "required": ["tool"],
        })
    };
    let actions: Vec<Value> = sessions.tools().iter().map(action).collect();
    let observation = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What an agent reads."},
            "observation": {"description": "The same as numbers; null at the end."},
            "error": {"type": "boolean", "description": "Whether the call was refused."},
            "rules": {"type": "string"},
            "opening": {"type": "string"},
            "tools": {"type": "array", "items": {"type": "string"}},
            "turn": {"type": "integer"},
            "of": {"type": ["integer", "null"]},
            "unit": {"type": "string"},
            "over": {"type": "boolean"},
        },
        "required": ["text", "error", "observation"],
    });
    let state = json!({
        "type": "object",
        "properties": {
            "episode_id": {"type": ["string", "null"]},
            "step_count": {"type": "integer", "minimum": 0},
        },
    });
    json!({
        "action": {"type": "object", "oneOf": actions},
        "observation": observation,
        "state": state,
    })
}

/// The tool and the arguments of an action: `{"tool", "arguments"}`, the same with the names of MCP
/// (`name` or `tool_name`), or the arguments of the only tool that decides.
fn call_of(action: &Map<String, Value>, tools: &[ToolSpec]) -> Result<(String, Value), Fault> {
    // In this order: an argument of a tool may be called `name`.
    let mut names = ["tool", "tool_name", "name"].into_iter();
    let named = names.find_map(|key| action.get(key).and_then(Value::as_str));
    if let Some(tool) = named {
        let arguments = action
            .get("arguments")
            .cloned()
            .unwrap_or_else(|| json!({}));
        return Ok((tool.to_owned(), arguments));
    }
    let mut deciding = tools.iter().filter(|spec| spec.kind == ToolKind::Action);
    match (deciding.next(), deciding.next()) {
        (Some(only), None) => {
            let mut arguments = action.clone();
            // Every action of OpenEnv has metadata of its own.
            arguments.remove("metadata");
            Ok((only.name.clone(), arguments.into()))
        }
        _ => {
            let names: Vec<&str> = tools.iter().map(|spec| spec.name.as_str()).collect();
            Err(Fault::invalid(format!(
                "an action names a tool and its arguments, \
                 {{\"tool\": .., \"arguments\": {{..}}}}; the tools are {}",
                names.join(", ")
            )))
        }
    }
}

fn number(data: &Map<String, Value>, name: &str) -> Result<Option<u64>, Fault> {
    match data.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_u64().map(Some).ok_or_else(|| {
            let shown = value.to_string();
            Fault::invalid(format!(
                "`{name}` is `{}`; it must be a whole number, 0 or more",
                clip(&shown)
            ))
        }),
    }
}

fn trial_of(number: u64) -> Result<u32, Fault> {
    u32::try_from(number).map_err(|_| {
        Fault::invalid(format!(
            "`trial` is `{number}`; it must be a whole number from 0 to {}",
            u32::MAX - 1
        ))
    })
}

fn score_of(value: &Value) -> Option<f64> {
    let end = value.pointer("/score/value");
    end.or_else(|| value.get(SCORE_SO_FAR))?.as_f64()
}

fn is_over(value: &Value) -> bool {
    value.get("over") == Some(&Value::Bool(true))
        || value
            // The game may have ended meanwhile, by its idle time or its memory.
            .get("rejected")
            .is_some_and(|code| code == "no_such_episode")
}
