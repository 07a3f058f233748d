//! The committed schema is the one the code has.

use slcache_sim::schema::run_schema;

/// `SLCACHE_BLESS=1 cargo test -p slcache-sim --test it schema` writes the file anew.
#[test]
fn the_committed_schema_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/run.schema.json");
    let text = format!("{:#}\n", run_schema());
    if std::env::var_os("SLCACHE_BLESS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed == text, "schema/run.schema.json is stale; run with SLCACHE_BLESS=1");
}
