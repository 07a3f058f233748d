//! What a build without one of its features says of files that need it.

use std::io::{Error, ErrorKind};

/// The error for a file that only a build with `feature` reads or writes.
#[allow(dead_code)] // unused where no feature is missing
pub(crate) fn missing(what: &str, feature: &str) -> Error {
    let reason = format!("{what} needs the feature `{feature}`, without which this slcache was built");
    Error::new(ErrorKind::Unsupported, reason)
}

#[cfg(test)]
mod tests {
    #[cfg(not(any(feature = "xz", feature = "bzip2", feature = "parquet")))]
    #[test]
    fn a_file_that_needs_a_missing_feature_is_told_with_its_name() {
        use crate::{info, TraceOptions};
        use std::io::Write;

        let cases: [(&[u8], &str); 3] = [
            (b"\xfd7zXZ\0\0\0\0\0\0\0", "xz"),
            (b"BZh91AY&SY\0\0\0\0", "bzip2"),
            (b"PAR1\0\0\0\0\0\0\0\0PAR1", "parquet"),
        ];
        for (bytes, feature) in cases {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(bytes).unwrap();
            let path = file.path().to_str().unwrap();
            let error = info(path, &TraceOptions::default()).unwrap_err().to_string();
            assert!(
                error.starts_with(path) && error.contains(&format!("the feature `{feature}`")),
                "{error}"
            );
        }
    }
}
