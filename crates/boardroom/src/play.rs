//! A person plays in the terminal, with the tools, limits and records of an agent.
//!
//! A line is a tool and its arguments: `place_order 400`, `place_order quantity=400` or
//! `place_order {"quantity": 400}`. A number alone is enough if only one tool decides and takes one
//! number. A dictionary that a tool takes as text is typed without quotes or in quotes of either
//! kind: `set_prices {'Product_1': 12}`. A line that changes the game is tried on a copy first: what would
//! be refused is said at once and costs nothing. Then it is printed as it was understood and has to be
//! confirmed with an empty line, because a typing error can be corrected and a move cannot. The end of
//! input (Ctrl-D) leaves the game wherever it comes, and so does Ctrl-C.

use crate::layout::laid_out;
use run_engine::engine::others::Others;
use run_engine::error::RunError;
use run_engine::run_dir::progress::Progress;
use run_engine::terminal::shown;
use run_engine::words::number;
use serde_json::{Map, Value};
use sim_core::{Input, Next, Session, ToolKind, ToolSpec, strict};
use std::fmt::Write as _;
use std::io::{BufRead, Write};

/// How the screen is used.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// Clear it when a turn begins (a terminal), or let the lines run on.
    pub clear: bool,
    /// Its width \[columns\], in which words are not broken; `None` for lines of any length.
    pub width: Option<usize>,
}

/// The end of a game at the terminal.
#[derive(Debug)]
pub enum Played {
    /// The game was played to its end.
    Finished {
        /// The session, every decision taken.
        session: Box<Session>,
        /// Text to print once the record is on the disk.
        told: String,
    },
    /// The person left; finished periods are stored if there is a folder.
    Left,
}

/// A parsed line.
#[derive(Debug, Clone, PartialEq)]
enum Line {
    Help,
    Look,
    Quit,
    Empty,
    Do(Input),
}

/// Plays `session` with lines from `input`; `others` play the seats that are not the person's.
///
/// # Errors
/// When the terminal or the run folder cannot be read or written.
pub fn play(
    mut session: Session,
    others: &mut Others,
    mut progress: Option<&mut Progress>,
    screen: Screen,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<Played, RunError> {
    let mut told = String::new();
    // The seat and the period of the last decision, whose result may be known only later.
    let mut decided: Option<(sim_core::Seat, u32)> = None;
    // Only after a decision: `help`, a query or a refused line must not clear the screen and print the rules again.
    let mut fresh = true;
    while !session.env().is_over() {
        if fresh {
            if others.act(&mut session) {
                // The reply was made before these policies decided, so it may lack the result of
                // the period.
                let now = decided.as_ref();
                let now = now.and_then(|(seat, period)| session.text_at_end(seat, *period));
                told = now.unwrap_or(told);
                if let Some(progress) = &mut progress {
                    progress.keep(&session)?;
                }
                if session.env().is_over() {
                    break;
                }
            }
            open_turn(&session, &told, screen, out)?;
            fresh = false;
        }
        let Some(line) = ask(input, out, "> ")? else {
            say(out, "\n")?;
            return Ok(Played::Left);
        };
        let tools = session.env().tools();
        match understand(&line, &tools) {
            Ok(Line::Empty) => {}
            Ok(Line::Quit) => return Ok(Played::Left),
            Ok(Line::Help) => say(out, &laid_out(&help(&session), screen.width))?,
            Ok(Line::Look) => say(out, &format!("{:#}\n", session.env().observation()))?,
            Ok(Line::Do(wanted)) => {
                if changes(&wanted, &tools) {
                    // Before it is confirmed: what would be refused costs no turn, and nobody has
                    // to decide on it.
                    if let Some(why) = refusal(&session, &wanted) {
                        let text =
                            format!("{why}\nno decision was made: correct it and try again\n");
                        say(out, &laid_out(&text, screen.width))?;
                        continue;
                    }
                    match confirmed(&wanted, input, out)? {
                        Confirmed::Yes => {}
                        Confirmed::No => {
                            say(out, "taken back\n")?;
                            continue;
                        }
                        Confirmed::Leave => {
                            say(out, "\n")?;
                            return Ok(Played::Left);
                        }
                    }
                }
                let turn = (session.env().turn(), session.env().period().index);
                let outcome = session.apply(wanted);
                let text = outcome.reply.text().to_owned();
                match outcome.next {
                    Next::GoOn | Next::Restarted => {
                        say(out, &laid_out(&format!("{text}\n"), screen.width))?;
                    }
                    Next::TurnOver | Next::EpisodeOver | Next::Forfeited => {
                        told = text;
                        decided = (!outcome.reply.is_rejected()).then_some(turn);
                        fresh = true;
                        if let Some(progress) = &mut progress {
                            progress.keep(&session)?;
                        }
                    }
                }
            }
            Err(message) => say(out, &format!("{message}\n"))?,
        }
    }
    Ok(Played::Finished {
        session: Box::new(session),
        told: laid_out(
            format!("{told}\n\nThe game is over.\n").trim_start(),
            screen.width,
        ),
    })
}

/// The text at the end of a game: the score in `unit`, and each metric, one per line.
///
/// # Errors
/// When the score is not finite.
pub fn score_text(session: &Session, unit: &str) -> Result<String, RunError> {
    let score = session.env().score().map_err(RunError::failed)?;
    let mut text = format!("score {} {unit}\n", number(score.value()));
    for (name, value) in score.metrics() {
        let _ = writeln!(text, "  {name:<24}{:>16}", number(*value));
    }
    Ok(text)
}

fn open_turn(
    session: &Session,
    told: &str,
    screen: Screen,
    out: &mut dyn Write,
) -> Result<(), RunError> {
    let env = session.env();
    let (briefing, period) = (env.briefing(), env.period());
    if screen.clear {
        clear(out)?;
    }
    let mut text = String::new();
    let own = env.turn();
    let mut acted = session
        .entries()
        .iter()
        .filter_map(|entry| entry.seat.as_ref());
    // A seat that plays for the first time has rules of its own, also in the middle of a game.
    if session.entries().is_empty() || (env.seats().len() > 1 && acted.all(|seat| *seat != own)) {
        let _ = write!(
            text,
            "{}\n\n(`help` shows what you can do)\n\n",
            briefing.system
        );
    }
    if !told.is_empty() {
        let _ = write!(text, "{told}\n\n");
    }
    let total = period
        .total
        .map_or_else(String::new, |n| format!(" of {n}"));
    let seat = if env.seats().len() > 1 {
        format!(", {}", env.turn())
    } else {
        String::new()
    };
    let head = format!("{} {}{total}{seat}", period.unit, period.index + 1);
    let _ = writeln!(text, "== {head} ==\n{}", briefing.opening);
    say(out, &laid_out(&text, screen.width))
}

fn help(session: &Session) -> String {
    let mut text = String::new();
    for tool in session.env().tools().iter() {
        let mark = if tool.kind == ToolKind::Getter {
            " "
        } else {
            "*"
        };
        let arguments: Vec<String> = argument_names(tool)
            .into_iter()
            .map(|(name, required)| {
                if required {
                    format!("<{name}>")
                } else {
                    format!("[{name}]")
                }
            })
            .collect();
        let call = format!("{} {}", tool.name, arguments.join(" "));
        let _ = writeln!(text, "{mark} {call:<34} {}", tool.description);
        if let Some(example) = dictionary_example(tool) {
            let _ = writeln!(text, "  such as: {} {example}", tool.name);
        }
    }
    text.push_str(
        "* decides or writes: has to be confirmed\n  \
         also: look (show all that you can see), forfeit (let the turn pass: counts as no action), help, quit\n",
    );
    text
}

/// The arguments of a tool, required ones first, each with whether it is required.
fn argument_names(tool: &ToolSpec) -> Vec<(String, bool)> {
    let list = |key: &str| tool.arguments.get(key);
    let required: Vec<&str> = list("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let all = list("properties").and_then(Value::as_object);
    let optional = all
        .into_iter()
        .flat_map(serde_json::Map::keys)
        .filter(|name| !required.contains(&name.as_str()));
    let required = required.iter().map(|name| ((*name).to_owned(), true));
    required
        .chain(optional.map(|name| (name.clone(), false)))
        .collect()
}

fn understand(line: &str, tools: &[ToolSpec]) -> Result<Line, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word {
        "" => return Ok(Line::Empty),
        "help" | "?" => return Ok(Line::Help),
        "look" => return Ok(Line::Look),
        "quit" | "exit" => return Ok(Line::Quit),
        "forfeit" => return Ok(Line::Do(Input::Forfeit)),
        _ => {}
    }
    let Some(tool) = tools.iter().find(|tool| tool.name == word) else {
        if let Some(decision) = number_alone(line, tools) {
            return Ok(Line::Do(decision));
        }
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        return Err(format!(
            "there is no `{}`; type one of: {}, help, quit",
            sim_core::error::clip(word),
            names.join(", ")
        ));
    };
    Ok(Line::Do(Input::Call {
        tool: tool.name.clone(),
        arguments: arguments(tool, rest)?,
    }))
}

/// The decision that a number alone means; none if several tools decide, or if the only one takes
/// anything else.
fn number_alone(line: &str, tools: &[ToolSpec]) -> Option<Input> {
    let value @ Value::Number(_) = read_value(line) else {
        return None;
    };
    let mut deciding = tools.iter().filter(|tool| tool.kind == ToolKind::Action);
    let (Some(tool), None) = (deciding.next(), deciding.next()) else {
        return None;
    };
    let names = argument_names(tool);
    let [(name, _)] = names.as_slice() else {
        return None;
    };
    let kind = tool.arguments.get("properties")?.get(name)?.get("type")?;
    matches!(kind.as_str(), Some("integer" | "number")).then(|| Input::Call {
        tool: tool.name.clone(),
        arguments: Value::Object(Map::from_iter([(name.clone(), value)])),
    })
}

/// Parses arguments given as a JSON object, as `name=value`, or by position; a text argument by
/// position takes the rest of the line.
fn arguments(tool: &ToolSpec, rest: &str) -> Result<Value, String> {
    if let Some(arguments) = dictionary_as_text(tool, rest) {
        return Ok(arguments);
    }
    if rest.starts_with('{') {
        return strict::json(rest.as_bytes()).map_err(|e| format!("that is not JSON: {e}"));
    }
    let names: Vec<String> = argument_names(tool)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let mut map = Map::new();
    let mut left = rest;
    let mut place = 0;
    while !left.is_empty() {
        let (word, after) = left.split_once(char::is_whitespace).unwrap_or((left, ""));
        // Only names that the tool has: a text may hold `=` itself.
        let named = word
            .split_once('=')
            .filter(|(name, _)| names.iter().any(|n| n == name));
        let Some(name) = named
            .map(|(name, _)| name.to_owned())
            .or_else(|| names.get(place).cloned())
        else {
            return Err(format!(
                "`{}` takes {} arguments, not more",
                tool.name,
                names.len()
            ));
        };
        let last = named.is_none() && place + 1 >= names.len();
        let text = if last {
            left
        } else {
            named.map_or(word, |(_, value)| value)
        };
        map.insert(name, read_value(text));
        place += 1;
        left = if last { "" } else { after.trim_start() };
    }
    Ok(Value::Object(map))
}

/// The name of the argument of a tool that takes one text and nothing else.
fn only_text(tool: &ToolSpec) -> Option<String> {
    let mut names = argument_names(tool).into_iter();
    let (Some((name, _)), None) = (names.next(), names.next()) else {
        return None;
    };
    let kind = tool.arguments.get("properties")?.get(&name)?.get("type")?;
    (kind.as_str() == Some("string")).then_some(name)
}

/// The arguments if `rest` is a dictionary for a tool that takes it as text: bare or in quotes.
/// `None` for a JSON object of the tool's own arguments.
fn dictionary_as_text(tool: &ToolSpec, rest: &str) -> Option<Value> {
    let name = only_text(tool)?;
    let rest = rest.strip_prefix(&format!("{name}=")).unwrap_or(rest);
    // Double quotes: JSON decodes the escapes.
    let typed = match read_value(rest) {
        Value::String(text) => text,
        _ => rest.to_owned(),
    };
    // Quotes as in Python or a shell: what is inside them is taken as it is.
    let inside = |quote: char| typed.strip_prefix(quote)?.strip_suffix(quote);
    let text = inside('\'').or_else(|| inside('"')).unwrap_or(&typed);
    let own = |text: &str| {
        serde_json::from_str(text).is_ok_and(|map: Map<String, Value>| map.contains_key(&name))
    };
    let dictionary = text.starts_with('{') && text.ends_with('}') && !own(text);
    dictionary.then(|| Value::Object(Map::from_iter([(name.clone(), text.into())])))
}

/// The example dictionary in the description of a tool's only argument.
fn dictionary_example(tool: &ToolSpec) -> Option<&str> {
    only_text(tool)?;
    let start = tool.description.find("\"{")? + 1;
    let from = tool.description.get(start..)?;
    from.get(..=from.find('}')?)
}

fn read_value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn changes(input: &Input, tools: &[ToolSpec]) -> bool {
    match input {
        Input::Call { tool, .. } => tools
            .iter()
            .any(|spec| spec.name == *tool && spec.kind != ToolKind::Getter),
        // To let a turn pass is a decision, too.
        _ => true,
    }
}

/// The reply to the decision `input` if it would be refused or would count as invalid, tried on a copy.
fn refusal(session: &Session, input: &Input) -> Option<String> {
    let mut aside = session.env().fork();
    let reply = aside.apply(input);
    let is_refused = reply.is_rejected() || turned_down(&aside.feedback());
    is_refused.then(|| reply.text().to_owned())
}

/// Whether an environment's feedback rejects the decision: `accepted` is false or the reply may be
/// repeated (`ceo`), or the outcome is `not_allowed` (`procurement`).
fn turned_down(feedback: &Value) -> bool {
    feedback.get("accepted") == Some(&Value::Bool(false))
        || feedback.get("retries_left").is_some()
        || feedback
            .get("outcome")
            .and_then(|outcome| outcome.get("not_allowed"))
            .is_some()
}

/// The answer to the question whether a decision is to be carried out.
enum Confirmed {
    Yes,
    No,
    /// The person leaves the game.
    Leave,
}

fn confirmed(
    input: &Input,
    lines: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<Confirmed, RunError> {
    let shown = match input {
        Input::Call { tool, arguments } => format!("{tool} {arguments}"),
        Input::Forfeit => "let this turn pass".to_owned(),
        other => format!("{other:?}"),
    };
    let answer = ask(
        lines,
        out,
        &format!("{shown} -- Enter confirms, n cancels: "),
    )?;
    Ok(match answer.as_deref().map(str::trim) {
        Some("" | "y" | "yes") => Confirmed::Yes,
        None | Some("quit" | "exit") => Confirmed::Leave,
        Some(_) => Confirmed::No,
    })
}

fn ask(
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    prompt: &str,
) -> Result<Option<String>, RunError> {
    say(out, prompt)?;
    let mut line = Vec::new();
    // As bytes, because a line that is not UTF-8 is a typing error and must not end the game.
    let length = input.read_until(b'\n', &mut line).map_err(terminal)?;
    Ok((length > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}

/// Clears the screen.
fn clear(out: &mut dyn Write) -> Result<(), RunError> {
    // Not by `say`, which shows control characters as escapes.
    out.write_all(b"\x1b[2J\x1b[H").map_err(terminal)
}

fn say(out: &mut dyn Write, text: &str) -> Result<(), RunError> {
    out.write_all(shown(text).as_bytes())
        // A prompt ends without a line break, and terminals would show it too late.
        .and_then(|()| out.flush())
        .map_err(terminal)
}

fn terminal(source: std::io::Error) -> RunError {
    RunError::File {
        place: "the terminal".to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tools() -> Vec<ToolSpec> {
        let integer = json!({"type": "integer"});
        vec![
            ToolSpec::new("look_up", ToolKind::Getter, "reads")
                .with_optional("weeks", integer.clone()),
            ToolSpec::new("mail", ToolKind::Write, "writes")
                .with("to", json!({"type": "string"}))
                .with("text", json!({"type": "string"})),
            ToolSpec::new("order", ToolKind::Action, "decides").with("quantity", integer),
        ]
    }

    fn call(tool: &str, arguments: Value) -> Result<Line, String> {
        Ok(Line::Do(Input::Call {
            tool: tool.to_owned(),
            arguments,
        }))
    }

    #[test]
    fn lines_are_understood() {
        let tools = tools();
        let read = |line: &str| understand(line, &tools);
        for line in [
            "order 400",
            " order  quantity=400 ",
            "order {\"quantity\": 400}",
        ] {
            assert_eq!(
                read(line),
                call("order", json!({"quantity": 400})),
                "{line}"
            );
        }
        assert_eq!(read("look_up"), call("look_up", json!({})));
        assert_eq!(
            read("mail Ann it is = late"),
            call("mail", json!({"to": "Ann", "text": "it is = late"}))
        );
        assert_eq!(read(""), Ok(Line::Empty));
        assert_eq!(read("forfeit"), Ok(Line::Do(Input::Forfeit)));
        assert!(
            read("ordre 4")
                .unwrap_err()
                .contains("look_up, mail, order")
        );
        assert!(read("order {oops}").unwrap_err().contains("JSON"));
        assert!(read("order 1").is_ok());
        assert_eq!(read(" 400 "), call("order", json!({"quantity": 400})));
        assert!(read("4x").is_err() && read("400 5").is_err());
        // With several tools or arguments the program does not guess which one is meant.
        let second = ToolSpec::new("wait", ToolKind::Action, "decides");
        assert!(understand("400", &[tools.clone(), vec![second]].concat()).is_err());
        assert!(understand("400", &tools[..2]).is_err());
    }

    #[test]
    fn a_dictionary_is_typed_bare_or_in_quotes_of_either_kind() {
        let text = json!({"type": "string"});
        let about = "To buy 2 copies of A, pass \"{'A': 2}\": one argument.";
        let tools = [
            ToolSpec::new("buy", ToolKind::Action, about).with("plan", text.clone()),
            ToolSpec::new("note", ToolKind::Write, "writes").with("text", text),
        ];
        let read = |line: &str| understand(line, &tools);
        for line in [
            "buy {'A': 2}",
            "buy \"{'A': 2}\"",
            "buy plan={'A': 2}",
            "buy {\"plan\": \"{'A': 2}\"}",
        ] {
            assert_eq!(
                read(line),
                call("buy", json!({"plan": "{'A': 2}"})),
                "{line}"
            );
        }
        for line in [
            "buy {\"A\": 2}",
            "buy '{\"A\": 2}'",
            "buy \"{\"A\": 2}\"",
            "buy \"{\\\"A\\\": 2}\"",
        ] {
            assert_eq!(
                read(line),
                call("buy", json!({"plan": "{\"A\": 2}"})),
                "{line}"
            );
        }
        assert_eq!(
            read("note it's so"),
            call("note", json!({"text": "it's so"}))
        );
        assert_eq!(dictionary_example(&tools[0]), Some("{'A': 2}"));
        assert_eq!(dictionary_example(&tools[1]), None);
    }

    #[test]
    fn only_what_changes_the_world_is_confirmed() {
        let tools = tools();
        let input = |tool: &str| Input::Call {
            tool: tool.to_owned(),
            arguments: json!({}),
        };
        assert!(!changes(&input("look_up"), &tools));
        assert!(changes(&input("mail"), &tools) && changes(&input("order"), &tools));
        assert!(changes(&Input::Forfeit, &tools));
    }
}
