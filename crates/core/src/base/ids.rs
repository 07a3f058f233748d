//! Identifiers as distinct types, so that a page number is never taken for a block number.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The identifier as an array index.
            #[inline(always)]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A mapping unit: the FTL's logical unit (4 KiB by default), counted from address 0.
    Mu
);
id!(
    /// A physical home of one mapping unit: page and index within the page, packed by the geometry's shifts.
    Slot
);
id!(
    /// A physical page, packed by the geometry's shifts.
    Ppn
);
id!(
    /// A physical block, packed by the geometry's shifts.
    BlockId
);
id!(
    /// A plane, counted over all pools.
    PlaneId
);
