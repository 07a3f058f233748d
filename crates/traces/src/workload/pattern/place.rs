//! Where random requests go.

use super::super::random::{Permutation, Random, Zipf};

/// How the places of a stream are drawn, before scattering.
#[derive(Clone, Debug)]
pub(super) enum Draw {
    Uniform,
    Zipf(Zipf),
    /// fio's: place = `len * u^exponent`.
    Pareto(f64),
    Zones(Box<[Zone]>),
}

/// A part of the places with a share of the accesses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Zone {
    /// Accesses to this zone and those before it, from 0 to 1.
    accesses_up_to: f64,
    first: u64,
    places: u64,
}

/// Draws places `0..len`.
#[derive(Clone, Debug)]
pub(super) struct PatternPlaces {
    len: u64,
    draw: Draw,
    scatter: Option<Permutation>,
}

impl PatternPlaces {
    /// Places `0..len` by the distribution `text`; `scatter_key` scrambles them.
    pub(super) fn parse(
        text: &str,
        len: u64,
        scramble: Option<bool>,
        scatter_key: u64,
    ) -> Result<Self, String> {
        let (name, settings) = text.split_once(':').unwrap_or((text, ""));
        let draw = match name {
            "random" if settings.is_empty() => Draw::Uniform,
            "zipf" => Draw::Zipf(Zipf::new(len, number(settings, 0.0, 20.0, "skew")?)),
            "pareto" => {
                let h = number(settings, 0.001, 0.999, "H")?;
                Draw::Pareto(libm::log(h) / libm::log(1.0 - h))
            }
            "zoned" => Draw::Zones(zones(settings, len)?),
            "hotcold" => Draw::Zones(hot_cold(settings, len)?),
            _ => {
                return Err(format!(
                    "\"{text}\" is not allowed; allowed: random, zipf:SKEW, pareto:H, \
                     zoned:ACCESSES/SIZE:..., hotcold:ACCESSES/SIZE"
                ))
            }
        };
        let skewed = matches!(draw, Draw::Zipf(_) | Draw::Pareto(_));
        let scatter = scramble.unwrap_or(skewed).then(|| Permutation::new(len, scatter_key));
        Ok(Self { len, draw, scatter })
    }

    #[inline]
    pub(super) fn draw(&self, random: &mut Random) -> u64 {
        let place = match &self.draw {
            Draw::Uniform => random.below(self.len),
            Draw::Zipf(zipf) => zipf.draw(random),
            Draw::Pareto(exponent) => {
                let place = libm::pow(random.unit(), *exponent) * self.len as f64;
                (place as u64).min(self.len - 1)
            }
            Draw::Zones(zones) => {
                let at = random.unit();
                let zone = zones.iter().find(|zone| at < zone.accesses_up_to);
                let zone = zone.unwrap_or(&zones[zones.len() - 1]);
                zone.first + random.below(zone.places)
            }
        };
        match &self.scatter {
            None => place,
            Some(permutation) => permutation.apply(place),
        }
    }
}

fn number(text: &str, least: f64, most: f64, what: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("\"{text}\" is no {what}; allowed: a number from {least} to {most}"))
}

/// `ACCESSES/SIZE:ACCESSES/SIZE:...` in percent; what is left of both at the
/// end goes evenly over the rest.
fn zones(text: &str, len: u64) -> Result<Box<[Zone]>, String> {
    let mut parts = Vec::new();
    for part in text.split(':') {
        let (accesses, size) =
            part.split_once('/').ok_or_else(|| format!("\"{part}\": write ACCESSES/SIZE in percent"))?;
        parts.push((number(accesses, 0.0, 100.0, "percentage")?, number(size, 0.0, 100.0, "percentage")?));
    }
    let accesses: f64 = parts.iter().map(|(accesses, _)| accesses).sum();
    let size: f64 = parts.iter().map(|(_, size)| size).sum();
    if accesses > 100.0 + 1e-9 || size > 100.0 + 1e-9 {
        return Err(format!("{accesses} % of the accesses to {size} % of the size; allowed: up to 100 each"));
    }
    let (accesses_left, size_left) = (100.0 - accesses, 100.0 - size);
    if (accesses_left > 1e-9) != (size_left > 1e-9) {
        return Err(format!("{accesses_left} % of the accesses are left for {size_left} % of the size"));
    }
    if size_left > 1e-9 {
        parts.push((accesses_left, size_left));
    }
    let (mut accesses, mut size, mut first) = (0.0, 0.0, 0);
    let mut zones = Vec::new();
    for (share, extent) in parts {
        accesses += share / 100.0;
        size += extent / 100.0;
        let end = (libm::round(size * len as f64) as u64).min(len);
        if end == first && share > 0.0 {
            return Err(format!("a zone of {extent} % of {len} places holds none"));
        }
        if share > 0.0 {
            zones.push(Zone { accesses_up_to: accesses, first, places: end - first });
        }
        first = end;
    }
    if zones.is_empty() {
        return Err("no zone has accesses".to_owned());
    }
    Ok(zones.into())
}

/// One hot zone and the rest.
fn hot_cold(text: &str, len: u64) -> Result<Box<[Zone]>, String> {
    if text.contains(':') {
        return Err("write hotcold:ACCESSES/SIZE, one pair".to_owned());
    }
    zones(text, len)
}

impl PatternPlaces {
    /// These places, scattered by another key.
    pub(super) fn with_key(mut self, key: u64) -> Self {
        self.scatter = self.scatter.map(|permutation| permutation.keyed(key));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share_below(text: &str, bound: u64) -> f64 {
        let places = PatternPlaces::parse(text, 10_000, Some(false), 0).unwrap();
        let mut random = Random::new(9, 0, "place");
        let hits = (0..200_000).filter(|_| places.draw(&mut random) < bound).count();
        hits as f64 / 200_000.0
    }

    #[test]
    fn zones_take_their_share() {
        // Four standard deviations of 200 000 draws are 0.0036 at most.
        assert!((share_below("hotcold:90/10", 1000) - 0.9).abs() < 0.0036);
        assert!((share_below("zoned:60/10:30/20:8/30:2/40", 1000) - 0.6).abs() < 0.0045);
        assert!((share_below("zoned:60/10:30/20:8/30:2/40", 3000) - 0.9).abs() < 0.0036);
        assert!((share_below("random", 2500) - 0.25).abs() < 0.0039);
        // Pareto with h = 0.2: a fifth of the places takes four fifths of the accesses.
        assert!((share_below("pareto:0.2", 2000) - 0.8).abs() < 0.0036);
    }

    #[test]
    fn scrambling_moves_places_and_keeps_their_popularity() {
        let count = |scramble| {
            let places = PatternPlaces::parse("zipf:1.2", 1000, Some(scramble), 4).unwrap();
            let mut random = Random::new(9, 0, "place");
            let mut counts = vec![0u32; 1000];
            (0..50_000).for_each(|_| counts[places.draw(&mut random) as usize] += 1);
            counts
        };
        let (plain, mut scrambled) = (count(false), count(true));
        assert_ne!(plain, scrambled);
        let mut plain = plain;
        plain.sort_unstable();
        scrambled.sort_unstable();
        assert_eq!(plain, scrambled);
    }

    #[test]
    fn bad_distributions_are_refused() {
        for text in
            ["zipf", "zipf:-1", "pareto:0", "zoned:90/10:20/90", "zoned:90/100", "hotcold:90", "normal:5"]
        {
            assert!(PatternPlaces::parse(text, 1000, None, 0).is_err(), "{text}");
        }
        assert!(PatternPlaces::parse("hotcold:90/1", 10, None, 0).is_err());
    }
}
