//! Configuration shared by schemes: how a region allocates, cleans and levels wear.

use crate::base::units;
use crate::base::Problem;
use schemars::JsonSchema;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use smart_default::SmartDefault;

/// In which order consecutive logical pages go to planes: the first letter varies fastest
/// (C channel, W way = chip, D die, P plane).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum PlaneOrder {
    Cwdp,
    Cwpd,
    Cdwp,
    Cdpw,
    Cpwd,
    Cpdw,
    Wcdp,
    Wcpd,
    Wdcp,
    Wdpc,
    Wpcd,
    Wpdc,
    Dcwp,
    Dcpw,
    Dwcp,
    Dwpc,
    Dpcw,
    Dpwc,
    Pcwd,
    Pcdw,
    Pwcd,
    Pwdc,
    Pdcw,
    Pdwc,
}

impl PlaneOrder {
    /// The order's letters, fastest first.
    pub fn letters(self) -> String {
        format!("{self:?}").to_uppercase()
    }
}

/// How a page's plane is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// By logical page number, in plane order: a page stays on its plane, which it leaves only while
    /// that has no room. What several logical pages share goes by the first of them.
    Static,
    /// Each write takes the next plane in plane order; of one-shot wordlines each is filled before the
    /// turn goes on, those that hold data from before time 0 too.
    #[default]
    RoundRobin,
    /// Each write takes the next plane in plane order; one-shot wordlines fill side by side, so that
    /// neighbours lie in neighbouring planes. Without a DRAM buffer, writes have to fill a wordline of every
    /// plane before `device.stage_timeout_ns`.
    Striped,
    /// Each write takes the plane whose unit and channel have the least queued work.
    LeastLoaded,
}

/// Which block is cleaned next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Victim {
    /// The block with the fewest live mapping units (the one opened first on ties).
    Greedy,
    /// The block that was opened first.
    Fifo,
    /// A random closed block.
    Random,
    /// The block with the best (1 - u) * age / 2u, u its live share (Rosenblum and Ousterhout 1992).
    CostBenefit,
    /// The block with the best (1 - u) / u * sqrt(age), as separation by lifetime was published with.
    CostBenefitSqrt,
    /// The best of `d` random closed blocks.
    DChoices {
        /// Blocks drawn.
        #[schemars(range(min = 1, max = 64))]
        d: u32,
    },
}

/// Which free block is opened next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WearLevelling {
    /// The block that has been free longest.
    #[default]
    Fifo,
    /// The free block with the fewest erases (dynamic wear levelling).
    Dynamic,
}

/// By what a dense store keeps data that die together in blocks of their own: those of a class share an
/// open block of each plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Separation {
    /// One open block for what comes in, and with `separate_frontier` one for what cleaning moves.
    #[default]
    None,
    /// Six classes by the age of what a write supersedes, and of what cleaning moves (SepBIT, FAST 2022).
    #[serde(rename = "sepbit")]
    SepBit,
    /// By a decayed count of writes, its logarithm to base 2; the last class is what cleaning moves.
    Streams {
        /// Open blocks per plane.
        #[schemars(range(min = 2, max = 8))]
        classes: u32,
    },
    /// By how often cleaning has moved them.
    AgeChain {
        /// Open blocks per plane.
        #[schemars(range(min = 2, max = 8))]
        classes: u32,
    },
    /// By when they die, which a first pass over the trace tells: no device can know. Six classes, the first
    /// up to 4 rows of blocks from now, each further one twice as long.
    Oracle,
    /// The same by six equal classes of a row of blocks: a block of every plane.
    OracleLinear,
    /// By the hints that come with writes, `hint` modulo `classes`.
    Hint {
        /// Classes of hints.
        #[schemars(range(min = 1, max = 7))]
        classes: u32,
        /// What cleaning does with them.
        isolated: Isolated,
    },
}

/// How long data of different hints stay apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Isolated {
    /// Until cleaning moves them, all to one block.
    Initially,
    /// As long as they live.
    Persistently,
}

impl Separation {
    /// Classes of SepBIT and of the oracles.
    pub const CLASSES: u32 = 6;
    /// The largest share of a plane's blocks that may be open.
    const OPEN_SHARE_MAX: f64 = 0.05;

    pub fn is_none(&self) -> bool {
        *self == Self::None
    }

    /// Whether it asks what the trace will do.
    pub fn foresees(self) -> bool {
        matches!(self, Self::Oracle | Self::OracleLinear)
    }

    /// Classes, each with an open block per plane; 0 where nothing is separated.
    pub fn classes(self) -> u32 {
        match self {
            Self::None => 0,
            Self::SepBit | Self::Oracle | Self::OracleLinear => Self::CLASSES,
            Self::Streams { classes } | Self::AgeChain { classes } => classes,
            Self::Hint { classes, isolated } => classes + u32::from(isolated == Isolated::Initially),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::SepBit => "sepbit",
            Self::Streams { .. } => "streams",
            Self::AgeChain { .. } => "age-chain",
            Self::Oracle => "oracle",
            Self::OracleLinear => "oracle-linear",
            Self::Hint { .. } => "hint",
        }
    }
}

/// How a region is cleaned.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct CleanConfig {
    /// Which block is cleaned next.
    #[default(Victim::Greedy)]
    pub victim: Victim,
    /// Cleaning starts when a plane has fewer free blocks than this share of the region's.
    #[schemars(range(min = 0.0, max = 0.9))]
    pub start_free_ratio: f64,
    /// Cleaning never starts later than at this many free blocks per plane.
    #[schemars(range(min = 1, max = Self::START_FREE_BLOCKS_MAX))]
    #[default(2)]
    pub start_free_blocks: u32,
    /// Moved pages go to a frontier of their own instead of the host's.
    #[default(true)]
    pub separate_frontier: bool,
    /// By what data are kept apart that do not die together.
    pub separation: Separation,
    /// Which free block is opened next.
    #[default(WearLevelling::Fifo)]
    pub wear_levelling: WearLevelling,
    /// In idle time, clean until this share of the plane's blocks is free; 0 = no idle cleaning.
    #[schemars(range(min = 0.0, max = 0.9))]
    pub idle_free_ratio: f64,
}

/// Documents say nothing of a store that separates nothing; snapshots have every field.
impl Serialize for CleanConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_told = !self.separation.is_none() || !serializer.is_human_readable();
        let mut fields = serializer.serialize_struct("CleanConfig", 6 + usize::from(is_told))?;
        fields.serialize_field("victim", &self.victim)?;
        fields.serialize_field("start_free_ratio", &self.start_free_ratio)?;
        fields.serialize_field("start_free_blocks", &self.start_free_blocks)?;
        fields.serialize_field("separate_frontier", &self.separate_frontier)?;
        match is_told {
            true => fields.serialize_field("separation", &self.separation)?,
            false => fields.skip_field("separation")?,
        }
        fields.serialize_field("wear_levelling", &self.wear_levelling)?;
        fields.serialize_field("idle_free_ratio", &self.idle_free_ratio)?;
        fields.end()
    }
}

impl CleanConfig {
    /// The most free blocks that cleaning may keep by number.
    pub const START_FREE_BLOCKS_MAX: u32 = 1024;

    /// Blocks of a plane that are open at a time.
    pub fn open_blocks(&self) -> u32 {
        match self.separation.classes() {
            0 => 1 + u32::from(self.separate_frontier),
            classes => classes,
        }
    }

    /// Adds every problem of a store's separation in planes of `blocks` blocks; `key` is the section's dotted
    /// place.
    pub fn check_separation(&self, key: &str, blocks: u32, problems: &mut Vec<Problem>) {
        let (name, open) = (self.separation.name(), self.separation.classes());
        let most = (f64::from(blocks) * Separation::OPEN_SHARE_MAX) as u32;
        // Two are open without separation, too.
        if open > most.max(2) {
            let allowed = format!(
                "what keeps at most {} blocks of a plane open, 5 % of its {blocks}, or 2; this keeps {open}",
                most.max(2)
            );
            problems.push(Problem::new(format!("{key}.separation"), name, allowed));
        }
        if open > 0 && !self.separate_frontier {
            let allowed =
                format!("true beside {key}.separation = \"{name}\", which has frontiers of its own");
            problems.push(Problem::new(format!("{key}.separate_frontier"), false, allowed));
        }
    }

    /// Adds a problem where data are to be separated in a region of which the scheme says where they go.
    pub fn check_unseparated(&self, key: &str, why: &str, problems: &mut Vec<Problem>) {
        if !self.separation.is_none() {
            let allowed = format!("none: {why}");
            problems.push(Problem::new(format!("{key}.separation"), self.separation.name(), allowed));
        }
    }

    /// Free blocks per plane below which cleaning starts, of `blocks` the region has per plane.
    pub fn threshold(&self, blocks: u32) -> u32 {
        (libm::floor(self.start_free_ratio * f64::from(blocks)) as u32).max(self.start_free_blocks)
    }
}

/// When a write is complete that waits to be packed with others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MergeAcknowledge {
    /// When the page that holds it is programmed.
    #[default]
    OnProgram,
    /// When it is held, as long as the buffer has room for it and for what is being programmed.
    OnBuffer,
    /// When it is held, where it only waits for others; the write that makes a page full, or finds
    /// no room and so has one programmed, with that page.
    OnFill,
}

/// What ends the waiting of pieces that fill no page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MergeWait {
    /// `timeout_ns`.
    #[default]
    Timeout,
    /// Others that fill the page, a full buffer, a flush or the end of the run.
    UntilFull,
}

/// How partial writes wait for others to share a page with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct MergeConfig {
    /// What ends the waiting of pieces that fill no page.
    #[default(MergeWait::Timeout)]
    pub wait: MergeWait,
    /// How long a piece waits before its page is programmed with what there is, ns, at most a day.
    #[schemars(range(min = 1, max = 86_400_000_000_000u64))]
    #[default(100_000)]
    pub timeout_ns: u64,
    /// Size of the buffer, bytes (integer or a string such as "256KiB"): one logical page to 4 MiB.
    /// When it is full, the oldest pieces are programmed at once.
    #[serde(deserialize_with = "units::bytes")]
    #[schemars(with = "units::Bytes")]
    #[schemars(range(max = 4 << 20))]
    #[default(256 << 10)]
    pub buffer_bytes: u64,
    /// When a waiting write is complete.
    #[default(MergeAcknowledge::OnProgram)]
    pub acknowledge: MergeAcknowledge,
}

impl MergeConfig {
    /// Adds every problem; `key` is the section's dotted place.
    pub fn check(&self, key: &str, piece_bytes: u32, problems: &mut Vec<Problem>) {
        if self.buffer_bytes < u64::from(piece_bytes) {
            let allowed = format!("at least {piece_bytes}, a logical page");
            problems.push(Problem::new(format!("{key}.buffer_bytes"), self.buffer_bytes, allowed));
        }
        if self.wait == MergeWait::UntilFull && self.acknowledge == MergeAcknowledge::OnProgram {
            let allowed = format!(
                "on-buffer or on-fill beside {key}.wait = \"until-full\": a write could wait for ever"
            );
            problems.push(Problem::new(format!("{key}.acknowledge"), "on-program", allowed));
        }
    }

    /// Why the parameter `key` of a scheme that merges changes nothing, if it does not.
    pub fn moot(&self, key: &str) -> Option<&'static str> {
        (key == "merge.timeout_ns" && self.wait == MergeWait::UntilFull)
            .then_some("pieces wait until they fill a page (merge.wait = \"timeout\" ends that sooner)")
    }
}
