//! What may get lost on the way into a format, if the user says so.

use crate::error::TraceError;
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// Times are cut to whole units of the format.
    Time,
    Flush,
    Trim,
    /// Volumes are written by their stream number instead of their name.
    Volume,
    /// Response times are left out or cut to whole units of the format; where
    /// the format has one for every request and the trace has none, 0 is written.
    Response,
    Hint,
    /// Nothing in the file says that the requests are no recording.
    Label,
}

impl Loss {
    /// Every kind, in the order of messages.
    pub const ALL: [Self; 7] =
        [Self::Time, Self::Flush, Self::Trim, Self::Volume, Self::Response, Self::Hint, Self::Label];

    /// Its name, as the user gives it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Flush => "flush",
            Self::Trim => "trim",
            Self::Volume => "volume",
            Self::Response => "response",
            Self::Hint => "hint",
            Self::Label => "label",
        }
    }
}

/// Some of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses(BTreeSet<Loss>);

impl Losses {
    /// Losses named in text, separated by commas; empty text names none.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let loss = |name: &str| {
            let allowed = || Loss::ALL.map(Loss::name).join(", ");
            let known = Loss::ALL.into_iter().find(|loss| loss.name() == name);
            known.ok_or_else(|| TraceError::option("lossy", name, allowed()))
        };
        names.map(loss).collect::<Result<_, _>>().map(Self)
    }

    pub fn contains(&self, loss: Loss) -> bool {
        self.0.contains(&loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_others_are_refused() {
        let names = Loss::ALL.map(Loss::name).join(", ");
        let all = Losses::parse(&names).unwrap();
        assert!(Loss::ALL.into_iter().all(|loss| all.contains(loss)));
        assert_eq!(Losses::parse("").unwrap(), Losses::default());
        let error = Losses::parse("time,flsh").unwrap_err().to_string();
        assert!(error.contains("lossy: \"flsh\" is not allowed; allowed: time, flush"), "{error}");
    }
}
