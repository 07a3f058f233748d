//! SepBIT by hand.

use super::SepBit;

/// As long as sixteen blocks of the first class lived 100 units each.
fn with_threshold_100(sepbit: &mut SepBit) {
    // 100 units ago.
    sepbit.born.iter_mut().for_each(|born| *born = sepbit.clock - 100);
    for block in 0..15 {
        sepbit.collected(block, 0);
    }
    // Another class's lifespan counts for nothing.
    sepbit.collected(0, 1);
    assert_eq!(sepbit.lifespans, None);
    sepbit.collected(15, 0);
    assert_eq!(sepbit.lifespans, Some(1600));
}

#[test]
fn while_the_threshold_is_infinite_the_queue_limits_ages() {
    let mut sepbit = SepBit::new(8, 1);
    let first: Vec<_> = (0..8).map(|page| sepbit.incoming(page, 1, u64::from(page) + 1)).collect();
    assert_eq!((first, sepbit.queue), (vec![1; 8], 8));
    // An age of 2 and one of 9, with a queue as long as there is live data.
    assert_eq!((sepbit.incoming(7, 1, 8), sepbit.incoming(0, 1, 8), sepbit.queue), (0, 1, 8));
    assert_eq!([3, 3], [sepbit.moved(7), sepbit.moved(3)], "any age is below an infinite threshold");
}

#[test]
fn limits_are_strict() {
    let mut sepbit = SepBit::new(4000, 16);
    sepbit.clock = 999;
    with_threshold_100(&mut sepbit);
    for page in 1000..1400 {
        sepbit.incoming(page, 1, 2000);
    }
    assert_eq!((sepbit.clock, sepbit.queue), (1399, 100), "the queue grows to the threshold and stays");
    // Page 1301 was written at 1300: ages of 99 and, once more later, of 100.
    sepbit.clock = 1398;
    assert_eq!(sepbit.incoming(1301, 1, 2000), 0);
    sepbit.clock = 1498;
    assert_eq!(sepbit.incoming(1301, 1, 2000), 1);
    let classes = [399, 400, 1599, 1600].map(|age| {
        sepbit.clock = 1499 + age;
        sepbit.moved(1301)
    });
    assert_eq!(classes, [3, 4, 4, 5]);
}

#[test]
fn a_queue_longer_than_a_new_threshold_shrinks_by_one_a_write() {
    let mut sepbit = SepBit::new(4000, 16);
    for page in 0..300 {
        sepbit.incoming(page, 1, 2000);
    }
    assert_eq!(sepbit.queue, 300);
    with_threshold_100(&mut sepbit);
    sepbit.incoming(300, 1, 2000);
    assert_eq!(sepbit.queue, 299, "one in, two out");
    sepbit.incoming(301, 4, 2000);
    assert_eq!(sepbit.queue, 295);
}

#[test]
fn ages_outlive_the_clock() {
    let mut sepbit = SepBit::new(3, 16);
    sepbit.clock = u32::MAX - 3;
    with_threshold_100(&mut sepbit);
    sepbit.incoming(0, 1, 50);
    sepbit.incoming(1, 1, 50);
    sepbit.incoming(1, 2, 50);
    assert_eq!(sepbit.clock, 1 << 31, "the clock went back");
    assert_eq!([sepbit.clock - sepbit.last[0], sepbit.clock - sepbit.last[1]], [3, 0]);
    assert_eq!(sepbit.last[2], 0, "what never came stays so");
    assert_eq!(sepbit.incoming(1, 1, 50), 0);
}
