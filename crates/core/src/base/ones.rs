//! How many bits a small mask has.

/// Bits of every number of eight bits.
const ONES: [u8; 256] = {
    let mut ones = [0; 256];
    let mut mask = 1;
    while mask < ones.len() {
        ones[mask] = ones[mask >> 1] + (mask & 1) as u8;
        mask += 1;
    }
    ones
};

/// Counting in masks of mapping units, which are mostly few.
pub trait Ones {
    /// The bits that are set, as `count_ones`, which takes a dozen instructions where the processor that
    /// is built for has none of its own.
    fn ones(self) -> u32;
}

impl Ones for u32 {
    #[inline(always)]
    fn ones(self) -> u32 {
        match ONES.get(self as usize) {
            Some(&ones) => u32::from(ones),
            None => self.count_ones(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ones;

    #[test]
    fn ones_are_counted() {
        for mask in (0..1000_u32).chain([0xffff, 0x1_0000, u32::MAX]) {
            assert_eq!(mask.ones(), mask.count_ones());
        }
    }
}
