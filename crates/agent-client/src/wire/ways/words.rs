//! Words of refusals, in lower case.

/// Fields in which thoughts come and go back.
pub(super) const THOUGHT_FIELDS: [&str; 6] = [
    "reasoning_content",
    "reasoning_details",
    "reasoning",
    "thinking block",
    "`thinking` block",
    // What pydantic says of any field that it does not know; asked only where thoughts are sent
    // back.
    "extra inputs are not permitted",
];

/// Words for a text that may not be `null`, beside `content`.
pub(super) const NO_NULL: [&str; 10] = [
    "null",
    "<nil>",
    "none is not",
    "none was",
    "got none",
    "valid string",
    "expected a string",
    "must be a string",
    "should be a string",
    "str type expected",
];

/// Words that ask for thoughts in place of refusing them.
pub(super) const MUST_COME_BACK: [&str; 4] = [
    "must be passed back",
    "must be sent back",
    "is missing",
    "thinking mode",
];

/// One call in a message at most.
pub(super) const SINGLE: [&str; 5] = [
    "single tool-call",
    "single tool call",
    "one tool call at a time",
    "multiple tool calls",
    "parallel tool calls",
];

/// The id of a call.
pub(super) const IDS: [&str; 4] = [
    "tool call id",
    "tool_call_id",
    "tool_calls[0].id",
    "tool_use.id",
];

/// What an id has to be like: Mistral and its templates, Bedrock and Anthropic, OpenAI.
pub(super) const FORM_OF_IDS: [&str; 4] = [
    "length of 9",
    "length 9",
    "should match pattern",
    "string too long",
];

/// Calls that a template cannot write into a chat, because their arguments are JSON in a text: Qwen3-Coder on
/// llama.cpp, Ollama.
pub(super) const NO_CALLS_BACK: [&str; 3] = [
    "item pairs from a mapping",
    "filter 'items' for type string",
    "value looks like object",
];

/// A role that the template of a model does not have.
pub(super) const NO_ROLE: [&str; 8] = [
    "role 'tool'",
    "role \"tool\"",
    "role: tool",
    "role `tool`",
    "tool role",
    "unknown role",
    "invalid role",
    "'user' or 'assistant'",
];

/// No tool calling at all.
pub(super) const NO_TOOLS: [&str; 28] = [
    "not support tool",
    "n't support tool",
    "not support function",
    "n't support function",
    "tools is not supported",
    "tools are not supported",
    "tools not supported",
    "tool use is not supported",
    "tool use not supported",
    "tool calling is not supported",
    "tool calling not supported",
    "tool calls are not supported",
    "tool_calls are not supported",
    "function calling is not supported",
    "function calling not supported",
    "function calling is not enabled",
    "function calling config is not",
    "tool calling is not enabled",
    // OpenRouter: `No endpoints found that support tool use`.
    "support tool use",
    "support tool call",
    "support for tool",
    // vLLM and llama.cpp name the options without which they were started.
    "enable-auto-tool-choice",
    "tool-call-parser",
    "--jinja",
    "does not support the tools",
    "tools param requires",
    // llama.cpp; OpenAI of models that think.
    "unable to generate parser for this template",
    "function tools with",
];

/// The choice of a tool.
pub(super) const CHOICE: [&str; 8] = [
    "tool_choice",
    "tool choice",
    "toolchoice",
    "forces tool use",
    "forced tool",
    "force tool",
    "toolconfig",
    "function_calling_config",
];

/// A schema of which the server cannot make a grammar: vLLM, llama.cpp.
pub(super) const GRAMMAR: [&str; 4] = [
    "grammar error",
    "parse grammar",
    "compile grammar",
    "features not supported by",
];

/// A schema of a tool that the server cannot use.
pub(super) const BAD_TOOL_SCHEMA: [&str; 7] = [
    "schema for function",
    "function_declarations",
    "functiondeclaration",
    "input_schema",
    "invalid tool",
    "invalid function",
    "tool schema",
];

/// The form of the text.
pub(super) const FORM: [&str; 18] = [
    "response_format",
    "response format",
    "responseformat",
    "json_schema",
    "json schema",
    "json_object",
    "json mode",
    "jsonmode",
    "structured output",
    "structured_output",
    "response_schema",
    "responseschema",
    "response_mime_type",
    "invalid schema",
    "guided",
    "grammar",
    "schema",
    "constrained",
];

/// A user message after results.
pub(super) const AFTER_TOOL: [&str; 6] = [
    "after role 'tool'",
    "after role: tool",
    "after a tool",
    "after tool",
    "following a tool",
    "message_order",
];

/// Two messages of one side.
pub(super) const ALTERNATE: [&str; 7] = [
    "successive",
    "should interleave",
    "must alternate",
    "roles alternate",
    "alternate between",
    "consecutive",
    "alternating",
];

/// No system role.
pub(super) const NO_SYSTEM: [&str; 18] = [
    "not support 'system'",
    "not support \"system\"",
    "system role",
    "system message",
    "system prompt",
    "system instruction",
    "developer instruction",
    "role 'system'",
    "role \"system\"",
    "role: system",
    "role `system`",
    "'system' role",
    "\"system\" role",
    "`system`",
    "roles are supported",
    "unexpected role",
    "system: extra inputs",
    "system: input should be",
];
