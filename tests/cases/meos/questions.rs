//! What a model pays for an answer: from the list of tools to the first right result, with MEOS as the only source.
//!
//! The questions are those of a person with trajectories. The queries are what a model makes of them: plain words, no
//! function's name. A token is counted as four bytes.

use crate::expect::Expected;
use crate::parts::{Parts, ready, run};
use serde_json::{Value, json};

/// The most tokens before the first useful call.
const TOKENS: usize = 2_000;

/// Within how many hits the right tool must be.
const FIRST: usize = 3;

struct Question {
    asked: &'static str,
    query: &'static str,
    /// Any of these is right; the first is called.
    right: &'static [&'static str],
    arguments: fn() -> Value,
    answer: fn() -> Value,
}

/// East for ten seconds at 3 m/s, north for ten at 4, then it stands for ten minutes.
const SHIP: &str = "[Point(0 0)@2025-06-01 12:00:00, Point(30 0)@2025-06-01 12:00:10, \
                    Point(30 40)@2025-06-01 12:00:20, Point(30 40)@2025-06-01 12:10:20]";

/// The other way, 8 m to the north of the first leg.
const FERRY: &str = "[Point(30 8)@2025-06-01 12:00:00, Point(0 8)@2025-06-01 12:00:10]";

const HARBOUR: &str = "Polygon((10 -5,20 -5,20 5,10 5,10 -5))";

const QUESTIONS: &[Question] = &[
    Question {
        asked: "How long is this trajectory?",
        query: "length of a trajectory",
        right: &["tpoint_length"],
        arguments: || json!({"temp": SHIP}),
        answer: || json!({"gives": 70.0}),
    },
    Question {
        asked: "Did these two ever come within 10 m of each other?",
        query: "did two moving points ever come within a distance of each other",
        right: &["edwithin_tgeo_tgeo", "nad_tgeo_tgeo", "tdwithin_tgeo_tgeo"],
        arguments: || json!({"temp1": SHIP, "temp2": FERRY, "dist": 10}),
        answer: || json!({"gives": 1}),
    },
    Question {
        asked: "How fast was it?",
        query: "speed of a moving object over time",
        right: &["tpoint_speed"],
        arguments: || json!({"temp": SHIP}),
        answer: || {
            json!({"gives": "Interp=Step;[3@2025-06-01 12:00:00+00, 4@2025-06-01 12:00:10+00, \
                             0@2025-06-01 12:00:20+00, 0@2025-06-01 12:10:20+00]"})
        },
    },
    Question {
        asked: "When was it inside this polygon?",
        query: "when was a trajectory inside a polygon",
        right: &[
            "tgeo_at_geom",
            "tpoint_at_geom",
            "tintersects_tgeo_geo",
            "tintersects_geo_tgeo",
            "tcontains_geo_tgeo",
        ],
        arguments: || json!({"temp": SHIP, "gs": HARBOUR}),
        answer: || {
            json!({"about": "{[POINT(10 0)@2025-06-01 12:00:03.333333+00, POINT(20 0)@2025-06-01 12:00:06.666667+00]}",
                   "within": 2e-5})
        },
    },
    Question {
        asked: "How close did the two get?",
        query: "smallest distance between two moving ships",
        right: &["nad_tgeo_tgeo"],
        arguments: || json!({"temp1": SHIP, "temp2": FERRY}),
        answer: || json!({"about": 8, "within": 1e-6}),
    },
    Question {
        asked: "Where and how long was it stopped?",
        query: "where was it stopped and for how long",
        right: &["temporal_stops"],
        arguments: || json!({"temp": SHIP, "maxdist": 1, "minduration": "5 minutes"}),
        answer: || json!({"gives": "{[POINT(30 40)@2025-06-01 12:00:20+00, POINT(30 40)@2025-06-01 12:10:20+00]}"}),
    },
    Question {
        asked: "Make this track simpler.",
        query: "simplify a track, fewer points",
        right: &[
            "temporal_simplify_dp",
            "temporal_simplify_min_dist",
            "temporal_simplify_max_dist",
            "temporal_simplify_min_tdelta",
        ],
        arguments: || {
            json!({"temp": "[Point(0 0)@2025-06-01, Point(1 0.1)@2025-06-02, Point(2 0)@2025-06-03]",
                   "eps_dist": 0.5, "synchronized": false})
        },
        answer: || json!({"gives": "[POINT(0 0)@2025-06-01 00:00:00+00, POINT(2 0)@2025-06-03 00:00:00+00]"}),
    },
    Question {
        asked: "Which way did it go?",
        query: "heading of a ship",
        right: &["tpoint_azimuth", "tpoint_direction"],
        arguments: || json!({"temp": "[Point(0 0)@2025-06-01 12:00, Point(30 0)@2025-06-01 12:10]"}),
        answer: || {
            json!({"about": "Interp=Step;{[1.5707963267949@2025-06-01 12:00:00+00, 1.5707963267949@2025-06-01 12:10:00+00]}",
                   "within": 1e-9})
        },
    },
    Question {
        asked: "Where was it five seconds after noon?",
        query: "position of a moving point at a timestamp",
        right: &["tgeo_value_at_timestamptz", "temporal_at_timestamptz"],
        arguments: || json!({"temp": SHIP, "t": "2025-06-01 12:00:05", "strict": true}),
        answer: || json!({"gives": "POINT(15 0)"}),
    },
    Question {
        asked: "What is its bounding box?",
        query: "bounding box of a trajectory",
        right: &["tspatial_to_stbox"],
        arguments: || json!({"temp": SHIP}),
        answer: || json!({"gives": "STBOX XT(((0,0),(30,40)),[2025-06-01 12:00:00+00, 2025-06-01 12:10:20+00])"}),
    },
    Question {
        asked: "Put these two pieces together.",
        query: "merge two pieces of a trajectory",
        right: &["temporal_merge", "temporal_merge_array", "temporal_append_tsequence"],
        arguments: || json!({"temp1": "[Point(0 0)@2025-06-01, Point(1 1)@2025-06-02]", "temp2": "Point(5 5)@2025-06-05"}),
        answer: || {
            json!({"gives": "{[POINT(0 0)@2025-06-01 00:00:00+00, POINT(1 1)@2025-06-02 00:00:00+00], \
                             [POINT(5 5)@2025-06-05 00:00:00+00]}"})
        },
    },
    Question {
        asked: "What was its average speed? (of a series of speeds)",
        query: "average over time of a temporal number",
        right: &["tnumber_twavg", "tnumber_avg_value"],
        arguments: || json!({"temp": "Interp=Step;[3.5@2025-06-01 12:00, 1.5@2025-06-01 12:10, 1.5@2025-06-01 12:20]"}),
        answer: || json!({"gives": 2.5}),
    },
];

/// At which place, from 1, a function stands in an answer of `find_tools`.
fn place(found: &str, right: &[&str]) -> Option<usize> {
    found.lines().find_map(|line| {
        let (place, rest) = line.split_once(". ")?;
        let function = rest.split(['(', ' ']).next()?;
        right.contains(&function).then(|| place.parse().ok())?
    })
}

#[test]
fn a_dozen_questions_find_their_function_among_the_first_three_for_under_2000_tokens() {
    let Some(parts) = Parts::find() else { return };
    let mut client = parts.serve().start();
    let instructions = client.initialize("2025-11-25")["instructions"].as_str().unwrap_or_default().len();
    drop(client);
    let mut client = ready(&parts.serve());
    let list = client.request("tools/list", json!({}))["result"].to_string().len();
    println!("instructions {instructions} bytes, tools/list {list} bytes");
    println!("place  found  before  in all  tokens  question");
    let (mut good, mut wrong) = (0, Vec::new());
    for question in QUESTIONS {
        let ask = json!({"query": question.query});
        let found = client.call("find_tools", ask.clone()).text;
        let at = place(&found, question.right);
        let before = instructions + list + ask.to_string().len() + found.len();
        let reply = run(&mut client, question.right[0], &(question.arguments)());
        let after = before + (question.arguments)().to_string().len() + reply.text.len();
        let shown = at.map_or_else(|| "-".to_owned(), |at| at.to_string());
        println!("{shown:>5} {:6} {before:7} {after:7} {:7}  {}", found.len(), before / 4, question.asked);
        if at.is_some_and(|at| at <= FIRST) {
            good += 1;
        } else {
            println!("{found}");
        }
        assert!(before / 4 < TOKENS, "{}: {before} bytes before the first call", question.asked);
        let expected: Expected = serde_json::from_value((question.answer)()).unwrap();
        wrong.extend(expected.problem(&reply).map(|problem| format!("{}: {problem}", question.asked)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(good * 10 >= QUESTIONS.len() * 9, "{good} of {} found their function", QUESTIONS.len());
}
