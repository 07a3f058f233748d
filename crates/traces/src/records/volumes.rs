//! Which volume a record names, and what becomes of it.

use crate::error::quote::quoted;
use crate::error::LineFault;
use crate::options::VolumeChoice;
use crate::summary::VolumeCount;
use rustc_hash::FxHashMap;

/// Most streams: a request numbers its stream in 16 bits.
const STREAMS_MAX: usize = 1 << 16;
/// Most volumes told apart at all, which bounds memory on damaged input.
const VOLUMES_MAX: usize = 1 << 20;

/// Tells volumes apart and applies the user's choice.
pub(crate) struct Volumes {
    choice: VolumeChoice,
    /// How the format turns the bytes that name a volume into its name.
    name_of: fn(&[u8]) -> String,
    known: FxHashMap<Box<[u8]>, usize>,
    /// The volume of the previous record: most traces name the same one again.
    last_key: Vec<u8>,
    last_place: usize,
    /// Its stream, once it was given one.
    last_stream: Option<u16>,
}

impl Volumes {
    /// With the user's (or the format's) choice.
    pub(crate) fn new(choice: VolumeChoice, name_of: fn(&[u8]) -> String) -> Self {
        Self {
            choice,
            name_of,
            known: FxHashMap::default(),
            last_key: Vec::new(),
            last_place: usize::MAX,
            last_stream: None,
        }
    }

    /// The stream of a record; `None` when its volume is not the chosen one.
    #[inline]
    pub(crate) fn stream(
        &mut self,
        key: &[u8],
        counts: &mut Vec<VolumeCount>,
    ) -> Result<Option<u16>, LineFault> {
        if self.last_place == usize::MAX || key != self.last_key.as_slice() {
            self.last_stream = None;
            self.last_place = self.place(key, counts)?;
            self.last_key.clear();
            self.last_key.extend_from_slice(key);
        }
        let place = self.last_place;
        counts[place].requests += 1;
        self.last_stream = self.settle(place, counts)?;
        Ok(self.last_stream)
    }

    /// The stream of a record, not counted yet, whose volume is that of the record before and taken.
    #[inline]
    pub(crate) fn again(&self, key: &[u8]) -> Option<u16> {
        let same = match (key, self.last_key.as_slice()) {
            // Shorter than a call to compare memory.
            ([one], [other]) => one == other,
            (key, last) => key == last,
        };
        self.last_stream.filter(|_| same)
    }

    /// The stream of a volume named before, if it is taken; counts nothing.
    pub(crate) fn known(&self, key: &[u8], counts: &[VolumeCount]) -> Option<u16> {
        self.settle(*self.known.get(key)?, counts).ok().flatten()
    }

    /// Counts a record that [`Self::again`] gave a stream.
    #[inline]
    pub(crate) fn count_again(&self, counts: &mut [VolumeCount]) {
        counts[self.last_place].requests += 1;
    }

    /// The stream of a volume as the user chose it.
    fn settle(&self, place: usize, counts: &[VolumeCount]) -> Result<Option<u16>, LineFault> {
        match &self.choice {
            VolumeChoice::Merge => Ok(Some(0)),
            VolumeChoice::Error if place == 0 => Ok(Some(0)),
            VolumeChoice::Error => {
                Err(LineFault::SecondVolume { volume: counts[place].name.clone().into_bytes() })
            }
            VolumeChoice::Each => match u16::try_from(place) {
                Ok(stream) => Ok(Some(stream)),
                Err(_) => Err(LineFault::TooManyVolumes { limit: STREAMS_MAX }),
            },
            VolumeChoice::Named(name) => Ok((*name == counts[place].name).then_some(0)),
        }
    }

    fn place(&mut self, key: &[u8], counts: &mut Vec<VolumeCount>) -> Result<usize, LineFault> {
        if let Some(&place) = self.known.get(key) {
            return Ok(place);
        }
        if counts.len() == VOLUMES_MAX {
            return Err(LineFault::TooManyVolumes { limit: VOLUMES_MAX });
        }
        let place = counts.len();
        self.known.insert(key.into(), place);
        let name = (self.name_of)(key);
        counts.push(VolumeCount { name, requests: 0 });
        Ok(place)
    }

    /// The names of the volumes by stream; none where several share a stream.
    pub(crate) fn stream_names(&self, counts: &[VolumeCount]) -> Vec<String> {
        let names = || counts.iter().map(|count| count.name.clone());
        match &self.choice {
            VolumeChoice::Each => names().collect(),
            VolumeChoice::Named(name) => vec![name.clone()],
            VolumeChoice::Error => names().take(1).collect(),
            VolumeChoice::Merge => Vec::new(),
        }
    }

    /// The volume asked for by name, when the file does not hold it.
    pub(crate) fn missing(&self, counts: &[VolumeCount]) -> Option<&str> {
        match &self.choice {
            VolumeChoice::Named(name) if !counts.iter().any(|count| count.name == *name) => Some(name),
            _ => None,
        }
    }
}

/// A volume's bytes as its name, as they are where they are plain text.
pub(crate) fn plain_name(key: &[u8]) -> String {
    match std::str::from_utf8(key) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => quoted(key),
    }
}
