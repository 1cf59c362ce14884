//! Why a reply has no action: cut off, filtered, refused, malformed, or the server failed.

use super::{
    Anthropic, GAME, OpenAi, Quirk, Said, Seen, answer, chat, claude_refuses, finished,
    is_anthropic, ok, plays, plays_both, refuse, stopped,
};
use crate::server::{Act, Request};
use serde_json::json;

/// An outage that lasts for requests 1 to 3 of a run.
pub(super) fn fails(request: &Request, act: Act) -> Act {
    if (1..4).contains(&request.number) {
        act
    } else {
        ok(request)
    }
}

/// A failed turn does not count as a turn: the run ends as if nothing had happened, and no reply of the outage is kept.
fn outage(name: &'static str, act: fn(&Request) -> Act) -> [Quirk; 2] {
    plays_both(name, act)
}

fn cut_off(request: &Request) -> Act {
    Act::Answer(if is_anthropic(request) {
        stopped(
            "max_tokens",
            json!([{"type": "text", "text": "Let me think about"}]),
        )
    } else {
        finished("length", json!({"content": "Let me think about"}))
    })
}

/// The run names what happened and the option that helps.
fn names_the_room(seen: &Seen) -> bool {
    seen.says("cut off") && seen.says("--max-tokens")
}

pub(super) fn rows() -> Vec<Quirk> {
    let row = |name, wire, act, good: fn(&Seen) -> bool| Quirk {
        name,
        wire,
        act,
        words: GAME,
        good,
    };
    let mut rows = vec![
        row("all replies are cut off", OpenAi, cut_off, names_the_room),
        row(
            "all replies are cut off",
            Anthropic,
            cut_off,
            names_the_room,
        ),
        row(
            "thoughts use up the whole reply",
            OpenAi,
            |_| {
                Act::Answer(finished(
                    "length",
                    json!({"content": "", "reasoning_content": "First I count"}),
                ))
            },
            names_the_room,
        ),
        row(
            "one reply of four is cut off",
            OpenAi,
            |r| {
                if r.number % 4 == 3 { cut_off(r) } else { ok(r) }
            },
            |seen| seen.ended() && seen.says("cut off"),
        ),
        row(
            "the context is smaller than prompt and reply",
            OpenAi,
            |r| {
                let room = r.body["max_tokens"]
                    .as_u64()
                    .or(r.body["max_completion_tokens"].as_u64())
                    .unwrap_or(16);
                if 600 + room > 2048 {
                    return refuse(
                        400,
                        &format!(
                            "'max_tokens' or 'max_completion_tokens' is too large: {room}. This model's maximum context length is 2048 tokens and your request has 600 input tokens."
                        ),
                    );
                }
                ok(r)
            },
            |seen| seen.played() || (seen.code != 0 && seen.says("--max-tokens")),
        ),
        row(
            "the filter of the server stops every reply",
            OpenAi,
            |_| Act::Answer(finished("content_filter", json!({"content": ""}))),
            |seen| seen.code == 0 && seen.says("filtered"),
        ),
        row(
            "the model refuses",
            Anthropic,
            |_| Act::Answer(stopped("refusal", json!([]))),
            |seen| seen.code == 0 && seen.says("filtered"),
        ),
        row(
            "moderation answers with status 403",
            OpenAi,
            |r| {
                if r.number == 1 {
                    return Act::Refuse(
                        403,
                        json!({"error": {"code": 403, "message": "m requires moderation on OpenAI. Your input was flagged for \"violence\".", "metadata": {"reasons": ["violence"], "flagged_input": "x", "provider_name": "OpenAI"}}}),
                    );
                }
                ok(r)
            },
            Seen::ended,
        ),
        row(
            "the filter answers with status 400",
            OpenAi,
            |r| {
                if r.number == 1 {
                    return Act::Refuse(
                        400,
                        json!({"error": {"message": "The response was filtered due to the prompt triggering the content management policy.", "param": "prompt", "code": "content_filter", "status": 400, "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
                    );
                }
                ok(r)
            },
            Seen::ended,
        ),
        row(
            "a malformed call is status 400",
            OpenAi,
            |r| {
                if r.number == 1 {
                    return Act::Refuse(
                        400,
                        json!({"error": {"message": "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.", "type": "invalid_request_error", "code": "tool_use_failed", "failed_generation": "<function=place_order{\"quantity\": 4}</function>"}}),
                    );
                }
                ok(r)
            },
            Seen::ended,
        ),
        row(
            "a malformed call is status 500",
            OpenAi,
            |r| {
                if r.number == 1 {
                    return Act::Refuse(
                        500,
                        json!({"error": {"message": "error parsing tool call: raw='{\"quantity\": 4', err=unexpected end of JSON input", "type": "api_error"}}),
                    );
                }
                ok(r)
            },
            Seen::ended,
        ),
        row(
            "a malformed call is a reason to stop",
            OpenAi,
            |r| {
                if r.number == 1 {
                    return Act::Answer(finished(
                        "function_call_filter: MALFORMED_FUNCTION_CALL",
                        json!({"content": ""}),
                    ));
                }
                ok(r)
            },
            Seen::ended,
        ),
        row(
            "an empty account stops the run at once",
            OpenAi,
            |r| {
                if r.number > 0 {
                    return Act::Refuse(
                        429,
                        json!({"error": {"message": "You exceeded your current quota, please check your plan and billing details.", "type": "insufficient_quota", "code": "insufficient_quota"}}),
                    );
                }
                ok(r)
            },
            |seen| seen.code != 0 && seen.requests.len() <= 3,
        ),
        row(
            "a wrong key stops the run at once",
            Anthropic,
            |_| claude_refuses(401, "authentication_error", "invalid x-api-key"),
            |seen| seen.code != 0 && seen.requests.len() <= 2,
        ),
    ];
    rows.extend(outage("outage: an error inside a choice", |r| {
        if is_anthropic(r) {
            return fails(r, Act::Answer(json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})));
        }
        fails(r, Act::Answer(json!({"choices": [{"index": 0, "finish_reason": "error", "message": {"role": "assistant", "content": ""}, "error": {"code": 502, "message": "Provider returned error"}}]})))
    }));
    rows.extend(outage("outage: an error under status 200", |r| {
        fails(
            r,
            Act::Answer(json!({"error": {"code": 503, "message": "The upstream is unavailable"}})),
        )
    }));
    rows.extend(outage("outage: a page of HTML", |r| {
        fails(
            r,
            Act::Bytes(
                502,
                &["content-type: text/html", "retry-after-ms: 1"],
                b"<html><body>502 Bad Gateway</body></html>".to_vec(),
            ),
        )
    }));
    rows.extend(outage("outage: the model is being loaded", |r| {
        fails(r, Act::Refuse(503, json!({"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}})))
    }));
    rows.extend(outage("outage: overloaded, status 529", |r| {
        fails(r, Act::Refuse(529, json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})))
    }));
    rows.extend(outage("outage: an empty body", |r| {
        fails(
            r,
            Act::Bytes(
                200,
                &["content-type: application/json", "retry-after-ms: 1"],
                Vec::new(),
            ),
        )
    }));
    rows.extend(outage("outage: the connection breaks", |r| {
        fails(r, Act::Reset)
    }));
    rows.extend(outage("outage: a body that is cut", |r| {
        fails(
            r,
            Act::Bytes(
                200,
                &["content-type: application/json", "retry-after-ms: 1"],
                b"{\"choices\": [{\"index\": 0, \"mess".to_vec(),
            ),
        )
    }));
    rows.extend(outage("outage: time-outs of a gateway", |r| {
        fails(
            r,
            Act::Bytes(
                524,
                &["content-type: text/html", "retry-after-ms: 1"],
                b"error code: 524".to_vec(),
            ),
        )
    }));
    rows.push(plays("outage: no choices", OpenAi, |r| {
        fails(r, Act::Answer(json!({"choices": []})))
    }));
    rows.push(plays("outage: stopped by an error", OpenAi, |r| {
        fails(r, Act::Answer(finished("error", json!({"content": ""}))))
    }));
    rows.push(plays("a limit for a minute in the words of a quota", OpenAi, |r| {
        fails(r, Act::Refuse(429, json!([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota, please check your plan and billing details. Please retry in 0.01s.", "details": [{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel"}]}, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.01s"}]}}])))
    }));
    rows.push(plays("a limit for a minute under the type of tokens", OpenAi, |r| {
        fails(r, Act::Refuse(429, json!({"error": {"message": "Rate limit reached for m on tokens per min (TPM): Limit 200000, Used 199999, Requested 900. Please try again in 20ms.", "type": "tokens", "code": "rate_limit_exceeded"}})))
    }));
    rows.push(plays("Retry-After: 0", OpenAi, |r| {
        if (1..3).contains(&r.number) {
            return Act::Bytes(
                429,
                &["content-type: application/json", "retry-after: 0"],
                b"{\"error\": {\"message\": \"slow down\"}}".to_vec(),
            );
        }
        ok(r)
    }));
    rows.push(plays("Retry-After in the past", Anthropic, |r| {
        if (1..3).contains(&r.number) {
            return Act::Bytes(429, &["content-type: application/json", "retry-after: Mon, 01 Jan 2024 00:00:00 GMT"], b"{\"type\": \"error\", \"error\": {\"type\": \"rate_limit_error\", \"message\": \"slow\"}}".to_vec());
        }
        ok(r)
    }));
    rows.push(plays("finish_reason is null", OpenAi, |r| {
        let Act::Answer(mut reply) = ok(r) else {
            unreachable!()
        };
        reply["choices"][0]["finish_reason"] = json!(null);
        Act::Answer(reply)
    }));
    rows.push(plays("finish_reason is stop beside calls", OpenAi, |r| {
        let mut reply = answer(r, Said::Call);
        reply["choices"][0]["finish_reason"] = json!("stop");
        Act::Answer(reply)
    }));
    type Case = (&'static str, fn(&Request) -> Act);
    let words: [Case; 7] = [
        ("outage: throttled, status 400: Bedrock", |r| {
            fails(
                r,
                Act::Refuse(
                    400,
                    json!({"error": {"message": "An error occurred (ThrottlingException) when calling the Converse operation: Too many tokens, please wait before trying again.", "code": "ThrottlingException"}}),
                ),
            )
        }),
        ("outage: throttled, status 500: a gateway", |r| {
            fails(
                r,
                Act::Refuse(
                    500,
                    json!({"error": {"message": "RateLimitError: Too many tokens, please wait before trying again.", "type": "throttling_error"}}),
                ),
            )
        }),
        ("outage: throttled, status 200: OpenRouter", |r| {
            fails(
                r,
                Act::Answer(
                    json!({"error": {"message": "Provider returned error", "metadata": {"raw": "Too many tokens, please wait before trying again."}}}),
                ),
            )
        }),
        ("outage: status 500 names the size of the context", |r| {
            fails(
                r,
                Act::Refuse(
                    500,
                    json!({"error": "failed to allocate buffer for kv cache at context size 8192"}),
                ),
            )
        }),
        ("outage: the model has crashed, status 400", |r| {
            fails(
                r,
                Act::Refuse(
                    400,
                    json!({"error": "The model has crashed without additional information. (Exit code: 6)"}),
                ),
            )
        }),
        ("outage: no capacity, status 498", |r| {
            fails(
                r,
                Act::Refuse(
                    498,
                    json!({"error": {"message": "Flex tier capacity exceeded.", "code": "capacity_exceeded"}}),
                ),
            )
        }),
        ("outage: finish_reason is error_finish", |r| {
            fails(
                r,
                Act::Answer(finished(
                    "error_finish",
                    json!({"content": "{\"message\": \"Too many tokens\"}"}),
                )),
            )
        }),
    ];
    rows.extend(words.map(|(name, act)| plays(name, OpenAi, act)));
    rows.push(row(
        "a choice without a message is cut off",
        OpenAi,
        |r| {
            if r.number != 2 {
                return ok(r);
            }
            Act::Answer(json!({"choices": [{"index": 0, "finish_reason": "length"}], "usage": {"prompt_tokens": 100, "completion_tokens": 0, "total_tokens": 1100}}))
        },
        |seen| seen.ended() && seen.says("cut off"),
    ));
    rows.push(row(
        "finish_reason is content_filter: PROHIBITED_CONTENT",
        OpenAi,
        |r| {
            if r.number != 2 {
                return ok(r);
            }
            Act::Answer(finished(
                "content_filter: PROHIBITED_CONTENT",
                json!({"content": ""}),
            ))
        },
        |seen| seen.ended() && seen.says("filtered"),
    ));
    rows.push(row(
        "a limit for a day stops the run at once",
        OpenAi,
        |_| {
            Act::Refuse(429, json!({"error": {"message": "Rate limit reached on tokens per day (TPD): Limit 100000. Please try again in 12m14.4s.", "code": "rate_limit_exceeded"}}))
        },
        |seen| seen.code != 0 && seen.requests.len() == 1 && seen.says("per day"),
    ));
    rows.push(row(
        "a model that only streams stops the run at once",
        OpenAi,
        |_| refuse(400, "This model only support stream mode, please enable the stream parameter to access the model."),
        |seen| seen.code != 0 && seen.requests.len() == 1 && seen.says("stream"),
    ));
    rows.push(row(
        "all replies are empty",
        OpenAi,
        |_| Act::Answer(chat(json!({"content": ""}))),
        |seen| seen.ended() && seen.says("are empty"),
    ));
    rows.push(row(
        "all words are in the thoughts",
        OpenAi,
        |_| Act::Answer(chat(json!({"reasoning_content": "I order four."}))),
        |seen| seen.ended() && seen.says("are empty"),
    ));
    rows.push(row(
        "another model answers",
        OpenAi,
        |r| {
            let Act::Answer(mut reply) = ok(r) else {
                unreachable!()
            };
            reply["model"] = json!(if r.number < 2 {
                "m-2025-01-31"
            } else {
                "small"
            });
            Act::Answer(reply)
        },
        |seen| seen.played() && seen.says("`small`") && !seen.says("m-2025"),
    ));
    rows.push(plays("one reply is empty", OpenAi, |r| {
        if r.number == 1 {
            Act::Answer(chat(json!({"content": ""})))
        } else {
            ok(r)
        }
    }));
    rows
}
