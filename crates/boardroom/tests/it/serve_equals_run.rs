//! A client of `serve` sees what `run` shows a model in the same episode: rules, tools, openings,
//! answers, reminders and the end. Every environment and preset, three episodes each (in the ordinary
//! run one).
//!
//! The same calls are made three times: in a session, which gives their results; by a scripted model
//! in the loop of `run`, whose requests show what a model is shown; and by a client of the server.

use agent_client::backends::Func;
use agent_client::play::{Agent, PlaySettings, play};
use agent_client::{Message, Reply, Request as Asked, Slot, ToolCall};
use boardroom::registry::Registry;
use boardroom_serve::sessions::{SessionLimits, SessionManager};
use boardroom_serve::transport::serve_streams;
use boardroom_serve::{Server, ServerMode};
use run_engine::engine::episode::EpisodeRunner;
use run_engine::plan::source::InstanceSource;
use run_engine::plan::{Plan, RunRequest};
use serde_json::{Map, Value, json};
use sim_core::testkit::small_or_full;
use sim_core::{
    DynInstance, Effort, EpisodeRecord, Header, Input, Next, Session, ToolEnvironment, ToolKind,
    ToolReply,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::io::{Lines, ReadHalf, WriteHalf};

const EPISODES: u64 = 3;

/// Number of episodes that are compared.
fn episodes() -> u64 {
    small_or_full(1, EPISODES)
}
/// Number of turns in which every getter and one wrong call are made before the decision.
const READ_IN: usize = 2;
/// Most getters in such a turn; a model may ask 40 times in a turn.
const READ: usize = 15;

type Call = (String, Value);

/// A client of a server in this process.
struct Client {
    read: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    id: u64,
}

impl Client {
    async fn of(sessions: SessionManager) -> Self {
        let server = Server::new(Arc::new(sessions));
        let (here, there) = tokio::io::duplex(1 << 16);
        let (read, write) = tokio::io::split(there);
        tokio::spawn(async move { serve_streams(&server, read, write).await });
        let (read, write) = tokio::io::split(here);
        let mut client = Self {
            read: BufReader::new(read).lines(),
            write,
            id: 0,
        };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        client.ask("initialize", &hello).await;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        client.send(&ready).await;
        client
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.write.write_all(line.as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        let id = self.id;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&message).await;
        let line = self.read.next_line().await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    }

    async fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        self.ask("tools/call", &params).await
    }
}

/// An episode in a session: the calls, their answers, and the record.
struct Reference {
    calls: Vec<Call>,
    replies: Vec<ToolReply>,
    record: EpisodeRecord,
}

fn reference(case: &dyn DynInstance, header: Header, plan: &Plan) -> Reference {
    let mut session = Session::new(case.open().unwrap(), header, plan.limits);
    let (mut calls, mut replies) = (Vec::new(), Vec::new());
    let mut turns: BTreeMap<String, usize> = BTreeMap::new();
    while !session.env().is_over() {
        let turn = turns.entry(session.env().turn().to_string()).or_default();
        let mut wanted = Vec::new();
        if *turn < READ_IN {
            let read = session.offered(false);
            let read = read.iter().filter(|spec| spec.kind != ToolKind::Action);
            wanted.extend(
                read.skip(*turn * READ)
                    .take(READ)
                    .map(|spec| (spec.name.clone(), fill(&spec.arguments))),
            );
            wanted.push((decision(session.env()).0, json!({"nonsense": 1})));
        }
        *turn += 1;
        wanted.push(decision(session.env()));
        for (tool, arguments) in wanted {
            calls.push((tool.clone(), arguments.clone()));
            let outcome = session.apply(Input::Call { tool, arguments });
            replies.push(outcome.reply);
            if outcome.next != Next::GoOn {
                break;
            }
        }
    }
    Reference {
        calls,
        replies,
        record: session.finish().unwrap(),
    }
}

/// A value that fits a schema.
fn fill(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let names = required.iter().filter_map(Value::as_str);
            let field = |name: &str| (name.to_owned(), fill(&schema["properties"][name]));
            Value::Object(names.map(field).collect::<Map<_, _>>())
        }
        Some("array") => json!([]),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(0)),
        Some("boolean") => json!(true),
        _ => json!("x"),
    }
}

/// A decision that most games accept; it may also be refused until the turn is forfeited.
fn decision(env: &dyn ToolEnvironment) -> Call {
    let tools = env.tools();
    let decides = tools.iter().rfind(|spec| spec.kind == ToolKind::Action);
    let decides = decides.unwrap();
    let ids = |tool: &str| match env.fork().call(tool, &json!({})) {
        ToolReply::Shown { shown } => shown.value.unwrap(),
        other => panic!("{tool}: {other:?}"),
    };
    let list = |value: &Value| -> Vec<String> {
        let items = value.as_array().unwrap().iter();
        items.map(|id| id.as_str().unwrap().to_owned()).collect()
    };
    let pairs = |keys: Vec<String>, values: Vec<String>| {
        let all: Vec<String> = keys
            .iter()
            .zip(values.iter().cycle())
            .map(|(key, value)| format!("'{key}': {value}"))
            .collect();
        format!("{{{}}}", all.join(", "))
    };
    let quoted =
        |ids: Vec<String>| -> Vec<String> { ids.iter().map(|id| format!("'{id}'")).collect() };
    let has = |name: &str| tools.iter().any(|spec| spec.name == name);
    let arguments = match decides.name.as_str() {
        "place_order" => json!({"quantity": 4}),
        "submit_plan" if has("read_situation") => json!({
            "remove_from": {"A": 5}, "add_to": {"B": 5}, "decision_type": "moderate",
            "rationale": "A has more than it needs."
        }),
        "submit_plan" => json!({"consultants": 1, "risk_level": 0.5, "projects": []}),
        "submit_report" => json!({
            "preference_pp": {"A": -5, "B": 5}, "rationale": "It is due.",
            "primary_risk": "Delay.", "opposition_condition": "Never."
        }),
        "set_prices" => {
            let products = list(&ids("get_product_ids"));
            json!({"prices_dict_str": pairs(products, vec!["5".to_owned()])})
        }
        "submit_purchase_plan" => json!({"purchase_plan": "{'Offer_1': 1}"}),
        "submit_assignment" if has("get_task_info") => {
            let tasks = ids("get_task_info");
            let tasks = tasks.as_array().unwrap().iter();
            let tasks = tasks.map(|task| format!("T{}", task["task"])).collect();
            json!({"assignment": pairs(tasks, quoted(list(&ids("get_worker_ids"))))})
        }
        "submit_assignment" => {
            let (workers, tasks) = (list(&ids("get_worker_ids")), list(&ids("get_task_ids")));
            json!({"assignment": pairs(workers, quoted(tasks))})
        }
        "answer" if decides.arguments["properties"].get("choice").is_some() => {
            json!({"choice": "A"})
        }
        "answer" => json!({"text": "done", "facts": {}}),
        _ => fill(&decides.arguments),
    };
    (decides.name.clone(), arguments)
}

/// The requests of a model that makes these calls in the loop of `run`, and the record.
async fn asked(
    case: &dyn DynInstance,
    header: Header,
    plan: &Plan,
    calls: &[Call],
) -> (Vec<Asked>, EpisodeRecord) {
    let seen: Arc<Mutex<Vec<Asked>>> = Arc::default();
    let (log, calls) = (Arc::clone(&seen), calls.to_vec());
    let model = Func::new("scripted", move |request: &Asked| {
        let mut log = log.lock().unwrap();
        let (tool, arguments) = calls[log.len()].clone();
        log.push(request.clone());
        Ok(Reply::calls(vec![ToolCall::new("1", tool, arguments)]))
    });
    let mut session = Session::new(case.open().unwrap(), header, plan.limits);
    let minds = Agent::new(Arc::new(model));
    let settings = PlaySettings::default();
    let slot = Slot::new("e");
    play(&mut session, &minds, &settings, &slot, &mut |_| {})
        .await
        .unwrap();
    let requests = std::mem::take(&mut *seen.lock().unwrap());
    (requests, session.finish().unwrap())
}

/// Plays as a client of the server and compares with what a model was shown.
struct Seen<'a> {
    client: &'a mut Client,
    /// The tools in the client's list, without the arguments that the server adds.
    listed: BTreeMap<String, (Value, Value)>,
    place: String,
}

impl Seen<'_> {
    /// Compares what opens a turn with the first request of a fresh chat.
    fn fresh(&self, request: &Asked, rules: &Value, tools: &Value, answer: &Value) {
        let place = &self.place;
        let [
            Message::System { text: system },
            Message::User { text: opening },
        ] = &request.messages[..]
        else {
            panic!("{place}: {:?}", request.messages);
        };
        let (value, text) = (&answer["structuredContent"], &answer["content"][0]["text"]);
        assert_eq!(rules, system, "{place}");
        assert_eq!(&value["opening"], opening, "{place}");
        assert!(text.as_str().unwrap().ends_with(opening), "{place}: {text}");
        let names: Vec<&str> = request.tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(tools, &json!(names), "{place}");
        for tool in &request.tools {
            let shown = (json!(tool.description), plain(&tool.schema));
            assert_eq!(self.listed[&tool.name], shown, "{place}: {}", tool.name);
        }
    }

    async fn episode(&mut self, number: u64, reference: &Reference, requests: &[Asked]) {
        let wanted = json!({"episode": number});
        let mut answer = self.client.call("new_episode", &wanted).await;
        let id = answer["structuredContent"]["episode_id"].clone();
        let mut value = answer["structuredContent"].clone();
        let (mut rules, mut tools) = (value["rules"].clone(), value["tools"].clone());
        let told = answer["content"][0]["text"].as_str().unwrap().to_owned();
        assert!(told.contains(rules.as_str().unwrap()), "{}", self.place);
        let mut turns = 0;
        let calls = reference.calls.iter().zip(&reference.replies);
        for (k, ((tool, arguments), reply)) in calls.enumerate() {
            let messages = &requests[k].messages;
            if messages.len() == 2 {
                self.fresh(&requests[k], &rules, &tools, &answer);
                turns += 1;
                if turns <= 8 {
                    let asking = json!({"episode_id": id});
                    let status = self.client.call("get_status", &asking).await;
                    let now = &status["structuredContent"];
                    self.fresh(&requests[k], &now["rules"], &now["tools"], &status);
                }
            } else {
                // The answer to the previous call, and the reminder after it.
                let result = messages.iter().rev().find_map(|message| match message {
                    Message::Tools { results } => results.last(),
                    _ => None,
                });
                let result = result.unwrap();
                assert_eq!(answer["content"][0]["text"], result.text, "{}", self.place);
                assert_eq!(answer["isError"], result.is_error, "{}", self.place);
                let reminder = match messages.last() {
                    Some(Message::User { text }) => json!(text),
                    _ => Value::Null,
                };
                assert_eq!(answer["content"][1]["text"], reminder, "{}", self.place);
            }
            let mut arguments = arguments.clone();
            arguments["episode_id"] = id.clone();
            answer = self.client.call(tool, &arguments).await;
            value = answer["structuredContent"].clone();
            assert_eq!(value["reply"], reply.text(), "{} {tool}", self.place);
            assert_eq!(answer["isError"], reply.is_rejected(), "{}", self.place);
            let text = answer["content"][0]["text"].as_str().unwrap();
            assert!(text.starts_with(reply.text()), "{}: {text}", self.place);
            if let Some(new) = value.get("rules") {
                (rules, tools) = (new.clone(), value["tools"].clone());
                assert!(text.contains(new.as_str().unwrap()), "{}", self.place);
            }
        }
        let record = &reference.record;
        assert_eq!(value["over"], true, "{}: {value}", self.place);
        assert_eq!(value["ending"], json!(record.ending), "{}", self.place);
        let score = json!({"value": record.score.value(), "metrics": record.score.metrics()});
        assert_eq!(value["score"], score, "{}", self.place);
        let asking = json!({"episode_id": id});
        let status = self.client.call("get_status", &asking).await;
        assert_eq!(
            status["structuredContent"]["score"], score,
            "{}",
            self.place
        );
    }
}

/// The schema with its list of required names, which may be left out when it is empty.
fn plain(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if schema.get("required").is_none() {
        schema["required"] = json!([]);
    }
    schema
}

/// The tools of the environment as a client sees them.
async fn listed(client: &mut Client) -> BTreeMap<String, (Value, Value)> {
    let list = client.ask("tools/list", &json!({})).await;
    let mut all = BTreeMap::new();
    for tool in list["tools"].as_array().unwrap() {
        let mut schema = plain(&tool["inputSchema"]);
        for added in ["episode_id", "turn", "seat"] {
            schema["properties"].as_object_mut().unwrap().remove(added);
            let required = schema["required"].as_array_mut().unwrap();
            required.retain(|name| name != added);
        }
        let name = tool["name"].as_str().unwrap().to_owned();
        all.insert(name, (tool["description"].clone(), schema));
    }
    all
}

async fn compare(environment: &str, preset: &str, settings: &[(&str, Value)]) {
    let registry = Registry::new();
    let request = RunRequest {
        environment: environment.to_owned(),
        preset: Some(preset.to_owned()),
        settings: settings
            .iter()
            .map(|(path, value)| ((*path).to_owned(), value.clone()))
            .collect(),
        agent: "mcp".to_owned(),
        episodes: Some(EPISODES),
        effort: Effort::Quick,
        ..RunRequest::default()
    };
    let plan = Plan::new(&registry, request).unwrap();
    let limits = SessionLimits::default();
    let sessions = SessionManager::new(
        Registry::new().into(),
        plan.clone(),
        ServerMode::Play,
        limits,
        None,
    )
    .unwrap();
    let mut client = Client::of(sessions).await;
    let mut seen = Seen {
        listed: listed(&mut client).await,
        client: &mut client,
        place: String::new(),
    };
    for number in 0..episodes() {
        seen.place = format!("{environment} {preset}, episode {number}");
        let source = InstanceSource::of(registry.kind(environment).unwrap(), &plan).unwrap();
        let table = EpisodeRunner::new(&plan, &source).unwrap();
        let case = table.case(number).unwrap();
        let header = || table.header(&*case, number);
        let reference = reference(&*case, header(), &plan);
        let (requests, record) = asked(&*case, header(), &plan, &reference.calls).await;
        assert_eq!(record.digest, reference.record.digest, "{}", seen.place);
        seen.episode(number, &reference, &requests).await;
    }
}

async fn every_preset(environment: &str) {
    let registry = Registry::new();
    for preset in registry.kind(environment).unwrap().preset_list() {
        compare(environment, preset.name, &[]).await;
    }
}

macro_rules! every_environment {
    ($($test:ident: $name:literal,)*) => {
        $(#[tokio::test]
        async fn $test() {
            every_preset($name).await;
        })*

        #[test]
        fn no_environment_is_left_out() {
            // A model answers questions and interviews in words, a client of a server with a tool.
            let registry = Registry::new();
            let kinds = registry.kinds().filter(|kind| kind.default_cast().is_empty());
            let names: Vec<&str> = kinds.map(|kind| kind.name()).collect();
            assert_eq!(names, [$($name),*]);
        }
    };
}

every_environment! {
    beer_game_is_served_as_run: "beer-game",
    ceo_is_served_as_run: "ceo",
    collusion_is_served_as_run: "collusion",
    edt_is_served_as_run: "edt",
    efficiency_is_served_as_run: "efficiency-equality",
    office_is_served_as_run: "office",
    patience_is_served_as_run: "patience",
    pricing_is_served_as_run: "pricing",
    procurement_is_served_as_run: "procurement",
    scheduling_is_served_as_run: "scheduling",
}

/// Each seat gets its own rules and tools when it is in turn.
#[tokio::test]
async fn every_seat_is_served_as_run() {
    let roles = json!(["brewery", "distributor", "retailer"]);
    compare("beer-game", "random", &[("play.controlled", roles)]).await;
    let kind = Registry::new();
    let preset = kind.kind("ceo").unwrap().preset_list()[0].name;
    let advised = [("visibility", json!("deliberation"))];
    compare("ceo", preset, &advised).await;
}
