//! A mapper and an engine in one component, for a small ecosystem: a manifest names functions, one a line, after the
//! line `arithmetic`; each takes two integers, `a` and `b`, and does what its name says ([`engine`]).

mod engine;
mod mapper;

/// The first line of every manifest.
const HEAD: &str = "arithmetic\n";

/// The format of call-specs: the function's name, as bytes.
const FORMAT: &str = "arithmetic/1";
