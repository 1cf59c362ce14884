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
        (302, "", C::BadRequest),
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
