use super::*;
use serde_json::json;

#[test]
fn reasons_are_found_wherever_they_stand() {
    use ErrorClass as C;
    let cases: &[(u16, &str, C)] = &[
        (
            429,
            r#"{"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#,
            C::RateLimited,
        ),
        (
            429,
            r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}"#,
            C::Quota,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#,
            C::Quota,
        ),
        (402, "", C::Quota),
        (
            400,
            r#"{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size","type":"exceed_context_size_error"}}"#,
            C::Overflow,
        ),
        (
            400,
            r#"{"error":{"code":"context_length_exceeded","message":"x"}}"#,
            C::Overflow,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            C::Overflow,
        ),
        (413, "", C::Overflow),
        (
            400,
            r#"{"error":{"code":"content_filter","message":"filtered","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
            C::Filtered,
        ),
        (400, r#"{"error":"unknown field `foo`"}"#, C::BadRequest),
        (422, r#"{"detail":[{"loc":["body"]}]}"#, C::BadRequest),
        (
            401,
            r#"{"error":{"message":"Incorrect API key provided"}}"#,
            C::Auth,
        ),
        (403, "no", C::Auth),
        (
            404,
            r#"{"error":{"message":"model not found"}}"#,
            C::NotFound,
        ),
        (
            400,
            r#"{"error":{"message":"Model Not Exist","code":"invalid_request_error"}}"#,
            C::NotFound,
        ),
        (
            400,
            r#"{"error":{"message":"m is not a valid model ID","code":400}}"#,
            C::NotFound,
        ),
        // What lasts, in the words of Moonshot, Anthropic, Cohere, Cloudflare, GitHub, Ollama, Codex, Ark, MiniMax and
        // Mistral.
        (
            429,
            r#"{"error":{"type":"exceeded_current_quota_error","message":"You exceeded your current token quota: 1000, please check your account balance"}}"#,
            C::Quota,
        ),
        (
            429,
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"Number of request tokens has exceeded your daily rate limit. Please try again later."}}"#,
            C::Quota,
        ),
        (
            429,
            r#"{"message":"You are using a Trial key, which is limited to 1000 API calls / month."}"#,
            C::Quota,
        ),
        (
            429,
            r#"{"message":"You are using a Trial key, which is limited to 20 API calls / minute."}"#,
            C::RateLimited,
        ),
        (
            429,
            r#"{"success":false,"errors":[{"code":4006,"message":"you have used up your daily free allocation of 10,000 neurons"}]}"#,
            C::Quota,
        ),
        (
            429,
            r#"{"error":{"code":"RateLimitReached","message":"Rate limit of 150 per 86400s exceeded for UserByModelByDay. Please wait 43000 seconds before retrying."}}"#,
            C::Quota,
        ),
        (
            429,
            r#"{"error":{"code":"RateLimitReached","message":"Rate limit of 15 per 60s exceeded for UserByModelByMinute. Please wait 3 seconds before retrying."}}"#,
            C::RateLimited,
        ),
        (
            429,
            r#"{"error":"you have reached your weekly usage limit, upgrade for higher limits"}"#,
            C::Quota,
        ),
        (
            429,
            r#"{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","resets_in_seconds":86400}}"#,
            C::Quota,
        ),
        (
            429,
            r#"{"error":{"code":"SetLimitExceeded","message":"Your account [1] has reached the set inference limit for the [m] model, and the model service has been paused."}}"#,
            C::Quota,
        ),
        (
            429,
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"usage limit exceeded (2056)"}}"#,
            C::Quota,
        ),
        (
            429,
            r#"{"object":"error","message":"Monthly token limit exceeded","type":"quota_exceeded"}"#,
            C::Quota,
        ),
        // OpenVINO; a filter of Cloudflare, of Portkey and of Moonshot.
        (
            400,
            r#"{"error":"Number of prompt tokens: 5000 exceeds model max length: 4096"}"#,
            C::Overflow,
        ),
        (
            424,
            r#"{"success":false,"error":[{"code":2016,"message":"Prompt blocked due to security configurations"}]}"#,
            C::Filtered,
        ),
        (
            424,
            r#"{"error":"Request failed during generation"}"#,
            C::Server,
        ),
        (
            446,
            r#"{"error":{"message":"The guardrail checks defined in the config failed","type":"hooks_failed"}}"#,
            C::Filtered,
        ),
        (
            400,
            r#"{"error":{"message":"The request was rejected because it was considered high risk","type":"invalid_request_error"}}"#,
            C::Filtered,
        ),
        // What lasts, however short the pause is that it names.
        (
            429,
            r#"{"error":{"status":"RESOURCE_EXHAUSTED","message":"Quota exceeded for metric: requests, limit: 0, model: m. Please retry in 2s."}}"#,
            C::Quota,
        ),
        (
            429,
            r#"{"error":{"status":"RESOURCE_EXHAUSTED","message":"Quota exceeded for metric: requests, limit: 10, model: m. Please retry in 2s."}}"#,
            C::RateLimited,
        ),
        (
            400,
            r#"{"error":{"message":"Organization has been restricted"}}"#,
            C::Auth,
        ),
        (
            500,
            r#"{"error":{"message":"The prompt is longer than the maximum model length of 4096."}}"#,
            C::Overflow,
        ),
        (
            500,
            r#"{"error":{"message":"cannot load a model of maximum model length 4096"}}"#,
            C::Server,
        ),
        (408, "", C::Timeout),
        (409, "", C::Server),
        (500, "<html>oops</html>", C::Server),
        (502, "", C::Server),
        (503, "", C::Overloaded),
        (504, "", C::Timeout),
        (501, "", C::BadRequest),
        (
            529,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            C::Overloaded,
        ),
        (302, "", C::NotFound),
        // A gateway whose server is not there.
        (404, "", C::Server),
        (404, "default backend - 404", C::Server),
        (
            404,
            "<html><head><title>404 Not Found</title></head></html>",
            C::Server,
        ),
        (404, "no healthy upstream", C::Server),
        (
            404,
            r#"{"message":"no Route matched with those values"}"#,
            C::Server,
        ),
        (
            404,
            r#"{"status":"error","code":404,"message":"Application not found"}"#,
            C::Server,
        ),
        (404, r#"{"detail":"Not Found"}"#, C::NotFound),
        (404, "{}", C::NotFound),
        (404, "model `m` not found", C::NotFound),
        (
            404,
            r#"{"object":"error","message":"The model `m` does not exist.","type":"NotFoundError","code":404}"#,
            C::NotFound,
        ),
        (
            403,
            "<html><title>Just a moment...</title></html>",
            C::Server,
        ),
        (
            499,
            r#"[{"error":{"code":499,"message":"The operation was cancelled.","status":"CANCELLED"}}]"#,
            C::Server,
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]"#,
            C::Auth,
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}]"#,
            C::Auth,
        ),
        (
            400,
            r#"{"error":{"message":"There are no healthy deployments for this model."}}"#,
            C::Server,
        ),
        (
            429,
            r#"{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}"#,
            C::Quota,
        ),
        (
            400,
            r#"{"error":{"message":"parameter.enable_thinking must be set to false for non-streaming calls"}}"#,
            C::Setup,
        ),
        (
            400,
            r#"{"error":{"message":"Too many tokens, please wait before trying again.","code":"ThrottlingException"}}"#,
            C::RateLimited,
        ),
        (
            500,
            r#"{"error":{"message":"litellm.RateLimitError: Too many tokens, please wait before trying again."}}"#,
            C::RateLimited,
        ),
        (
            500,
            r#"{"error":"failed to allocate buffer for kv cache at context size 8192"}"#,
            C::Server,
        ),
        (
            500,
            r#"{"error":"the request exceeds the available context size"}"#,
            C::Overflow,
        ),
        (
            400,
            r#"{"error":"The model has crashed. (Exit code: 6)"}"#,
            C::Server,
        ),
        (
            400,
            r#"{"error":{"message":"Guardrail service is unavailable, try again later"}}"#,
            C::Server,
        ),
        (
            424,
            r#"{"error":"Request failed during generation"}"#,
            C::Server,
        ),
        (498, "", C::Overloaded),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits."}}"#,
            C::Quota,
        ),
        (
            429,
            r#"{"error":{"message":"Rate limit reached on tokens per day (TPD): Limit 9. Please try again in 12m14.4s.","code":"rate_limit_exceeded"}}"#,
            C::Quota,
        ),
        (
            429,
            r#"{"error":{"message":"Rate limit reached on tokens per day (TPD): Limit 9. Please try again in 14.4s.","code":"rate_limit_exceeded"}}"#,
            C::RateLimited,
        ),
        (
            429,
            r#"{"error":{"message":"Request too large for m on tokens per min (TPM): Limit 500, Requested 900.","code":"rate_limit_exceeded"}}"#,
            C::Quota,
        ),
        (
            400,
            r#"{"error":{"message":"This model only support stream mode, please enable the stream parameter"}}"#,
            C::Setup,
        ),
    ];
    for (status, body, expected) in cases {
        assert_eq!(
            of_status(*status, body.as_bytes()).class,
            *expected,
            "{status} {body}"
        );
    }
    let latin = of_status(500, b"caf\xe9");
    assert_eq!(latin.class, C::Server);
}

#[test]
fn an_error_under_status_200_is_an_error() {
    let fault = in_success(&json!({"error": {"code": 502, "message": "upstream"}})).unwrap();
    assert_eq!(fault.class, ErrorClass::Server);
    let fault = in_success(&json!({"error": {"code": "429", "message": "slow"}})).unwrap();
    assert_eq!(fault.class, ErrorClass::RateLimited);
    assert_eq!(in_success(&json!({"error": null, "choices": []})), None);
    assert_eq!(in_success(&json!({"choices": []})), None);
}

/// A choice that says nothing beside an error is no reply, and one that says something is.
#[test]
fn an_error_beside_an_empty_choice_is_an_error() {
    let error = json!({"code": 502, "message": "upstream"});
    let beside = |message: serde_json::Value| {
        let body =
            json!({"choices": [{"message": message, "finish_reason": null}], "error": error});
        in_success(&body).map(|fault| fault.class)
    };
    for message in [
        json!({"role": "assistant", "content": ""}),
        json!({"content": null, "tool_calls": []}),
        json!(null),
    ] {
        assert_eq!(beside(message), Some(ErrorClass::Server));
    }
    for message in [
        json!({"content": "4"}),
        json!({"content": null, "tool_calls": [{"function": {"name": "order"}}]}),
    ] {
        assert_eq!(beside(message), None);
    }
    // The limit was used up: the server gave what there is.
    let cut = json!({"choices": [{"message": {"content": ""}, "finish_reason": "length"}], "error": error});
    assert_eq!(in_success(&cut), None);
    let errors = json!({"success": false, "result": null, "errors": [{"code": 7000, "message": "No route"}]});
    let fault = in_success(&errors).unwrap();
    assert!(fault.message.contains("No route"), "{}", fault.message);
    // What the provider behind a gateway says of its model's reply is no failure of the server.
    let native = |word: &str| {
        let choice = json!({"finish_reason": "error", "native_finish_reason": word, "message": {"content": ""}});
        in_success(&json!({"choices": [choice]})).map(|fault| fault.class)
    };
    assert_eq!(native("MALFORMED_FUNCTION_CALL"), None);
    assert_eq!(native("error"), Some(ErrorClass::Server));
}

#[test]
fn pauses_are_found_in_fields_and_in_prose() {
    let pause = |body: &str| {
        let pause = of_status(429, body.as_bytes()).retry_after;
        pause.map(|pause| pause.as_millis())
    };
    for (body, milliseconds) in [
        (r#"{"error":{"message":"x","retry_after":2.5}}"#, 2_500),
        (
            r#"{"error":{"message":"x","metadata":{"retry_after_seconds":3}}}"#,
            3_000,
        ),
        (
            r#"{"error":"Model m is currently loading","estimated_time":20.0}"#,
            20_000,
        ),
        (r#"{"error":"Please try again after 30 seconds."}"#, 30_000),
        (r#"{"error":"wait for 5 s"}"#, 5_000),
        (r#"{"error":"Your quota will reset after 1m2s."}"#, 62_000),
        (r#"{"error":"try again in 2 hours"}"#, 7_200_000),
    ] {
        assert_eq!(pause(body), Some(milliseconds), "{body}");
    }
    // A pause of 0 says nothing, also not that the limit passes by itself.
    let quota = br#"{"error":{"message":"You exceeded your current quota","retry_after":0}}"#;
    assert_eq!(of_status(429, quota).class, ErrorClass::Quota);
    for body in [
        r#"{"error":{"message":"x","retry_after":null}}"#,
        r#"{"error":{"message":"x","retry_after":0}}"#,
        r#"{"error":"wait for it"}"#,
    ] {
        assert_eq!(pause(body), None, "{body}");
    }
}
