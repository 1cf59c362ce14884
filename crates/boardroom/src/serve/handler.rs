//! The protocol side: tool lists and calls of a [`Hall`] in the words of MCP.

use super::Mode;
use super::hall::{Answer, Hall};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use sim_core::{ToolKind, ToolSpec};
use std::sync::Arc;

/// Answers the protocol for the games of one hall; a connection holds nothing of its own.
#[derive(Debug, Clone)]
pub(crate) struct Handler {
    hall: Arc<Hall>,
}

impl Handler {
    pub(super) fn new(hall: Arc<Hall>) -> Self {
        Self { hall }
    }

    fn tools(&self) -> Vec<Tool> {
        let mut tools = Vec::new();
        if self.hall.mode() == Mode::Play {
            let schema = object(json!({
                "type": "object",
                "properties": {"episode": {"type": "integer", "minimum": 0,
                    "description": "Number of the episode; the next one when left out."}},
                "additionalProperties": false
            }));
            tools.push(
                Tool::new(
                    "new_episode",
                    "Open a game. Its episode_id goes with every other tool.",
                    schema,
                )
                .with_annotations(ToolAnnotations::new().read_only(false).idempotent(false)),
            );
        }
        let schema = self.with_episode(&json!({"type": "object", "properties": {}}), false);
        tools.push(
            Tool::new(
                "get_status",
                "Where the game stands and what is to be decided.",
                schema,
            )
            .with_annotations(ToolAnnotations::new().read_only(true)),
        );
        for spec in self.hall.tools().iter() {
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

    /// The schema of a tool with `episode_id` (required where a client opens games itself) and,
    /// for decisions, `turn`.
    fn with_episode(&self, schema: &Value, decides: bool) -> Arc<Map<String, Value>> {
        let mut schema = schema.clone();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            let about = "The episode_id of the game.";
            properties.insert(
                "episode_id".to_owned(),
                json!({"type": "string", "description": about}),
            );
            if decides {
                let about = "Number of the running period as get_status gives it; makes a repeated \
                             request harmless.";
                let turn = json!({"type": "integer", "minimum": 0, "description": about});
                properties.insert("turn".to_owned(), turn);
            }
        }
        let opens = self.hall.mode() == Mode::Play;
        if let Some(map) = schema.as_object_mut().filter(|_| opens) {
            let required = map.entry("required").or_insert_with(|| json!([]));
            if let Some(required) = required.as_array_mut() {
                required.push("episode_id".into());
            }
        }
        object(schema)
    }

    fn answer(&self, name: &str, arguments: Option<Map<String, Value>>) -> Answer {
        let mut arguments = arguments.unwrap_or_default();
        if name == "new_episode" {
            return self
                .hall
                .new_episode(arguments.get("episode").and_then(Value::as_u64));
        }
        let given = arguments.remove("episode_id");
        let id = match given {
            Some(Value::String(id)) => id,
            Some(other) => other.to_string(),
            None => self.hall.bound_episode().unwrap_or_default(),
        };
        if name == "get_status" {
            return self.hall.status(&id);
        }
        let decides = |spec: &ToolSpec| spec.name == name && spec.kind == ToolKind::Action;
        let turn = if self.hall.tools().iter().any(decides) {
            arguments.remove("turn").and_then(|turn| turn.as_u64())
        } else {
            None
        };
        self.hall.call(&id, name, Value::Object(arguments), turn)
    }
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
        let how = match self.hall.bound_episode() {
            Some(id) => format!("The game is open; its episode_id is {id}."),
            None => "Call new_episode first; its episode_id goes with every other tool.".to_owned(),
        };
        info.instructions = Some(format!(
            "{} of Boardroom. {how}\n\n{}",
            self.hall.environment(),
            self.hall.rules()
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

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = self.answer(&request.name, request.arguments);
        let content = vec![ContentBlock::text(answer.text)];
        let mut result = if answer.error {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        result.structured_content = Some(answer.value);
        Ok(result.into())
    }
}
