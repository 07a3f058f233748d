//! Stand-ins for published traces: workloads that meet the figures of a table.

mod achieved;
mod bursts;
mod check;
mod classes;
mod clock;
mod counts;
mod gap_classes;
mod gap_source;
mod gaps;
mod generator;
mod lane;
mod measured;
mod op_order;
mod page_walk;
mod pauses;
mod places;
mod plan;
mod quota;
mod resolve;
mod run_lengths;
mod shape;
mod sizes;
mod times;

pub(super) use achieved::{extensive, figure_names, figures};
pub(super) use generator::TwinGenerator;
pub(super) use measured::expand;
pub(super) use plan::TwinPlan;
pub(super) use resolve::resolve;
