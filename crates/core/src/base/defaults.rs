//! Numbers of keys that are left out, as `serde` asks for them.

/// The number `N`.
pub fn number<const N: u32, T: From<u32>>() -> T {
    N.into()
}

/// Whether a value is `N`.
pub fn is<const N: u32, T: From<u32> + PartialEq>(value: &T) -> bool {
    *value == number::<N, T>()
}
