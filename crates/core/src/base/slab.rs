//! A table of records that come and go.

use super::room::Room;
use std::collections::TryReserveError;

/// A slab of records: indices from 1, last freed first reused.
#[derive(Clone)]
pub struct Slab<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T: Clone> Slab<T> {
    /// An empty slab; `blank` fills index 0, which stands for none.
    pub fn new(blank: T) -> Self {
        Self { items: vec![blank], free: Vec::new() }
    }

    /// Stores `item` and returns its index.
    #[inline(always)]
    pub fn insert(&mut self, item: T) -> u32 {
        match self.free.pop() {
            Some(index) => {
                self.items[index as usize] = item;
                index
            }
            None => {
                self.items.push(item);
                (self.items.len() - 1) as u32
            }
        }
    }

    /// Takes an index whose record still holds what it held last.
    #[inline(always)]
    pub fn take(&mut self) -> u32 {
        match self.free.pop() {
            Some(index) => index,
            None => self.grow(),
        }
    }

    #[cold]
    fn grow(&mut self) -> u32 {
        let blank = self.items[0].clone();
        self.items.push(blank);
        (self.items.len() - 1) as u32
    }

    /// Asks for an item that will be used soon.
    #[inline(always)]
    pub fn prefetch(&self, index: u32) {
        super::prefetch::read(&self.items, index as usize);
    }

    /// Gives an index back.
    #[inline(always)]
    pub fn remove(&mut self, index: u32) {
        self.free.push(index);
    }

    /// Forgets in which order indices would be used again; nothing is stored.
    pub fn begin_anew(&mut self) {
        assert!(self.is_empty(), "Invariant: what is stored keeps its index");
        self.items.truncate(1);
        self.free.clear();
    }

    pub fn len(&self) -> usize {
        self.items.len() - 1 - self.free.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One past the highest index ever used.
    pub fn bound(&self) -> usize {
        self.items.len()
    }
}

impl<T> Room for Slab<T> {
    fn make_room(&mut self) -> Result<(), TryReserveError> {
        self.items.make_room()?;
        self.free.make_room()
    }
}

impl<T> std::ops::Index<usize> for Slab<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        &self.items[index]
    }
}

impl<T> std::ops::IndexMut<usize> for Slab<T> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut self.items[index]
    }
}
