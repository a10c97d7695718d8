//! Shapes of answers: envelopes, rows, manifests, JSON-RPC.

use super::*;

const APPS: &str = "GET /admin-api/applications";

#[tokio::test]
async fn a12_a_missing_abi_route_and_a_refusal_are_told_apart() {
    let node = Scripted::start().await;
    let session = node.session();
    let sentence = "application has no usable embedded ABI (absent or malformed); rebuild it with `cargo mero build`";
    node.on("GET /admin-api/applications/OLD/abi", [empty(404, &[])]);
    node.on("GET /admin-api/applications/BAD/abi", [status(400, &format!(r#"{{"error":"{sentence}"}}"#))]);
    node.on("GET /admin-api/applications/GONE/abi", [status(404, r#"{"error":"Application not found"}"#)]);
    let old = session.abi("OLD", None, &scope()).await.unwrap_err();
    assert_eq!(
        old.to_string(),
        "This node's merod does not support the ABI endpoint (GET /admin-api/applications/:id/abi). Upgrade merod to a \
         release that includes it."
    );
    let bad = session.abi("BAD", None, &scope()).await.unwrap_err();
    assert_eq!((bad.to_string().as_str(), bad.code()), (sentence, "node::http"));
    let gone = session.abi("GONE", None, &scope()).await.unwrap_err();
    assert_eq!((gone.to_string().as_str(), gone.code()), ("Application not found", "node::http"));
    node.json(APPS, r#"{"data":{"apps":[]}}"#);
    assert_eq!(session.applications(&scope()).await.unwrap(), []);
}

#[tokio::test]
async fn a13_a_service_is_asked_for_by_name_and_a_refusal_lists_the_names() {
    let node = Scripted::start().await;
    let refusal = "application has multiple services; pass service_name (available: api, worker)";
    node.on("GET /admin-api/applications/APP/abi", [status(400, &format!(r#"{{"error":"{refusal}"}}"#))]);
    node.json("GET /admin-api/applications/APP/abi?service_name=api", r#"{"data":{"a":1}}"#);
    node.json("GET /admin-api/applications/APP/abi?service_name=worker", r#"{"data":{"w":1}}"#);
    let session = node.session();
    assert_eq!(session.abi("APP", None, &scope()).await.unwrap_err().to_string(), refusal);
    assert_eq!(&*session.abi("APP", Some("api"), &scope()).await.unwrap(), br#"{"a":1}"#);
    assert_eq!(&*session.abi("APP", Some("worker"), &scope()).await.unwrap(), br#"{"w":1}"#);
}

#[tokio::test]
async fn a14_a_hostile_service_name_or_id_changes_no_path() {
    let node = Scripted::start().await;
    let session = node.session();
    for service in ["../../admin-api/keys", " lobby ", ".", "", "ok-1"] {
        let _ = session.abi("APP", Some(service), &scope()).await;
    }
    let _ = session.delete_context("../applications/APP?x=1", &scope()).await;
    let error = session.delete_context("..", &scope()).await.unwrap_err();
    assert_eq!(error.code(), "node::bad_segment");
    assert_eq!(
        node.lines(),
        [
            "GET /admin-api/applications/APP/abi?service_name=..%2F..%2Fadmin-api%2Fkeys",
            "GET /admin-api/applications/APP/abi?service_name=%20lobby%20",
            "GET /admin-api/applications/APP/abi?service_name=.",
            "GET /admin-api/applications/APP/abi?service_name=",
            "GET /admin-api/applications/APP/abi?service_name=ok-1",
            "DELETE /admin-api/contexts/..%2Fapplications%2FAPP%3Fx%3D1",
        ]
    );
}

#[tokio::test]
async fn a_manifest_comes_byte_for_byte() {
    let node = Scripted::start().await;
    let manifest = "{ \"schema_version\":\"wasm-abi/1\",\n  \"big\": 18446744073709551615.000, \"esc\":\"\\u0041\" }";
    node.json("GET /admin-api/applications/APP/abi", &format!("{{\"data\" : {manifest} }}"));
    assert_eq!(&*node.session().abi("APP", None, &scope()).await.unwrap(), manifest.as_bytes());
    node.json("GET /admin-api/applications/APP/abi", r#"{"data":null}"#);
    assert_eq!(node.session().abi("APP", None, &scope()).await.unwrap_err().code(), "node::unexpected_shape");
}

#[tokio::test]
async fn a18_the_initialisers_words_are_passed_on_and_a_masked_failure_invents_none() {
    let node = Scripted::start().await;
    let sentence = "application initialization failed: guest panicked: init: missing field `name`";
    let replies = [
        status(400, &format!(r#"{{"error":"{sentence}"}}"#)),
        status(500, r#"{"error":"Internal server error"}"#),
        status(200, r#"{"data":{"contextId":"C","memberPublicKey":"K","groupCreated":false}}"#),
    ];
    node.on("POST /admin-api/contexts", replies);
    let session = node.session();
    let new = NewContext { application_id: "A", group_id: "aa", init: b"{}", ..NewContext::default() };
    assert_eq!(session.create_context(&new, &scope()).await.unwrap_err().to_string(), sentence);
    assert_eq!(session.create_context(&new, &scope()).await.unwrap_err().to_string(), "Internal server error");
    assert_eq!(session.create_context(&new, &scope()).await.unwrap().context_id, "C");
    assert_eq!(node.seen()[0].body, r#"{"applicationId":"A","groupId":"aa","initializationParams":[123,125]}"#);
}

#[tokio::test]
async fn a21_no_record_is_none_in_all_its_shapes() {
    let node = Scripted::start().await;
    let session = node.session();
    for body in [r#"{"data":{"data":null}}"#, r#"{"data":null}"#, "null", ""] {
        node.json("GET /admin-api/groups/G/metadata", body);
        assert_eq!(session.group_metadata("G", &scope()).await.unwrap(), None, "{body}");
    }
    node.json("GET /admin-api/groups/G/metadata", r#"{"data":{"name":"n","data":{"k":"v"},"updatedAt":1}}"#);
    assert_eq!(session.group_metadata("G", &scope()).await.unwrap().unwrap().data["k"], "v");
    for body in [r#"{"data":{"value":null}}"#, r#"{"data":null}"#, "null"] {
        node.json("POST /admin-api/alias/lookup/context/a%20b", body);
        assert_eq!(session.lookup_alias(AliasKind::Context, "a b", &scope()).await.unwrap(), None, "{body}");
    }
}

#[tokio::test]
async fn a22_rows_that_lack_nearly_everything_still_load() {
    let node = Scripted::start().await;
    let rows = r#"{"id":"Fq1","blob":{"bytecode":"b1"},"metadata":[]},
        {"id":"Gz2","package":"com.x.todo","version":"1.0.0","blob":{"bytecode":"b2"},"metadata":[123,125]},
        {"id":"Hk3","package":null,"version":"","signer_id":7,"blob":null,"metadata":[300],"newer":{"kept":[1,2]}},
        {"package":"no.id"}"#;
    node.json(APPS, &format!(r#"{{"data":{{"apps":[{rows}]}}}}"#));
    let apps = node.session().applications(&scope()).await.unwrap();
    let ids: Vec<_> = apps.iter().map(|app| app.id.as_str()).collect();
    assert_eq!(ids, ["Fq1", "Gz2", "Hk3"]);
    assert_eq!((&apps[0].package, &apps[0].metadata), (&None, &Metadata::None));
    assert_eq!(apps[1].metadata, Metadata::Json(serde_json::json!({})));
    assert_eq!((&apps[2].version, &apps[2].signer_id, &apps[2].bytecode), (&None, &None, &None));
    assert_eq!(serde_json::to_string(&apps[2].row["newer"]).unwrap(), r#"{"kept":[1,2]}"#);
}

#[test]
fn metadata_is_json_text_or_nothing() {
    assert_eq!(Metadata::decode(b""), Metadata::None);
    assert_eq!(Metadata::decode(&[0xff, 0xfe]), Metadata::None);
    assert_eq!(Metadata::decode(b"plain words"), Metadata::Text("plain words".to_owned()));
    let bundle = Metadata::decode(br#"{"name":"Chat","guide":" "}"#);
    assert_eq!((bundle.text("name"), bundle.text("guide"), bundle.text("x")), (Some("Chat"), None, None));
}

#[tokio::test]
async fn a23_an_empty_success_is_a_success_and_another_shape_is_named() {
    let node = Scripted::start().await;
    let session = node.session();
    node.on("DELETE /admin-api/contexts/C", [empty(200, &[]), status(200, r#"{"data":{"isDeleted":false}}"#)]);
    assert!(session.delete_context("C", &scope()).await.unwrap());
    assert!(!session.delete_context("C", &scope()).await.unwrap());
    node.json("GET /admin-api/namespaces", r#"{"subgroups":[{"id":"s1"}]}"#);
    let error = session.namespaces(None, &scope()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "unexpected reply shape from GET /admin-api/namespaces: expected an object with `data`; it is an object with \
         `subgroups`"
    );
    for body in [r#"{"data":{"apps":null}}"#, r#"{"data":null}"#, "", "[]", r#"{"data":{"apps":{}}}"#] {
        node.json(APPS, body);
        let error = session.applications(&scope()).await.unwrap_err();
        assert_eq!(error.code(), "node::unexpected_shape", "{body}");
        assert!(error.to_string().contains(APPS) && error.to_string().contains("expected"), "{error}");
    }
    node.json("GET /admin-api/groups/G/members", r#"{"data":[]}"#);
    assert_eq!(session.group_members("G", &scope()).await.unwrap_err().code(), "node::unexpected_shape");
}

#[tokio::test]
async fn a_list_is_read_to_its_last_page_and_a_short_one_costs_one_request() {
    let rows = |range: std::ops::Range<usize>| {
        let rows: Vec<_> = range.map(|id| format!(r#"{{"id":"c{id}"}}"#)).collect();
        format!(r#"{{"data":{{"contexts":[{}]}}}}"#, rows.join(","))
    };
    let node = Scripted::start().await;
    node.json("GET /admin-api/contexts", &rows(0..100));
    node.json("GET /admin-api/contexts?offset=100&limit=1000", &rows(100..1100));
    node.json("GET /admin-api/contexts?offset=1100&limit=1000", &rows(1100..1107));
    assert_eq!(node.session().contexts(None, &scope()).await.unwrap().len(), 1107);
    assert_eq!(node.lines().len(), 3);

    // An older node that ignores paging gives the same rows for ever.
    let node = Scripted::start().await;
    node.json("GET /admin-api/contexts/for-application/A", &rows(0..150));
    node.json("GET /admin-api/contexts/for-application/A?offset=150&limit=1000", &rows(0..150));
    assert_eq!(node.session().contexts(Some("A"), &scope()).await.unwrap().len(), 150);

    let node = Scripted::start().await;
    node.json("GET /admin-api/contexts", &rows(0..3));
    assert_eq!(node.session().contexts(None, &scope()).await.unwrap().len(), 3);
    assert_eq!(node.lines(), ["GET /admin-api/contexts"]);
}

#[tokio::test]
async fn a_context_shows_its_heads_as_hex() {
    let node = Scripted::start().await;
    node.json("GET /admin-api/contexts/C", r#"{"data":{"id":"C","applicationId":"A","dagHeads":[[1,255],"x",[256]]}}"#);
    let context = node.session().context("C", &scope()).await.unwrap();
    assert_eq!((context.dag_heads(), context.application_id.as_deref()), (vec!["01ff".to_owned()], Some("A")));
}

#[tokio::test]
async fn execute_sends_exactly_three_params_and_keeps_every_digit_both_ways() {
    let node = Scripted::start().await;
    let output = r#"{ "n": 18446744073709551615, "f": 3.0, "e": 1e400 }"#;
    node.json("POST /jsonrpc", &format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"output":{output}}}}}"#));
    let arguments = r#"{"x": -9223372036854775808, "y": 1.10}"#;
    let got = node.session().execute("CTX", "put", arguments, &scope()).await.unwrap().unwrap();
    assert_eq!(got.get(), output);
    let seen = &node.seen()[0];
    assert_eq!(seen.headers["content-type"], "application/json");
    assert_eq!(
        seen.body,
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"execute","params":{{"contextId":"CTX","method":"put","argsJson":{arguments}}}}}"#
        )
    );
    for body in [r#"{"result":{"output":null}}"#, r#"{"result":{}}"#, r#"{"result":null}"#] {
        node.json("POST /jsonrpc", body);
        assert!(node.session().execute("CTX", "noop", "{}", &scope()).await.unwrap().is_none(), "{body}");
    }
    assert_eq!(node.session().execute("CTX", "m", "{oops", &scope()).await.unwrap_err().code(), "node::bad_arguments");
}

#[tokio::test]
async fn a25_an_execution_error_reaches_the_decoder_undecoded() {
    let node = Scripted::start().await;
    let session = node.session();
    for (error, kind, data, shown) in [
        (r#"{"type":"Uninitialized"}"#, "Uninitialized", None, "Uninitialized"),
        (
            r#"{"type":"GroupKeyPending","data":{"context_id":"11"}}"#,
            "GroupKeyPending",
            Some(r#"{"context_id":"11"}"#),
            "11",
        ),
        (r#"{"type":"SomethingNew","data":{"a":[1,2]}}"#, "SomethingNew", Some(r#"{"a":[1,2]}"#), r#"{"a":[1,2]}"#),
        (r#"{"code":-32000,"message":"boom"}"#, "-32000", None, "boom"),
        (r#""just words""#, "", Some(r#""just words""#), "just words"),
        ("{}", "", None, "`m` failed"),
    ] {
        for code in [200, 500] {
            if code == 500 && !error.starts_with('{') {
                continue;
            }
            node.on("POST /jsonrpc", [status(code, &format!(r#"{{"jsonrpc":"2.0","id":1,"error":{error}}}"#))]);
            let got = session.execute("C", "m", "{}", &scope()).await.unwrap_err();
            assert!(got.to_string().contains(shown), "{got}");
            let Some(Failure::Guest(guest)) = got.failure() else { panic!("{got:?}") };
            assert_eq!((guest.kind.as_str(), guest.data.as_deref(), guest.method.as_str()), (kind, data, "m"));
        }
    }
    node.json("POST /jsonrpc", r#"{"jsonrpc":"2.0","id":1}"#);
    assert_eq!(session.execute("C", "m", "{}", &scope()).await.unwrap_err().code(), "node::unexpected_shape");
}

#[tokio::test]
async fn an_invitation_passes_both_ways_byte_for_byte() {
    let node = Scripted::start().await;
    let invitation = r#"{"z":1, "a":{"n":18446744073709551615,"b":1.0}}"#;
    node.json("POST /admin-api/namespaces/N/invite", &format!(r#"{{"data":{invitation}}}"#));
    node.json("POST /admin-api/namespaces/N/join", r#"{"data":{"namespaceId":"N"}}"#);
    let session = node.session();
    let got = session.invite_to_namespace("N", &scope()).await.unwrap();
    assert_eq!(got.get(), invitation);
    session.join_namespace("N", &got, Some("g"), &scope()).await.unwrap();
    assert_eq!(node.seen()[1].body, format!(r#"{{"invitation":{invitation},"groupName":"g"}}"#));
}
