//! Every row of what a node is known to answer, and what must not be taken for it.

use super::explain;
use abi_mcp_sdk::serde_json::{Value, json};
use abi_mcp_sdk::{Class, Explanation, Failure, GuestFailure, HttpFailure, Retry};

fn guest(kind: &str, data: Value, message: Option<&str>) -> Explanation {
    let failure = GuestFailure {
        kind: kind.to_owned(),
        data: (!data.is_null()).then_some(data),
        message: message.map(str::to_owned),
        method: "get".to_owned(),
        signature: Some("[view] get(key: string) -> string".to_owned()),
    };
    explain(&Failure::Guest(failure)).unwrap()
}

fn ran(data: impl Into<Value>) -> Explanation {
    guest("FunctionCallError", data.into(), None)
}

fn http(status: u16, reason: &str, headers: &[(&str, &str)], body: &str) -> Explanation {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let path = "/admin-api/dev/blobs".to_owned();
    explain(&Failure::Http(HttpFailure { status, reason: reason.to_owned(), path, headers, body: body.to_owned() }))
        .unwrap()
}

#[test]
fn a01_the_apps_own_text_comes_out_of_the_byte_list() {
    let explained = ran("the method call returned an error: [34, 98, 111, 111, 109, 34]");
    assert_eq!((explained.message.as_str(), explained.class), ("boom", Class::Application));
    assert_eq!(ran("the method call returned an error: [98, 111, 111, 109]").message, "boom");
    assert_eq!(ran("the method call returned an error: [10, 98, 111, 111, 109, 32]").message, "boom");
}

#[test]
fn newer_nodes_send_the_text_itself_behind_the_prefix_or_bare() {
    for data in
        ["the method call returned an error: boom", r#"the method call returned an error: "boom""#, "boom", r#""boom""#]
    {
        assert_eq!(ran(data).message, "boom", "{data}");
    }
    assert_eq!(ran(json!([34, 98, 111, 111, 109, 34])).message, "boom");
}

#[test]
fn a_structured_error_stays_readable_json() {
    let bytes = br#"{"kind":"NotFound","data":"x"}"#;
    assert_eq!(
        ran(format!("the method call returned an error: {bytes:?}")).message,
        r#"{"kind":"NotFound","data":"x"}"#
    );
    assert_eq!(ran(json!({ "kind": "NotFound" })).message, r#"{"kind":"NotFound"}"#);
    assert_eq!(ran(json!([1, 256])).message, "[1,256]");
}

#[test]
fn a29_brackets_in_a_panic_stay_text() {
    let panic = "guest panicked: index [5] out of range at src/lib.rs:1:2";
    let explained = ran(panic);
    assert_eq!((explained.message.as_str(), explained.class), (panic, Class::Crashed));
    assert_eq!(ran("[104, 105]").message, "[104, 105]");
    let quoted = "the method call returned an error: wanted [1, 2]";
    assert_eq!(ran(quoted).message, "wanted [1, 2]");
}

#[test]
fn data_that_says_nothing_falls_back_to_the_type() {
    for data in [
        json!(""),
        json!("  "),
        json!([]),
        json!("the method call returned an error: []"),
        json!("the method call returned an error: [1, 999]"),
        json!("the method call returned an error:"),
        json!("the method call returned an error: [255, 254]"),
        Value::Null,
    ] {
        assert_eq!(ran(data.clone()).message, "FunctionCallError", "{data}");
    }
    assert_eq!(guest("FunctionCallError", Value::Null, Some("no reason")).message, "no reason");
}

#[test]
fn a_panic_is_shown_as_it_is() {
    let text = "guest panicked: key not found at apps/kv-store/src/lib.rs:133:33";
    let explained = ran(text);
    assert_eq!((explained.message.as_str(), explained.class, explained.hint), (text, Class::Crashed, None));
}

#[test]
fn arguments_that_could_not_be_read_are_a_class_of_their_own_with_the_signature() {
    let explained = ran("guest panicked: get: failed to deserialize arguments (expected { key: & str }): \
         Error(\"invalid type: string \\\"greeting\\\", expected struct CalimeroInput\", line: 1, column: 10) at a/lib.rs:123:12");
    assert_eq!(
        explained.message,
        "`get` could not read its arguments: invalid type: string \"greeting\", expected struct CalimeroInput"
    );
    assert_eq!(explained.class, Class::ArgumentsNotRead);
    assert!(explained.hint.unwrap().contains("[view] get(key: string) -> string"));

    let none =
        ran("guest panicked: len: takes no arguments, but the call sent unknown field(s): [\"x\"] at a/lib.rs:117:12");
    assert_eq!(none.message, "`len` could not read its arguments: it takes none, but the call sent [\"x\"]");
    assert_eq!(none.class, Class::ArgumentsNotRead);
}

#[test]
fn the_nodes_own_texts_are_told_apart() {
    for (text, class) in [
        ("method \"nope\" not found", Class::MethodNotFound),
        ("No owned identity found for this context", Class::ContextNotFound),
        ("Caller is not a member of this context", Class::NotAllowed),
        ("method name contains invalid character at position 1: ' '", Class::BadRequest),
        ("unreachable code reached", Class::Crashed),
        ("execution exhausted its gas limit of 300 points", Class::Crashed),
    ] {
        let explained = ran(text);
        assert_eq!((explained.message.as_str(), explained.class), (text, class));
    }
}

#[test]
fn other_types_show_their_data_or_their_message() {
    let explained = guest("ParseError", json!("invalid length 5, expected an array of length 32"), Some("ParseError"));
    assert_eq!(explained.message, "ParseError: invalid length 5, expected an array of length 32");
    assert_eq!(explained.class, Class::BadRequest);
    assert_eq!(guest("InternalError", Value::Null, Some("internal error")).message, "internal error");
    assert_eq!(guest("InternalError", json!({}), None).message, guest("InternalError", Value::Null, None).message);
    let serde = guest("SerdeError", json!({ "message": "expected value at line 1" }), None);
    assert!(serde.message.contains("expected value at line 1"), "{}", serde.message);
}

#[test]
fn a25_what_passes_by_itself_says_so_and_nothing_is_opaque() {
    for (kind, data) in [
        ("Uninitialized", Value::Null),
        ("GroupKeyPending", json!({ "context_id": "11111111111111111111111111111111" })),
        ("UpgradeInProgress", json!({ "group_id": "g" })),
    ] {
        let explained = guest(kind, data, None);
        assert_eq!((explained.class, explained.retry), (Class::Temporary, Retry::Later), "{kind}");
        assert!(explained.hint.unwrap().contains("try again"));
    }
    let pending = guest("GroupKeyPending", json!({ "context_id": "1111" }), None);
    assert!(pending.message.contains("1111"), "{}", pending.message);
    assert_eq!(guest("ContextNotFound", Value::Null, None).class, Class::ContextNotFound);
    assert!(guest("InternalError", Value::Null, None).message.contains("gave no reason"));
    assert_eq!(guest("SomethingNew", json!({ "a": [1, 2] }), None).message, r#"SomethingNew: {"a":[1,2]}"#);
}

#[test]
fn http_failures_show_the_nodes_own_error_at_any_status() {
    for status in [200, 400, 404, 500] {
        let explained = http(status, "", &[], r#"{"error":"context not found"}"#);
        assert_eq!((explained.message.as_str(), explained.class), ("context not found", Class::ContextNotFound));
    }
    assert_eq!(
        http(403, "", &[], r#"{"data":null,"error":"Token does not have admin permissions"}"#).class,
        Class::NotAllowed
    );
    let run = http(400, "", &[], r#"{"type":"FunctionCallError","data":"method \"x\" not found"}"#);
    assert_eq!(run.class, Class::MethodNotFound);
}

#[test]
fn http_failures_without_one_say_what_came() {
    assert_eq!(
        http(500, "Internal Server Error", &[], "").message,
        "HTTP 500 Internal Server Error from /admin-api/dev/blobs - the node returned no message"
    );
    assert_eq!(
        http(502, "", &[], "<html>upstream died</html>\n").message,
        "HTTP 502 Bad Gateway from /admin-api/dev/blobs - the node said: <html>upstream died</html>"
    );
    let long = http(400, "", &[], &"é".repeat(5000));
    assert_eq!(long.message.matches('é').count(), 300);
}

#[test]
fn a18_a_masked_reason_is_not_invented() {
    let told = http(
        400,
        "",
        &[],
        r#"{"error":"application initialization failed: guest panicked: init: missing field `name`"}"#,
    );
    assert_eq!(told.message, "application initialization failed: guest panicked: init: missing field `name`");
    let masked = http(500, "", &[], r#"{"error":"Internal server error"}"#);
    assert!(masked.message.contains("the node gave no reason"), "{}", masked.message);
    assert!(masked.hint.unwrap().contains("node's log"));
}

#[test]
fn an_initialiser_that_could_not_read_its_arguments_may_be_tried_with_others() {
    let body = json!({ "error": "application initialization failed: guest panicked: init: takes no arguments, but the call sent unknown field(s): [\"nope\"] at apps/x/src/lib.rs:34:12" });
    let explained = http(400, "", &[], &body.to_string());
    assert_eq!(explained.class, Class::ArgumentsNotRead);
    assert_eq!(explained.message, "`init` could not read its arguments: it takes none, but the call sent [\"nope\"]");
}

#[test]
fn a24_not_ready_yet_says_try_again() {
    let explained = http(503, "", &[], "");
    assert_eq!((explained.class, explained.retry), (Class::Temporary, Retry::Later));
    assert_eq!(explained.hint.as_deref(), Some("try again shortly"));
    assert_eq!(http(429, "", &[("retry-after", "7")], "").hint.as_deref(), Some("try again in 7 s"));
}

#[test]
fn a_refused_login_says_what_to_do() {
    assert!(http(401, "", &[("x-auth-error", "token_expired")], "").hint.unwrap().contains("expired"));
    assert!(http(403, "", &[("x-auth-error", "token_revoked")], "").hint.unwrap().contains("withdrawn"));
    assert!(http(403, "", &[("x-auth-error", "permission_denied")], "").hint.unwrap().contains("permission"));
    assert!(http(401, "", &[], "").hint.unwrap().contains("wants a login"));
}

#[test]
fn what_the_transport_says_is_the_hosts_to_tell() {
    assert_eq!(explain(&Failure::Transport("connection refused".to_owned())), None);
}
