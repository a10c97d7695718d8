//! Ten questions about trajectories, asked the way an agent asks them: search in plain words, then one call.
//!
//! Every answer is checked, so the demo cannot show what did not happen. The right answers are computed by hand: the
//! values are small on purpose.

use crate::cli::demo::steps::Steps;
use anyhow::ensure;
use serde_json::{Value, json};

/// One question.
struct Question {
    asked: &'static str,
    /// What an agent searches for.
    query: &'static str,
    function: &'static str,
    arguments: fn() -> Value,
    /// What must be in the answer.
    answer: &'static str,
}

/// A ship goes 3 east and 4 north in an hour, rests an hour, and goes back.
const SHIP: &str = "[Point(0 0)@2025-06-01 10:00:00+00, Point(3 4)@2025-06-01 11:00:00+00, \
                    Point(3 4)@2025-06-01 12:00:00+00, Point(0 0)@2025-06-01 13:00:00+00]";

/// Another one sails along a parallel line, 10 to the north.
const OTHER: &str = "[Point(0 10)@2025-06-01 10:00:00+00, Point(3 14)@2025-06-01 11:00:00+00]";

const QUESTIONS: &[Question] = &[
    Question {
        asked: "How long is this trajectory?",
        query: "length of a trajectory",
        function: "tpoint_length",
        arguments: || json!({"temp": SHIP}),
        answer: "10",
    },
    Question {
        asked: "How many points was it recorded with?",
        query: "number of instants",
        function: "temporal_num_instants",
        arguments: || json!({"temp": SHIP}),
        answer: "4",
    },
    Question {
        asked: "When did it start?",
        query: "start timestamp of a trajectory",
        function: "temporal_start_timestamptz",
        arguments: || json!({"temp": SHIP}),
        answer: "2025-06-01 10:00:00+00",
    },
    Question {
        asked: "Where did it go? (the path as a geometry)",
        query: "trajectory path of a moving point as geometry",
        function: "tpoint_trajectory",
        arguments: || json!({"temp": SHIP, "unary_union": false}),
        answer: "LINESTRING(0 0,3 4,0 0)",
    },
    Question {
        asked: "How fast did it go, in units a second?",
        query: "speed of a moving point",
        function: "tpoint_speed",
        arguments: || json!({"temp": SHIP}),
        answer: "Interp=Step;[0.001388888888889@2025-06-01 10:00:00+00",
    },
    Question {
        asked: "How close did the two ships come?",
        query: "closest distance between two moving points",
        function: "nad_tgeo_tgeo",
        arguments: || json!({"temp1": SHIP, "temp2": OTHER}),
        answer: "10",
    },
    Question {
        asked: "Did they ever come within 10.5 of each other?",
        query: "ever within distance",
        function: "edwithin_tgeo_tgeo",
        arguments: || json!({"temp1": SHIP, "temp2": OTHER, "dist": 10.5}),
        answer: "1",
    },
    Question {
        asked: "Did it ever enter the harbour?",
        query: "trajectory ever intersects polygon",
        function: "eintersects_tgeo_geo",
        arguments: || json!({"temp": SHIP, "gs": "Polygon((2 2,4 2,4 6,2 6,2 2))"}),
        answer: "1",
    },
    Question {
        asked: "Where was it during the rest?",
        query: "restrict a trajectory to a time period",
        function: "temporal_at_tstzspan",
        arguments: || json!({"temp": SHIP, "s": "[2025-06-01 11:00:00+00, 2025-06-01 12:00:00+00]"}),
        answer: "[POINT(3 4)@2025-06-01 11:00:00+00, POINT(3 4)@2025-06-01 12:00:00+00]",
    },
    Question {
        asked: "What is its bounding box in space and time?",
        query: "bounding box of a moving point",
        function: "tspatial_to_stbox",
        arguments: || json!({"temp": SHIP}),
        answer: "STBOX XT(((0,0),(3,4)),[2025-06-01 10:00:00+00, 2025-06-01 13:00:00+00])",
    },
];

/// Asks all of them.
///
/// # Errors
/// The first one whose answer is not right.
pub(crate) fn play(steps: &mut Steps) -> anyhow::Result<()> {
    steps.request("Everything the model is given: a few tools", "tools/list", json!({}), |result| {
        let tools = result.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let names: Vec<&str> = tools.iter().filter_map(|tool| tool.get("name")?.as_str()).collect();
        format!("{} ({} bytes)", names.join(", "), result.to_string().len())
    })?;
    for question in QUESTIONS {
        let found = steps.call(question.asked, "find_tools", json!({"query": question.query, "limit": 3}))?;
        ensure!(
            found.text.contains(&format!(". {}(", question.function)),
            "`{}` is not among the first three for `{}`:\n{}",
            question.function,
            question.query,
            found.text
        );
        let arguments = json!({"method": question.function, "args": (question.arguments)()});
        let answer = steps.call("so it calls it", "call", arguments)?;
        ensure!(
            answer.text.contains(question.answer),
            "{}: `{}` answered `{}`, expected `{}`",
            question.asked,
            question.function,
            answer.text,
            question.answer
        );
    }
    steps.refused(
        "A value it cannot read is an error in words; the process lives on",
        "call",
        json!({"method": "temporal_num_instants", "args": {"temp": "next Tuesday"}}),
        "temp",
    )
}
