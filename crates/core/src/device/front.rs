//! What lies between the host and the FTL in time: the host link and the controller.

use super::link::LinkConfig;
use super::requests::HostRequest;
use super::setup::Setup;
use crate::base::request::HostOp;
use crate::hw::controller_config::ControllerConfig;
use crate::hw::geometry::scattered;

/// The host link, one message at a time in each direction, and the controller.
#[derive(Clone)]
pub(super) struct Front {
    link: Option<LinkConfig>,
    controller: ControllerConfig,
    /// When the link is free again for writes and for reads, and when the controller takes the next command.
    link_in_ns: u64,
    link_out_ns: u64,
    command_ns: u64,
    /// Requests that came in since nothing was in the device: what each draws by.
    commands: u64,
}

/// How long a request is served on the link and by the controller, ns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ends {
    pub link_ns: u64,
    pub controller_ns: u64,
}

impl Front {
    /// The front of a device; none if nothing of it takes time.
    pub fn new(setup: &Setup) -> Option<Self> {
        let controller = setup.device.controller.unwrap_or_default();
        let link = setup.host.link;
        let takes_time = link.is_some() || controller != ControllerConfig::default();
        takes_time.then_some(Self {
            link,
            controller,
            link_in_ns: 0,
            link_out_ns: 0,
            command_ns: 0,
            commands: 0,
        })
    }

    /// Nothing is in the device: the next command is taken when it comes, as on a device that begins.
    pub fn rest(&mut self) {
        (self.command_ns, self.commands) = (0, 0);
    }

    /// How long a request is served.
    pub fn ends(&self, record: &HostRequest) -> Ends {
        let request = &record.request;
        let link_ns = match (&self.link, request.op) {
            (Some(link), HostOp::Read) => {
                u64::from(link.read_overhead_ns) + link.transfer_ns(request.bytes())
            }
            (Some(link), HostOp::Write) => {
                u64::from(link.write_overhead_ns) + link.transfer_ns(request.bytes())
            }
            _ => 0,
        };
        Ends { link_ns, controller_ns: self.controller.latency_ns(request.op, record.draw) }
    }

    /// When a request that comes at `now_ns` is in the device: it waits for the controller's turn, and a
    /// write's data for the link.
    pub fn come_in(&mut self, record: &mut HostRequest, now_ns: u64) -> u64 {
        let op = record.request.op;
        record.draw = (scattered(self.commands) >> 48) as u16;
        self.commands += 1;
        let ends = self.ends(record);
        let command_ns = self.controller.command_ns(op);
        let mut at_ns = now_ns;
        if command_ns > 0 {
            at_ns = self.command_ns.max(now_ns);
            record.controller_wait_ns = at_ns - now_ns;
            self.command_ns = at_ns + command_ns;
        }
        if op == HostOp::Write && self.link.is_some() {
            let start_ns = self.link_in_ns.max(at_ns);
            record.link_wait_ns = start_ns - at_ns;
            at_ns = start_ns + ends.link_ns;
            self.link_in_ns = at_ns;
        }
        at_ns + ends.controller_ns
    }

    /// When the data of a read that are there at `at_ns` are with the host.
    pub fn go_out(&mut self, record: &mut HostRequest, at_ns: u64) -> u64 {
        if self.link.is_none() {
            return at_ns;
        }
        let start_ns = self.link_out_ns.max(at_ns);
        record.link_wait_ns += start_ns - at_ns;
        self.link_out_ns = start_ns + self.ends(record).link_ns;
        self.link_out_ns
    }
}
