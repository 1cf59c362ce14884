//! The words with which servers say why a reply ended.

use crate::cause::Cause;
use crate::reply::Finish;
use serde_json::Value;

/// How a reply ended.
///
/// The words are those of the public API references: OpenAI and compatible servers (vLLM, SGLang, TGI,
/// llama.cpp, Ollama, Together), Anthropic, Gemini (also in capitals), Mistral, DeepSeek, Z.ai, Cohere,
/// watsonx and Bedrock. Capitals do not matter. An unknown word is a complete reply.
///
/// ```
/// use agent_client::Finish;
/// use agent_client::wire::finish::read;
/// assert_eq!(read("MAX_TOKENS"), Finish::Length);
/// assert_eq!(read("model_context_window_exceeded"), Finish::NoRoom);
/// assert_eq!(read("novel"), Finish::Other("novel".to_owned()));
/// ```
#[must_use]
pub fn read(word: &str) -> Finish {
    match &*plain(word) {
        "stop" | "end_turn" | "stop_sequence" | "complete" => Finish::Stop,
        "tool_calls" | "tool_use" | "tool_call" | "function_call" | "function_calls" => Finish::Calls,
        "length"
        | "max_tokens"
        | "max_output_tokens"
        | "max_completion_tokens"
        | "max_new_tokens"
        | "max_length"
        | "max_tokens_reached"
        | "max_output_token"
        | "length_limit"
        | "truncated"
        | "token_limit"
        // llama.cpp
        | "limit" => Finish::Length,
        "model_length"
        | "model_context_window_exceeded"
        | "context_window_exceeded"
        | "context_length_exceeded"
        | "error_limit" => Finish::NoRoom,
        "content_filter"
        | "content_filtered"
        | "refusal"
        | "safety"
        | "recitation"
        | "blocklist"
        | "prohibited_content"
        | "spii"
        | "image_safety"
        | "language"
        | "sensitive"
        | "error_toxic"
        | "moderation"
        | "blocked"
        | "flagged"
        | "policy_violation"
        | "content_policy_violation"
        | "guardrail_intervened" => Finish::Filter,
        "unexpected_tool_call"
        | "malformed_tool_use"
        | "malformed_model_output"
        | "malformed_response"
        | "tool_use_failed" => Finish::Malformed,
        // Gemini's compatible endpoint writes `function_call_filter: MALFORMED_FUNCTION_CALL`.
        other if other.contains("malformed_function_call") => Finish::Malformed,
        // .. and `content_filter: PROHIBITED_CONTENT`.
        other if other.starts_with("content_filter") => Finish::Filter,
        // Taken for a complete reply: a new word for an ordinary ending must not lose replies.
        _ => Finish::Other(word.to_owned()),
    }
}

/// Whether the word says that the server failed, so that what came with it is not a reply.
#[must_use]
pub fn is_failure(word: &str) -> bool {
    let word = plain(word);
    // Words of Cohere for a reply.
    let is_reply = matches!(&*word, "error_limit" | "error_toxic");
    let words = [
        "abort",
        "aborted",
        "insufficient_system_resource",
        "cancelled",
        "user_cancel",
        "timeout",
        // watsonx
        "time_limit",
        "overloaded",
        "engine_overloaded",
        "failed",
    ];
    let is_error = word.starts_with("error") || word.ends_with("_error");
    (is_error && !is_reply) || words.contains(&&*word)
}

/// Why a choice ended. A gateway such as OpenRouter may say only that the model failed, or nothing, or of a silent choice
/// that it is complete, and pass on the reason of the provider behind it: a call that could not be read, a filter, a
/// limit.
pub(super) fn ended(choice: &Value, is_silent: bool) -> Option<&str> {
    let word = |name: &str| {
        let word = choice.get(name).and_then(Value::as_str);
        word.filter(|word| !word.is_empty())
    };
    let (own, native) = (word("finish_reason"), word("native_finish_reason"));
    let says_why = |word: &&str| read(word).cause() != Cause::Said;
    own.filter(|own| !is_failure(own) && (!is_silent || says_why(own)))
        .or(native.filter(says_why))
        .or(own)
        .or(native)
}

/// The word in lower case, without the prefix of an enumeration of Gemini.
fn plain(word: &str) -> String {
    let word = word.trim();
    // `maxTokens`
    let is_camel = word.starts_with(char::is_lowercase) && !word.contains(['_', ' ', ':']);
    let mut spaced = String::with_capacity(word.len() + 4);
    for c in word.chars() {
        if c.is_uppercase() && is_camel {
            spaced.push('_');
        }
        spaced.push(c);
    }
    // Vercel's SDK writes `content-filter`.
    let word = spaced.to_lowercase().replace('-', "_");
    match word
        .strip_prefix("finish_reason_")
        .or_else(|| word.strip_prefix("finishreason."))
    {
        Some(rest) => rest.to_owned(),
        None => word,
    }
}

/// The word of the chat completions API for an ending.
#[must_use]
pub(super) fn written(finish: &Finish) -> &str {
    match finish {
        Finish::Stop => "stop",
        Finish::Calls => "tool_calls",
        Finish::Length => "length",
        Finish::NoRoom => "model_length",
        Finish::Filter => "content_filter",
        Finish::Malformed => "malformed_function_call",
        Finish::Other(word) => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for finish in [
            Finish::Stop,
            Finish::Calls,
            Finish::Length,
            Finish::NoRoom,
            Finish::Filter,
            Finish::Malformed,
            Finish::Other("novel".to_owned()),
        ] {
            assert_eq!(read(written(&finish)), finish);
        }
    }

    #[test]
    fn words_of_providers() {
        for (word, expected) in [
            ("FINISH_REASON_STOP", Finish::Stop),
            ("FinishReason.MAX_TOKENS", Finish::Length),
            ("SAFETY", Finish::Filter),
            ("sensitive", Finish::Filter),
            ("MALFORMED_FUNCTION_CALL", Finish::Malformed),
            (
                "function_call_filter: MALFORMED_FUNCTION_CALL",
                Finish::Malformed,
            ),
            ("TOKEN_LIMIT", Finish::Length),
            ("content-filter", Finish::Filter),
            ("tool-calls", Finish::Calls),
            ("maxTokens", Finish::Length),
            ("contentFiltered", Finish::Filter),
            ("context_length_exceeded", Finish::NoRoom),
            ("eos_token", Finish::Other("eos_token".to_owned())),
            ("pause_turn", Finish::Other("pause_turn".to_owned())),
        ] {
            assert_eq!(read(word), expected, "{word}");
        }
        assert_eq!(read("content_filter: PROHIBITED_CONTENT"), Finish::Filter);
        assert!(!is_failure("error_limit"));
        for word in [
            "error",
            "error_finish",
            "network_error",
            "server_error",
            "time_limit",
            "insufficient_system_resource",
        ] {
            assert!(is_failure(word), "{word}");
        }
        assert!(!is_failure("stop"));
    }
}
