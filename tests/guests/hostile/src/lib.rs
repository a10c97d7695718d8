//! A guest that keeps to the mapper and error-decoder contracts, or breaks them the way its input asks for.
//!
//! In comes a manifest `{"behave":"loop"}`, a plan `loop` or a transport failure `loop`; out comes that behaviour.
//! Anything unknown is tidy: a small, correct mapper. What every instance is by birth (it cannot see its input yet
//! while it recognises) is its *persona*, a fixed-width text in its data that tests overwrite in the built file.
//! Every behaviour named here has a test of its name in the host.

mod allocator;
mod behave;
mod decoder;
mod mapper;
