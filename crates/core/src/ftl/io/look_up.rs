//! Look-ups in the mapping cache, and what they read, program and clean in the home of its pages.

use super::Io;
use crate::base::op::{Cause, Class, OpKind};
use crate::base::{BlockId, Mu, Ppn};
use crate::ftl::translation::{Home, HomePage, Lookup, Lru, MapCache, MapFetches};
use crate::hw::timing::{OpId, OpSpec, RequestId};

/// What a request waits for until its map entries are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookUp {
    /// Reads for which it is held.
    pub loads: u32,
    /// Look-ups that find their page, ns.
    pub access_ns: u64,
}

impl Io {
    /// Whether a part of the map may be missing.
    #[inline(always)]
    pub fn has_map_cache(&self) -> bool {
        self.map.is_some()
    }

    pub fn map_cache(&self) -> Option<&MapCache> {
        self.map.as_deref()
    }

    /// Looks up the entries of units `first` to `last`, which are changed by a write, once for each
    /// translation page; `request` is held until those that have to be read are there.
    pub(crate) fn look_up(&mut self, first: Mu, last: Mu, change: bool, request: RequestId) -> LookUp {
        let mut found = LookUp::default();
        let Some(mut map) = self.map.take() else { return found };
        self.begin_look_up(&mut map);
        map.emptying.iter_mut().for_each(MapFetches::begin);
        for tp in first.0 / map.entries..=last.0 / map.entries {
            let hit = self.touch_translation(&mut map, tp, change, Class::HostRead);
            found.access_ns += if hit { u64::from(map.access_ns) } else { 0 };
            let (op, serial) = map.loads[tp as usize];
            if self.is_coming(op, serial) {
                found.loads += 1;
                self.timing.raise(op, Class::HostRead);
                self.timing.hold_request(request);
                self.timing.notify_held(op, request);
            }
        }
        self.map = Some(map);
        found
    }

    /// Looks up the entries of the units that the scheme has moved to `page`, each translation page once for
    /// every block that is emptied; the erase of that block waits for those that have to be read.
    #[cold]
    pub(super) fn look_up_moved(&mut self, page: Ppn, class: Class) {
        let Some(mut map) = self.map.take() else { return };
        if map.emptying.is_some() && !self.clockless {
            for slot in 0..self.array().page_tags(page).len() {
                let tag = self.array().page_tags(page)[slot];
                if tag != 0 {
                    let tp = (tag - 1) / map.entries;
                    self.look_up_for_move(&mut map, tp, class);
                }
            }
        }
        self.map = Some(map);
    }

    fn look_up_for_move(&mut self, map: &mut MapCache, tp: u32, class: Class) {
        if !map.emptying.as_mut().is_some_and(|emptying| emptying.asks(tp)) {
            return;
        }
        self.begin_look_up(map);
        map.counts.for_moves += 1;
        self.touch_translation(map, tp, true, class);
        let (op, serial) = map.loads[tp as usize];
        if self.is_coming(op, serial) {
            self.timing.raise(op, class);
            map.emptying.iter_mut().for_each(|emptying| emptying.loads.push((op, serial)));
        }
    }

    /// Adds what the erase of an emptied block has to wait for in the map to `after`.
    pub(super) fn end_emptying(&mut self, after: &mut Vec<OpId>) {
        let Some(emptying) = self.map.as_mut().and_then(|map| map.emptying.as_mut()) else { return };
        let timing = &self.timing;
        after.extend(
            emptying.loads.iter().filter(|load| timing.is_in_flight(load.0, load.1)).map(|load| load.0),
        );
        emptying.end();
    }

    /// Finds page `tp` in the cache or reads it; whether it was there.
    fn touch_translation(&mut self, map: &mut MapCache, tp: u32, change: bool, class: Class) -> bool {
        match map.lru.touch(tp, change) {
            Lookup::Hit => map.counts.hits += 1,
            Lookup::Miss { evicted } => {
                map.counts.misses += 1;
                self.evict_translation(map, evicted);
                self.load_translation(map, tp, class);
                return false;
            }
        }
        true
    }

    fn begin_look_up(&mut self, map: &mut MapCache) {
        if !map.begun {
            self.begin_map(map);
        }
    }

    /// Sends every changed page home and programs what waits, as a flush does that nothing protects;
    /// `request` is held until it is done.
    pub(crate) fn flush_map(&mut self, request: RequestId) {
        let Some(mut map) = self.map.take() else { return };
        let dirty: Vec<u32> = map.lru.iter().filter(|&(_, dirty)| dirty).map(|(tp, _)| tp).collect();
        let mut programs = Vec::new();
        for tp in dirty {
            map.lru.clean(tp);
            programs.extend(self.send_home(&mut map, tp));
        }
        if !map.home.buffered().is_empty() {
            programs.push(self.program_translations(&mut map));
            self.clean_home(&mut map);
        }
        for op in programs {
            self.timing.hold_request(request);
            self.timing.notify_held(op, request);
        }
        self.map = Some(map);
    }

    /// Before time 0: the pages of all data are in flash, and in the cache as if the data had been
    /// written in the order of their addresses.
    fn begin_map(&mut self, map: &mut MapCache) {
        map.begun = true;
        let mus = self.mus();
        for tp in 0..mus.div_ceil(map.entries) {
            let end = ((tp + 1) * map.entries).min(mus);
            if !(tp * map.entries..end).any(|mu| self.lookup(Mu(mu)).is_some()) {
                continue;
            }
            if !map.home.holds(tp) && map.home.put(tp) {
                let at = map.home.program();
                self.timing.set_done(BlockId(map.first_block + at.block), at.page + 1);
            }
            map.lru.touch(tp, false);
        }
    }

    /// Takes a snapshot's part into a new mapping cache, or says why it does not fit.
    pub(super) fn resume_map(&mut self, state: Option<(Lru, Home, bool)>) -> Result<(), String> {
        let (map, (lru, home, begun)) = match (self.map.as_deref_mut(), state) {
            (None, None) => return Ok(()),
            (Some(map), Some(state)) if state.0.is_like(&map.lru) && state.1.is_like(&map.home) => {
                (map, state)
            }
            _ => return Err("the mapping cache of another device".to_owned()),
        };
        (map.lru, map.home, map.begun) = (lru, home, begun);
        for (block, pages) in map.home.written() {
            self.timing.set_done(BlockId(map.first_block + block), pages);
        }
        Ok(())
    }

    fn is_coming(&self, op: OpId, serial: u64) -> bool {
        !op.is_none() && self.timing.is_in_flight(op, serial)
    }

    fn evict_translation(&mut self, map: &mut MapCache, evicted: Option<(u32, bool)>) {
        match evicted {
            Some((old, true)) => {
                map.counts.evicted_dirty += 1;
                self.send_home(map, old);
            }
            Some((_, false)) => map.counts.evicted_clean += 1,
            None => {}
        }
    }

    /// Reads page `tp` behind an earlier read of it, unless it was never written or the controller
    /// still has it.
    fn load_translation(&mut self, map: &mut MapCache, tp: u32, class: Class) {
        let Some(at) = map.home.find(tp) else { return };
        let block = BlockId(map.first_block + at.block);
        let mut after = [OpId::NONE; 2];
        let mut count = 0;
        let (earlier, serial) = map.loads[tp as usize];
        if self.is_coming(earlier, serial) {
            after[0] = earlier;
            count = 1;
        }
        if self.timing.in_flight(block, at.page) {
            if self.policy.inflight_from_buffer {
                return;
            }
            after[count] = self.timing.program_of(block, at.page);
            count += 1;
        }
        map.counts.reads += 1;
        let op = self.emit_map(map, OpKind::Read, class, at, 1, &after[..count]);
        map.loads[tp as usize] = (op, self.timing.serial(op));
    }

    /// Puts a changed page into the buffer; the program, if that fills it.
    fn send_home(&mut self, map: &mut MapCache, tp: u32) -> Option<OpId> {
        map.sources.push(map.loads[tp as usize]);
        if !map.home.put(tp) {
            return None;
        }
        let program = self.program_translations(map);
        self.clean_home(map);
        Some(program)
    }

    /// Programs what is in the buffer.
    fn program_translations(&mut self, map: &mut MapCache) -> OpId {
        let count = map.home.buffered().len() as u32;
        let at = map.home.program();
        let mut after = std::mem::take(&mut self.scratch);
        after.clear();
        let coming = map.sources.drain(..).filter(|&(op, serial)| self.is_coming(op, serial));
        after.extend(coming.map(|(op, _)| op));
        let op = self.emit_map(map, OpKind::Program, Class::HostWrite, at, count, &after);
        self.scratch = after;
        op
    }

    /// Empties blocks of the home until enough are free.
    fn clean_home(&mut self, map: &mut MapCache) {
        while let Some(victim) = map.home.victim() {
            self.clean_home_block(map, victim);
        }
    }

    fn clean_home_block(&mut self, map: &mut MapCache, victim: u32) {
        for page in 0..map.home.pages_per_block() {
            self.move_translations(map, HomePage { block: victim, page });
        }
        if !self.policy.plp && !map.home.buffered().is_empty() {
            let program = self.program_translations(map);
            map.programs.push(program);
        }
        let programs = std::mem::take(&mut map.programs);
        let at = HomePage { block: victim, page: 0 };
        self.emit_map(map, OpKind::Erase, Class::Urgent, at, 0, &programs);
        map.programs = programs;
        map.programs.clear();
        map.home.erase(victim);
    }

    /// Moves what lives in a flash page of the home.
    fn move_translations(&mut self, map: &mut MapCache, at: HomePage) {
        let mut moving = std::mem::take(&mut map.moving);
        moving.extend(map.home.live_in(at));
        // What is not programmed yet is still in the controller.
        if !moving.is_empty() && !self.timing.in_flight(BlockId(map.first_block + at.block), at.page) {
            let read = self.emit_map(map, OpKind::Read, Class::Urgent, at, moving.len() as u32, &[]);
            map.sources.push((read, self.timing.serial(read)));
        }
        map.counts.moved += moving.len() as u64;
        for tp in moving.drain(..) {
            if map.home.put(tp) {
                let program = self.program_translations(map);
                map.programs.push(program);
            }
        }
        map.moving = moving;
    }

    /// Emits an operation on `count` translation pages of a flash page, or the erase of its block.
    fn emit_map(
        &mut self,
        map: &MapCache,
        kind: OpKind,
        class: Class,
        at: HomePage,
        count: u32,
        after: &[OpId],
    ) -> OpId {
        let (pool, mode) = map.at;
        let geometry = &self.media.array().geometry;
        let plane =
            geometry.planes[(geometry.pools[pool].first_plane + map.home.plane_of(at.block)) as usize];
        let (read_ns, program_ns) = geometry.page_times_ns(pool, mode, at.page);
        let whole = kind == OpKind::Read && self.policy.reads_whole_pages;
        let (bus, bytes) = (&plane.bus, if whole { plane.page_bytes } else { count * map.page_bytes });
        let block = BlockId(map.first_block + at.block);
        let vary = |ns| geometry.varied_ns(pool, mode, block, at.page, ns);
        let (array_ns, in_ns, out_ns) = match kind {
            OpKind::Read => (read_ns, bus.read_command_ns, bus.read_data_ns + bus.transfer_ns(bytes)),
            OpKind::Erase => (geometry.pools[pool].mode(mode).erase_ns, bus.erase_command_ns, 0),
            _ => (vary(program_ns), bus.program_command_ns + bus.transfer_ns(bytes), 0),
        };
        let slots = u64::from(plane.slots);
        let totals = self.counters.at(pool, kind, mode, Cause::Map);
        totals.count += 1;
        totals.time_ns += u64::from(array_ns) + u64::from(in_ns) + u64::from(out_ns);
        match kind {
            OpKind::Erase => self.series.current().erases += 1,
            OpKind::Read => {
                totals.pages += 1;
                totals.bytes += u64::from(bytes);
            }
            _ => {
                totals.pages += 1;
                totals.bytes += u64::from(plane.page_bytes);
                totals.slots += slots;
                self.series.current().program_pages[Cause::Map as usize] += 1;
            }
        }
        let spec = OpSpec {
            mode: Some(mode),
            plane_in_die: plane.in_die,
            page: at.page as u16,
            array_ns,
            in_ns,
            out_ns,
            ..OpSpec::new(kind, Cause::Map, class, block, plane.unit)
        };
        self.timing.emit(spec, after)
    }
}
