//! What a configuration may ask of a device of two tiers.

use super::capacity::Capacity;
use super::config::HyssdSpec;
use super::tiers::Layout;
use crate::base::Problem;
use crate::hw::device_config::DeviceConfig;

impl HyssdSpec<'_> {
    /// Adds every problem of the parameters on `device`.
    pub fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        let key = |rest: &str| format!("scheme.{}.{rest}", self.name);
        let found = problems.len();
        self.tiers.idle.check(&key("idle"), problems);
        let layout = match self.layout(device) {
            Ok(layout) => layout,
            Err(problem) => return problems.push(problem),
        };
        self.check_unit(device, &layout, problems);
        if problems.len() == found {
            self.check_endurance(device, &layout, problems);
            Capacity::of(self, device, &layout).check(self, device, &layout, problems);
        }
    }

    /// A unit is made of whole pages of the fast tier, and of whole pages of the dense one or fills one of
    /// them with others.
    fn check_unit(&self, device: &DeviceConfig, layout: &Layout, problems: &mut Vec<Problem>) {
        let unit = self.tiers.unit_bytes(device);
        let [fast, dense] = [&layout.fast, &layout.dense].map(|place| &device.pool[place.pool]);
        let key = format!("scheme.{}.unit_bytes", self.name);
        let mut refuse = |allowed: String| problems.push(Problem::new(key.clone(), unit, allowed));
        if unit == 0 || device.piece_bytes() % unit != 0 {
            refuse(format!("a divisor of the logical page of {} bytes", device.piece_bytes()));
        } else if unit % device.mu_bytes != 0 {
            refuse(format!("a multiple of the mapping unit of {} bytes", device.mu_bytes));
        } else if unit % fast.page_bytes != 0 {
            refuse(format!(
                "a multiple of the {} bytes of a page of pool \"{}\"",
                fast.page_bytes, fast.name
            ));
        } else if unit % dense.page_bytes != 0 && dense.page_bytes % unit != 0 {
            let (bytes, name) = (dense.page_bytes, &dense.name);
            refuse(format!("a multiple or a divisor of the {bytes} bytes of a page of pool \"{name}\""));
        } else if device.piece_bytes() % dense.page_bytes != 0 {
            let allowed = format!(
                "a multiple of the {} bytes of a page of pool \"{}\" for scheme.{}",
                dense.page_bytes, dense.name, self.name
            );
            problems.push(Problem::new("device.piece_bytes", device.piece_bytes(), allowed));
        }
    }

    fn check_endurance(&self, device: &DeviceConfig, layout: &Layout, problems: &mut Vec<Problem>) {
        for place in [&layout.fast, &layout.dense].into_iter().filter(|_| self.needs_endurance) {
            let mode = device.pool[place.pool].mode(place.mode);
            if mode.is_some_and(|mode| mode.endurance_cycles.is_none()) {
                let key = format!("device.pool[{}].{}.endurance_cycles", place.pool, place.mode.name());
                let allowed = format!("1 or more, as scheme.{}.goal = \"lifetime\" needs it", self.name);
                problems.push(Problem::new(key, "not given", allowed));
            }
        }
    }
}
