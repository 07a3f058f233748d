use super::*;
use crate::base::{PlaneId, Ppn};
use crate::hw::config::PoolConfig;
use crate::hw::geometry::Geometry;
use serde_json::json;

fn pool(page_bytes: u32) -> PoolConfig {
    let mode = json!({"read_ns": [1], "program_ns": [1], "erase_ns": 1});
    let chips = json!({
        "name": "nand", "channels": 1, "chips": 1, "dies": 1, "planes": 1, "blocks": 4,
        "wordlines": 4, "page_bytes": page_bytes, "bus": {"ps_per_byte": 1000}, "slc": mode,
    });
    serde_json::from_value(chips).unwrap()
}

/// A page of 4 slots with `tags` in it moves to a pool whose pages have one.
fn move_to_smaller_page(tags: &[u32]) -> (Media, Ppn) {
    let geometry = Geometry::new(&[pool(16384), pool(4096)], 4096).unwrap();
    let mut media = Media::new(FlashArray::new(geometry), 8, false);
    let region = media.new_region();
    let pages = [PlaneId(0), PlaneId(1)].map(|plane| {
        let block = media.array().geometry.block(plane, 0);
        media.open(block, CellMode::Slc, region);
        media.array().geometry.page(block, 0)
    });
    media.write_page(pages[0], tags, 0, 0);
    media.remap_page(pages[0], pages[1]);
    (media, pages[1])
}

#[test]
fn a_page_that_fits_moves_to_a_pool_of_smaller_pages() {
    let (media, page) = move_to_smaller_page(&[1]);
    assert_eq!(media.lookup(Mu(0)), Some(media.array().geometry.slot(page, 0)));
    media.array().audit().unwrap();
}

#[test]
#[should_panic(expected = "SlotsBeyondPage")]
fn a_page_with_more_units_than_the_other_pools_pages_hold_does_not_move() {
    move_to_smaller_page(&[1, 2]);
}

#[test]
fn the_most_that_were_mapped_is_remembered_when_the_disk_takes_them() {
    let geometry = Geometry::new(&[pool(16384)], 4096).unwrap();
    let mut media = Media::new(FlashArray::new(geometry), 8, true);
    let region = media.new_region();
    let block = media.array().geometry.block(PlaneId(0), 0);
    media.open(block, CellMode::Slc, region);
    let page = media.array().geometry.page(block, 0);
    media.write_page(page, &[1, 2, 3, 4], 0b1111, 0);
    media.move_to_disk(0, 0b11, false);
    assert_eq!((media.mapped(), media.mapped_peak()), (2, 4));
    media.drop_clean(0, 0b100);
    assert_eq!((media.mapped(), media.mapped_peak()), (1, 4));
}

#[test]
#[should_panic(expected = "SlotsBeyondPage")]
fn no_unit_beyond_the_pages_slots_is_written() {
    move_to_smaller_page(&[1, 2, 3, 4, 5]);
}
