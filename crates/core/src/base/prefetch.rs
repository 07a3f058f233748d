//! A hint to the processor that an array element will be used soon.

/// Bytes that come into the cache at once.
#[cfg(target_arch = "x86_64")]
const LINE_BYTES: usize = 64;

/// Fetches `slice[index]` into the cache if it exists; never changes a result.
#[inline(always)]
#[allow(unsafe_code)]
pub fn read<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = slice.get(index) {
        for offset in (0..size_of::<T>()).step_by(LINE_BYTES) {
            // SAFETY: the address is within a live element, and a prefetch cannot fault or write.
            unsafe {
                let line = std::ptr::from_ref(element).cast::<i8>().add(offset);
                std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line);
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}
