//! Options that only some formats have a use for; the columns of `generic` are looked after where
//! they are read.

use crate::error::TraceError;
use crate::format_names::PARQUET;
use crate::options::{BlkparseAction, SubSector, TraceOptions, ZeroSize};

/// An option, whether it is set to something else than its default, and who reads it.
type Use = (&'static str, bool, &'static [&'static str]);

fn uses(options: &TraceOptions) -> [Use; 5] {
    let default = TraceOptions::default();
    [
        (
            "action",
            options.action != default.action,
            &["blkparse", "blktrace", "ftrace", "biosnoop", "xperf"],
        ),
        ("mqsim_time_unit", options.mqsim_time_unit != default.mqsim_time_unit, &["mqsim"]),
        ("ufs_lba_bytes", options.ufs_lba_bytes.is_some(), &["ftrace"]),
        ("op_default", options.op_default.is_some(), &["oracle_general"]),
        ("object_unit", options.object_unit.is_some(), &["oracle_general"]),
    ]
}

/// Which event is the request of a trace of `format`, of a format that records several.
pub(crate) fn event(options: &TraceOptions, format: &str) -> Option<&'static str> {
    let (_, _, formats) = uses(options)[0];
    formats.contains(&format).then_some(match options.action {
        BlkparseAction::Q => "queue",
        BlkparseAction::D => "issue",
        BlkparseAction::C => "completion",
    })
}

/// Columns declared for a format that has its own.
pub(crate) fn foreign_columns(format: &str) -> TraceError {
    let allowed = "generic columns only with format = \"generic\"";
    TraceError::option("generic", format!("columns declared for format {format}"), allowed)
}

/// Refuses an option that a trace of `format` would not heed.
pub(crate) fn refuse_foreign(options: &TraceOptions, format: &str) -> Result<(), TraceError> {
    let foreign = |key, allowed: String| {
        Err(TraceError::option(key, format!("given for a trace of format {format}"), allowed))
    };
    for (key, given, formats) in uses(options) {
        if given && !formats.contains(&format) {
            return foreign(key, format!("only with format {}", formats.join(", ")));
        }
    }
    // The Parquet layout holds whole sectors and nothing of size 0.
    let checks = [
        ("zero_size", options.zero_size != ZeroSize::Error),
        ("sub_sector", options.sub_sector != SubSector::Error),
    ];
    match checks.into_iter().find(|(_, given)| *given && format == PARQUET) {
        Some((key, _)) => foreign(key, "with any format but parquet".to_owned()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::FORMATS;

    /// Every option that belongs to some formats, set.
    fn settings() -> Vec<(&'static str, TraceOptions)> {
        let option = |key: &'static str, value: &str| {
            let text = format!("{{\"{key}\":{value}}}");
            (key, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}")))
        };
        vec![
            option("action", "\"Q\""),
            option("mqsim_time_unit", "\"us\""),
            option("ufs_lba_bytes", "512"),
            option("op_default", "\"read\""),
            option("object_unit", "512"),
        ]
    }

    #[test]
    fn an_option_of_another_format_is_refused() {
        for (key, options) in settings() {
            let takers: Vec<&str> = FORMATS
                .iter()
                .map(|format| format.name)
                .filter(|name| refuse_foreign(&options, name).is_ok())
                .collect();
            assert!(!takers.is_empty() && takers.len() <= 5, "{key}: {takers:?}");
            let error = refuse_foreign(&options, "msr").unwrap_err().to_string();
            assert!(error.contains(key) && error.contains(takers[0]), "{error}");
            assert!(refuse_foreign(&options, PARQUET).is_err(), "{key}");
        }
        assert_eq!(settings().len(), uses(&TraceOptions::default()).len());
    }

    #[test]
    fn the_formats_named_read_the_option() {
        let source = |format: &str| {
            let file = |name: &str| format!("{}/src/formats/{name}.rs", env!("CARGO_MANIFEST_DIR"));
            // What has no file of its own is a row.
            std::fs::read_to_string(file(format)).or_else(|_| std::fs::read_to_string(file("rows"))).unwrap()
        };
        for (key, options) in settings() {
            for format in FORMATS.iter().map(|format| format.name) {
                let reads = source(format).contains(&format!("options.{key}"));
                assert_eq!(refuse_foreign(&options, format).is_ok(), reads, "{key} of {format}");
            }
        }
    }
}
