//! The classes of counts and of deaths.

use super::{class_by_life, Streams, NEVER};

#[test]
fn streams_go_by_the_logarithm_of_decayed_counts() {
    let mut streams = Streams::new(100, 6);
    let classes: Vec<_> = (0..40).map(|_| streams.incoming(7)).collect();
    let count = |class| classes.iter().filter(|&&found| found == class).count();
    assert_eq!([0, 1, 2, 3, 4].map(count), [1, 2, 4, 8, 25]);
    // The hundredth write halves: 40 are 20.
    for _ in 0..60 {
        streams.incoming(3);
    }
    assert_eq!(streams.incoming(7), 4);
    for _ in 0..299 {
        streams.incoming(3);
    }
    assert_eq!(streams.incoming(7), 1, "3 = (21 / 2 / 2 / 2) + 1");
}

#[test]
fn deaths_are_told_by_rows_of_blocks() {
    let log = |left| class_by_life(left, 32, false, 6);
    let found = [0, 127, 128, 255, 256, 511, 512, 1023, 1024, 2047, 2048, NEVER].map(log);
    assert_eq!(found, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    let linear = [0, 31, 32, 159, 160, NEVER].map(|left| class_by_life(left, 32, true, 6));
    assert_eq!(linear, [0, 0, 1, 4, 5, 5]);
}
