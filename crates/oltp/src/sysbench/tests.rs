//! One body over every engine.
