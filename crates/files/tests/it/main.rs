//! The integration tests of outputs.

mod outputs;
