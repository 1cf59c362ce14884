//! What a reply costs, however its server counts; a cap holds within the cost of one reply.

use super::{Anthropic, OpenAi, Quirk, Said, Seen, Wire, answer};
use crate::server::{Act, Request};
use serde_json::{Value, json};

pub(super) const CAPPED: &str = "run beer-game --set weeks=5 --episodes 20 --method direct --concurrency 1 --prices PRICES --max-cost 0.15";

/// A server that counts like this.
fn counts(request: &Request, usage: Value) -> Act {
    let mut reply = answer(request, Said::Call);
    reply["usage"] = usage;
    Act::Answer(reply)
}

/// A row in which each reply costs `EACH` US dollars.
fn capped(
    name: &'static str,
    wire: Wire,
    act: fn(&Request) -> Act,
    good: fn(&Seen) -> bool,
) -> Quirk {
    Quirk {
        name,
        wire,
        act,
        words: CAPPED,
        good,
    }
}

/// The run stopped at the cap of .15 USD, at most one reply of this cost beyond it.
pub(super) fn stopped_at(seen: &Seen, each: f64) -> bool {
    let spent = each * f64::from(u32::try_from(seen.requests.len()).unwrap());
    seen.code == 3
        && spent <= 0.15 + each + 1e-9
        && (seen.cost() - spent).abs() < 0.01 * spent + 1e-4
}

pub(super) fn rows() -> Vec<Quirk> {
    vec![
        capped(
            "thoughts are counted beside the output",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 1110, "completion_tokens_details": {"reasoning_tokens": 1000}}),
                )
            },
            |seen| stopped_at(seen, 0.0102),
        ),
        capped(
            "thoughts are counted within the output",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 100, "completion_tokens": 1010, "total_tokens": 1110, "completion_tokens_details": {"reasoning_tokens": 1000}}),
                )
            },
            |seen| stopped_at(seen, 0.0102),
        ),
        capped(
            "thoughts are in the total alone",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 1110}),
                )
            },
            |seen| stopped_at(seen, 0.0102),
        ),
        capped(
            "thoughts in a field beside, without a total",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 100, "completion_tokens": 1010, "reasoning_tokens": 1000}),
                )
            },
            |seen| stopped_at(seen, 0.0102),
        ),
        capped(
            "the provider names its cost",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "cost": 0.02}),
                )
            },
            |seen| stopped_at(seen, 0.02),
        ),
        capped(
            "the provider names the cost of the account's own key beside its own",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "cost": 0.001, "is_byok": true, "cost_details": {"upstream_inference_cost": 0.02}}),
                )
            },
            |seen| stopped_at(seen, 0.021),
        ),
        capped(
            "the provider names its cost in ticks",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "cost_in_usd_ticks": 200_000_000_u64}),
                )
            },
            |seen| stopped_at(seen, 0.02),
        ),
        capped(
            "the cache is read",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 20_000, "completion_tokens": 500, "total_tokens": 20_500, "prompt_tokens_details": {"cached_tokens": 18_000}}),
                )
            },
            |seen| stopped_at(seen, 0.0088),
        ),
        capped(
            "the cache is read, in the words of DeepSeek",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 20_000, "completion_tokens": 500, "total_tokens": 20_500, "prompt_cache_hit_tokens": 18_000, "prompt_cache_miss_tokens": 2_000}),
                )
            },
            |seen| stopped_at(seen, 0.0088),
        ),
        capped(
            "the cache is written",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 6_000, "completion_tokens": 1_000, "total_tokens": 7_000, "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 4_000}}),
                )
            },
            |seen| stopped_at(seen, 0.017),
        ),
        capped(
            "nothing is cached",
            Anthropic,
            |r| {
                counts(
                    r,
                    json!({"input_tokens": 100, "output_tokens": 1000, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}),
                )
            },
            |seen| stopped_at(seen, 0.0101),
        ),
        capped(
            "the cache is read",
            Anthropic,
            |r| {
                counts(
                    r,
                    json!({"input_tokens": 2_000, "output_tokens": 500, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 18_000}),
                )
            },
            |seen| stopped_at(seen, 0.0088),
        ),
        capped(
            "the provider names its cost in parts: Perplexity",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "cost": {"input_tokens_cost": 0.001, "output_tokens_cost": 0.004, "request_cost": 0.015, "total_cost": 0.02}}),
                )
            },
            |seen| stopped_at(seen, 0.02),
        ),
        capped(
            "the provider estimates its cost: DeepInfra",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "estimated_cost": 0.02}),
                )
            },
            |seen| stopped_at(seen, 0.02),
        ),
        capped(
            "the cache is read, in the words of Moonshot",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 20_000, "completion_tokens": 500, "total_tokens": 20_500, "cached_tokens": 18_000}),
                )
            },
            |seen| stopped_at(seen, 0.0088),
        ),
        capped(
            "the cache is written, in the words of DashScope",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 6_000, "completion_tokens": 1_000, "total_tokens": 7_000, "prompt_tokens_details": {"cached_tokens": 0, "cache_creation_input_tokens": 4_000}}),
                )
            },
            |seen| stopped_at(seen, 0.017),
        ),
        capped(
            "the names of the counts are those of Responses",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"input_tokens": 20_000, "output_tokens": 500, "total_tokens": 20_500, "input_tokens_details": {"cached_tokens": 18_000}, "output_tokens_details": {"reasoning_tokens": 400}}),
                )
            },
            |seen| stopped_at(seen, 0.0088),
        ),
        capped(
            "counts are texts",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": "100", "completion_tokens": "1010", "total_tokens": "1110"}),
                )
            },
            |seen| stopped_at(seen, 0.0102),
        ),
        capped(
            "the counts stand in the choice: Moonshot",
            OpenAi,
            |r| {
                let mut reply = answer(r, Said::Call);
                reply["usage"] = Value::Null;
                reply["choices"][0]["usage"] =
                    json!({"prompt_tokens": 100, "completion_tokens": 1010, "total_tokens": 1110});
                Act::Answer(reply)
            },
            |seen| stopped_at(seen, 0.0102),
        ),
        capped(
            "the counts are under `x_groq`: Groq",
            OpenAi,
            |r| {
                let mut reply = answer(r, Said::Call);
                reply.as_object_mut().unwrap().remove("usage");
                reply["x_groq"] = json!({"usage": {"prompt_tokens": 100, "completion_tokens": 1010, "total_tokens": 1110}});
                Act::Answer(reply)
            },
            |seen| stopped_at(seen, 0.0102),
        ),
        capped(
            "a gateway keeps OpenAI's names of the counts",
            Anthropic,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 100, "completion_tokens": 1000, "total_tokens": 1100}),
                )
            },
            |seen| stopped_at(seen, 0.0101),
        ),
        capped(
            "the provider names its cost as a sum of parts",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "cost": {"input": 0.01, "output": 0.01, "total": 0.02}}),
                )
            },
            |seen| stopped_at(seen, 0.02),
        ),
        capped(
            "the provider names its cost as a text",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "cost": "0.02"}),
                )
            },
            |seen| stopped_at(seen, 0.02),
        ),
        capped(
            "the cache is written, without the sum",
            Anthropic,
            |r| {
                counts(
                    r,
                    json!({"input_tokens": 0, "output_tokens": 1000, "cache_creation": {"ephemeral_5m_input_tokens": 4000, "ephemeral_1h_input_tokens": 0}}),
                )
            },
            |seen| stopped_at(seen, 0.015),
        ),
        capped(
            "all counts are 0",
            Anthropic,
            |r| counts(r, json!({"input_tokens": 0, "output_tokens": 0})),
            |seen| seen.cost() > 0.01,
        ),
        Quirk {
            words: "run beer-game --set weeks=5 --episodes 20 --method direct --concurrency 8 --prices PRICES --max-cost 0.15",
            ..capped(
                "eight episodes at once do not pass the cap by more than one reply",
                OpenAi,
                |r| {
                    counts(
                        r,
                        json!({"prompt_tokens": 100, "completion_tokens": 1010, "total_tokens": 1110}),
                    )
                },
                |seen| stopped_at(seen, 0.0102),
            )
        },
        Quirk {
            words: "run beer-game --set weeks=5 --episodes 20 --method direct --concurrency 8 --prices PRICES --max-cost 0.1",
            ..capped(
                "replies become 200 times longer while eight are in flight",
                OpenAi,
                |r| {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                    let written = if r.number < 10 { 10 } else { 2000 };
                    counts(
                        r,
                        json!({"prompt_tokens": 600, "completion_tokens": written}),
                    )
                },
                |seen| seen.code == 3 && seen.cost() < 0.1 + 0.0206,
            )
        },
        capped(
            "all counts are 0",
            OpenAi,
            |r| {
                counts(
                    r,
                    json!({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}),
                )
            },
            |seen| seen.ended() && seen.cost() > 0.01,
        ),
        capped(
            "total_tokens is the only count",
            OpenAi,
            |r| counts(r, json!({"total_tokens": 5000})),
            |seen| seen.code == 3 && seen.cost() > 0.14,
        ),
        capped(
            "cache writes cost a quarter more",
            Anthropic,
            |r| {
                counts(
                    r,
                    json!({"input_tokens": 0, "output_tokens": 1000, "cache_creation_input_tokens": 4000, "cache_read_input_tokens": 0}),
                )
            },
            |seen| stopped_at(seen, 0.015),
        ),
        capped(
            "hour writes cost twice",
            Anthropic,
            |r| {
                counts(
                    r,
                    json!({"input_tokens": 0, "output_tokens": 1000, "cache_creation_input_tokens": 5000, "cache_read_input_tokens": 0, "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 5000}}),
                )
            },
            |seen| stopped_at(seen, 0.02),
        ),
    ]
}
