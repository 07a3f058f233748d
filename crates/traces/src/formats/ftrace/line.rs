//! A line of an event tracer, taken apart into its words.

use crate::error::LineFault;
use crate::fields::scan::{unsigned_or_hex, Words};
use crate::fields::sectors::NamedColumn;

/// What a line of an event looks like, for messages.
pub(super) const LINE: &str = "TASK-PID [CPU] flags SECONDS: EVENT: fields";

#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    pub text: &'a [u8],
    /// Number of the word, from 1.
    pub column: usize,
    pub name: &'static str,
}

impl Word<'_> {
    #[cold]
    pub(super) fn fault(&self, allowed: &str) -> LineFault {
        LineFault::field(self.column, self.name, self.text, allowed)
    }

    /// A whole number, decimal or hexadecimal.
    pub(super) fn number(&self, allowed: &str) -> Result<u64, LineFault> {
        unsigned_or_hex(self.text).ok_or_else(|| self.fault(allowed))
    }

    /// The word without the comma that ends it.
    pub(super) fn listed(self) -> Result<Self, LineFault> {
        let text = self.text.strip_suffix(b",").ok_or_else(|| self.fault("a word and a comma"))?;
        Ok(Self { text, ..self })
    }

    pub(super) fn place(&self) -> NamedColumn<'static> {
        NamedColumn { number: self.column, name: self.name }
    }
}

/// The words of a line from some place on.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    line: &'a [u8],
    words: Words<'a>,
    column: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: &'a [u8]) -> Self {
        Self { line, words: Words::new(line), column: 0 }
    }

    /// The next word, which is what `name` says.
    pub(super) fn word(&mut self, name: &'static str) -> Result<Word<'a>, LineFault> {
        let word = self.next().ok_or_else(|| self.cut_short(name))?;
        Ok(Word { name, ..word })
    }

    /// What stands behind `NAME=` further on.
    pub(super) fn assigned(&self, name: &'static str) -> Option<Word<'a>> {
        let behind = |word: Word<'a>| {
            let text = word.text.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
            Some(Word { text, name, ..word })
        };
        self.clone().find_map(behind)
    }

    /// The word behind `NAME:` further on.
    pub(super) fn value_of(&self, name: &'static str) -> Option<Word<'a>> {
        let mut words = self.clone();
        words.find(|word| word.text.strip_suffix(b":") == Some(name.as_bytes()))?;
        words.next().map(|word| Word { name, ..word })
    }

    /// The line ends where something has to follow.
    #[cold]
    pub(super) fn cut_short(&self, missing: &str) -> LineFault {
        LineFault::Unknown { text: self.line.to_vec(), expected: format!("{missing} in it: {LINE}") }
    }
}

impl<'a> Iterator for Cursor<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let text = self.words.next()?;
        self.column += 1;
        Some(Word { text, column: self.column, name: "word" })
    }
}

pub(super) struct LineEvent<'a> {
    /// When, in units of `unit_ns`.
    pub time: Word<'a>,
    /// Nanoseconds in a unit of time; `None` where the clock counts something that has none.
    pub unit_ns: Option<u64>,
    /// Its name without its group; empty where another tracer printed no name.
    pub name: &'a [u8],
    /// The words behind the name.
    pub fields: Cursor<'a>,
}

impl<'a> LineEvent<'a> {
    /// The event of a line. Names of tasks may hold anything, so that the first word is it that is a time
    /// and is followed by a name and a colon. Between them may stand a period or the time since the line before.
    pub(super) fn of(line: &'a [u8]) -> Option<Self> {
        let mut words = Cursor::new(line);
        while let Some(word) = words.next() {
            let known = |unit_ns: &Option<u64>| unit_ns.is_some() || word.column > 1;
            let Some((text, unit_ns)) = time_of(word.text).filter(|(_, unit_ns)| known(unit_ns)) else {
                continue;
            };
            let mut fields = words.clone();
            let mut name = fields.next()?;
            let between =
                |text: &[u8]| text == b":" || text.starts_with(b"(+") || text.iter().all(u8::is_ascii_digit);
            if between(name.text) {
                name = fields.next()?;
            }
            let time = Word { text, name: "time", ..word };
            if let Some(name) = name.text.strip_suffix(b":") {
                let name = name.rsplit(|&byte| byte == b':').next().unwrap_or(name);
                return Some(Self { time, unit_ns, name, fields });
            }
            // A line of the function tracer.
            if fields.clone().any(|word| word.text.starts_with(b"<-")) {
                return Some(Self { time, unit_ns, name: b"", fields });
            }
        }
        None
    }
}

/// The digits of a time and the nanoseconds of its unit: `1.5:`, `59us:`, `59us+:` or `59us`, whose colon
/// stands apart. `12:` is one of a clock without a unit.
fn time_of(word: &[u8]) -> Option<(&[u8], Option<u64>)> {
    let bare = word.strip_suffix(b":").unwrap_or(word);
    // What marks a long time since the line before.
    let unmarked = match bare {
        [text @ .., b'+' | b'!' | b'#' | b'*' | b'@' | b'$'] => text,
        _ => bare,
    };
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if let Some(text) = unmarked.strip_suffix(b"us").filter(|text| digits(text)) {
        return Some((text, Some(1000)));
    }
    let colon = bare.len() < word.len();
    let point = bare.iter().position(|&byte| byte == b'.');
    match point {
        Some(point) if colon && digits(&bare[..point]) && digits(&bare[point + 1..]) => {
            Some((bare, Some(1_000_000_000)))
        }
        None if colon && digits(bare) => Some((bare, None)),
        _ => None,
    }
}
