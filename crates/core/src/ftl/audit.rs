//! The proof that map, array and counters agree and that no data are lost.

use super::media::{Media, Versions};
use crate::base::Mu;
use crate::hw::array::BlockState;

/// Checks every invariant of the media; the first violation is described.
pub fn audit(media: &Media) -> Result<(), String> {
    media.held().audit()?;
    let mapped = audit_map(media)?;
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
    media.array().audit()?;
    if mapped != live || mapped != media.mapped() {
        return Err(format!("{mapped} mapped units, {live} live slots, counter {}", media.mapped()));
    }
    Ok(())
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
        let (mut live, mut live_pages) = (0, 0);
        if record.state() != BlockState::Free {
            for page in 0..record.write_ptr() {
                let tags = media.array().page_tags(geometry.page(block, page));
                let here = tags.iter().filter(|&&t| t != 0).count() as u32;
                live += here;
                live_pages += u32::from(here > 0);
            }
        }
        if live != record.live() || live_pages != media.array().live_pages(block) {
            return Err(format!("{block:?} counts {} live slots, holds {live}", record.live()));
        }
        total += u64::from(live);
    }
    Ok(total)
}
