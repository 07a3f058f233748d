//! What may get lost on the way into a format, if the user says so.

use crate::error::TraceError;

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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses(u8);

impl Losses {
    pub const NONE: Self = Self(0);

    /// Losses named in text, separated by commas; empty text names none.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let mut losses = Self::NONE;
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let Some(loss) = Loss::ALL.into_iter().find(|loss| loss.name() == name) else {
                let allowed = Loss::ALL.map(Loss::name).join(", ");
                return Err(TraceError::option("lossy", name, allowed));
            };
            losses.insert(loss);
        }
        Ok(losses)
    }

    #[inline]
    pub fn insert(&mut self, loss: Loss) {
        self.0 |= 1 << loss as u8;
    }

    #[inline]
    pub fn contains(self, loss: Loss) -> bool {
        self.0 & 1 << loss as u8 != 0
    }

    /// Those that are in this set and not in the other.
    #[inline]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Loss> {
        Loss::ALL.into_iter().filter(move |loss| self.contains(*loss))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_others_are_refused() {
        let names = Loss::ALL.map(Loss::name).join(", ");
        let all = Losses::parse(&names).unwrap();
        assert_eq!(all.iter().collect::<Vec<_>>(), Loss::ALL);
        assert_eq!(Losses::parse("").unwrap(), Losses::NONE);
        let error = Losses::parse("time,flsh").unwrap_err().to_string();
        assert!(error.contains("lossy: \"flsh\" is not allowed; allowed: time, flush"), "{error}");
    }
}
