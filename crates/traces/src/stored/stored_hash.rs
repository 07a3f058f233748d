//! SHA-256 of a file as it is read, on a thread of its own when it is large.
//!
//! Hashing takes about as long as parsing, so the parsing thread only hands
//! copies of the blocks over. Small files never pay for a thread.

use ring::digest::{Context, SHA256};
use std::sync::mpsc::{channel, sync_channel, Receiver, SyncSender};
use std::thread::JoinHandle;

/// Bytes hashed where they are read before a thread is started.
const INLINE_BYTES: u64 = 1 << 20;
/// Blocks that may wait for the thread, which bounds the memory.
const WAITING_BLOCKS: usize = 8;

/// The running hash.
pub(crate) struct StoredHash {
    context: Option<Context>,
    bytes: u64,
    thread: Option<HashThread>,
}

impl StoredHash {
    /// Of nothing yet.
    pub(crate) fn new() -> Self {
        Self { context: Some(Context::new(&SHA256)), bytes: 0, thread: None }
    }

    /// Takes the next bytes of the file.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if self.bytes > INLINE_BYTES && self.thread.is_none() {
            // Where the system has no thread to give, it goes on here.
            self.thread = self.context.as_ref().and_then(|context| HashThread::start(context.clone()));
            if self.thread.is_some() {
                self.context = None;
            }
        }
        match (&mut self.thread, &mut self.context) {
            (Some(thread), _) => thread.send(bytes),
            (None, Some(context)) => context.update(bytes),
            (None, None) => unreachable!("the context is here or with the thread"),
        }
    }

    /// Hash of a text, in hex.
    pub(crate) fn of_text(text: &str) -> String {
        let mut hash = Self::new();
        hash.update(text.as_bytes());
        hash.hex()
    }

    /// Hash of the bytes so far, in hex.
    pub(crate) fn hex(&mut self) -> String {
        if let Some(thread) = self.thread.take() {
            self.context = Some(thread.finish());
            // What follows, if anything, is hashed here again.
            self.bytes = 0;
        }
        let context = self.context.clone().unwrap_or_else(|| Context::new(&SHA256));
        context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The thread and the blocks that go to and fro.
struct HashThread {
    full: SyncSender<Vec<u8>>,
    spare: Receiver<Vec<u8>>,
    thread: JoinHandle<Context>,
}

impl HashThread {
    /// `None` where the system refuses a thread.
    fn start(mut context: Context) -> Option<Self> {
        let (full, blocks) = sync_channel::<Vec<u8>>(WAITING_BLOCKS);
        let (give_back, spare) = channel();
        let hash = move || {
            for block in blocks {
                context.update(&block);
                // Nobody may want it back any more.
                let _ = give_back.send(block);
            }
            context
        };
        let thread = std::thread::Builder::new().name("trace hash".to_owned()).spawn(hash).ok()?;
        Some(Self { full, spare, thread })
    }

    fn send(&mut self, bytes: &[u8]) {
        let mut block = self.spare.try_recv().unwrap_or_default();
        block.clear();
        block.extend_from_slice(bytes);
        self.full.send(block).expect("the hashing thread lives as long as its sender");
    }

    fn finish(self) -> Context {
        drop(self.full);
        self.thread.join().expect("hashing does not panic")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_changes_nothing() {
        let bytes: Vec<u8> = (0..5_000_000u32).map(|place| (place % 251) as u8).collect();
        let whole = {
            let mut context = Context::new(&SHA256);
            context.update(&bytes);
            context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        for block in [1000, 262_144, 5_000_000] {
            let mut hash = StoredHash::new();
            bytes.chunks(block).for_each(|part| hash.update(part));
            assert_eq!((hash.hex(), hash.hex()), (whole.clone(), whole.clone()), "blocks of {block}");
        }
    }

    #[test]
    fn it_goes_on_after_a_look() {
        let mut hash = StoredHash::new();
        hash.update(&[7; 3_000_000]);
        hash.hex();
        hash.update(b"abc");
        let mut whole = StoredHash::new();
        whole.update(&[7; 3_000_000]);
        whole.update(b"abc");
        assert_eq!(hash.hex(), whole.hex());
    }
}
