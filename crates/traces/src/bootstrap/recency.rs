//! What was used last, by rank: 0 is the newest.

const SLOTS_MIN: usize = 16;
/// No extent stands in this slot.
const EMPTY: u32 = u32::MAX;

/// Items in the order of their last use. Finding one by its rank, and the rank of one, cost a
/// logarithm of their number.
///
/// Every use takes the next slot; a Fenwick tree counts the slots in use. When slots run out, those
/// in use move together.
#[derive(Clone, Debug)]
pub(super) struct Recency {
    /// The item in each slot.
    slots: Vec<u32>,
    /// Sums of slots in use: element `i` has those of `i` less its lowest bit, to `i`.
    sums: Vec<u32>,
    next: usize,
    len: usize,
}

impl Default for Recency {
    fn default() -> Self {
        Self { slots: vec![EMPTY; SLOTS_MIN], sums: vec![0; SLOTS_MIN + 1], next: 0, len: 0 }
    }
}

impl Recency {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Makes `item` the newest and returns its slot. When `moved` has to tell items their new slots,
    /// it is called for each.
    pub(super) fn push(&mut self, item: u32, moved: impl FnMut(u32, u32)) -> u32 {
        if self.next == self.slots.len() {
            self.pack(moved);
        }
        let slot = self.next;
        self.slots[slot] = item;
        self.add(slot, 1);
        self.next += 1;
        self.len += 1;
        slot as u32
    }

    pub(super) fn remove(&mut self, slot: u32) {
        self.slots[slot as usize] = EMPTY;
        self.add(slot as usize, u32::MAX);
        self.len -= 1;
    }

    /// How many items are newer than the one in `slot`.
    pub(super) fn rank(&self, slot: u32) -> usize {
        let (mut place, mut upto) = (slot as usize + 1, 0);
        while place > 0 {
            upto += self.sums[place] as usize;
            place &= place - 1;
        }
        self.len - upto
    }

    /// The item of a rank below [`Self::len`].
    pub(super) fn at(&self, rank: usize) -> u32 {
        let (mut left, mut place) = ((self.len - rank) as u32, 0);
        let mut step = self.slots.len();
        while step > 0 {
            // The first slot at which as many are in use as are older, and this one.
            if place + step < self.sums.len() && self.sums[place + step] < left {
                place += step;
                left -= self.sums[place];
            }
            step /= 2;
        }
        self.slots[place]
    }

    fn add(&mut self, slot: usize, difference: u32) {
        let mut place = slot + 1;
        while place < self.sums.len() {
            self.sums[place] = self.sums[place].wrapping_add(difference);
            place += place & place.wrapping_neg();
        }
    }

    #[cold]
    fn pack(&mut self, mut moved: impl FnMut(u32, u32)) {
        self.slots.retain(|&item| item != EMPTY);
        for (slot, &item) in self.slots.iter().enumerate() {
            moved(item, slot as u32);
        }
        self.next = self.slots.len();
        // A power of two, for the steps of the search, at most half full.
        let size = (2 * self.next).next_power_of_two().max(SLOTS_MIN);
        self.slots.resize(size, EMPTY);
        self.sums = vec![0; size + 1];
        for place in 1..=size {
            self.sums[place] += u32::from(place <= self.next);
            let above = place + (place & place.wrapping_neg());
            if above <= size {
                self.sums[above] += self.sums[place];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_a_plain_list() {
        let (mut list, mut slots, mut plain) = (Recency::default(), vec![0; 40], Vec::new());
        for turn in 0..2_000_u32 {
            // A stride that visits every item at many distances, with removals now and then.
            let item = turn * turn % 39;
            if let Some(place) = plain.iter().position(|&known| known == item) {
                assert_eq!(list.rank(slots[item as usize]), place, "turn {turn}");
                list.remove(slots[item as usize]);
                plain.remove(place);
            }
            if turn % 7 != 3 {
                let slot = list.push(item, |moved, slot| slots[moved as usize] = slot);
                slots[item as usize] = slot;
                plain.insert(0, item);
            }
            assert_eq!(list.len(), plain.len());
            let found: Vec<u32> = (0..plain.len()).map(|rank| list.at(rank)).collect();
            assert_eq!(found, plain, "turn {turn}");
        }
    }
}
