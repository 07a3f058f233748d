//! The keys of one stream of a pattern workload, named as in fio where fio has them.

use super::super::quantity::{SizeBytes, SizeText};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! stream_spec {
    ($($(#[$doc:meta])* $field:ident: $type:ty,)*) => {
        /// One stream of requests. Everything left out is taken from `global`.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct StreamSpec {
            $($(#[$doc])* pub $field: Option<$type>,)*
        }

        impl StreamSpec {
            /// This stream, with what it leaves out taken from `global`.
            pub(in crate::workload) fn over(&self, global: &Self) -> Self {
                Self { $($field: self.$field.clone().or_else(|| global.$field.clone()),)* }
            }
        }
    };
}

stream_spec! {
    /// A name for messages.
    name: String,
    /// Number of the stream (volume, namespace or queue) in the requests; default 0.
    stream: u16,
    /// Its part of the requests, relative to the other streams; default 1.
    weight: f64,
    /// `read`, `write`, `trim`, `rw` (sequential) or `randread`, `randwrite`,
    /// `randtrim`, `randrw` (random); required.
    rw: String,
    /// Reads among the reads and writes of `rw` and `randrw`, in percent; default 50.
    rwmixread: f64,
    /// Trims among the requests of a stream that reads or writes, from 0 to 1; default 0.
    trim_share: f64,
    /// Size of every request: `"4k"`, or one each for reads, writes and trims:
    /// `"4k,16k,1M"`; default 4k.
    bs: SizeText,
    /// Sizes with weights: `"4k/60:16k/40"`, or such a list each for reads,
    /// writes and trims with commas between.
    bssplit: String,
    /// Sizes drawn evenly from a range in steps of `blockalign`: `"4k-64k"`, or
    /// one range each for reads, writes and trims with commas between.
    bsrange: String,
    /// Sizes in steps of `blockalign` with a given mean: `"geometric:MEAN:MAX"`
    /// or `"lognormal:MEAN:SIGMA:MAX"`, or one each with commas between.
    bs_distribution: String,
    /// Requests start at multiples of this; default the smallest size of all.
    blockalign: SizeBytes,
    /// Requests moved off `blockalign` to another multiple of 512, from 0 to 1; default 0.
    unaligned_share: f64,
    /// Where random requests go: `random` (uniform), `zipf:SKEW`, `pareto:H`,
    /// `zoned:ACCESSES/SIZE:...` in percent, or `hotcold:ACCESSES/SIZE` (a hot
    /// part and the rest); default `random`.
    random_distribution: String,
    /// Whether places of similar popularity are scattered over the address
    /// space; default `true` for `zipf` and `pareto`, otherwise `false`.
    scramble: bool,
    /// Random requests among all of a random stream, in percent; the others
    /// continue where the last one of their kind ended; default 100.
    percentage_random: f64,
    /// First byte of the stream's part of the footprint; default 0.
    offset: SizeBytes,
    /// Bytes of the stream's part of the footprint; default all behind `offset`.
    size: SizeBytes,
    /// A flush after every so many writes; default none.
    fsync: u64,
    /// Flushes among the requests, from 0 to 1; default 0.
    flush_share: f64,
}
