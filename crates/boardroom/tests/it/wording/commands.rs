//! Commands that need no run folder.

use super::{QUESTIONS, Transcript};
use crate::server::{Act, Server, called, reply};
use serde_json::json;

#[cfg(feature = "mcp")]
#[test]
fn help() {
    let mut said = Transcript::new();
    said.says("--help");
    said.says("");
    said.says("rum");
    said.is("help");
}

#[test]
fn list() {
    let mut said = Transcript::new();
    said.says("list --help");
    said.says("list");
    said.is("list");
}

#[test]
fn describe() {
    let mut said = Transcript::new();
    said.says("describe --help");
    for name in ["nope", "bear-game", "patience", "consulting", "qa"] {
        said.says(&format!("describe {name}"));
    }
    said.is("describe");
}

#[test]
fn generate() {
    let mut said = Transcript::new();
    said.says("generate --help");
    said.file("notes.txt", "mine\n");
    for words in [
        "nope",
        "bear-game",
        "pricing --set products=abc",
        "pricing --preset medum",
        "beer-game --set colour=blue",
        "beer-game -o notes.txt",
        "patience --seed 3",
    ] {
        said.says(&format!("generate {words}"));
    }
    said.is("generate");
}

#[test]
fn run() {
    let mut said = Transcript::new();
    said.says("run --help");
    said.file("notes.txt", "mine\n");
    said.file("empty.txt", "\n");
    said.file("moves.jsonl", "{\"order\": 4}\nfour\n");
    said.file("short.jsonl", "{\"quantity\": 400}\n{\"quantity\": -1}\n");
    said.given("run beer-game --agent sterman --episodes 1 --out done");
    for words in [
        "ale-game",
        "nope",
        "bear-game",
        "beer-game --preset papre",
        "beer-game --agent optimist",
        "beer-game --agent stermann",
        "beer-game --set colour=blue",
        "beer-game --set cost.holding=-1",
        "beer-game --set novalue",
        "beer-game --suite gold",
        "edt --agent random --suite papr",
        "pricing --preset medum",
        "pricing --set sigma=abc",
        "beer-game --agent constant:many",
        "beer-game --agent order-up-to:-1",
        "beer-game --agent openai:",
        "beer-game --agent openai:m",
        "beer-game --agent replay:nowhere",
        "beer-game --agent script:nowhere.jsonl",
        "beer-game --agent script:moves.jsonl",
        "beer-game --agent script:short.jsonl",
        "beer-game --method debate",
        "beer-game --seed -1",
        "beer-game --seed x",
        "beer-game --episodes 0",
        "beer-game --episodes 18446744073709551615",
        "beer-game --limits 0,1",
        "beer-game --limits many",
        "beer-game --instance nowhere.json",
        "beer-game --shard 4/4",
        "beer-game --shard auto",
        "beer-game --out notes.txt",
        "beer-game --out done",
        "beer-game --set colour=blue --json",
        "beer-game --seed x --json",
        "consulting --out done",
        "consulting --agent genius",
        "consulting --preset huge",
        "consulting --interviewer nobody",
        "consulting --agent ideal --judge openai:",
        "consulting --agent ideal --method dc",
        "consulting --agent ideal --max-cost 1",
        "consulting --agent openai:m --planning gold",
        "qa --data nowhere --agent openai:m",
        "qa --data QUESTIONS --agent random",
        "qa --data QUESTIONS --task SECQUE --agent openai:m",
        "office --set surface=wide",
        "office --set tasks.pool=1000000",
    ] {
        said.says(&format!("run {words}"));
    }
    for words in [
        "--max-cost lots",
        "--max-cost 1",
        "--max-cost 1 --prices nowhere.toml",
        "--temperature 9",
        "--max-tokens 0",
        "--method cott",
        "--method gepa",
        "--method cot --instruction empty.txt",
        "--method gepa --instruction empty.txt",
        "--feedback some",
        "--method cot --streams 3",
        "--method dc --streams 0",
        "--method dc --update-every 0",
        "--method dc --success NaN",
        "--method dc --streams 9000000 --episodes 9000000",
    ] {
        let line = format!("run beer-game --agent openai:mock {words}");
        said.asks(&line, "http://127.0.0.1:1/v1");
    }
    for words in [
        "beer-game --preset random --agent sterman --episodes 12 --seed 2 --out run",
        "beer-game --preset random --agent sterman --episodes 12 --seed 2 --metrics --no-save",
        "beer-game --agent constant:400",
        "pricing --preset basic --agent optimal --episodes 4",
        "efficiency-equality --agent max-equality --episodes 4",
        "consulting --preset short --agent ideal",
    ] {
        said.says(&format!("run {words}"));
    }
    said.is("run");
}

/// What a run of a model says when the server or the budget ends it.
#[test]
fn run_with_a_model() {
    let mut said = Transcript::new();
    let game = "run beer-game --preset random --set weeks=5 --agent openai:mock --concurrency 1";
    let server = Server::acting(|n, body| Act::Answer(reply(body, n)));
    said.asks(&format!("{game} --episodes 2 --out good"), &server.base);
    said.file(
        "prices.toml",
        "[models.mock]\ninput = 10.0\noutput = 100.0\n",
    );
    let line = format!("{game} --episodes 4 --max-tokens 10 --prices prices.toml --out capped");
    said.asks(&format!("{line} --max-cost 0.03"), &server.base);
    said.asks(
        "resume capped --concurrency 1 --max-cost 0.03",
        &server.base,
    );
    let refusing = Server::acting(|_, _| {
        let text = "this key is not known here";
        Act::Refuse(401, json!({"error": {"message": text}}))
    });
    said.asks(
        &format!("{game} --episodes 1 --out refused"),
        &refusing.base,
    );
    said.is("run_with_a_model");
}

#[test]
fn run_of_a_plan() {
    let mut said = Transcript::new();
    said.file("notes.txt", "mine\n");
    let runs = |body: &str| format!("[[runs]]\nenvironment = \"beer-game\"\n{body}\n");
    let played = "agents = [\"random\"]";
    let plans = [
        "seed = 1\ncolour = 2\nruns = []\n".to_owned(),
        "runs = []".to_owned(),
        "seed = 1\n".to_owned(),
        runs("agents = []"),
        runs("agents = [\"nobody\"]"),
        runs("agents = [\"random\", \"random\"]"),
        runs(&format!("{played}\nset = {{ x = 1 }}")),
        runs("agents = [\"openai:x\"]\nmethods = [\"quarrel\"]"),
        format!("seeds = 3\n{}", runs(played)),
        format!("seeds = []\n{}", runs(played)),
        format!("seed = 1\nseeds = [2]\n{}", runs(played)),
        runs(&format!("{played}\npresets = []")),
        runs(&format!("{played}\nepisodes = 0")),
    ];
    for plan in plans {
        said.file("plan.toml", &plan);
        said.says("run --plan plan.toml --out out");
    }
    let plan = "seeds = [1, 2]\nepisodes = 4\n[[runs]]\nenvironment = \"beer-game\"\n\
                presets = [\"random\"]\nagents = [\"sterman\"]\nset = { weeks = 10 }\n";
    said.file("plan.toml", plan);
    said.says("run --plan nowhere.toml --out out");
    said.says("run --plan plan.toml");
    said.says("run beer-game --plan plan.toml --out out");
    said.says("run --plan plan.toml --out out --max-cost 1");
    said.says("run --plan plan.toml --out notes.txt");
    said.says("run --plan plan.toml --out out");
    said.says("run beer-game --out out");
    said.given("run --plan plan.toml --out half --shard 0/2");
    said.says("run --plan plan.toml --out half --shard 0/3");
    said.given("run beer-game --agent sterman --episodes 1 --out run");
    said.says("run --plan plan.toml --out run");
    said.is("run_of_a_plan");
}

#[test]
fn evolve() {
    let mut said = Transcript::new();
    said.says("evolve --help");
    said.says("evolve qa --help");
    said.says("evolve consulting --help");
    for words in [
        "",
        "beer-game --agent openai:m",
        "patience --agent openai:m --train 2 --out found",
        "qa --data nowhere --agent openai:m --out found",
        "qa --data QUESTIONS --task FPB --agent openai:m --out found",
        "qa --data QUESTIONS --task knowledge/econ/general --agent openai:m --train 1 --validation 1 --out found",
        "consulting --agent ideal --out found",
        "consulting --preset long --agent openai:m --train 40 --out found",
    ] {
        said.says(&format!("evolve {words}"));
    }
    let server = Server::acting(|n, body| {
        let evenly = body["messages"][0]["content"]
            .to_string()
            .contains("evenly");
        match body.get("tools") {
            Some(_) if evenly => Act::Answer(called(&json!({"quantity": 400}))),
            Some(_) => Act::Answer(called(&json!({"quantity": 2_000}))),
            None => Act::Answer(reply(body, n)),
        }
    });
    let line = "evolve beer-game --preset random --set weeks=5 --agent openai:mock --train 3 \
                --validation 3 --concurrency 1 --out found --metric-calls";
    said.asks(&format!("{line} 5"), &server.base);
    said.asks(&format!("{line} 21"), &server.base);
    said.is("evolve");
}

#[test]
fn play() {
    let mut said = Transcript::new();
    said.says("play --help");
    said.says("play nope");
    said.answers("play consulting --preset short", "say Hello.\n\nquit\n");
    said.answers("play qa", "help\nanswer Answer: A\n\n");
    let keys = "help\nordre 5\nplace_order\n\nplace_order -1\n\nplace_order {x}\nget_stock\n\
                place_order 7\nn\n400\n\nquit\n";
    said.answers("play beer-game --out mine", keys);
    said.answers(
        "play beer-game --out mine",
        &"place_order 400\n\n".repeat(24),
    );
    said.says("play beer-game --out mine");
    said.answers("play pricing", "set_prices {'Product_1': 12}\nn\nquit\n");

    let plan = |add: &str, decision_type: &str| {
        format!(
            "submit_plan {{\"remove_from\": {{\"A\": 13}}, \"add_to\": {{{add}}}, \
             \"decision_type\": \"{decision_type}\", \"rationale\": \"Liquidity first.\"}}\n\n"
        )
    };
    let keys = [
        plan("\"C\": 6, \"D\": 4, \"Z\": 3", "moderate"),
        plan("\"C\": 6, \"D\": 4, \"B\": 1", "moderate"),
        plan("\"C\": 6, \"D\": 4, \"B\": 3", "moderate"),
    ];
    said.answers("play ceo --preset C3-R3 --out case", &keys.concat());
    // The state after a stop: the decision is stored, the record is not written.
    let record: serde_json::Value =
        serde_json::from_str(&said.read("case/episodes.jsonl")).unwrap();
    said.file(
        "case/progress/0.jsonl",
        &format!("{}\n", record["entries"][0]),
    );
    said.file("case/episodes.jsonl", "");
    said.says("play ceo --preset C3-R3 --out case");
    let dear = "submit_purchase_plan {'Offer_1': 1000000}\n\nquit\n";
    said.answers("play procurement", dear);
    said.is("play");
}

#[cfg(feature = "mcp")]
#[test]
fn serve() {
    let mut said = Transcript::new();
    said.says("serve --help");
    for words in [
        "nope",
        "qa",
        "consulting",
        "beer-game --games 0",
        "beer-game --idle 1e9",
        "beer-game --seed seven",
        "beer-game --http 8.8.8.8:1",
    ] {
        said.says(&format!("serve {words}"));
    }
    // A client that connects, is told the rules, and leaves.
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}});
    let call = |id: u64, tool: &str, arguments: serde_json::Value| {
        let params = json!({"name": tool, "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    let lines = [
        hello.to_string(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
        call(2, "get_stok", json!({})),
        call(3, "get_status", json!({"episode_id": "0"})),
        call(4, "place_order", json!({"quantity": 1, "turn": 3})),
        "order".to_owned(),
    ];
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    // Each message is answered as soon as it can be.
    said.unordered = true;
    said.answers("serve beer-game --mode eval", &input);
    let hello = said.text.split("its episode_id is ").nth(1).unwrap();
    said.hidden.push((hello[..32].to_owned(), "EPISODE"));
    said.is("serve");
}

#[test]
fn score() {
    let mut said = Transcript::new();
    said.says("score --help");
    let answers = format!("{QUESTIONS}/predictions/FPB.csv");
    for words in [
        "poetry --predictions x".to_owned(),
        format!("FPB --predictions {QUESTIONS}/nowhere.jsonl --gold {QUESTIONS}"),
        format!("SECQUE --predictions {answers} --gold {QUESTIONS}"),
        format!("FPB --predictions {answers} --profile kind"),
        format!("FPB --predictions {answers} --gold {QUESTIONS} --judge me"),
        format!("FPB --predictions {answers} --gold {QUESTIONS} --by difficulty"),
        format!("FRM --predictions {QUESTIONS}/results/questions_eval.json"),
        format!("FPB --predictions {answers} --gold {QUESTIONS}"),
        format!("FPB --predictions {answers} --gold {QUESTIONS} --profile paper"),
    ] {
        said.says(&format!("score {words}"));
    }
    said.is("score");
}

#[test]
fn qa() {
    let mut said = Transcript::new();
    said.says("qa --help");
    said.says("qa build --help");
    said.says("qa label --help");
    for command in ["correlate", "families", "weights", "filter", "onet"] {
        said.says(&format!("qa {command} --help"));
    }
    let server = Server::acting(|_, body| {
        let text = if body["messages"].to_string().contains("Oslo") {
            "I cannot tell."
        } else {
            "Capability: Domain Knowledge\nDifficultyScore: 2\nReasoning: plain."
        };
        Act::Answer(crate::server::said(text))
    });
    let line = "qa label --data QUESTIONS --task FPB --agent openai:labeller";
    said.asks(line, &server.base);
    said.is("qa");
}

#[test]
fn route() {
    let mut said = Transcript::new();
    for command in ["", "learn", "eval", "explain", "schema"] {
        said.says(&format!("route {command} --help"));
    }
    let line = r#"{"schema":1,"sample_id":"a","method":"cot","correct":true,"score":1}"#;
    said.file("two.jsonl", &format!("{line}\n{line}\n"));
    said.file("bad.jsonl", &format!("{line}\n{{\"schema\":1}}\n"));
    said.file(
        "one.jsonl",
        &format!("{line}\n{}\n", line.replace("cot", "ace")),
    );
    said.file(
        "policy.json",
        "{\"routing_policy\": {\"default_agent\": \"gemma\"}}",
    );
    said.file("empty.jsonl", "");
    let mut many = String::new();
    for number in 0..120 {
        for (method, right) in [("cot", number % 3 > 0), ("ace", number % 3 == 0)] {
            let capability = if number % 3 == 0 { "IE" } else { "NC" };
            let trace = json!({"schema": 1, "sample_id": number.to_string(), "method": method,
                "correct": right, "score": u8::from(right), "capability": capability});
            many.push_str(&format!("{trace}\n"));
        }
    }
    said.file("many.jsonl", &many);
    for words in [
        "learn --predictions two.jsonl",
        "learn --predictions bad.jsonl",
        "learn --predictions empty.jsonl",
        "learn --predictions one.jsonl",
        "eval --predictions one.jsonl --policy policy.json",
        "explain --policy policy.json",
        "learn --predictions many.jsonl -o learnt.json",
        "eval --predictions many.jsonl --policy learnt.json",
        "explain --policy learnt.json --capability NC --question Why?",
    ] {
        said.says(&format!("route {words}"));
    }
    said.is("route");
}

#[test]
fn office() {
    let mut said = Transcript::new();
    for command in [
        "", "generate", "export", "import", "tasks", "stats", "train", "score",
    ] {
        said.says(&format!("office {command} --help"));
    }
    said.given("office export --preset small -o company");
    said.given("run beer-game --agent random --episodes 1 --out run");
    std::fs::create_dir(said.path("none")).unwrap();
    let people = "broken/Human Resource Management/Employees";
    std::fs::create_dir_all(said.path(people)).unwrap();
    said.file(&format!("{people}/employees.json"), "{");
    said.file("list.json", "[]");
    said.file("theirs.jsonl", "{\"a\": 1}");
    for words in [
        "generate --set company.employees=12",
        "generate --set company.staff=12",
        "generate --preset huge",
        "generate --preset small --set company.seed=9",
        "export --preset small -o company",
        "import none",
        "import broken",
        "import nowhere",
        "import company",
        "tasks --set tasks.search=4",
        "tasks --preset small --rephrase oracle",
        "tasks --preset small --wordings list.json",
        "tasks --records theirs.jsonl",
        "tasks --preset small --count 2 --set tasks.tries=3 \
         --set tasks.templates=[\"remove_product\"]",
        "score run",
    ] {
        said.says(&format!("office {words}"));
    }
    said.given(
        "run office --preset small --set tasks.pool=3 --episodes 6 --agent random --out played",
    );
    said.says("office score played");
    said.is("office");
}
