//! The host link: packets over lanes, each direction one message at a time; by keys or by name.

use schemars::{json_schema, JsonSchema, Schema, SchemaGenerator};
use serde::de::{value::MapAccessDeserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A host link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LinkConfig {
    /// Lanes, 1-32.
    pub lanes: u32,
    /// Rate of one lane in MB/s, 1-64000.
    pub lane_mb_per_s: u32,
    /// Payload bytes of a full packet, 1-65536.
    pub payload_bytes: u32,
    /// Header bytes of every packet.
    pub header_bytes: u32,
    /// Fixed cost of a read, ns.
    pub read_overhead_ns: u32,
    /// Fixed cost of a write, ns.
    pub write_overhead_ns: u32,
}

/// The links that have names: lanes, MB/s of one after the line code, payload and header of a packet.
///
/// PCIe carries 128 of 130 bits, in packets of 256 bytes with 24 of headers; SATA 8 of 10 in frames of
/// 8 KiB. Of UFS (gears 3, 4 and 5 on two lanes, 8 of 10 bits) the headers are not counted.
const NAMED: [(&str, [u32; 4]); 7] = [
    ("pcie3x4", [4, 985, 256, 24]),
    ("pcie4x4", [4, 1969, 256, 24]),
    ("pcie5x4", [4, 3938, 256, 24]),
    ("sata", [1, 600, 8192, 560]),
    ("ufs2", [2, 583, 256, 0]),
    ("ufs3", [2, 1166, 256, 0]),
    ("ufs4", [2, 2332, 256, 0]),
];

impl LinkConfig {
    /// The link called `name`; its requests have no fixed cost.
    pub fn named(name: &str) -> Option<Self> {
        let (_, [lanes, lane_mb_per_s, payload_bytes, header_bytes]) =
            *NAMED.iter().find(|(known, _)| *known == name)?;
        let (read_overhead_ns, write_overhead_ns) = (0, 0);
        Some(Self { lanes, lane_mb_per_s, payload_bytes, header_bytes, read_overhead_ns, write_overhead_ns })
    }

    /// Time of a message with `bytes` of data, in whole ns.
    pub fn transfer_ns(&self, bytes: u64) -> u64 {
        let payload = u64::from(self.payload_bytes);
        let header = u64::from(self.header_bytes);
        let rest = bytes % payload;
        let tail = if rest > 0 { rest + header } else { 0 };
        let wire = bytes / payload * (payload + header) + tail;
        (wire.div_ceil(u64::from(self.lanes)) * 1000).div_ceil(u64::from(self.lane_mb_per_s))
    }
}

/// A link by its keys.
#[derive(Deserialize, JsonSchema)]
#[serde(remote = "LinkConfig")]
#[schemars(rename = "LinkKeys")]
#[allow(dead_code)] // the fields are those of `LinkConfig`, which is what is read
struct Keys {
    /// Lanes.
    #[schemars(range(min = 1, max = 32))]
    lanes: u32,
    /// Rate of one lane in MB/s.
    #[schemars(range(min = 1, max = 64_000))]
    lane_mb_per_s: u32,
    /// Payload bytes of a full packet.
    #[schemars(range(min = 1, max = 65_536))]
    payload_bytes: u32,
    /// Header bytes of every packet.
    header_bytes: u32,
    /// Fixed cost of a read, ns.
    read_overhead_ns: u32,
    /// Fixed cost of a write, ns.
    write_overhead_ns: u32,
}

/// What a configuration says of a link: its name, or its keys.
struct NameOrKeys;

impl<'de> Visitor<'de> for NameOrKeys {
    type Value = LinkConfig;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a link or a table of its keys")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<LinkConfig, E> {
        const NAMES: [&str; NAMED.len()] = {
            let mut names = [""; NAMED.len()];
            let mut i = 0;
            while i < names.len() {
                names[i] = NAMED[i].0;
                i += 1;
            }
            names
        };
        LinkConfig::named(name).ok_or_else(|| E::unknown_variant(name, &NAMES))
    }

    fn visit_map<A: MapAccess<'de>>(self, keys: A) -> Result<LinkConfig, A::Error> {
        Keys::deserialize(MapAccessDeserializer::new(keys))
    }
}

impl<'de> Deserialize<'de> for LinkConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrKeys)
    }
}

impl JsonSchema for LinkConfig {
    fn schema_name() -> Cow<'static, str> {
        "LinkConfig".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let names = NAMED.map(|(name, _)| name);
        let keys = generator.subschema_for::<Keys>();
        json_schema!({
            "description": "Host link, by name or by its keys.",
            "anyOf": [{ "type": "string", "enum": names }, keys]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{LinkConfig, NAMED};

    /// MB/s of a long transfer, as the interfaces' own figures give it: rate, line code, packets.
    #[test]
    fn named_links_carry_what_their_interfaces_do() {
        let pcie = |gt: f64| 4.0 * gt * 1e3 * 128.0 / 130.0 / 8.0 * 256.0 / 280.0;
        let ufs = |gbit: f64| 2.0 * gbit * 1e3 * 0.8 / 8.0;
        let wanted = [
            ("pcie3x4", pcie(8.0)),
            ("pcie4x4", pcie(16.0)),
            ("pcie5x4", pcie(32.0)),
            ("sata", 600.0 * 8192.0 / 8752.0),
            ("ufs2", ufs(5.8304)),
            ("ufs3", ufs(11.6608)),
            ("ufs4", ufs(23.3216)),
        ];
        assert_eq!(wanted.map(|(name, _)| name), NAMED.map(|(name, _)| name));
        for (name, mb_per_s) in wanted {
            let found =
                (1u64 << 30) as f64 * 1e3 / LinkConfig::named(name).unwrap().transfer_ns(1 << 30) as f64;
            assert!((found / mb_per_s - 1.0).abs() < 5e-4, "{name}: {found} for {mb_per_s}");
        }
    }
}
