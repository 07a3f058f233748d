//! What waits for a unit: a queue for each class, and the short cuts to what of it may start or go along.

mod folds;
mod fronts;
mod lists;
mod mates;
mod parking;

pub(super) use fronts::MATE_WINDOW;
pub(super) use lists::Queues;
