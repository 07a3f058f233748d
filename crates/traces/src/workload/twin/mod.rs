//! Stand-ins for published traces: workloads that meet the figures of a table.

mod achieved;
mod bursts;
mod check;
mod classes;
mod clock;
mod counts;
mod extent_area;
mod extent_counts;
mod extent_places;
mod extent_plan;
mod extent_walk;
mod extents;
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
mod settle;
mod shape;
mod sizes;
mod times;
mod variants;

pub(super) use achieved::{extensive, figure_names, figures};
pub(super) use generator::TwinGenerator;
pub(super) use measured::expand;
pub(super) use plan::TwinPlan;
pub(super) use resolve::resolve;
