//! A hint to the processor that an array element will be used soon.

/// Fetches `slice[index]` into the cache if it exists; never changes a result.
#[inline(always)]
#[allow(unsafe_code)]
pub fn read<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = slice.get(index) {
        // SAFETY: the address is that of a live element, and a prefetch cannot fault or write.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(
                std::ptr::from_ref(element).cast(),
            );
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}
