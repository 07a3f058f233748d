//! The names of what is in flight.

macro_rules! in_flight_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name(pub u32);

        impl $name {
            /// Nothing in flight.
            pub const NONE: Self = Self(0);

            /// Whether this is nothing in flight.
            #[inline(always)]
            pub fn is_none(self) -> bool {
                self.0 == 0
            }

            #[inline(always)]
            pub(super) fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

in_flight_id!(
    /// Index of an operation in flight.
    OpId
);
in_flight_id!(
    /// Index of a host request in flight.
    RequestId
);
