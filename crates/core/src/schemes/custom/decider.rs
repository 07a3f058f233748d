//! The policy of a custom scheme as a snapshot holds it: what it says of itself.

use super::Policy;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

/// A policy, if there is one.
#[derive(Default)]
pub struct Decider {
    policy: Option<Box<dyn Policy>>,
    /// What a snapshot says of it.
    saved: Option<String>,
    /// Why it could not be saved.
    pub unsaved: OnceLock<String>,
}

impl From<Option<Box<dyn Policy>>> for Decider {
    fn from(policy: Option<Box<dyn Policy>>) -> Self {
        Self { policy, ..Self::default() }
    }
}

impl Deref for Decider {
    type Target = Option<Box<dyn Policy>>;
    fn deref(&self) -> &Self::Target {
        &self.policy
    }
}

impl DerefMut for Decider {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.policy
    }
}

impl Serialize for Decider {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let saved = self.policy.as_ref().map(|policy| policy.save()).transpose();
        let saved = saved.unwrap_or_else(|message| {
            self.unsaved.get_or_init(|| message);
            None
        });
        saved.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Decider {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Option::deserialize(from).map(|saved| Self { saved, ..Self::default() })
    }
}

impl Decider {
    /// Goes on where the policy of the snapshot was, with `fresh`.
    pub fn resume(&mut self, fresh: Self) -> Result<(), String> {
        self.policy = fresh.policy;
        match (&mut self.policy, self.saved.take()) {
            (None, None) => Ok(()),
            (Some(policy), Some(state)) => policy.load(&state),
            _ => Err("the state of a policy, or none, where there is none, or one".into()),
        }
    }
}
