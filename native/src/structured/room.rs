//! How much of one kind of structured data is kept of a page.

/// Values of one kind. An object costs about 700 bytes while it is read, however short it is written.
const MOST_VALUES: usize = 40_000;
/// Bytes of the names and texts of one kind.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// Bytes that any page may have, whatever its length.
const ALLOWANCE: usize = 64 * 1024;

#[derive(Debug, Clone, Copy)]
pub struct Room {
    values: usize,
    bytes: usize,
    /// Values that were dropped because a cap was reached, each with all that is in it.
    pub left_out: usize,
}

impl Room {
    /// For a page of `length` bytes.
    pub fn new(length: usize) -> Self {
        let bytes = length
            .saturating_mul(2)
            .saturating_add(ALLOWANCE)
            .min(MOST_BYTES);
        Room {
            values: MOST_VALUES,
            bytes,
            left_out: 0,
        }
    }

    /// For the next kind. What was left out stays counted.
    pub fn refill(&mut self, length: usize) {
        *self = Room {
            left_out: self.left_out,
            ..Room::new(length)
        };
    }

    pub fn is_used_up(&self) -> bool {
        self.values == 0
    }

    /// Takes the room of one value; counts it as left out if there is too little.
    pub fn take(&mut self, bytes: usize) -> bool {
        let has_room = self.values > 0 && bytes <= self.bytes;
        if has_room {
            self.values -= 1;
            self.bytes -= bytes;
        } else {
            self.leave_out(1);
        }
        has_room
    }

    /// Takes the room of the name of a value; counts the value as left out if there is too little.
    pub fn take_name(&mut self, bytes: usize) -> bool {
        let has_room = bytes <= self.bytes;
        if has_room {
            self.bytes -= bytes;
        } else {
            self.leave_out(1);
        }
        has_room
    }

    pub fn leave_out(&mut self, values: usize) {
        self.left_out = self.left_out.saturating_add(values);
    }
}
