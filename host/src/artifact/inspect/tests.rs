//! Every kind of wrong file, and what is said of it.

use super::*;
use crate::artifact::specimen::{component, guest, hostile, memory_module, module, replaced, with_module};
use crate::contract::supported::Role;
use crate::sandbox::Compiled;

const LARGEST: usize = 512 << 20;

fn refusal(bytes: &[u8]) -> InspectError {
    inspect(bytes, LARGEST).unwrap_err()
}

/// The code, and that the message has each of the texts.
fn expect(bytes: &[u8], code: &str, texts: &[&str]) {
    let error = refusal(bytes);
    let message = error.to_string();
    assert_eq!(error.code(), code, "{message}");
    for text in texts {
        assert!(message.contains(text), "{text:?} is missing in: {message}");
    }
}

#[test]
fn a_good_component_states_its_roles_and_contract_versions() {
    let stated = inspect(&hostile(), LARGEST).unwrap().contracts;
    let stated: Vec<_> = stated.iter().map(|stated| (stated.contract.role, stated.version.to_string())).collect();
    assert_eq!(stated, [(Role::Mapper, "0.1.0".to_owned()), (Role::Decoder, "0.1.0".to_owned())]);
}

#[test]
fn a_component_without_a_contract_is_an_extension_where_that_is_wanted_and_never_a_mapper() {
    let plain = guest("plain");
    expect(&plain, "contract::none", &["`test:plain/types@1.2.0`", "--extension NAME=FILE"]);
    let found = inspect_extension(&plain, LARGEST).unwrap();
    let [stated] = &found.contracts[..] else { panic!("{found:?}") };
    assert!(stated.contract.is_plain() && stated.contract.role == Role::Extension, "{stated:?}");
    assert_eq!(of_contract("plain:tool@0.1.0").as_ref(), Some(stated), "as a lock has it");
    assert_eq!(inspect_extension(&hostile(), LARGEST), inspect(&hostile(), LARGEST), "what states one has it");
    let empty = b"\0asm\x0d\0\x01\0";
    assert_eq!(inspect_extension(empty, LARGEST).unwrap_err().code(), "contract::none", "nothing to call");
    let skewed = replaced(hostile(), "abi-mcp:mapper/schema@0.1.0", "abi-mcp:mapper/schema@0.9.0");
    assert_eq!(inspect_extension(&skewed, LARGEST), inspect(&skewed, LARGEST), "what states one badly is not plain");
    assert!(inspect(&skewed, LARGEST).is_err());
}

#[test]
fn d03_a_file_that_is_no_component_is_called_what_it_is() {
    let not_a_plugin = "contract::not_a_plugin";
    expect(b"", not_a_plugin, &["empty", "hint: "]);
    expect(b"not wasm", not_a_plugin, &["not WebAssembly", "not wasm"]);
    expect(&hostile()[..1000], not_a_plugin, &["cut off or damaged", "fetch or build"]);
    expect(&module(("env", "f")), not_a_plugin, &["a core module", "wasm-tools component new"]);
    expect(b"\0as", not_a_plugin, &["not WebAssembly"]);
    expect(b"\0asm\x0d\0", not_a_plugin, &["cut off or damaged"]);
    expect(b"\0asm\x0d\0\x01\0", "contract::none", &["exports nothing", "`abi-mcp:mapper` 0.1"]);
}

#[test]
fn d03_no_prefix_of_a_component_is_taken_for_a_plugin_or_panics() {
    let bytes = hostile();
    for length in (0..bytes.len() - 1).step_by(97) {
        // A cut between sections leaves a shorter component; it lacks exports then.
        let _ = inspect(&bytes[..length], LARGEST);
    }
    assert!(inspect(&bytes[..bytes.len() - 1], LARGEST).is_err());
}

#[test]
fn a_precompiled_file_is_never_accepted() {
    let code = Compiled::compile(&hostile()).unwrap().machine_code().unwrap();
    expect(&code, "contract::not_a_plugin", &["machine code", "`.wasm` file it was made from"]);
}

#[test]
fn d04_an_import_is_named_together_with_what_the_host_offers() {
    let exports = ["abi-mcp:errors/decoder@0.1.0"];
    let bytes = component(&["acme:kv/store@1.0.0"], &exports);
    let texts = ["imports `acme:kv/store@1.0.0`", "the host offers nothing", "abi-mcp:errors@0.1.0", "hint: "];
    expect(&bytes, "contract::imports", &texts);
    expect(&module(("env", "_Znwm")), "contract::not_a_plugin", &["imports `env::_Znwm`"]);
}

#[test]
fn d04_a_tool_may_import_what_is_offered_in_any_release_of_its_track_and_no_sockets() {
    let exports = ["abi-mcp:tool/tools@0.1.0"];
    let offered = ["abi-mcp:tool/log@0.1.4", "wasi:io/poll@0.2.0", "wasi:http/types@0.2.99"];
    let found = inspect(&component(&offered, &exports), LARGEST).unwrap();
    assert_eq!(found.contracts[0].contract.role, Role::Extension);
    assert!(found.imports.is_empty(), "interfaces that only name types need no grant: {:?}", found.imports);
    for other in ["wasi:sockets/tcp@0.2.12", "wasi:http/types@0.3.0", "wasi:io/poll", "acme:kv/store@1.0.0"] {
        expect(&component(&[other], &exports), "contract::imports", &[other, "abi-mcp:tool@0.1.0", "hint: "]);
    }
    let both = component(&["wasi:io/poll@0.2.0"], &[exports[0], "abi-mcp:errors/decoder@0.1.0"]);
    expect(&both, "contract::imports", &["wasi:io/poll@0.2.0", "abi-mcp:errors@0.1.0"]);
}

#[test]
fn d05_a_contract_too_new_or_too_old_is_told_with_both_versions_and_the_next_step() {
    let too_new = ["abi-mcp:mapper@9.1.0", "speaks 0.1", "update abi-mcp"];
    expect(&replaced(hostile(), "@0.1.0", "@9.1.0"), "contract::too_new", &too_new);
    let next_track = ["abi-mcp:mapper@0.2.0"];
    expect(&replaced(hostile(), "@0.1.0", "@0.2.0"), "contract::too_new", &next_track);
    let too_old = ["abi-mcp:mapper@0.0.9", "speaks 0.1", "newer release"];
    expect(&replaced(hostile(), "@0.1.0", "@0.0.9"), "contract::too_old", &too_old);
    let unknown = component(&[], &["abi-mcp:oracle/ask@1.0.0"]);
    expect(&unknown, "contract::too_new", &["abi-mcp:oracle@1.0.0", "no version of it", "`abi-mcp:errors` 0.1"]);
}

#[test]
fn d05_one_role_of_a_spoken_version_does_not_hide_another_of_an_unspoken_one() {
    let mapper = ["abi-mcp:mapper/schema@0.9.0", "abi-mcp:mapper/signature@0.9.0", "abi-mcp:mapper/codec@0.9.0"];
    let skewed = component(&[], &[&mapper[..], &["abi-mcp:errors/decoder@0.1.0"]].concat());
    expect(&skewed, "contract::too_new", &["abi-mcp:mapper@0.9.0", "speaks 0.1"]);
    // A newer version beside a spoken one is the author's care for both, and a role of a later release is no loss.
    let both =
        component(&[], &["abi-mcp:errors/decoder@0.1.0", "abi-mcp:errors/decoder@0.9.0", "abi-mcp:oracle/ask@1.0.0"]);
    assert_eq!(inspect(&both, LARGEST).unwrap().contracts[0].version.to_string(), "0.1.0");
}

#[test]
fn d05_a_component_without_a_version_mark_is_refused() {
    let none = component(&[], &["acme:kv/store@1.0.0"]);
    expect(&none, "contract::none", &["`acme:kv/store@1.0.0`", "supported: "]);
    let unversioned = component(&[], &["abi-mcp:mapper/schema"]);
    expect(&unversioned, "contract::unversioned", &["`abi-mcp:mapper/schema`", "supported: "]);
    let draft = component(&[], &["abi-mcp:mapper/schema@0.2.0-rc.1"]);
    expect(&draft, "contract::unversioned", &["0.2.0-rc.1"]);
}

#[test]
fn d05_a_later_patch_of_the_same_track_is_accepted() {
    let stated = inspect(&component(&[], &["abi-mcp:errors/decoder@0.1.7"]), LARGEST).unwrap().contracts;
    assert_eq!(stated[0].version.to_string(), "0.1.7");
}

#[test]
fn a_contract_of_which_a_part_is_missing_is_told_which() {
    let bytes = component(&[], &["abi-mcp:mapper/schema@0.1.0"]);
    expect(&bytes, "contract::incomplete", &["`abi-mcp:mapper@0.1.0`", "`signature`, `codec`"]);
}

#[test]
fn d02_a_module_that_declares_four_gigabytes_is_refused_before_it_is_compiled() {
    let bytes = with_module(hostile(), &memory_module(65_536), 1);
    expect(&bytes, "contract::memory", &["4294967296", "536870912"]);
}
