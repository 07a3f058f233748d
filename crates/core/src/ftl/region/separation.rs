//! A region whose data are separated by lifetime: which frontier the next page comes from.

use super::{Region, Writer};
use crate::base::arithmetic::Ones;
use crate::base::{BlockId, Mu, PlaneId, Ppn};
use crate::ftl::io::Io;
use crate::ftl::media::bits;

impl Region {
    /// Has the next page of `writer` be one for the units in `mask` of logical page `page`, which come to the
    /// region; asked once per page.
    #[inline(always)]
    pub fn place(&mut self, page: u32, mask: u32, writer: Writer, io: &Io) {
        if self.separator.is_some() {
            self.place_incoming(page, mask, writer, io);
        }
    }

    #[inline(never)]
    fn place_incoming(&mut self, page: u32, mask: u32, writer: Writer, io: &Io) {
        let first = page * io.policy().mus_per_page;
        let superseded = bits(mask).filter(|i| self.stores(first + i, io)).count() as u64;
        let live = io.array().live_in(self.id) - superseded;
        if let Some(separator) = &mut self.separator {
            let class = separator.incoming(page, mask.ones(), live, io);
            self.set_class(writer, class);
        }
    }

    /// Whether mapping unit `mu` lies in the region.
    fn stores(&self, mu: u32, io: &Io) -> bool {
        let geometry = io.geometry();
        let slot = io.lookup(Mu(mu));
        slot.is_some_and(|slot| self.opened(geometry.block_of(geometry.page_of(slot)), io))
    }

    /// Has the next page of `writer` be one for what lives in `from`, in the region or coming to it.
    #[inline(never)]
    pub(super) fn place_moved(&mut self, from: Ppn, writer: Writer, io: &Io) {
        let n = io.policy().mus_per_page;
        let units = io.array().page_tags(from).iter().filter_map(|&tag| tag.checked_sub(1));
        let (mut page, mut mask) = (0, 0);
        for unit in units {
            page = unit / n;
            mask |= 1 << (unit % n);
        }
        let block = io.geometry().block_of(from);
        if !self.opened(block, io) {
            return self.place_incoming(page, mask, writer, io);
        }
        if let Some(separator) = &mut self.separator {
            let class = separator.moved(block, page, io);
            self.set_class(writer, class);
        }
    }

    /// Whether what leaves `block` goes to more than one class; where it does not, the next pages of `writer`
    /// are of the one.
    pub(super) fn sorts_pages(&mut self, io: &Io, block: BlockId, writer: Writer) -> bool {
        let is_own = self.opened(block, io);
        let class = self.separator.as_ref().filter(|_| is_own).and_then(|s| s.moved_whole(block));
        class.into_iter().for_each(|class| self.set_class(writer, class));
        class.is_none()
    }

    /// Whether a class that has no block, and finds none to open, writes to another one's. So separation takes
    /// no room: what is open is room for all.
    pub(super) fn lends(&self) -> bool {
        self.spec.clean.open_blocks() > 2
    }

    /// The block of the nearest class in `plane` that has one open; from here on it is `writer`'s.
    #[cold]
    pub(super) fn lend(&mut self, plane: PlaneId, writer: Writer) -> Option<BlockId> {
        if !self.lends() {
            return None;
        }
        let wanted = self.class(writer);
        let open = (0u8..)
            .zip(self.frontiers_of(plane))
            .filter_map(|(class, frontier)| Some((class, frontier.block?)));
        let (class, block) = open.min_by_key(|(class, _)| class.abs_diff(wanted))?;
        self.set_class(writer, class);
        if let Some(separator) = &mut self.separator {
            separator.lent += 1;
        }
        Some(block)
    }

    /// What separation came to, by name.
    pub fn separation_figures(&self) -> Vec<(String, f64)> {
        let figures = self.separator.iter().flat_map(|separator| separator.figures());
        figures.map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The most pages that padding after a block was cleaned can take.
    pub fn pads_max(&self) -> u32 {
        self.pages_per_program * (self.spec.clean.open_blocks() - 1).max(1)
    }

    /// What is open for a class is known to be its.
    pub(super) fn audit_classes(&self, plane: PlaneId) -> Result<(), String> {
        let Some(separator) = &self.separator else { return Ok(()) };
        let open = (0u8..).zip(self.frontiers_of(plane));
        for (class, block) in open.filter_map(|(class, frontier)| Some((class, frontier.block?))) {
            let opened_for = separator.class_of(block);
            if opened_for != class {
                return Err(format!(
                    "block {} is open for class {class}, and of class {opened_for}",
                    block.0
                ));
            }
        }
        Ok(())
    }
}
