//! The core's integration tests, as one program: linking one for each file took longer than
//! the tests.

mod common;
mod conformance;
mod conservation;
mod control;
mod copy_back;
mod disk;
mod endings;
mod flash_rules;
mod flush;
mod hold;
mod hybrid;
mod hyssd_limits;
mod idle;
mod ips;
mod ips_oracle;
mod knobs;
mod light_workload;
mod limits;
mod model;
mod ops;
mod ops_hierarchy;
mod ops_hyssd;
mod ops_sa;
mod ops_sector;
mod ops_ust;
mod physics;
mod prefill_on_read;
mod rl;
mod rl_limits;
mod smoke;
mod timing;
mod timing_orders;
mod two_layer_rules;
mod whole_moves;
mod windows;
