//! The JSON schema of what a user writes.

use crate::config::RunConfig;
use crate::json_schema::schema_of;
use serde_json::Value;

/// The JSON schema (draft 2020-12) of a run's configuration.
pub fn run_schema() -> Value {
    let mut schema = schema_of::<RunConfig>(false);
    schema["$id"] = "run.schema.json".into();
    schema["title"] = "slcache run configuration".into();
    schema
}
