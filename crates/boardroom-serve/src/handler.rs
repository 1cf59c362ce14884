//! The MCP side: tool lists and calls of a [`SessionManager`] as protocol messages.

use super::ServerMode;
use super::clients::{HOST, LOCAL};
use super::request_checks::ClientName;
use super::sessions::{ClientAnswer, GET_STATUS, Meant, NEW_EPISODE, SCORE_SO_FAR, SessionManager};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, Implementation, InitializeRequestParams, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use sim_core::error::{self, clip};
use sim_core::{ActionError, Seat, ToolKind, ToolSpec};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Answers the protocol for the games of one session manager; a connection has no state of its own.
#[derive(Debug, Clone)]
pub(crate) struct Handler {
    pub(super) sessions: Arc<SessionManager>,
    /// One for each call that is processed concurrently.
    pub(super) places: Arc<Semaphore>,
    /// The game of calls that name none.
    pub(super) unnamed: Option<String>,
    /// Whether only the host is told the score before the end.
    pub(super) hides_scores: bool,
}

impl Handler {
    fn tools(&self) -> Vec<Tool> {
        let mut tools = Vec::new();
        if self.sessions.mode() == ServerMode::Play {
            let schema = object(json!({
                "type": "object",
                "properties": {"episode": {"type": "integer", "minimum": 0,
                    "description": "Number of the episode; the next one when left out."}},
                "additionalProperties": false
            }));
            tools.push(
                Tool::new(
                    NEW_EPISODE,
                    "Open a game. Tells its rules, and its episode_id, which goes with every other \
                     tool.",
                    schema,
                )
                .with_annotations(ToolAnnotations::new().read_only(false).idempotent(false)),
            );
        }
        let plain = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let schema = self.with_episode(&plain, false);
        tools.push(
            Tool::new(
                GET_STATUS,
                format!(
                    "Where the game stands: the turn, which the game calls {}, the rules, and what \
                     is to be decided.",
                    self.sessions.unit()
                ),
                schema,
            )
            .with_annotations(ToolAnnotations::new().read_only(true)),
        );
        for spec in self.sessions.tools().iter() {
            tools.push(self.tool(spec));
        }
        tools
    }

    fn tool(&self, spec: &ToolSpec) -> Tool {
        let schema = self.with_episode(&spec.arguments, spec.kind == ToolKind::Action);
        let hints = match spec.kind {
            ToolKind::Getter => ToolAnnotations::new().read_only(true),
            ToolKind::Write | ToolKind::Action => {
                ToolAnnotations::new().read_only(false).idempotent(false)
            }
        };
        Tool::new(spec.name.clone(), spec.description.clone(), schema).with_annotations(hints)
    }

    /// The schema of a tool with `episode_id` (required unless calls may leave it out) and, for
    /// decisions, `turn` and, of several seats, `seat`.
    fn with_episode(&self, schema: &Value, decides: bool) -> Arc<Map<String, Value>> {
        let mut schema = schema.clone();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            let about = match (self.sessions.mode(), &self.unnamed) {
                (_, Some(_)) => "The game; there is one only, so it may be left out.",
                (ServerMode::Play, None) => "The game, as new_episode gave it.",
                (ServerMode::Eval, None) => "Your seat in the game, as you were told it.",
            };
            properties.insert(
                "episode_id".to_owned(),
                json!({"type": "string", "description": about}),
            );
            if decides {
                let seats = self.sessions.seats();
                let several = seats.len() > 1;
                let about = format!(
                    "The turn that is meant, as get_status gives it: 0 in the first {}. A request \
                     that is sent twice then acts once.{}",
                    self.sessions.unit(),
                    if several {
                        " Without the episode_id of a seat, give seat as well."
                    } else {
                        ""
                    }
                );
                let turn = json!({"type": "integer", "minimum": 0, "description": about});
                properties.insert("turn".to_owned(), turn);
                if several {
                    let names: Vec<&str> = seats.iter().map(Seat::name).collect();
                    let about = "The seat that is meant, as get_status gives it.";
                    let seat = json!({"type": "string", "enum": names, "description": about});
                    properties.insert("seat".to_owned(), seat);
                }
            }
        }
        // Required in the schema too, as many clients fill in nothing else.
        let needed = self.unnamed.is_none();
        if let Some(map) = schema.as_object_mut().filter(|_| needed) {
            let required = map.entry("required").or_insert_with(|| json!([]));
            if let Some(required) = required.as_array_mut() {
                required.push("episode_id".into());
            }
        }
        object(schema)
    }

    fn answer(
        &self,
        client: &str,
        name: &str,
        arguments: Option<Map<String, Value>>,
    ) -> ClientAnswer {
        self.try_answer(client, name, arguments.unwrap_or_default())
            .unwrap_or_else(|refused| *refused)
    }

    /// Tools of the environment check their own arguments; the arguments that the server adds are
    /// checked here.
    fn try_answer(
        &self,
        client: &str,
        name: &str,
        mut arguments: Map<String, Value>,
    ) -> Result<ClientAnswer, Box<ClientAnswer>> {
        let opens = name == NEW_EPISODE && self.sessions.mode() == ServerMode::Play;
        if opens {
            let number = whole_number(&mut arguments, "episode")?;
            nothing_else(&arguments, name, "episode")?;
            return Ok(self.sessions.new_episode_for(client, number));
        }
        // In mode eval the refusal of the games tells why, instead of that there is no such tool.
        if name == NEW_EPISODE {
            return Ok(self.sessions.new_episode_for(client, None));
        }
        let id = match arguments.remove("episode_id") {
            Some(Value::String(id)) => id,
            // Clients that fill in every argument send null for what they leave out.
            None | Some(Value::Null) => self.unnamed.clone().ok_or_else(|| {
                // Before the missing argument: a new game would not help a client that misspelt a tool.
                let tools = self.tools();
                if tools.iter().all(|tool| tool.name != name) {
                    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
                    let refused = ActionError::unknown_tool(name, &names);
                    return Box::new(ClientAnswer::refused(&refused.code, refused.message));
                }
                let whence = match self.sessions.mode() {
                    ServerMode::Play => "new_episode opens a game and tells it",
                    ServerMode::Eval => "each seat has its own, which its client is told",
                };
                let text = format!("`{}` needs the argument `episode_id`; {whence}", clip(name));
                Box::new(ClientAnswer::refused("bad_arguments", text))
            })?,
            Some(other) => return Err(wrong("episode_id", &other, "a string")),
        };
        if name == GET_STATUS {
            nothing_else(&arguments, name, "episode_id")?;
            return Ok(self.sessions.status_for(client, &id));
        }
        let decides = |spec: &ToolSpec| spec.name == name && spec.kind == ToolKind::Action;
        // Taken from decisions only: another tool may have an argument of this name.
        let decides = self.sessions.tools().iter().any(decides);
        let turn = if decides {
            whole_number(&mut arguments, "turn")?
        } else {
            None
        };
        let seat = match arguments.get("seat") {
            Some(_) if decides && self.sessions.seats().len() > 1 => arguments.remove("seat"),
            _ => None,
        };
        let seat = match &seat {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => Some(name.as_str()),
            Some(other) => return Err(wrong("seat", other, "the name of a seat")),
        };
        let meant = Meant { turn, seat };
        Ok(self
            .sessions
            .call_for(client, &id, name, Value::Object(arguments), meant))
    }
}

/// Takes an optional argument, which must be a whole number if present: if an invalid one were
/// ignored, a request could act although it was not meant to.
fn whole_number(
    arguments: &mut Map<String, Value>,
    name: &str,
) -> Result<Option<u64>, Box<ClientAnswer>> {
    match arguments.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(number) => Ok(Some(number)),
            None => Err(wrong(name, &value, "a whole number, 0 or more")),
        },
    }
}

fn nothing_else(
    arguments: &Map<String, Value>,
    tool: &str,
    known: &str,
) -> Result<(), Box<ClientAnswer>> {
    match arguments.keys().next() {
        Some(extra) => Err(Box::new(ClientAnswer::refused(
            "bad_arguments",
            format!("`{tool}` takes `{known}`, not `{}`", clip(extra)),
        ))),
        None => Ok(()),
    }
}

fn wrong(name: &str, value: &Value, right: &str) -> Box<ClientAnswer> {
    let value = value.to_string();
    let text = format!("`{name}` is `{}`; it must be {right}", clip(&value));
    Box::new(ClientAnswer::refused("bad_arguments", text))
}

fn object(value: Value) -> Arc<Map<String, Value>> {
    match value {
        Value::Object(map) => Arc::new(map),
        _ => Arc::new(Map::new()),
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("boardroom", env!("CARGO_PKG_VERSION"));
        let how = match (self.sessions.mode(), &self.unnamed) {
            (_, Some(id)) => format!(
                "The game is open; its episode_id is {id} and may be left out. Call get_status \
                 first: it tells the rules and says where the game stands."
            ),
            (ServerMode::Eval, None) => {
                "The game is open. Each seat has an episode_id of its own, which goes with every \
                 tool. Call get_status first: it tells the rules and says where the game stands."
                    .to_owned()
            }
            (ServerMode::Play, None) => {
                "Call new_episode first: it opens a game and tells the rules of that game, which \
                 may differ from those of others. Its episode_id goes with every other tool. \
                 get_status tells the rules again and says where the game stands."
                    .to_owned()
            }
        };
        let tools: Vec<&str> = self
            .sessions
            .tools()
            .iter()
            .map(|t| t.name.as_str())
            .collect();
        info.instructions = Some(format!(
            "{} of Boardroom: {}. {how} The tools of the games: {}.",
            self.sessions.environment(),
            self.sessions.about(),
            tools.join(", ")
        ));
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools()))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // The library takes a request whose parameters it cannot read for one of another protocol.
        let params = request.params.unwrap_or_else(|| json!({}));
        let fault = match request.method.as_str() {
            "initialize" => error::read::<InitializeRequestParams>(&params).err(),
            "tools/call" => error::read::<CallToolRequestParams>(&params).err(),
            _ => None,
        };
        if let Some(fault) = fault {
            let why = format!("`{}`: {}", request.method, fault.within("params"));
            return Err(ErrorData::invalid_params(why, None));
        }
        // The library would answer with the name alone.
        let why = format!("there is no method `{}`", clip(&request.method));
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parts = context.extensions.get::<axum::http::request::Parts>();
        let client = parts.and_then(|parts| parts.extensions.get::<ClientName>());
        let client = client.map_or_else(|| LOCAL.to_owned(), |client| client.0.clone());
        let hides_score = self.hides_scores && client != HOST;
        let handler = self.clone();
        let places = Arc::clone(&self.places);
        // A call takes its place before its thread: those of a flood wait here and not in threads.
        let place = places.acquire_owned().await;
        let place = place.map_err(|e| ErrorData::internal_error(e.to_string(), None))?;
        // Opening a large company or searching for a plan may take seconds. It runs on a blocking
        // thread, so that no other client waits, and a panic fails only this request. If a client
        // disconnects, its work continues, so its place becomes free only when the work is done.
        let answer = tokio::task::spawn_blocking(move || {
            let _place = place;
            handler.answer(&client, &request.name, request.arguments)
        });
        let answer = answer
            .await
            .map_err(|e| ErrorData::internal_error(format!("the call failed: {e}"), None))?;
        let mut value = answer.value;
        if let Some(value) = value.as_object_mut().filter(|_| hides_score) {
            value.remove(SCORE_SO_FAR);
        }
        let mut content = vec![ContentBlock::text(answer.text)];
        // A block of its own, so that clients which show the first block only show the answer.
        content.extend(answer.reminder.map(ContentBlock::text));
        let mut result = if answer.error {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        result.structured_content = Some(value);
        Ok(result.into())
    }
}
