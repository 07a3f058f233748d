use super::*;
use crate::base::rng::RngStream;

/// Move to front in a list: the first unit was written last.
#[derive(Default)]
struct Naive {
    /// Unit, resident, the request that wrote it.
    units: Vec<(u32, bool, u32)>,
    requests: u32,
}

impl Naive {
    fn position(&self, unit: u32) -> Option<usize> {
        self.units.iter().position(|&(other, ..)| other == unit)
    }

    fn touch(&mut self, unit: u32, resident: bool) {
        self.forget(unit);
        self.units.insert(0, (unit, resident, self.requests));
    }

    fn forget(&mut self, unit: u32) {
        self.units.retain(|&(other, ..)| other != unit);
    }

    fn coldest_resident(&self) -> Option<u32> {
        self.units.iter().rev().find(|entry| entry.1).map(|entry| entry.0)
    }
}

fn same(recency: &mut Recency, naive: &Naive, units: u32) {
    for unit in 0..units {
        let place = naive.position(unit);
        assert_eq!(recency.position(unit).map(|position| position as usize), place);
        assert_eq!(recency.is_resident(unit), place.is_some_and(|place| naive.units[place].1));
        assert_eq!(recency.writes_since(unit), place.map(|place| naive.requests - naive.units[place].2));
    }
    assert_eq!(recency.coldest_resident(), naive.coldest_resident());
    assert_eq!(recency.residents() as usize, naive.units.iter().filter(|entry| entry.1).count());
    assert!(recency.recent().eq(naive.units.iter().map(|entry| entry.0)));
}

#[test]
fn it_agrees_with_a_list_that_moves_to_the_front() {
    const UNITS: u32 = 200;
    let mut stream = RngStream::new(1, "recency");
    let (mut recency, mut naive) = (Recency::new(UNITS), Naive::default());
    // Several times as many touches as there are stamps: they are renumbered.
    for step in 0..20 * STAMPS_MIN {
        let unit = stream.below(UNITS);
        match stream.below(16) {
            0 => {
                recency.forget(unit);
                naive.forget(unit);
            }
            1..4 => {
                let resident = stream.below(2) == 0;
                if let Some(place) = naive.position(unit) {
                    naive.units[place].1 = resident;
                    recency.set_resident(unit, resident);
                }
            }
            4..8 => {
                recency.write_request();
                naive.requests += 1;
            }
            _ => {
                let resident = stream.below(4) != 0;
                recency.touch(unit, resident);
                naive.touch(unit, resident);
            }
        }
        assert_eq!(recency.coldest_resident(), naive.coldest_resident());
        if step % 997 == 0 {
            same(&mut recency, &naive, UNITS);
            let saved = serde_json::to_value(&recency).unwrap();
            same(&mut serde_json::from_value(saved).unwrap(), &naive, UNITS);
        }
    }
    same(&mut recency, &naive, UNITS);
}

#[test]
fn a_stack_of_many_units_grows_and_keeps_the_order() {
    const UNITS: u32 = 3 * STAMPS_MIN;
    let mut recency = Recency::new(UNITS);
    (0..UNITS).for_each(|unit| recency.touch(unit, unit % 2 == 1));
    assert_eq!((recency.len(), recency.residents()), (UNITS, UNITS / 2));
    assert!(recency.recent().eq((0..UNITS).rev()));
    for unit in 0..UNITS {
        assert_eq!(recency.position(unit), Some(UNITS - 1 - unit));
    }
    for unit in (1..UNITS).step_by(2) {
        assert_eq!(recency.coldest_resident(), Some(unit));
        recency.set_resident(unit, false);
    }
    assert_eq!(recency.coldest_resident(), None);
}

#[test]
fn looking_up_changes_nothing() {
    let mut recency = Recency::new(10);
    [3, 1, 4, 1, 5].into_iter().for_each(|unit| recency.touch(unit, true));
    let before = serde_json::to_value(&recency).unwrap();
    assert_eq!(
        [5, 1, 4, 3, 9].map(|unit| recency.position(unit)),
        [Some(0), Some(1), Some(2), Some(3), None]
    );
    assert_eq!(recency.coldest_resident(), Some(3));
    assert_eq!(serde_json::to_value(&recency).unwrap(), before);
}

#[test]
fn very_old_units_seem_to_be_as_old_as_it_counts() {
    let mut recency = Recency::new(2);
    recency.touch(0, true);
    recency.requests = u32::MAX;
    recency.touch(1, true);
    recency.write_request();
    assert_eq!((recency.writes_since(0), recency.writes_since(1)), (Some(SINCE_MAX), Some(1)));
}
