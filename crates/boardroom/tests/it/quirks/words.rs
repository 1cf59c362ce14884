//! Error answers in the words of one provider each: too long, no such model, a reply that is reported as an error, limits.

use super::causes::fails;
use super::reading::overflows;
use super::{GAME, OpenAi, Quirk, Seen, finished, ok, plays};
use crate::server::{Act, Request};
use serde_json::json;

/// A game or two may have begun before the run is stopped; each of the five asks once if nothing stops it.
const FIVE_GAMES: &str = "run beer-game --set weeks=4 --episodes 5 --concurrency 1 --method direct";

/// The chat is too long; the results of tools are cut, and the game goes on.
macro_rules! too_long {
    ($name:literal, $status:literal, $body:tt) => {
        plays(concat!("too long: ", $name), OpenAi, |r| {
            overflows(r, Act::Refuse($status, json!($body)))
        })
    };
}

/// Every request is refused so, and the first one stops the run.
macro_rules! stops {
    ($name:expr, $status:literal, $body:tt) => {
        Quirk {
            words: FIVE_GAMES,
            good: |seen: &Seen| seen.code != 0 && seen.requests.len() < 5,
            ..plays($name, OpenAi, |_| Act::Refuse($status, json!($body)))
        }
    };
}

macro_rules! no_model {
    ($name:literal, $body:tt) => {
        stops!(
            concat!("no such model, status 400, stops the run at once: ", $name),
            400,
            $body
        )
    };
}

/// What the model wrote is reported as an error, again and again for one chat: it counts as its reply, and the chat goes
/// on with a reminder.
macro_rules! reported {
    ($name:expr, $status:literal, $body:tt, $cause:literal) => {
        Quirk {
            good: |seen: &Seen| seen.ended() && seen.says($cause),
            ..plays($name, OpenAi, |r| {
                once_a_chat(r, Act::Refuse($status, json!($body)))
            })
        }
    };
}

/// The model stops so in one reply.
macro_rules! stopped_by {
    ($word:literal, $cause:literal) => {
        Quirk {
            good: |seen: &Seen| seen.ended() && seen.says($cause),
            ..plays(concat!("finish_reason is ", $word), OpenAi, |r| {
                if r.number != 2 {
                    return ok(r);
                }
                Act::Answer(finished($word, json!({"content": ""})))
            })
        }
    };
}

/// `act` for the chat that asks for the order of the second week, however often it is sent.
fn once_a_chat(request: &Request, act: Act) -> Act {
    let messages = request.body["messages"].as_array().unwrap();
    if messages.last().unwrap()["content"]
        .to_string()
        .contains("order in week 2?")
    {
        act
    } else {
        ok(request)
    }
}

fn too_long() -> Vec<Quirk> {
    vec![
        too_long!("vLLM, the decoder", 400, {"object": "error", "message": "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.", "type": "BadRequestError", "code": 400}),
        too_long!("vLLM, nothing is left for the reply", 400, {"object": "error", "message": "max_tokens must be at least 1, got -104.", "type": "BadRequestError", "code": 400}),
        too_long!("vLLM, status 500", 500, {"error": {"message": "The prompt is longer than the maximum model length of 4096.", "type": "InternalServerError", "code": 500}}),
        too_long!("SGLang, status 500", 500, {"object": "error", "message": "The input (5000 tokens) is longer than the model's context length (4096 tokens).", "type": "internal_error", "code": 500}),
        too_long!("Poolside", 400, {"error": {"message": "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.", "code": 400}}),
        too_long!("Moonshot, bytes", 400, {"error": {"message": "total message size 10176584 exceeds limit 2097152", "type": "invalid_request_error"}}),
        too_long!("a gateway, parentheses", 400, {"error": {"message": "Input length (265330) exceeds model's maximum context length (262144).", "type": "BadRequestError"}}),
        too_long!("Perplexity", 400, {"error": {"message": "The total length of all messages is too long.", "type": "bad_request", "code": 400}}),
        too_long!("Ark", 400, {"error": {"code": "InvalidParameter", "message": "Total tokens of image and text exceed max message tokens. Request id: 021", "param": "", "type": "BadRequest"}}),
        too_long!("Ark, the input", 400, {"error": {"code": "InvalidParameter", "message": "Input length 140000 exceeds the maximum length 131072", "param": "input", "type": "BadRequest"}}),
        too_long!("LiteLLM", 400, {"error": {"message": "litellm.ContextWindowExceededError: litellm.BadRequestError: Context Window exceeded for given call. No models have context window large enough for this call.", "type": null, "code": "400"}}),
        too_long!("Azure", 400, {"error": {"message": "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 509178 tokens.", "type": "invalid_request_error", "param": "messages", "code": "context_too_large"}}),
        too_long!("Copilot", 400, {"error": {"message": "tokens in request more than max tokens allowed", "code": "model_max_prompt_tokens_exceeded"}}),
        too_long!("SambaNova", 400, {"error": {"message": "Requested generation length 1 is not possible! The provided prompt is 9000 tokens long, so generating 1 tokens requires a sequence length of 9001, but the maximum supported sequence length is just 8192!", "type": "invalid_request_error"}}),
        too_long!("Baidu", 400, {"error": {"code": "tokens_too_long", "message": "Prompt tokens too long", "type": "invalid_request_error"}, "id": "as-x"}),
        too_long!("Z.ai", 400, {"error": {"code": "1261", "message": "Prompt 超长"}}),
        too_long!("NIM", 400, {"error": {"message": "Input value error: inputs too large: 9000 tokens > 8192"}}),
        too_long!("Databricks", 400, {"error_code": "BAD_REQUEST", "message": "BAD_REQUEST: Prompt length (9000) exceeds maximum prompt length (8192)."}),
        too_long!("GitHub Models", 413, {"error": {"code": "tokens_limit_reached", "message": "Request body too large for m model. Max size: 8000 tokens.", "details": "Request body too large"}}),
        too_long!("Cloudflare", 413, {"errors": [{"message": "AiError: AiError: The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (7968).", "code": 5021}], "success": false}),
        too_long!("LM Studio", 400, {"error": "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input"}),
    ]
}

fn stops() -> Vec<Quirk> {
    vec![
        no_model!("OpenRouter", {"error": {"message": "m is not a valid model ID", "code": 400}}),
        no_model!("Groq", {"error": {"message": "The model `m` has been decommissioned and is no longer supported. Please refer to the documentation for a recommendation on which model to use instead.", "type": "invalid_request_error", "code": "model_decommissioned"}}),
        no_model!("Mistral", {"object": "error", "message": "Invalid model: m", "type": "invalid_model", "param": null, "code": "1500"}),
        no_model!("DeepSeek", {"error": {"message": "Model Not Exist", "type": "invalid_request_error", "param": null, "code": "invalid_request_error"}}),
        no_model!("SiliconFlow", {"code": 20012, "message": "Model does not exist. Please check it carefully.", "data": null}),
        no_model!("Z.ai", {"error": {"code": "1211", "message": "模型不存在，请检查模型代码。"}}),
        no_model!("Hugging Face", {"error": {"message": "The requested model 'm' is not supported by any provider you have enabled.", "type": "invalid_request_error", "param": "model", "code": "model_not_supported"}}),
        no_model!("LiteLLM", {"error": {"message": "/chat/completions: Invalid model name passed in model=m. Call `/v1/models` to view available models for your key.", "type": "invalid_request_error", "param": "model", "code": "400"}}),
        no_model!("Together", {"error": {"message": "Unable to access non-serverless model m. Please create and start a new dedicated endpoint for the model.", "type": "invalid_request_error", "param": null, "code": "model_not_available"}}),
        no_model!("Gemini", [{"error": {"code": 400, "message": "* GenerateContentRequest.model: unexpected model name format\n", "status": "INVALID_ARGUMENT"}}]),
        no_model!("xAI", {"code": "Client specified an invalid argument", "error": "Model not found: m"}),
        no_model!("GitHub Models", {"error": {"code": "unknown_model", "message": "Unknown model: m", "details": "Unknown model: m"}}),
        no_model!("Bedrock", {"error": {"message": "The provided model identifier is invalid.", "type": "invalid_request_error"}}),
        no_model!("LM Studio", {"error": {"message": "No models loaded. Please load a model in the developer page or use the `lms load` command.", "type": "invalid_request_error", "param": "model"}}),
        stops!("a restricted account stops the run at once: Groq", 400, {"error": {"message": "Organization has been restricted. Please reach out to support if you believe this was in error.", "type": "invalid_request_error", "code": "organization_restricted"}}),
        stops!("an account without credits stops the run at once: xAI", 403, {"code": "The caller does not have permission to execute the specified operation", "error": "Your newly created team doesn't have any credits yet."}),
        stops!("a limit of 0 stops the run at once: Gemini", 429, [{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota, please check your plan and billing details.\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 0, model: m\nPlease retry in 0.02s.", "details": [{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]}, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.02s"}]}}]),
        stops!("free requests of a day are used up: OpenRouter", 429, {"error": {"message": "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day", "code": 429, "metadata": {"headers": {"X-RateLimit-Limit": "50", "X-RateLimit-Remaining": "0"}}}}),
        Quirk {
            words: FIVE_GAMES,
            good: |seen: &Seen| seen.code != 0 && seen.requests.len() < 5,
            ..plays("Retry-After of a day stops the run at once", OpenAi, |_| {
                let lines = &["content-type: application/json", "retry-after: 86400"];
                Act::Bytes(
                    429,
                    lines,
                    b"{\"error\": {\"message\": \"Too many requests\"}}".to_vec(),
                )
            })
        },
        Quirk {
            words: FIVE_GAMES,
            good: |seen: &Seen| seen.code != 0 && seen.requests.len() == 5,
            ..plays(
                "five refusals in the same words before any reply stop the run",
                OpenAi,
                |_| {
                    Act::Refuse(
                        400,
                        json!({"error": {"message": "default chat template is no longer allowed", "type": "BadRequestError"}}),
                    )
                },
            )
        },
    ]
}

fn limits() -> Vec<Quirk> {
    let limit = |name, act: fn(&Request) -> Act| plays(name, OpenAi, act);
    vec![
        limit("a limit for a minute, status 403: SiliconFlow", |r| {
            fails(
                r,
                Act::Refuse(
                    403,
                    json!({"error": {"message": "RPM limit exceeded. Please complete identity verification to lift the restriction.", "code": 403}}),
                ),
            )
        }),
        limit("a limit for a minute upstream: OpenRouter", |r| {
            fails(
                r,
                Act::Refuse(
                    429,
                    json!({"error": {"message": "Provider returned error", "code": 429, "metadata": {"raw": "m is temporarily rate-limited upstream. Please retry shortly, or add your own key to accumulate your rate limits", "provider_name": "X"}}}),
                ),
            )
        }),
        limit("a full queue: Cerebras", |r| {
            fails(
                r,
                Act::Refuse(
                    429,
                    json!({"message": "We're experiencing high traffic right now! Please try again soon.", "type": "too_many_requests_error", "param": "queue", "code": "queue_exceeded"}),
                ),
            )
        }),
        limit("no capacity of the tier: Mistral", |r| {
            fails(
                r,
                Act::Refuse(
                    429,
                    json!({"object": "error", "message": "Service tier capacity exceeded for this model.", "type": "service_tier_capacity_exceeded", "param": null, "code": "3505"}),
                ),
            )
        }),
        limit("a full group of a gateway, status 500, in Chinese", |r| {
            fails(
                r,
                Act::Refuse(
                    500,
                    json!({"error": {"message": "当前分组上游负载已饱和，请稍后再试", "type": "new_api_error"}}),
                ),
            )
        }),
        limit("Retry-After with a unit", |r| {
            let lines = &["content-type: application/json", "retry-after: 1s"];
            fails(
                r,
                Act::Bytes(429, lines, b"{\"error\": {\"message\": \"slow\"}}".to_vec()),
            )
        }),
        limit("outage: finish_reason is server_error", |r| {
            fails(
                r,
                Act::Answer(finished("server_error", json!({"content": ""}))),
            )
        }),
        limit("outage: finish_reason is time_limit: watsonx", |r| {
            fails(
                r,
                Act::Answer(finished("time_limit", json!({"content": ""}))),
            )
        }),
        limit("outage: status 202, the request is queued", |r| {
            fails(r, Act::Refuse(202, json!({"status": "queued"})))
        }),
        limit("outage: status 204", |r| {
            fails(r, Act::Bytes(204, &["retry-after-ms: 1"], Vec::new()))
        }),
    ]
}

pub(super) fn rows() -> Vec<Quirk> {
    let mut rows = too_long();
    rows.extend(stops());
    rows.extend(limits());
    rows.extend([
        reported!("the reply is cut off, status 400: OpenAI", 400, {"error": {"message": "Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens.", "type": "invalid_request_error"}}, "cut off"),
        reported!("a malformed call is status 500: XML of Ollama", 500, {"error": {"message": "XML syntax error on line 6: element <parameter> closed by </function>", "type": "api_error"}}, "malformed"),
        reported!("a malformed call is status 500: another element, Ollama", 500, {"error": "expected element type <function> but have <parameter>"}, "malformed"),
        reported!("a malformed call is status 500: llama.cpp", 500, {"error": {"code": 500, "message": "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1, column 131", "type": "server_error"}}, "malformed"),
        reported!("a malformed call is status 500: fewer calls, llama.cpp", 500, {"error": {"code": 500, "message": "Invalid diff: now finding less tool calls!", "type": "server_error"}}, "malformed"),
        reported!("a malformed call is status 500: gpt-oss", 500, {"error": {"message": "unexpected tokens remaining in message header: Some(\"commentary to=place_order\")", "type": "InternalServerError", "code": 500}}, "malformed"),
        reported!("a malformed call is status 400: gpt-oss", 400, {"error": {"message": "Unexpected token 12606 while expecting start token 200006", "type": "BadRequestError", "code": 400}}, "malformed"),
        reported!("a malformed call is status 400: a reply that cannot be parsed, Groq", 400, {"error": {"message": "Parsing failed. The model generated output that could not be parsed. Please adjust your prompt.", "type": "invalid_request_error", "code": "output_parse_failed"}}, "malformed"),
        reported!("a malformed call is status 400: no call, Groq", 400, {"error": {"message": "Tool choice is required, but model did not call a tool", "type": "invalid_request_error", "code": "tool_use_failed", "failed_generation": ""}}, "malformed"),
        reported!("a malformed call is status 424: Bedrock", 424, {"error": {"message": "ModelErrorException: Model produced invalid sequence as part of ToolUse. Please refer to the model tool use troubleshooting guide."}}, "malformed"),
        stopped_by!("token_limit", "cut off"),
        stopped_by!("max_new_tokens", "cut off"),
        stopped_by!("moderation", "filtered"),
        stopped_by!("MALFORMED_RESPONSE", "malformed"),
        Quirk {
            words: GAME,
            ..plays("finish_reason is eos: Together", OpenAi, |r| {
                let Act::Answer(mut reply) = ok(r) else { unreachable!() };
                reply["choices"][0]["finish_reason"] = json!("eos");
                Act::Answer(reply)
            })
        },
    ]);
    rows
}
