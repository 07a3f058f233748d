//! How formats name volumes.

use crate::records::volumes::plain_name;

/// The names a format can express.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VolumeNames {
    /// Whole numbers.
    Number,
    /// A host name and the number of its disk, known as `HOST_NUMBER`.
    HostAndDisk,
    /// A major and a minor device number, known as `MAJOR,MINOR`.
    MajorAndMinor,
    /// One word without blanks.
    Word,
    /// Any text without commas.
    Field,
}

const HOST: &str = "trace";

impl VolumeNames {
    /// What turns the bytes that name a volume into its name.
    pub(crate) const fn named(self) -> fn(&[u8]) -> String {
        match self {
            // `hm,0` is known as `hm_0`, as the published files are named.
            Self::HostAndDisk => |key| plain_name(key).replace(',', "_"),
            // `6 0` is known as `6,0`.
            Self::MajorAndMinor => |key| plain_name(key).split_whitespace().collect::<Vec<_>>().join(","),
            Self::Number | Self::Word | Self::Field => plain_name,
        }
    }

    /// The two parts of such a name, where it has two.
    pub(crate) fn parts(self, name: &str) -> Option<(&str, &str)> {
        match self {
            Self::HostAndDisk => name.rsplit_once('_'),
            Self::MajorAndMinor => name.split_once(','),
            Self::Number | Self::Word | Self::Field => None,
        }
    }

    /// Whether a volume of that name can be told from the file again.
    pub(crate) fn express(self, name: &str) -> bool {
        match self {
            Self::Number => is_number(name),
            Self::HostAndDisk => {
                self.parts(name).is_some_and(|(host, disk)| is_field(host) && is_number(disk))
            }
            Self::MajorAndMinor => {
                self.parts(name).is_some_and(|(major, minor)| is_number(major) && is_number(minor))
            }
            Self::Word => {
                !name.is_empty()
                    && !name.contains(|letter: char| letter.is_whitespace() || letter.is_control())
            }
            Self::Field => is_field(name),
        }
    }

    /// A stream that has no name, or none that can be expressed.
    pub(crate) fn number(self, stream: u16) -> String {
        match self {
            Self::Number | Self::Field => stream.to_string(),
            Self::HostAndDisk => format!("{HOST}_{stream}"),
            Self::MajorAndMinor => format!("0,{stream}"),
            Self::Word => format!("{HOST}{stream}"),
        }
    }

    pub(crate) fn allowed(self) -> &'static str {
        match self {
            Self::Number => "a whole number",
            Self::HostAndDisk => "HOST_NUMBER",
            Self::MajorAndMinor => "MAJOR,MINOR",
            Self::Word => "a word without blanks",
            Self::Field => "text without commas",
        }
    }
}

/// Decimal digits of a number below 2^64.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u64>().is_ok()
}

fn is_field(text: &str) -> bool {
    !text.is_empty()
        && text.trim() == text
        && !text.contains(|letter: char| letter == ',' || letter.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_expressed() {
        let cases = [
            (VolumeNames::Number, "17", "hm_0"),
            (VolumeNames::Number, "007", "-7"),
            (VolumeNames::HostAndDisk, "a_b_0", "hm,0"),
            (VolumeNames::HostAndDisk, "web_12", "web"),
            (VolumeNames::MajorAndMinor, "8,16", "8"),
            (VolumeNames::Word, "/dev/sda", "my disk"),
            (VolumeNames::Field, "my disk", "8,16"),
        ];
        for (names, fits, does_not) in cases {
            assert!(names.express(fits) && !names.express(does_not), "{names:?} {fits} {does_not}");
            assert!(names.express(&names.number(3)), "{names:?}");
        }
    }
}
