//! backend.
