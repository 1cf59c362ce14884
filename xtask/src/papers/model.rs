//! A scripted model that serves chat completions on the loopback interface.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

/// The rationale of its plans for capital.
const RATIONALE: &str = "The CFO warns about leverage and the CMO wants growth in C; against the CTO's \
    wish I put the limit of the COO first, because the service unit cannot absorb more.";

/// A running model. It lives as long as the program.
#[derive(Debug)]
pub(super) struct ScriptedModel {
    base: String,
}

impl ScriptedModel {
    /// Starts the server.
    pub(super) fn start() -> Result<Self> {
        let listener =
            TcpListener::bind("127.0.0.1:0").context("no port on the loopback interface")?;
        let base = format!("http://{}/v1", listener.local_addr()?);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(move || serve(&stream));
            }
        });
        Ok(Self { base })
    }

    /// The address, as in `OPENAI_BASE_URL`.
    pub(super) fn base(&self) -> &str {
        &self.base
    }
}

/// Answers the requests of a connection until it ends.
fn serve(stream: &TcpStream) -> Option<()> {
    let mut out = stream.try_clone().ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let (mut length, mut line) = (0, String::new());
        loop {
            line.clear();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let body: Value = serde_json::from_slice(&body).ok()?;
        let text = reply(&body).to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            text.len()
        );
        out.write_all(format!("{head}{text}").as_bytes()).ok()?;
    }
}

/// A number that depends on a text alone.
fn lot(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    }) >> 20
}

/// The value at a JSON pointer; null where there is none.
fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

/// One of several words; `n` goes round.
fn pick<'a>(words: &[&'a str], n: u64) -> &'a str {
    let mut all = words.iter().zip(0..);
    let found = all.find(|(_, at)| *at == n % words.len().max(1) as u64);
    found.map_or("", |(word, _)| word)
}

/// The reply to a request. It depends on the request alone, never on what came before, so that runs in
/// parallel give the same tables every time.
fn reply(body: &Value) -> Value {
    let n = lot(&body.to_string());
    let empty = Vec::new();
    let messages = at(body, "/messages").as_array().unwrap_or(&empty);
    if let Some(tools) = at(body, "/tools").as_array() {
        return with_tools(tools, messages, n);
    }
    let schema = at(body, "/response_format/json_schema/schema");
    if schema.is_object() {
        return said(&fill(schema, n).to_string());
    }
    let texts: Vec<&str> = messages
        .iter()
        .filter_map(|message| at(message, "/content").as_str())
        .collect();
    if let Some(text) = verdict(&texts, n).or_else(|| label(&texts, n)) {
        return said(&text);
    }
    // Some words of the question, so that replies overlap more or less with a reference.
    let last = texts.last().copied().unwrap_or_default();
    let words: Vec<&str> = last.split_whitespace().collect();
    let count = 3 + usize::try_from(n % 12).unwrap_or(0);
    let echo: Vec<&str> = words.iter().take(count).copied().collect();
    said(&format!(
        "Step by step: {}.\n<cheatsheet>learnt at {n}</cheatsheet> \
         <instruction>Answer with care, rule {n}.</instruction>\nAnswer: {}",
        echo.join(" "),
        pick(&["A", "B", "C", "D", "A, B", "B, C", "C, D", "42"], n)
    ))
}

/// What a judge of an answer says, if one is asked.
fn verdict(texts: &[&str], n: u64) -> Option<String> {
    let system = texts.first()?;
    if system.contains("\"scores_per_question\"") {
        let (first, second) = (n % 6, n / 7 % 6);
        let mean = (first + second) as f64 / 2.0;
        let verdict = json!({"score": mean, "scores_per_question": {"1": first, "2": second}});
        return Some(verdict.to_string());
    }
    let is_label = system.contains("{\"correct\": true}");
    is_label.then(|| json!({"correct": n % 5 < 3}).to_string())
}

/// One of the labels that an instruction offers.
fn label(texts: &[&str], n: u64) -> Option<String> {
    let (_, offer) = texts
        .first()?
        .split_once("Answer with one of these words and nothing else: ")?;
    let (words, _) = offer.split_once('.')?;
    let words: Vec<&str> = words.split(", ").collect();
    Some(pick(&words, n).to_owned())
}

/// A reply that is text.
fn said(text: &str) -> Value {
    json!({
        "choices": [{"index": 0, "finish_reason": "stop",
                     "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10}
    })
}

/// A reply that calls tools.
fn called(calls: &[(&str, Value)]) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(at, (name, arguments))| {
            json!({"id": format!("call_{at}"), "type": "function", "function": {
                "name": name, "arguments": arguments.to_string()}})
        })
        .collect();
    json!({
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": "I look, then I decide.", "tool_calls": calls}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10}
    })
}

/// Decides with the tools that are offered: reads what it needs first, then acts.
fn with_tools(tools: &[Value], messages: &[Value], n: u64) -> Value {
    let names: Vec<&str> = tools
        .iter()
        .filter_map(|tool| at(tool, "/function/name").as_str())
        .collect();
    let offers = |name: &str| names.contains(&name);
    // The results of this turn stand behind the last message of the user that opened it.
    let read: String = messages
        .iter()
        .filter(|message| at(message, "/role") == "tool")
        .filter_map(|message| at(message, "/content").as_str())
        .collect::<Vec<_>>()
        .join("\n");
    let none = json!({});
    if offers("place_order") {
        return called(&[("place_order", json!({"quantity": 100 + 50 * (n % 7)}))]);
    }
    if offers("submit_purchase_plan") {
        let menu = menu(&read);
        if menu.is_empty() {
            let tools = ["get_equipment_information", "get_attempt_number"];
            return called(&tools.map(|tool| (tool, none.clone())));
        }
        let plan: Vec<String> = cover(&menu, n)
            .iter()
            .map(|offer| format!("'{}': {}", offer.id, offer.copies))
            .collect();
        let plan = format!("{{{}}}", plan.join(", "));
        return called(&[("submit_purchase_plan", json!({"purchase_plan": plan}))]);
    }
    if offers("submit_assignment") {
        let lists = quoted_lists(&read);
        let [Some(workers), Some(tasks)] = [lists.first(), lists.get(1)] else {
            return called(&[("get_worker_ids", none.clone()), ("get_task_ids", none)]);
        };
        let turned = tasks
            .iter()
            .cycle()
            .skip(usize::try_from(n % 7).unwrap_or(0));
        let pairs: Vec<String> = workers
            .iter()
            .zip(turned)
            .map(|(worker, task)| format!("'{worker}': '{task}'"))
            .collect();
        let assignment = format!("{{{}}}", pairs.join(", "));
        return called(&[("submit_assignment", json!({"assignment": assignment}))]);
    }
    if offers("set_prices") {
        let lists = quoted_lists(&read);
        let Some(products) = lists.first() else {
            return called(&[("get_product_ids", none)]);
        };
        let prices: Vec<String> = products
            .iter()
            .map(|product| format!("'{product}': {}", 4 + n % 9))
            .collect();
        let prices = format!("{{{}}}", prices.join(", "));
        return called(&[("set_prices", json!({"prices_dict_str": prices}))]);
    }
    if offers("get_projects") {
        let projects: Vec<Value> = (1..=4 + n % 7)
            .map(|project| json!({"project": project, "start": 1, "deadline": 96}))
            .collect();
        let plan = json!({"consultants": 4 + n % 9, "risk_level": 0.0, "projects": projects});
        return called(&[("submit_plan", plan)]);
    }
    if offers("submit_plan") {
        let moved = 6 + 2 * (n % 6);
        let plan = json!({
            "remove_from": {"A": moved}, "add_to": {"C": moved - 3, "D": 3},
            "total_realloc_share": moved, "decision_type": pick(&["conservative", "moderate", "bold"], n),
            "rationale": RATIONALE,
        });
        return called(&[("submit_plan", plan)]);
    }
    if offers("refuse") {
        if read.is_empty() {
            return called(&[("employee_data_read", json!({"limit": 1}))]);
        }
        let refusal = json!({"class": "denied", "reason": "not allowed"});
        let answer = json!({"text": "done", "facts": {}});
        return called(&[if n.is_multiple_of(4) {
            ("refuse", refusal)
        } else {
            ("answer", answer)
        }]);
    }
    // An unknown game: the last tool decides.
    let last = tools.last().unwrap_or(&Value::Null);
    let name = at(last, "/function/name").as_str().unwrap_or_default();
    called(&[(name, fill(at(last, "/function/parameters"), n))])
}

/// An offer of the menu of equipment.
#[derive(Debug, PartialEq)]
struct Offer<'a> {
    /// Its name.
    id: &'a str,
    /// The least number of copies.
    copies: u32,
    /// What this number of copies costs [dollars].
    cost: f64,
    /// The categories of which it has products: the `A` of `A4`.
    categories: BTreeSet<char>,
}

/// The offers in the results of tools: `- Offer_2: [minimum order quantity 2] $10.68 for 2 units of B1`.
fn menu(text: &str) -> Vec<Offer<'_>> {
    text.lines().filter_map(offer).collect()
}

fn offer(line: &str) -> Option<Offer<'_>> {
    let (id, rest) = line.strip_prefix("- ")?.split_once(": ")?;
    let (price, contents) = rest.split_once(" for ")?;
    let (terms, unit) = price.rsplit_once('$')?;
    let term = |of: &str| Some(terms.split_once(of)?.1.trim_end_matches([']', ' ']));
    let copies = term("minimum order quantity ").and_then(|text| text.parse().ok());
    let copies: u32 = copies.unwrap_or(1);
    let upfront = term("upfront cost $").and_then(|text| text.parse().ok());
    let upfront: f64 = upfront.unwrap_or(0.0);
    let products = contents.split(" of ").skip(1);
    Some(Offer {
        id,
        copies,
        cost: upfront + f64::from(copies) * unit.parse::<f64>().ok()?,
        categories: products.filter_map(|name| name.chars().next()).collect(),
    })
}

/// Offers that cover every category, each the cheapest one by category that it adds. One offer of the menu,
/// which `n` chooses, is left out, so that plans differ.
fn cover<'o, 'a>(menu: &'o [Offer<'a>], n: u64) -> Vec<&'o Offer<'a>> {
    let left_out = n % menu.len().max(1) as u64;
    let rest = menu.iter().zip(0..).filter(|(_, at)| *at != left_out);
    let rest: Vec<&Offer<'a>> = rest.map(|(offer, _)| offer).collect();
    let (mut plan, mut covered) = (Vec::new(), BTreeSet::new());
    loop {
        let price = |offer: &Offer<'_>| {
            let added = offer.categories.difference(&covered).count();
            (added > 0).then(|| offer.cost / added as f64)
        };
        let priced = rest
            .iter()
            .filter_map(|offer| Some((price(offer)?, *offer)));
        let Some((_, best)) = priced.min_by(|(a, _), (b, _)| a.total_cmp(b)) else {
            return plan;
        };
        covered.extend(&best.categories);
        plan.push(best);
    }
}

/// The lists of ids in the results of tools: words in single or double quotes between brackets.
fn quoted_lists(text: &str) -> Vec<Vec<String>> {
    let lists = text
        .split('[')
        .skip(1)
        .filter_map(|rest| rest.split(']').next());
    let ids = |list: &str| -> Vec<String> {
        let parts = list
            .split(',')
            .map(|part| part.trim().trim_matches(['\'', '"']));
        parts
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    lists.map(ids).filter(|ids| !ids.is_empty()).collect()
}

/// Some value that fits a schema.
fn fill(schema: &Value, n: u64) -> Value {
    if let Some(first) = at(schema, "/enum").as_array().and_then(|all| all.first()) {
        return first.clone();
    }
    match at(schema, "/type").as_str() {
        Some("object") => {
            let empty = Map::new();
            let fields = at(schema, "/properties").as_object().unwrap_or(&empty);
            let filled = fields
                .iter()
                .map(|(name, field)| (name.clone(), fill(field, n)));
            Value::Object(filled.collect())
        }
        Some("array") if at(schema, "/items/type") == "integer" => json!([]),
        Some("array") => json!([fill(at(schema, "/items"), n)]),
        Some("integer" | "number") => json!(4 + n % 5),
        Some("boolean") => json!(true),
        _ => json!(format!("learnt at {n}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(model: &str, system: &str) -> Value {
        json!({"model": model, "messages": [
            {"role": "system", "content": system}, {"role": "user", "content": "What rises?"}]})
    }

    /// Whatever was asked in between.
    #[test]
    fn a_reply_depends_on_the_request_alone() {
        let first = asked("a", "You answer questions.");
        let before = reply(&first);
        let others: Vec<Value> = ('b'..='z')
            .map(|model| reply(&asked(&model.to_string(), "You answer questions.")))
            .collect();
        assert_eq!(reply(&first), before);
        assert!(others.iter().any(|other| *other != before));
    }

    /// Without a product of every category, nobody can work.
    #[test]
    fn equipment_is_bought_of_every_category() {
        let menu = menu(
            "- Offer_1: [additional upfront cost $19.47] $17.69 for 1 unit of A1 and 1 unit of B2\n\
             - Offer_2: [minimum order quantity 2] $10.68 for 2 units of B1\n\
             - Offer_3: $1.38 for 2 units of A2, 1 unit of A4, and 1 unit of C1\nbudget",
        );
        let cents = |offer: &Offer<'_>| (offer.copies, (100.0 * offer.cost).round());
        let found: Vec<(u32, f64)> = menu.iter().map(cents).collect();
        assert_eq!(found, [(1, 3716.0), (2, 2136.0), (1, 138.0)]);
        assert_eq!(menu[2].categories, BTreeSet::from(['A', 'C']));
        let bought = |n| -> Vec<&str> { cover(&menu, n).iter().map(|offer| offer.id).collect() };
        assert_eq!(bought(0), ["Offer_3", "Offer_2"]);
        assert_eq!(bought(1), ["Offer_3", "Offer_1"]);
        assert_eq!(bought(2), ["Offer_1"]);
        assert!(cover(&[], 3).is_empty());
    }

    #[test]
    fn labels_and_verdicts_have_the_form_that_is_asked_for() {
        let text = |system: &str| {
            let reply = reply(&asked("a", system));
            at(&reply, "/choices/0/message/content")
                .as_str()
                .unwrap()
                .to_owned()
        };
        let label = text("Answer with one of these words and nothing else: rumour, complete.");
        assert!(["rumour", "complete"].contains(&label.as_str()), "{label}");
        let verdict = text("Reply with {\"score\": 1, \"scores_per_question\": {}}");
        let verdict: Value = serde_json::from_str(&verdict).unwrap();
        assert!(at(&verdict, "/score").as_f64().unwrap() <= 5.0);
    }
}
