//! Policies of elsewhere that decide at random, called `random:SEED`: whatever a policy may answer, no data get
//! lost.

use super::*;
use slcache_core::base::Problem;
use slcache_core::ftl::window::WindowCounters;
use slcache_core::schemes::custom::{
    set_host, BlockReclaim, Choice, Description, Hooks, Host, Policy, PolicySource, RegionConfig, View,
    Whither, Write,
};

/// Has `random:SEED` and `broken:METHOD` be found.
pub fn register() {
    set_host(Box::new(RandomHost));
}

struct RandomHost;

/// A policy that draws its answers.
#[derive(Clone)]
struct Random {
    state: u64,
    seed: u64,
    /// Whether each region shares its blocks.
    shared: Vec<bool>,
    quotas: Vec<u32>,
    /// The method that answers with an error.
    broken: Option<String>,
}

fn regions(seed: u64) -> Vec<RegionConfig> {
    let region = |name: &str, mode, blocks| RegionConfig { name: name.into(), mode, blocks, victim: None };
    let slc = Some(CellMode::Slc);
    match seed % 3 {
        0 => vec![region("cache", slc, None), region("store", None, None)],
        1 => vec![region("cold", None, None), region("cache", slc, Some(2)), region("hot", None, None)],
        _ => vec![region("first", slc, Some(2)), region("next", None, Some(2)), region("store", None, None)],
    }
}

fn parts(source: &str) -> (u64, Option<String>) {
    let (kind, rest) = source.split_once(':').expect("a source");
    match kind {
        "random" => (rest.parse().expect("a seed"), None),
        _ => (2, Some(rest.to_owned())),
    }
}

impl Host for RandomHost {
    fn describe(&self, given: &PolicySource) -> Result<Description, Vec<Problem>> {
        let (seed, _) = parts(given.source);
        Ok(Description {
            sha256: given.source.into(),
            slc_blocks: Some(3),
            options: BTreeMap::new(),
            regions: regions(seed),
            idle: seed % 3 != 2,
            drain: seed % 2 == 0,
            window_writes: 5 + seed % 7,
            history: seed % 5 == 0,
        })
    }

    fn policy(&self, given: &PolicySource, names: &[String]) -> Result<Box<dyn Policy>, String> {
        let (seed, broken) = parts(given.source);
        if broken.as_deref() == Some("new") {
            return Err("new: broken".into());
        }
        let described = regions(seed);
        assert!(names.iter().zip(&described).all(|(name, region)| *name == region.name));
        let own = |region: &RegionConfig| region.blocks.or((region.mode == Some(CellMode::Slc)).then_some(3));
        let shared = described.iter().map(|region| own(region).is_none()).collect();
        Ok(Box::new(Random { state: seed, seed, shared, quotas: vec![0; described.len()], broken }))
    }
}

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.state >> 33) % bound as u64) as usize
    }

    fn checked(&self, method: &str) -> Result<(), String> {
        match self.broken.as_deref() == Some(method) {
            true => Err(format!("{method}: broken")),
            false => Ok(()),
        }
    }

    fn other(&mut self, region: usize) -> usize {
        let count = self.shared.len();
        (region + 1 + self.below(count - 1)) % count
    }

    fn any(&mut self) -> usize {
        self.below(self.shared.len())
    }

    fn home(&self) -> usize {
        self.shared.iter().rposition(|&shared| shared).expect("one is shared")
    }
}

impl Policy for Random {
    fn hooks(&self) -> Hooks {
        Hooks { place: true, reclaim: self.seed % 4 != 3, idle: self.seed % 3 != 2, window: true }
    }

    fn place(&mut self, write: &Write, view: &View) -> Result<Choice, String> {
        self.checked("place")?;
        let first = self.below(self.shared.len());
        let free = view.free_blocks(first, None);
        assert!(write.bytes > 0 && free as usize <= view.planes() * view.quota(first) as usize);
        let mut choice = Choice::one(first);
        (0..self.shared.len()).for_each(|region| choice.add(region));
        Ok(choice)
    }

    fn reclaim(&mut self, region: usize, view: &View) -> Result<Option<BlockReclaim>, String> {
        self.checked("reclaim")?;
        let wants = view.free_blocks(region, None) == 0 || self.below(4) == 0;
        // At times another region is emptied than the one that is short of blocks.
        let region = if self.below(4) == 0 { self.any() } else { region };
        let to = match self.below(4) {
            0 => Whither::Each,
            1 => Whither::Region(self.other(region)),
            2 => Whither::Region(self.home()),
            _ => Whither::Region(self.any()),
        };
        let closed = view.closed_blocks(region);
        let block =
            (self.below(2) == 0 && !closed.is_empty()).then(|| closed[self.below(closed.len())].block);
        let leaves = !matches!(to, Whither::Each) && to != Whither::Region(region);
        let next =
            BlockReclaim { region, to, block, open: leaves && self.below(2) == 0, uninterrupted: false };
        Ok(wants.then_some(next))
    }

    fn destination(&mut self, page: u32, region: usize, view: &View) -> Result<usize, String> {
        self.checked("destination")?;
        assert!(view.region_of(page).is_some());
        Ok(if self.below(3) == 0 { region } else { self.other(region) })
    }

    /// What shares its blocks goes home or stays, so that there is an end of it.
    fn idle(&mut self, view: &View) -> Result<Option<BlockReclaim>, String> {
        self.checked("idle")?;
        let (open, uninterrupted) = (self.seed % 2 == 1, self.seed % 4 < 2);
        let to = Whither::Region(self.home());
        let own: Vec<usize> = (0..self.shared.len()).filter(|&region| !self.shared[region]).collect();
        let full = own.iter().copied().find(|&region| !view.closed_blocks(region).is_empty());
        if self.below(3) == 0 || full.is_none() {
            let region = self.any();
            let stays = self.below(2) == 0 || region == self.home();
            let to = if stays { Whither::Region(region) } else { to };
            if !view.closed_blocks(region).is_empty() {
                return Ok(Some(BlockReclaim { region, to, block: None, open: false, uninterrupted }));
            }
        }
        let region = full.or(own.into_iter().find(|&region| open && view.live_units(region) > 0));
        Ok(region.map(|region| BlockReclaim { region, to, block: None, open, uninterrupted }))
    }

    fn window(&mut self, _counters: &WindowCounters, view: &View) -> Result<Vec<(usize, u32)>, String> {
        self.checked("window")?;
        let own: Vec<usize> = (0..self.shared.len()).filter(|&region| !self.shared[region]).collect();
        let region = own[self.below(own.len())];
        self.quotas[region] = self.quotas[region].max(view.quota(region));
        let most = self.quotas[region];
        Ok(vec![(region, 1 + self.below(most as usize) as u32)])
    }

    fn figures(&self) -> Result<BTreeMap<String, f64>, String> {
        self.checked("figures")?;
        Ok(BTreeMap::from([("draws".to_owned(), (self.state >> 12) as f64)]))
    }

    fn save(&self) -> Result<String, String> {
        self.checked("save")?;
        Ok(serde_json::to_string(&(self.state, &self.quotas)).expect("plain values"))
    }

    fn load(&mut self, state: &str) -> Result<(), String> {
        self.checked("load")?;
        (self.state, self.quotas) = serde_json::from_str(state).map_err(|error| error.to_string())?;
        Ok(())
    }

    fn copy(&self) -> Result<Box<dyn Policy>, String> {
        self.checked("copy")?;
        Ok(Box::new(self.clone()))
    }
}
