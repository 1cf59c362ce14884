//! Reasoning in a request of its own, before the decision.

use super::{CallStyle, Choice, Ctx, Output, ask_once, calls};
use crate::error::AgentError;
use crate::message::Message;
use crate::prompt;
use crate::request::{Tool, ToolChoice};
use minijinja::context;

/// Requests the reasoning, then the decision that follows from it: two requests.
///
/// Tool calls, JSON values and replies to another participant leave no room for reasoning: with the tool
/// choice "required" many servers let a model write nothing but the call, and with "auto" some models
/// leave out the reasoning, others the call, and some servers refuse the request. A request that can only
/// be answered by text makes the reasoning certain, and the request after it makes the decision certain.
/// A server that calls a tool although the first request forbids it has decided, so there is no second
/// request then.
pub(super) async fn ask(
    cx: &Ctx<'_>,
    chat: &[Message],
    output: &Output,
    temperature: Option<f64>,
) -> Result<Choice, AgentError> {
    let call = matches!(output, Output::Calls { .. });
    let think = Message::user(prompt::render("think", context! { call => call })?);
    let mut request = cx
        .child("think", "")
        .request([chat, std::slice::from_ref(&think)].concat());
    request.temperature = temperature;
    if let Output::Calls { tools, style } = output {
        match style {
            // Offered, because some servers refuse a chat with calls of tools that they do not know.
            CallStyle::Native => {
                request.tools = tools.iter().map(Tool::from).collect();
                request.choice = ToolChoice::None;
            }
            CallStyle::Json => calls::tell_tools(&mut request.messages, tools)?,
        }
    }
    let reply = cx.backend.ask(request).await?;
    if let Output::Calls { tools, .. } = output
        && !reply.said.calls.is_empty()
    {
        return Ok(calls::read(&reply, tools));
    }
    let thought = match reply.said.text.trim() {
        // Some servers refuse an empty message.
        "" => "(nothing)",
        thought => thought,
    };
    let go = prompt::render("think_go", context! { call => call })?;
    let reasoning = vec![think, Message::assistant(thought), Message::user(go)];
    let messages = [chat, &reasoning].concat();
    let choice = ask_once(cx, &messages, output, temperature).await?;
    Ok(Choice {
        asked: choice.asked + 1,
        reasoning,
        ..choice
    })
}
