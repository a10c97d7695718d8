//! catalog.
