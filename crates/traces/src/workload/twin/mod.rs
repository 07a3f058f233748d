//! Stand-ins for published traces: workloads that meet the figures of a table.

mod achieved;
mod check;
mod classes;
mod counts;
mod gaps;
mod generator;
mod lane;
mod page_walk;
mod places;
mod plan;
mod quota;
mod resolve;
mod shape;
mod sizes;
mod times;

pub(super) use achieved::{extensive, figure_names, figures};
pub(super) use generator::TwinGenerator;
pub(super) use plan::TwinPlan;
pub(super) use resolve::resolve;
