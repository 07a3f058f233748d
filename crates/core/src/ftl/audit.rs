//! The proof that map, array and counters agree, that no data are lost and that every block used is accounted for, once.

use super::io::Io;
use super::media::{Media, Versions};
use crate::base::{prefetch, BlockId, Mu};

/// Checks every invariant of the media; the first violation is described.
pub fn audit(media: &Media) -> Result<(), String> {
    media.held().audit()?;
    media.array().audit()?;
    media.banks().iter().try_for_each(|bank| bank.audit(media.array()))?;
    // Where nothing is wrong, it is told sooner; what is wrong is told from the side of the map.
    let mapped = match all_point_back(media) {
        Some(mapped) => mapped,
        None => audit_map(media)?,
    };
    let live = audit_blocks(media)?;
    if let Some(versions) = media.versions() {
        let held = versions.held.iter().filter(|&&version| version != 0).count();
        if held != media.held().units() as usize {
            return Err(format!(
                "{held} units are newest in the hold buffer, which has {}",
                media.held().units()
            ));
        }
    }
    if mapped != live || mapped != media.mapped() {
        return Err(format!("{mapped} mapped units, {live} live slots, counter {}", media.mapped()));
    }
    Ok(())
}

/// The mapping units that are mapped, if every live slot holds one that is mapped to it and there are as many:
/// then each lies where the map says. Versions are not looked at.
fn all_point_back(media: &Media) -> Option<u64> {
    if media.versions().is_some() {
        return None;
    }
    let (array, geometry, map) = (media.array(), &media.array().geometry, media.map());
    let stride = 1 << geometry.slot_bits;
    let mut live = 0_u64;
    for block in array.used_blocks() {
        let first = geometry.slot(geometry.page(block, 0), 0).0;
        let tags = array.block_tags(block);
        let slots = geometry.pool_of(geometry.plane_of(block)).slots_per_page as usize;
        let beyond = |page: &[u32]| page[slots..].iter().any(|&tag| tag != 0);
        if slots < stride && tags.chunks_exact(stride).any(beyond) {
            return None;
        }
        for (i, &tag) in tags.iter().enumerate().filter(|(_, &tag)| tag != 0) {
            // Neighbours in a block need not be neighbours in the map.
            if let Some(&coming) = tags.get(i + AHEAD as usize) {
                prefetch::read(map, (coming as usize).wrapping_sub(1));
            }
            let place = first + 1 + i as u32;
            if map.get(tag as usize - 1) != Some(&place) {
                return None;
            }
            live += 1;
        }
    }
    let mapped = map.iter().filter(|&&entry| entry != 0).count() as u64;
    (mapped == live).then_some(mapped)
}

/// How many mapping units ahead the blocks of their slots are fetched; their tags half as many.
const AHEAD: u32 = 32;

fn audit_map(media: &Media) -> Result<u64, String> {
    let mut mapped = 0;
    for mu in (0..media.mus()).map(Mu) {
        media.prefetch_block(Mu(mu.0.saturating_add(AHEAD)));
        media.prefetch_tags(Mu(mu.0.saturating_add(AHEAD / 2)));
        let held = media.versions().map_or(0, |v| v.held[mu.index()]);
        if held != 0 && media.versions().is_some_and(|v| v.newest[mu.index()] != held) {
            return Err(format!("{mu:?} is held in an old version"));
        }
        let Some(slot) = media.lookup(mu) else {
            let on_disk = |v: &Versions| v.disk.get(mu.index()).copied().unwrap_or(0);
            if held == 0 && media.versions().is_some_and(|v| v.newest[mu.index()] != on_disk(v)) {
                return Err(format!("{mu:?} was written but is neither mapped nor held, nor on a disk"));
            }
            continue;
        };
        mapped += 1;
        if !media.array().is_programmed(slot) {
            return Err(format!("{mu:?} maps to {slot:?}, which is not programmed"));
        }
        if media.array().tag(slot) != mu.0 + 1 {
            return Err(format!("{mu:?} maps to {slot:?}, which holds tag {}", media.array().tag(slot)));
        }
        if let Some(versions) = media.versions() {
            if (versions.stored[slot.index()] == versions.newest[mu.index()]) == (held != 0) {
                return Err(format!("{mu:?} has its newest version in {slot:?} and held, or in neither"));
            }
        }
    }
    Ok(mapped)
}

fn audit_blocks(media: &Media) -> Result<u64, String> {
    let geometry = &media.array().geometry;
    let mut total = 0;
    for block in media.array().used_blocks() {
        let record = media.array().block(block);
        let tags = media.array().block_tags(block);
        let live = tags.iter().filter(|&&tag| tag != 0).count() as u32;
        let pages = tags.chunks_exact(1 << geometry.slot_bits);
        let live_pages = pages.filter(|page| page.iter().any(|&tag| tag != 0)).count() as u32;
        if live != record.live() || live_pages != media.array().live_pages(block) {
            return Err(format!("{block:?} counts {} live slots, holds {live}", record.live()));
        }
        total += u64::from(live);
    }
    Ok(total)
}

/// The blocks of a device that are accounted for.
pub struct Claims<'a> {
    /// The device.
    pub io: &'a Io,
    claimed: Vec<bool>,
}

impl<'a> Claims<'a> {
    /// Only the erased blocks in the banks, and those out of use, are accounted for yet.
    pub fn new(io: &'a Io) -> Result<Self, String> {
        let mut claims = Self { io, claimed: vec![false; io.geometry().block_numbers()] };
        for bank in io.media().banks() {
            bank.erased(io.array())?.into_iter().try_for_each(|block| claims.claim(block))?;
        }
        let lost = io.array().bad_blocks().into_iter().flat_map(|bad| bad.lost());
        let mut used = lost.filter(|&block| io.array().was_used(block));
        used.try_for_each(|block| claims.claim(block))?;
        Ok(claims)
    }

    /// Accounts for a used block.
    pub fn claim(&mut self, block: BlockId) -> Result<(), String> {
        match self.claimed.get_mut(block.index()) {
            Some(claimed) if !*claimed && self.io.array().was_used(block) => {
                *claimed = true;
                Ok(())
            }
            _ => Err(format!("block {} is in two places at once or was never used", block.0)),
        }
    }

    /// Says which used block is no region's, if any.
    pub fn finish(self) -> Result<(), String> {
        match self.io.array().used_blocks().find(|block| !self.claimed[block.index()]) {
            Some(block) => Err(format!("block {} is no region's", block.0)),
            None => Ok(()),
        }
    }
}
