//! Windows of the host's write requests, after each of which a scheme may change its mind.

/// The window under way.
#[derive(Clone, Copy)]
pub(super) struct WriteWindow {
    /// Write requests in each, 0 = the scheme has no windows.
    length: u32,
    /// Write requests in it so far.
    writes: u32,
}

impl WriteWindow {
    /// The first window, of `length` write requests.
    pub fn new(length: u32) -> Self {
        Self { length, writes: 0 }
    }

    /// Write requests so far.
    pub fn writes(&self) -> u32 {
        self.writes
    }

    /// Takes the write requests so far from a snapshot, or says why they cannot be.
    pub fn load(&mut self, writes: u32) -> Result<(), String> {
        if writes > self.length {
            return Err(format!("{writes} write requests in a window of {}", self.length));
        }
        self.writes = writes;
        Ok(())
    }

    /// Counts a write request; true if a window is over before it.
    #[inline]
    pub fn count(&mut self) -> bool {
        if self.length == 0 {
            return false;
        }
        let over = self.writes == self.length;
        self.writes = if over { 1 } else { self.writes + 1 };
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_over_when_the_next_write_comes() {
        let mut window = WriteWindow::new(3);
        let over: Vec<bool> = (0..8).map(|_| window.count()).collect();
        assert_eq!(over, [false, false, false, true, false, false, true, false]);
        assert_eq!(window.writes(), 2);
        assert!((0..8).all(|_| !WriteWindow::new(0).count()));
    }
}
