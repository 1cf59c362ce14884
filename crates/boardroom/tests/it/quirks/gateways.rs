//! What stands before a server, and what it says when the server is not there; accounts that are refused in unusual words.

use super::causes::fails;
use super::{Anthropic, GAME, OpenAi, Quirk, Seen, Wire, ok, plays, refuse};
use crate::server::{Act, Request};
use serde_json::{Value, json};

const FOUR: &str = "run beer-game --set weeks=4 --episodes 4 --concurrency 1 --method direct";

const PAGE: &[&str] = &["content-type: text/html", "retry-after-ms: 1"];
const LINE: &[&str] = &["content-type: text/plain", "retry-after-ms: 1"];
const JSON: &[&str] = &["content-type: application/json", "retry-after-ms: 1"];

fn bytes(status: u16, lines: &'static [&'static str], body: &str) -> Act {
    Act::Bytes(status, lines, body.as_bytes().to_vec())
}

fn object(status: u16, body: &Value) -> Act {
    bytes(status, JSON, &body.to_string())
}

/// The run ended before each of its four episodes asked once: one or two may have begun before it is stopped.
fn said_at_once(seen: &Seen) -> bool {
    seen.code != 0 && seen.requests.len() < 4
}

fn final_answer(name: &'static str, wire: Wire, act: fn(&Request) -> Act) -> Quirk {
    Quirk {
        name,
        wire,
        act,
        words: FOUR,
        good: said_at_once,
    }
}

/// A 404 of a gateway is an outage; one of a server that has no such model is final.
fn not_found() -> Vec<Quirk> {
    type Case = (&'static str, fn(&Request) -> Act);
    let outages: [Case; 7] = [
        ("outage: 404 of the default backend: Kubernetes", |r| {
            fails(r, bytes(404, LINE, "default backend - 404"))
        }),
        ("outage: 404 with a page: nginx", |r| {
            let page =
                "<html><head><title>404 Not Found</title></head><body><hr>nginx</body></html>";
            fails(r, bytes(404, PAGE, page))
        }),
        ("outage: 404, no healthy upstream: Envoy", |r| {
            fails(r, bytes(404, LINE, "no healthy upstream"))
        }),
        ("outage: 404 page not found: Traefik", |r| {
            fails(r, bytes(404, LINE, "404 page not found\n"))
        }),
        ("outage: 404 without a body", |r| {
            fails(r, bytes(404, LINE, ""))
        }),
        ("outage: 404, no route matched: Kong", |r| {
            let body = json!({"message": "no Route matched with those values", "request_id": "f1"});
            fails(r, object(404, &body))
        }),
        ("outage: 404, application not found: Railway", |r| {
            let body = json!({"status": "error", "code": 404, "message": "Application not found", "request_id": "f1"});
            fails(r, object(404, &body))
        }),
    ];
    let mut rows: Vec<Quirk> = outages
        .into_iter()
        .map(|(name, act)| plays(name, OpenAi, act))
        .collect();
    rows.push(plays(
        "outage: 404 with a page before the first reply",
        Anthropic,
        |r| {
            if r.number < 3 {
                return bytes(404, PAGE, "<html>404 Not Found</html>");
            }
            ok(r)
        },
    ));
    rows.push(Quirk {
        name: "404 with a page for every request: the address is wrong",
        wire: OpenAi,
        act: |_| bytes(404, LINE, "404 page not found\n"),
        words: FOUR,
        good: |seen| {
            seen.code != 0 && seen.requests.len() <= 12 && seen.says("/v1/chat/completions")
        },
    });
    rows.push(Quirk {
        name: "a pause of six seconds is told",
        wire: OpenAi,
        act: |r| match r.number {
            0 => bytes(429, &["retry-after: 6"], "slow down"),
            _ => ok(r),
        },
        words: GAME,
        good: |seen| seen.played() && seen.err.contains("a pause of 6 s"),
    });
    rows.push(Quirk {
        name: "a page for every request: a login",
        wire: OpenAi,
        act: |_| bytes(200, PAGE, "<html><title>Sign in</title></html>"),
        words: FOUR,
        good: |seen| {
            seen.code == 1
                && seen.requests.len() <= 12
                && seen.says("login")
                && seen.says("/v1/chat/completions")
                && !seen.says("--retries")
        },
    });
    rows.extend([
        final_answer("no such model stops the run at once: vLLM", OpenAi, |_| {
            Act::Refuse(
                404,
                json!({"object": "error", "message": "The model `m` does not exist.", "type": "NotFoundError", "param": null, "code": 404}),
            )
        }),
        final_answer("no such model stops the run at once: Ollama", OpenAi, |_| {
            Act::Refuse(
                404,
                json!({"error": {"message": "model \"m\" not found, try pulling it first", "type": "api_error"}}),
            )
        }),
        final_answer("no such model stops the run at once: Claude", Anthropic, |_| {
            Act::Refuse(
                404,
                json!({"type": "error", "error": {"type": "not_found_error", "message": "model: m"}}),
            )
        }),
        final_answer("no such deployment stops the run at once: Azure", OpenAi, |_| {
            Act::Refuse(
                404,
                json!({"error": {"code": "DeploymentNotFound", "message": "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again."}}),
            )
        }),
        final_answer(
            "the rules of the account exclude the model: OpenRouter",
            OpenAi,
            |_| {
                Act::Refuse(
                    404,
                    json!({"error": {"message": "No endpoints found matching your data policy. Configure: https://openrouter.ai/settings/privacy", "code": 404}}),
                )
            },
        ),
    ]);
    rows
}

pub(super) fn rows() -> Vec<Quirk> {
    let mut rows = not_found();
    rows.extend([
        plays("outage: 403 with a page that wants a browser", OpenAi, |r| {
            let page = "<!DOCTYPE html><html><title>Just a moment...</title></html>";
            fails(r, bytes(403, PAGE, page))
        }),
        plays("outage: cancelled, status 499: Gemini", OpenAi, |r| {
            let body = json!([{"error": {"code": 499, "message": "The operation was cancelled.", "status": "CANCELLED"}}]);
            fails(r, object(499, &body))
        }),
        plays("outage: status 520 of a gateway", OpenAi, |r| {
            let page = "<html>520: Web server is returning an unknown error</html>";
            fails(r, bytes(520, PAGE, page))
        }),
        plays("outage: all deployments are in cooldown: LiteLLM", OpenAi, |r| {
            let body = json!({"error": {"message": "No deployments available for selected model, Try again in 1 seconds. Passed model=m. pre-call-checks=False, cooldown_list=['c9']", "type": "None", "param": "None", "code": "429"}});
            fails(r, object(429, &body))
        }),
        plays("outage: no healthy deployment, status 400: LiteLLM", OpenAi, |r| {
            let body = json!({"error": {"message": "litellm.BadRequestError: There are no healthy deployments for this model. Received Model Group=m", "param": null, "code": "400"}});
            fails(r, object(400, &body))
        }),
        plays("outage: the runner has stopped: Ollama", OpenAi, |r| {
            let body = json!({"error": {"message": "model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama server logs for details", "type": "api_error"}});
            fails(r, object(500, &body))
        }),
        plays("outage: the model is overloaded, status 429: TGI", OpenAi, |r| {
            let body = json!({"error": "Model is overloaded", "error_type": "overloaded"});
            fails(r, object(429, &body))
        }),
        plays("outage: choices is null: Gemini", OpenAi, |r| {
            let body = json!({"id": null, "choices": null, "usage": {"prompt_tokens": 100, "completion_tokens": 0, "total_tokens": 100}});
            fails(r, object(200, &body))
        }),
        final_answer("a wrong key is status 400: Gemini", OpenAi, |_| {
            Act::Refuse(
                400,
                json!([{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT", "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]}}]),
            )
        }),
        final_answer("a wrong key is status 400: xAI", OpenAi, |_| {
            Act::Refuse(
                400,
                json!({"code": "Client specified an invalid argument", "error": "Incorrect API key provided: sk***ij. You can obtain an API key from https://console.x.ai."}),
            )
        }),
        final_answer("a country is refused: Gemini", OpenAi, |_| {
            Act::Refuse(
                400,
                json!([{"error": {"code": 400, "message": "User location is not supported for the API use.", "status": "FAILED_PRECONDITION"}}]),
            )
        }),
        final_answer("an empty account in Chinese, status 429: Z.ai", OpenAi, |_| {
            Act::Refuse(
                429,
                json!({"error": {"code": "1113", "message": "余额不足或无可用资源包,请充值。"}}),
            )
        }),
        final_answer("a redirect stops the run at once", OpenAi, |_| {
            Act::Bytes(
                307,
                &["location: https://example.org/v1/chat/completions"],
                Vec::new(),
            )
        }),
        final_answer("thoughts only in streams: DashScope", OpenAi, |_| {
            refuse(
                400,
                "parameter.enable_thinking must be set to false for non-streaming calls",
            )
        }),
        Quirk {
            name: "a parameter of the user is not known: xAI",
            wire: OpenAi,
            act: |r| {
                if r.body["presence_penalty"].is_null() {
                    return ok(r);
                }
                Act::Refuse(
                    400,
                    json!({"code": "Client specified an invalid argument", "error": "Argument not supported on this model: presencePenalty"}),
                )
            },
            words: "run beer-game --set weeks=4 --episodes 1 --concurrency 1 --method direct --model-arg presence_penalty=0.5",
            good: |seen| {
                seen.code != 0 && seen.requests.len() == 1 && seen.says("presencePenalty")
            },
        },
        Quirk {
            name: "a gateway keeps the connection open with comments: OpenRouter",
            wire: OpenAi,
            act: |r| {
                let Act::Answer(reply) = ok(r) else {
                    unreachable!()
                };
                let text = format!(": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n{reply}");
                Act::Bytes(200, JSON, text.into_bytes())
            },
            words: GAME,
            good: Seen::played,
        },
    ]);
    rows
}
