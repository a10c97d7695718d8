//! Names, and what a function's answer becomes.

use super::*;
use crate::artifact::specimen::guest;
use crate::sandbox::Compiled;
use serde_json::json;

fn named(functions: &[(Option<&str>, &str)]) -> Vec<String> {
    names(functions)
}

#[test]
fn a_function_has_its_own_name_unless_another_interface_has_it_too() {
    let (a, b) = (Some("x:y/left@1.0.0"), Some("x:y/right@1.0.0"));
    assert_eq!(named(&[(a, "get-all"), (b, "put")]), ["get_all", "put"]);
    assert_eq!(named(&[(a, "get"), (b, "get"), (b, "put")]), ["left_get", "right_get", "put"]);
    assert_eq!(named(&[(a, "get"), (None, "get")]), ["left_get", "get"], "the world's own keeps it");
    let twins = [(Some("x:y/left@1.0.0"), "get"), (Some("x:z/left@1.0.0"), "get")];
    assert_eq!(named(&twins), ["x_y_left_1_0_0_get", "x_z_left_1_0_0_get"]);
    assert_eq!(named(&[(None, "left-get"), (a, "get"), (b, "get")])[1], "x_y_left_1_0_0_get");
}

fn plain() -> Functions {
    let compiled = Compiled::compile(&guest("plain")).unwrap();
    let (engine, component) = compiled.parts();
    exported(engine, component)
}

#[test]
fn functions_with_handles_are_skipped_and_the_reason_names_the_place() {
    let Functions { functions, skipped } = plain();
    let reason = |name: &str| &skipped.iter().find(|skipped| skipped.method.ends_with(name)).unwrap().reason;
    assert_eq!(reason("open"), "its result has a resource, which has no JSON form");
    assert!(reason("file_name").contains("belongs to a resource"), "{skipped:?}");
    assert_eq!(skipped.len(), 3, "{skipped:?}");
    let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
    for name in ["exists", "types_echo", "trouble_echo", "greet", "move_by", "parse"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
}

#[test]
fn a_tool_says_whose_function_it_is_and_what_it_can_reach() {
    let functions = plain().functions;
    let greet = functions.iter().find(|function| function.name == "greet").unwrap();
    let tool = greet.tool(Effects { changes: false, reaches_out: false });
    assert_eq!(tool.method.doc.as_deref(), Some("The function `greet`."));
    assert_eq!((tool.method.access, tool.method.open_world), (Access::View, Some(false)));
    let input: Value = serde_json::from_str(&tool.input_schema).unwrap();
    assert_eq!(input["required"], json!(["name"]));
    let parse = functions.iter().find(|function| function.name == "parse").unwrap();
    let tool = parse.tool(Effects { changes: true, reaches_out: true });
    assert_eq!(tool.method.doc.as_deref(), Some("The function `parse` of `test:plain/trouble@1.2.0`."));
    assert_eq!((tool.method.access, tool.method.destructive), (Access::Unspecified, Some(true)));
    let output: Value = serde_json::from_str(&tool.output_schema.unwrap()).unwrap();
    assert_eq!(output["minimum"], json!(i64::MIN), "the value of a result is the answer");
}

#[test]
fn a_result_at_the_top_is_the_answer_or_the_error_of_the_tool() {
    let fallible = Answer::Fallible(Some(Shape::Bool));
    let ok = Val::Result(Ok(Some(Box::new(Val::Bool(true)))));
    assert_eq!(fallible.reply(Some(ok)).unwrap().unwrap().structured.as_deref(), Some("true"));
    let error =
        |value: Option<Val>| fallible.reply(Some(Val::Result(Err(value.map(Box::new))))).unwrap().unwrap_err().message;
    assert_eq!(error(Some(Val::String("too late".to_owned()))), "too late");
    assert_eq!(error(Some(Val::Variant("gone".to_owned(), None))), r#"{"tag":"gone"}"#);
    assert_eq!(error(None), "it failed and does not say why");
    assert_eq!(Answer::Nothing.reply(None).unwrap().unwrap().text.as_deref(), Some("done"));
    assert_eq!(Answer::Fallible(None).reply(Some(Val::Result(Ok(None)))).unwrap().unwrap().structured, None);
    assert!(fallible.reply(Some(Val::Bool(true))).is_err());
}
