//! What the device has chosen once and for all.

/// Fixed choices of the device that the verbs follow.
#[derive(Clone, Copy, Debug)]
pub struct IoPolicy {
    /// A read-modify-write transfers and reads whole pages.
    pub rmw_whole_page: bool,
    /// A read transfers all of the flash page.
    pub reads_whole_pages: bool,
    /// Parts of a logical page in several flash pages are read one behind the other.
    pub parts_in_turn: bool,
    /// Pages still being programmed are served from the controller.
    pub inflight_from_buffer: bool,
    /// Erases need not wait for staged pages.
    pub plp: bool,
    /// How long staged host pages wait before the wordline is padded, ns.
    pub stage_timeout_ns: u64,
    /// Mapping units per logical page.
    pub mus_per_page: u32,
}
