//! One binary for all integration tests: it links the library once.

mod render;
