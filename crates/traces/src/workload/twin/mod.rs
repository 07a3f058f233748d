//! Stand-ins for published traces: workloads that meet the figures of a table.

mod achieved;
mod counts;
mod gaps;
mod generator;
mod lane;
mod places;
mod plan;
mod quota;
mod resolve;
mod sizes;

pub(super) use achieved::{extensive, figure_names, figures};
pub(super) use generator::TwinGenerator;
pub(super) use plan::TwinPlan;
pub(super) use resolve::resolve;
