//! The hostile guest through the real engine: every limit is met, and says so; nothing outlives its call.

use super::*;
use crate::artifact::specimen::{
    hostile, looping_module, memory_module, persona, plugin, replaced, sandbox, with_module,
};
use crate::model::{Class, GuestFailure};
use crate::sandbox::{Bounds, Limits};
use std::time::{Duration, Instant};

fn manifest(behave: &str) -> Arc<[u8]> {
    format!("{{\"behave\":\"{behave}\"}}").into_bytes().into()
}

fn plan(behave: &str) -> Arc<[u8]> {
    behave.as_bytes().into()
}

/// The usual limits with 300 ms for manifests, so that loops end soon.
fn hasty() -> Arc<Sandbox> {
    let usual = Limits::default();
    let time = Duration::from_millis(300);
    Sandbox::new(Limits { manifest: Bounds { time, ..usual.manifest }, ..usual })
}

fn subject(sandbox: &Arc<Sandbox>) -> Arc<Plugin> {
    plugin("hostile", "0.1.0", hostile(), sandbox)
}

fn code<T: fmt::Debug>(result: Result<T, PluginError>) -> &'static str {
    result.unwrap_err().code()
}

async fn encode(plugin: &Plugin, behave: &str) -> Result<Result<Encoded, Vec<Problem>>, PluginError> {
    plugin.encode(plan(behave), "{\"key\":1}", &Cancel::new()).await
}

/// Waits until no guest of any test runs; the ticker then sleeps.
async fn idle() {
    let started = Instant::now();
    while !Sandbox::is_idle() {
        assert!(started.elapsed() < Duration::from_secs(60), "a guest still runs");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_tidy_guest_recognises_maps_encodes_decodes_and_explains() {
    let plugin = subject(&sandbox());
    let cancel = Cancel::new();
    let recognition = plugin.recognise(manifest("tidy"), &cancel).await.unwrap().unwrap();
    assert_eq!(recognition.ecosystem, "testing");
    assert_eq!(plugin.recognise(b"{}".as_slice().into(), &cancel).await.unwrap(), None);
    let mapping = plugin.map(manifest("tidy"), MapOptions::default(), &cancel).await.unwrap();
    let signatures: Vec<&str> = mapping.methods.iter().map(|method| method.signature.as_str()).collect();
    assert_eq!(signatures, ["get() -> string", "put() -> string", "odd() -> string"]);
    let all = plugin.map(manifest("tidy"), MapOptions { list_internal: true }, &cancel).await.unwrap();
    assert_eq!(all.methods.len(), 4);
    assert_eq!(encode(&plugin, "tidy").await.unwrap().unwrap().json, "{\"key\":1}");
    assert_eq!(plugin.decode_result(plan("tidy"), "[1]", &cancel).await.unwrap().unwrap(), "[1]");
    let explained = plugin.explain(&Failure::Transport("refused".to_owned()), &cancel).await.unwrap().unwrap();
    assert_eq!((explained.message.as_str(), explained.class), ("no answer: refused", Class::Backend));
    assert_eq!(plugin.explain(&Failure::Guest(GuestFailure::default()), &cancel).await.unwrap(), None);
}

#[tokio::test]
async fn d01_an_endless_loop_ends_at_its_limit_and_is_told_by_name() {
    let plugin = subject(&hasty());
    let cancel = Cancel::new();
    for behave in ["loop", "render-loop"] {
        let started = Instant::now();
        let error = plugin.map(manifest(behave), MapOptions::default(), &cancel).await.unwrap_err();
        assert!(started.elapsed() < Duration::from_secs(20), "{behave}");
        let text = "plugin `hostile` 0.1.0 ran longer than its 300 ms limit while mapping a manifest";
        assert_eq!(error.to_string(), text);
    }
    assert_eq!(code(plugin.recognise(manifest("recognise-loop"), &cancel).await), "sandbox::deadline");
}

#[tokio::test]
async fn d01_each_kind_of_work_has_its_own_time_limit() {
    let plugin = subject(&sandbox());
    let error = encode(&plugin, "loop").await.unwrap_err();
    assert_eq!(error.to_string(), "plugin `hostile` 0.1.0 ran longer than its 1 s limit while encoding arguments");
    assert_eq!(code(plugin.decode_result(plan("loop"), "1", &Cancel::new()).await), "sandbox::deadline");
    let error = plugin.explain(&Failure::Transport("loop".to_owned()), &Cancel::new()).await.unwrap_err();
    assert!(error.to_string().contains("200 ms limit while explaining a failure"), "{error}");
}

#[tokio::test]
async fn d01_a_loop_in_start_up_code_or_while_an_argument_is_handed_in_ends_too() {
    let sandbox = hasty();
    let stuck = plugin("stuck", "1", with_module(hostile(), &looping_module(), 1), &sandbox);
    assert_eq!(code(stuck.recognise(manifest("tidy"), &Cancel::new()).await), "sandbox::deadline");
    let cursed: Arc<[u8]> = vec![b' '; 77_777].into();
    assert_eq!(code(subject(&sandbox).recognise(cursed, &Cancel::new()).await), "sandbox::deadline");
}

#[tokio::test]
async fn d01_while_one_plugin_loops_another_answers() {
    let sandbox = sandbox();
    let (looping, other) = (subject(&sandbox), plugin("other", "1", persona("vague"), &sandbox));
    let cancel = Cancel::new();
    other.prepare(&cancel).await.unwrap();
    let stuck = tokio::spawn({
        let cancel = cancel.clone();
        async move { looping.map(manifest("loop"), MapOptions::default(), &cancel).await }
    });
    tokio::task::yield_now().await;
    assert!(encode(&other, "tidy").await.is_ok());
    assert!(other.map(manifest("tidy"), MapOptions::default(), &Cancel::new()).await.is_ok());
    assert!(!stuck.is_finished());
    cancel.cancel();
    assert_eq!(code(stuck.await.unwrap()), "sandbox::cancelled");
}

#[tokio::test]
async fn d02_a_memory_bomb_stops_at_the_limit_of_its_work() {
    let plugin = subject(&sandbox());
    let error = encode(&plugin, "memory").await.unwrap_err();
    let text = "plugin `hostile` 0.1.0 needed more than its limit of 64 MiB of memory while encoding arguments";
    assert_eq!(error.to_string(), text);
    let error = plugin.map(manifest("memory"), MapOptions::default(), &Cancel::new()).await.unwrap_err();
    assert!(error.to_string().contains("512 MiB of memory"), "{error}");
    let error = plugin.explain(&Failure::Transport("memory".to_owned()), &Cancel::new()).await.unwrap_err();
    assert!(error.to_string().contains("32 MiB of memory"), "{error}");
}

#[tokio::test]
async fn d02_two_gigabytes_of_text_never_reach_the_host() {
    let plugin = subject(&sandbox());
    assert_eq!(code(encode(&plugin, "two-gigabytes").await), "sandbox::memory");
    let map = plugin.map(manifest("hand-over-two-gigabytes"), MapOptions::default(), &Cancel::new()).await;
    assert_eq!(code(map), "sandbox::memory");
}

#[tokio::test]
async fn d02_memory_declared_by_a_started_module_counts_towards_the_limit() {
    let sandbox = sandbox();
    // 40 MiB twice: each fits the 64 MiB of a codec call, both do not.
    let plugin = plugin("twins", "1", with_module(hostile(), &memory_module(640), 2), &sandbox);
    assert_eq!(code(encode(&plugin, "tidy").await), "sandbox::memory");
}

#[tokio::test]
async fn an_answer_over_the_limit_is_not_copied() {
    let plugin = subject(&sandbox());
    let error = plugin.map(manifest("flood"), MapOptions::default(), &Cancel::new()).await.unwrap_err();
    let text = "plugin `hostile` 0.1.0 handed over more than its limit of 64 MiB while mapping a manifest";
    assert_eq!(error.to_string(), text);
    let usual = Limits::default();
    let roomy = Bounds { memory: 512 << 20, ..usual.codec };
    let explain = Bounds { memory: 512 << 20, time: Duration::from_secs(20), ..usual.explain };
    let plugin = subject(&Sandbox::new(Limits { codec: roomy, explain, ..usual }));
    assert_eq!(code(encode(&plugin, "flood").await), "sandbox::handed_over");
    let error = plugin.explain(&Failure::Transport("flood".to_owned()), &Cancel::new()).await.unwrap_err();
    assert!(error.to_string().contains("limit of 1 MiB"), "{error}");
}

#[tokio::test]
async fn a_stack_overflow_a_panic_and_a_wild_pointer_end_the_call_only() {
    let plugin = subject(&sandbox());
    let error = encode(&plugin, "stack").await.unwrap_err();
    assert!(error.to_string().contains("overflowed its stack of 512 KiB"), "{error}");
    for behave in ["panic", "wild-pointer", "frames"] {
        let error = encode(&plugin, behave).await.unwrap_err();
        assert_eq!(error.code(), "sandbox::trap", "{error}");
        assert!(error.to_string().starts_with("plugin `hostile` 0.1.0 stopped with a fault ("), "{error}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }
    assert!(encode(&plugin, "tidy").await.is_ok());
}

#[tokio::test]
async fn instances_memories_and_tables_are_counted() {
    let usual = Limits::default();
    let small = |change: fn(&mut crate::sandbox::Counts)| {
        let mut limits = usual;
        change(&mut limits.counts);
        Sandbox::new(limits)
    };
    let many = with_module(hostile(), &memory_module(0), 10);
    let refused = plugin("many", "1", many.clone(), &sandbox());
    assert_eq!(code(encode(&refused, "tidy").await), "sandbox::start", "10 memories, 8 allowed");
    let limited: [fn(&mut crate::sandbox::Counts); 2] = [|counts| counts.instances = 1, |counts| counts.tables = 0];
    for change in limited {
        let refused = plugin("many", "1", many.clone(), &small(change));
        assert_eq!(code(encode(&refused, "tidy").await), "sandbox::start");
    }
    let refused = subject(&small(|counts| counts.table_elements = 1));
    assert_eq!(code(encode(&refused, "tidy").await), "sandbox::table");
}

#[tokio::test]
async fn d13_a_cancelled_call_returns_at_once_and_its_guest_stops() {
    let plugin = subject(&sandbox());
    plugin.prepare(&Cancel::new()).await.unwrap();
    let cancel = Cancel::new();
    let call = tokio::spawn({
        let (plugin, cancel) = (plugin.clone(), cancel.clone());
        async move { plugin.map(manifest("loop"), MapOptions::default(), &cancel).await }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!call.is_finished());
    cancel.cancel();
    assert!(call.await.unwrap().unwrap_err().is_cancelled());
    idle().await;
    assert!(encode(&plugin, "tidy").await.is_ok(), "the plugin can be used again");
}

#[tokio::test]
async fn d13_a_dropped_call_stops_its_guest() {
    let plugin = subject(&sandbox());
    plugin.prepare(&Cancel::new()).await.unwrap();
    let cancel = Cancel::new();
    let call = plugin.map(manifest("loop"), MapOptions::default(), &cancel);
    assert!(tokio::time::timeout(Duration::from_millis(100), call).await.is_err());
    idle().await;
}

#[tokio::test]
async fn a_method_that_breaks_the_contract_is_skipped_and_the_others_stay() {
    let plugin = subject(&sandbox());
    let cases = [
        ("garbage-schema", "input schema is not JSON"),
        ("array-schema", "input schema is an array"),
        ("untyped-schema", "does not say `\"type\": \"object\"`"),
        ("garbage-output-schema", "output schema is not JSON"),
        ("garbage-meta", "metadata is a number"),
        ("twin-parameters", "parameter \"a\" twice"),
        ("big-plan", "over the limit of 1048576"),
    ];
    for (behave, reason) in cases {
        let mapping = plugin.map(manifest(behave), MapOptions::default(), &Cancel::new()).await.unwrap();
        assert_eq!(mapping.methods.len(), 2, "{behave}");
        let [skipped] = &mapping.skipped[..] else { panic!("{behave}: {:?}", mapping.skipped) };
        assert_eq!(skipped.method, "odd");
        assert!(skipped.reason.contains(reason), "{behave}: {}", skipped.reason);
    }
}

#[tokio::test]
async fn signatures_that_cannot_be_matched_are_replaced_by_the_parameters() {
    let plugin = subject(&sandbox());
    for (behave, text) in [("short-signatures", "1 signatures for 3 methods"), ("render-fault", "too large")] {
        let mapping = plugin.map(manifest(behave), MapOptions::default(), &Cancel::new()).await.unwrap();
        assert_eq!(mapping.methods[1].signature, "put(key, value)");
        assert!(mapping.notes[0].text.contains(text), "{:?}", mapping.notes);
    }
}

#[tokio::test]
async fn a_refused_manifest_is_told_in_the_plugins_words() {
    let plugin = subject(&sandbox());
    let cases = [
        ("not-recognised", "plugin::not_recognised", "a poem"),
        ("malformed", "plugin::malformed", "`methods`: expected a list"),
        ("too-large", "plugin::too_large", "at most 3 methods"),
    ];
    for (behave, code, text) in cases {
        let error = plugin.map(manifest(behave), MapOptions::default(), &Cancel::new()).await.unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.to_string().starts_with("plugin `hostile` 0.1.0 refused: "), "{error}");
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[tokio::test]
async fn answers_that_are_not_json_are_a_breach_and_problems_are_not() {
    let plugin = subject(&sandbox());
    let problems = encode(&plugin, "problems").await.unwrap().unwrap_err();
    assert_eq!((problems[0].at.as_str(), problems[0].message.as_str()), ("key", "expected hex"));
    assert_eq!(encode(&plugin, "many").await.unwrap().unwrap().alternatives.len(), 8);
    for behave in ["garbage", "garbage-alternative"] {
        assert_eq!(code(encode(&plugin, behave).await), "contract::not_json");
    }
    let error = plugin.decode_result(plan("garbage"), "1", &Cancel::new()).await.unwrap_err();
    assert!(error.to_string().contains("broke its contract while decoding a result"), "{error}");
}

#[tokio::test]
async fn d08_hostile_text_comes_through_as_data_and_an_ecosystem_cannot_carry_it() {
    let plugin = subject(&sandbox());
    let mapping = plugin.map(manifest("evil"), MapOptions::default(), &Cancel::new()).await.unwrap();
    assert!(mapping.methods[2].name.contains("../../../etc/passwd\u{202e}"));
    let error = plugin.recognise(manifest("evil"), &Cancel::new()).await.unwrap_err();
    assert_eq!(error.code(), "contract::ecosystem_name");
    assert!(!error.to_string().contains(['\u{202e}', '\u{1b}', '\n', '\0']), "{error}");
}

#[tokio::test]
async fn a_component_whose_body_is_damaged_is_told_on_first_use_and_again() {
    let sandbox = sandbox();
    let plugin = plugin("bent", "1", replaced(hostile(), "decode-result", "decode-resalt"), &sandbox);
    for _ in 0..2 {
        let error = encode(&plugin, "tidy").await.unwrap_err();
        assert!(["sandbox::link", "sandbox::compile"].contains(&error.code()), "{error}");
    }
}

#[tokio::test]
async fn first_calls_at_the_same_time_compile_once_and_a_bad_cache_entry_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("code");
    let load = || {
        let (origin, release) = (Origin::Bundled, PluginRelease("1".to_owned()));
        Arc::new(Plugin::load("p", release, origin, hostile().into(), &sandbox(), Some(cache.clone())).unwrap())
    };
    let (plugin, cancel) = (load(), Cancel::new());
    let (a, b) = tokio::join!(encode(&plugin, "tidy"), plugin.prepare(&cancel));
    a.unwrap().unwrap();
    b.unwrap();
    let entries = || std::fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let [entry] = &entries()[..] else { panic!("{:?}", entries()) };
    let good = std::fs::metadata(entry).unwrap().len();
    std::fs::remove_file(entry).unwrap();
    std::fs::write(entry, b"\x7fELF, or so it says").unwrap();
    encode(&load(), "tidy").await.unwrap().unwrap();
    assert_eq!(std::fs::metadata(entry).unwrap().len(), good);
    encode(&load(), "tidy").await.unwrap().unwrap();
}

/// Not a limit: what a call costs. Run with `--nocapture` to read it.
#[tokio::test]
async fn the_cost_of_a_call_is_printed() {
    let bytes = hostile();
    let started = Instant::now();
    let compiled = crate::sandbox::Compiled::compile(&bytes).unwrap();
    println!("compile {} KB: {:?}", bytes.len() >> 10, started.elapsed());
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), compiled.machine_code().unwrap()).unwrap();
    let started = Instant::now();
    crate::sandbox::Compiled::load(file.path()).unwrap();
    println!("load machine code: {:?}", started.elapsed());
    let plugin = subject(&sandbox());
    encode(&plugin, "tidy").await.unwrap().unwrap();
    let mut times = Vec::new();
    for _ in 0..500 {
        let started = Instant::now();
        encode(&plugin, "tidy").await.unwrap().unwrap();
        times.push(started.elapsed());
    }
    times.sort();
    println!("fresh instance + encode: median {:?}, best {:?}", times[250], times[0]);
}
