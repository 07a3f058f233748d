//! What waits for a unit: a queue for each class, and the short cuts to what of it may start or go along.

mod fold_lists;
mod folds;
mod fronts;
mod lists;
mod mates;
mod parked;
mod window;

pub(super) use lists::Queues;
pub(super) use window::MATE_WINDOW;
