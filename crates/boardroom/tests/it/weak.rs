//! Weak models finish everything, in both languages: one without tools, one that thinks and cannot be forced to call, one
//! without a system role, one without a temperature. Each plays an episode of every environment of the registry, so it is
//! interviewed and judged and answers questions as well; none loses a turn to the way it is asked.
//!
//! The model reads what it needs with the tools of a game and then decides, so results of tools are in the chat.

use crate::models::summary;
use crate::quirks::{
    Wire, call, chat, claude, claude_refuses, forces, is_anthropic, may_call, refuse, roles,
};
use crate::server::{Act, Request, Server};
use serde_json::{Map, Value, json};

/// An episode that ends after a few decisions, for every environment. `API` and `QUESTIONS` stand for the wire and for a
/// folder.
const EPISODES: [&str; 12] = [
    "beer-game --set weeks=3",
    "ceo",
    "consulting --preset short --rounds 3 --judge API:judge",
    "collusion --set periods=3 --set measured=2 --set steady=2",
    "edt",
    "efficiency-equality --set periods=3",
    "office --preset small",
    "patience --set repeats=1 --set every=20",
    "pricing --set periods=3 --set scored_periods=2",
    "procurement --set rules.periods=3",
    "qa --data QUESTIONS --task FPB",
    "scheduling --set periods=3",
];

/// What a model cannot do.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lack {
    Tools,
    ForcedCall,
    SystemRole,
    Temperature,
}

/// The refusal of what the model lacks.
fn refusal(request: &Request, lack: Lack) -> Option<Act> {
    let body = &request.body;
    match lack {
        Lack::Tools => body["tools"]
            .is_array()
            .then(|| refuse(400, "registry.ollama.ai/library/m does not support tools")),
        Lack::ForcedCall if is_anthropic(request) => {
            if forces(body) {
                return Some(claude_refuses(400, "invalid_request_error", "Thinking may not be enabled when tool_choice forces tool use."));
            }
            // A call comes back with the thoughts that led to it.
            let lacks = messages(body).iter().any(|message| {
                let blocks = message["content"].as_array();
                blocks.is_some_and(|blocks| {
                    blocks.iter().any(|block| block["type"] == "tool_use")
                        && blocks[0] != thought()
                })
            });
            lacks.then(|| {
                claude_refuses(400, "invalid_request_error", "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.")
            })
        }
        Lack::ForcedCall => {
            if forces(body) {
                return Some(refuse(400, "The tool_choice parameter does not support being set to required or object in thinking mode"));
            }
            let lacks = messages(body).iter().any(|message| {
                message["tool_calls"].is_array() && message["reasoning_content"] != THOUGHT
            });
            lacks.then(|| {
                refuse(400, "Missing `reasoning_content` field in the assistant message: in thinking mode it must be passed back to the API.")
            })
        }
        Lack::SystemRole => {
            let has = roles(body).contains(&"system") || !body["system"].is_null();
            has.then(|| refuse(400, "System role not supported"))
        }
        Lack::Temperature => (!body["temperature"].is_null()).then(|| {
            refuse(400, "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.")
        }),
    }
}

const THOUGHT: &str = "First I look, then I decide.";

fn thought() -> Value {
    json!({"type": "thinking", "thinking": THOUGHT, "signature": "c2ln"})
}

fn messages(body: &Value) -> &[Value] {
    body["messages"].as_array().map_or(&[], Vec::as_slice)
}

/// What the model does: a call, or a text.
enum Does {
    Calls(String, Value),
    Says(String),
}

fn model(request: &Request, lack: Lack) -> Act {
    if let Some(act) = refusal(request, lack) {
        return act;
    }
    let body = &request.body;
    let does = decide(body);
    let calls = may_call(body);
    let thinks = lack == Lack::ForcedCall;
    let text = match (&does, calls) {
        (Does::Says(text), _) => text.clone(),
        (Does::Calls(tool, with), false) => {
            json!({"reason": "need", "tool": tool, "with": with}).to_string()
        }
        (Does::Calls(..), true) => String::new(),
    };
    Act::Answer(if is_anthropic(request) {
        let mut blocks: Vec<Value> = Vec::new();
        blocks.extend(thinks.then(thought));
        blocks.push(match does {
            Does::Calls(tool, with) if calls => {
                json!({"type": "tool_use", "id": format!("toolu_{}", request.number), "name": tool, "input": with})
            }
            _ => json!({"type": "text", "text": text}),
        });
        claude(json!(blocks))
    } else {
        let mut fields = match does {
            Does::Calls(tool, with) if calls => {
                json!({"tool_calls": [call(&tool, &with.to_string())]})
            }
            _ => json!({"content": text}),
        };
        if thinks {
            fields["reasoning_content"] = json!(THOUGHT);
        }
        chat(fields)
    })
}

/// All texts of a value, in order.
fn texts(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, out)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, out)),
        _ => {}
    }
}

/// The lists of ids in the results of tools: words in quotes between brackets.
fn lists(text: &str) -> Vec<Vec<String>> {
    let parts = text
        .split('[')
        .skip(1)
        .filter_map(|rest| rest.split(']').next());
    let ids = |list: &str| -> Vec<String> {
        let ids = list
            .split(',')
            .map(|id| id.trim().trim_matches(['\'', '"', '\\']));
        ids.filter(|id| !id.is_empty()).map(str::to_owned).collect()
    };
    parts.map(ids).filter(|ids| !ids.is_empty()).collect()
}

fn decide(body: &Value) -> Does {
    let mut all = String::new();
    texts(&body["system"], &mut all);
    texts(&body["messages"], &mut all);
    let tools: Vec<&str> = body["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["name"].as_str().or(tool["function"]["name"].as_str()))
        .collect();
    let offers = |name: &str| {
        tools.contains(&name) || (tools.is_empty() && all.contains(&format!("\n- {name}: ")))
    };
    // What the tools gave stands behind the first message of the model.
    let mut read = String::new();
    let own = messages(body).iter().position(|m| m["role"] == "assistant");
    let behind = own.map_or(&[][..], |at| &messages(body)[at..]);
    let results = behind.iter().filter(|m| m["role"] != "assistant");
    for message in results {
        texts(&message["content"], &mut read);
    }
    let found = lists(&read);
    let look = |tool: &str| Does::Calls(tool.to_owned(), json!({}));
    let act = |tool: &str, with: Value| Does::Calls(tool.to_owned(), with);
    let pairs = |keys: &[String], values: &[String]| {
        let all = keys.iter().zip(values.iter().cycle());
        let all: Vec<String> = all
            .map(|(key, value)| format!("'{key}': {value}"))
            .collect();
        format!("{{{}}}", all.join(", "))
    };
    let quoted =
        |ids: &[String]| -> Vec<String> { ids.iter().map(|id| format!("'{id}'")).collect() };
    if body["model"] == "judge" {
        let marks = json!({"structure": 7, "quant": 6, "business_sense": 8, "communication": 7,
                           "overall": 7, "feedback": "sound"});
        return match tools.first() {
            Some(tool) => act(tool, marks),
            None => Does::Says(marks.to_string()),
        };
    }
    if offers("place_order") {
        return act("place_order", json!({"quantity": 100}));
    }
    if offers("submit_purchase_plan") {
        return act(
            "submit_purchase_plan",
            json!({"purchase_plan": "{'Offer_1': 1}"}),
        );
    }
    if offers("set_prices") {
        return match found.first() {
            None if offers("get_product_ids") => look("get_product_ids"),
            None => act("set_prices", json!({"prices_dict_str": "{'Product_1': 5}"})),
            Some(ids) => act(
                "set_prices",
                json!({"prices_dict_str": pairs(ids, &["5".to_owned()])}),
            ),
        };
    }
    if offers("submit_assignment") && offers("get_task_info") {
        let mut tasks: Vec<String> = Vec::new();
        for part in read
            .split("Task T")
            .chain(read.split("'T"))
            .chain(read.split("\nT"))
            .chain(read.split(" T"))
        {
            let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
            let task = format!("T{digits}");
            if !digits.is_empty() && !tasks.contains(&task) {
                tasks.push(task);
            }
        }
        let Some(workers) = found.first() else {
            return look("get_worker_ids");
        };
        if tasks.is_empty() {
            return look("get_task_info");
        }
        return act(
            "submit_assignment",
            json!({"assignment": pairs(&tasks, &quoted(workers))}),
        );
    }
    if offers("submit_assignment") {
        return match (found.first(), found.get(1)) {
            (None, _) => look("get_worker_ids"),
            (_, None) => look("get_task_ids"),
            (Some(workers), Some(tasks)) => act(
                "submit_assignment",
                json!({"assignment": pairs(workers, &quoted(tasks))}),
            ),
        };
    }
    if offers("submit_plan") && offers("read_situation") {
        return act(
            "submit_plan",
            json!({"remove_from": {"A": 5}, "add_to": {"B": 5}, "decision_type": "moderate",
                   "rationale": "A has more than it needs.", "total_realloc_share": 5}),
        );
    }
    if offers("submit_plan") {
        return act(
            "submit_plan",
            json!({"consultants": 4, "risk_level": 0.5, "projects": []}),
        );
    }
    if offers("refuse") {
        return act("refuse", json!({"class": "missing", "reason": "none"}));
    }
    if offers("answer") {
        return act("answer", json!({"choice": "A"}));
    }
    if let Some(tool) = body["tools"].get(0) {
        let schema = tool
            .get("input_schema")
            .unwrap_or(&tool["function"]["parameters"]);
        return act(tools[0], fill(schema));
    }
    Does::Says("Answer: positive".to_owned())
}

/// A value that fits a schema, made of first choices and minima.
fn fill(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let field = |name: &Value| {
                let name = name.as_str().unwrap();
                (name.to_owned(), fill(&schema["properties"][name]))
            };
            Value::Object(required.iter().map(field).collect::<Map<_, _>>())
        }
        Some("array") => json!([]),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(0)),
        Some("boolean") => json!(true),
        _ => json!("x"),
    }
}

/// Plays everything against a model that lacks something.
/// The schemas of a request, of its tools and of its reply.
fn schemas(body: &Value) -> Vec<&Value> {
    let tools = body["tools"].as_array().into_iter().flatten();
    let paths = ["/function/parameters", "/input_schema"];
    let of_tools = tools.filter_map(|tool| paths.iter().find_map(|path| tool.pointer(path)));
    let of_reply = body.pointer("/response_format/json_schema/schema");
    of_tools.chain(of_reply).collect()
}

fn finishes_everything(lack: Lack, wire: Wire) {
    let server = Server::answering(move |request| model(request, lack));
    let api = match wire {
        Wire::OpenAi => "openai",
        Wire::Anthropic => "anthropic",
    };
    let how = "--method direct --concurrency 1 --temperature 0.2 --json";
    let mut faults = Vec::new();
    let mut check = |line: String| {
        let output = server.run(&line);
        if output.status.code() != Some(0) {
            faults.push(format!(
                "{line}: {}",
                String::from_utf8_lossy(&output.stderr)
            ));
            return;
        }
        let found = summary(&output);
        let flags = found["flags"].as_object().unwrap();
        let bad = [
            "forfeited",
            "candidate_error",
            "interviewer_error",
            "unscored",
        ];
        let lost = bad
            .iter()
            .any(|name| flags.get(*name).is_some_and(|n| n != 0));
        if found["failed"] != 0 || found["score"]["mean"].is_null() || lost {
            faults.push(format!("{line}: {found}"));
        }
    };
    let questions = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/qa");
    for name in environments() {
        let episode = EPISODES
            .iter()
            .find(|words| words.split(' ').next() == Some(&name));
        let episode = episode.unwrap_or_else(|| panic!("no short episode of {name}"));
        let words = episode.replace("API", api).replace("QUESTIONS", questions);
        let one = if name == "qa" { "" } else { "--episodes 1" };
        check(format!("run {words} {one} --agent {api}:m {how}"));
    }
    assert!(
        faults.is_empty(),
        "{lack:?}, {wire:?}:\n{}",
        faults.join("\n")
    );
    let seen = server.seen.lock().unwrap();
    assert!(seen.len() > 40, "{} requests", seen.len());
    // Servers refuse a schema whose root is not one object, and one that names no properties.
    for schema in seen.iter().flat_map(schemas) {
        let is_object = schema["type"] == "object" && schema["properties"].is_object();
        let has_choice = ["anyOf", "oneOf", "allOf"]
            .iter()
            .any(|name| schema.get(name).is_some());
        assert!(is_object && !has_choice, "{schema}");
    }
}

/// The names of all environments in the registry.
fn environments() -> Vec<String> {
    let listed = crate::program::json("list --json");
    let listed = listed.as_array().unwrap();
    let names = listed
        .iter()
        .map(|one| one["environment"].as_str().unwrap().to_owned());
    names.collect()
}

fn finishes_everything_in_both_languages(lack: Lack) {
    std::thread::scope(|scope| {
        scope.spawn(|| finishes_everything(lack, Wire::OpenAi));
        scope.spawn(|| finishes_everything(lack, Wire::Anthropic));
    });
}

#[test]
fn a_model_without_tools_finishes_everything() {
    finishes_everything_in_both_languages(Lack::Tools);
}

#[test]
fn a_model_that_thinks_and_cannot_be_forced_finishes_everything() {
    finishes_everything_in_both_languages(Lack::ForcedCall);
}

#[test]
fn a_model_without_a_system_role_finishes_everything() {
    finishes_everything_in_both_languages(Lack::SystemRole);
}

#[test]
fn a_model_without_a_temperature_finishes_everything() {
    finishes_everything_in_both_languages(Lack::Temperature);
}
