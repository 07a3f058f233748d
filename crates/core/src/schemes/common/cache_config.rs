//! The parameters that every scheme with a page-level SLC cache has, declared once.

/// Declares the parameters of scheme `$scheme`: those of the cache, and its own with their
/// defaults. A user finds all of them side by side, so that they are fields of one struct.
macro_rules! cache_config {
    (
        $(#[$about:meta])*
        pub struct $name:ident($scheme:literal) {
            $($(#[$doc:meta])* pub $field:ident: $type:ty = $default:expr,)*
        }
        $(check $own:path;)?
        $(moot $moot:path;)?
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            /// SLC blocks per plane.
            pub slc_blocks: u32,
            /// Cell mode of the store behind the cache; default: the densest that one pool offers beside SLC.
            pub dense_mode: Option<$crate::base::CellMode>,
            /// Order in which consecutive pages go to planes.
            pub plane_order: $crate::ftl::config::PlaneOrder,
            /// How a page's plane is chosen.
            pub placement: $crate::ftl::config::Placement,
            /// What starts the reclamation of SLC blocks.
            pub trigger: $crate::schemes::common::cache::Trigger,
            /// Reclamation of SLC blocks.
            pub slc: $crate::ftl::config::CleanConfig,
            /// Cleaning of the dense region.
            pub dense: $crate::ftl::config::CleanConfig,
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                use $crate::ftl::config::CleanConfig;
                Self {
                    slc_blocks: 64,
                    dense_mode: None,
                    plane_order: $crate::ftl::config::PlaneOrder::Cwdp,
                    placement: $crate::ftl::config::Placement::RoundRobin,
                    trigger: $crate::schemes::common::cache::Trigger::FreeBlocks,
                    slc: CleanConfig { start_free_ratio: 0.5, ..CleanConfig::default() },
                    dense: CleanConfig::default(),
                    $($field: $default,)*
                }
            }
        }

        impl $name {
            /// The cache's part.
            pub(in $crate::schemes) fn cache(&self) -> $crate::schemes::common::cache::CacheSpec<'_> {
                $crate::schemes::common::cache::CacheSpec {
                    name: $scheme,
                    slc_blocks: self.slc_blocks,
                    slc_blocks_min: 3,
                    dense_mode: self.dense_mode,
                    plane_order: self.plane_order,
                    placement: self.placement,
                    trigger: self.trigger,
                    slc: &self.slc,
                    dense: &self.dense,
                }
            }
        }

        impl $crate::ftl::scheme::Parameters for $name {
            fn check(
                &self,
                device: &$crate::hw::device_config::DeviceConfig,
                problems: &mut Vec<$crate::base::Problem>,
            ) {
                $($own(self, device, problems);)?
                self.cache().check(device, problems);
            }

            fn settle(&mut self, device: &$crate::hw::device_config::DeviceConfig) {
                self.dense_mode = Some(self.cache().mode(device));
            }

            fn moot(&self, key: &str) -> Option<&'static str> {
                $crate::schemes::common::cache::moot(key)$(.or_else(|| $moot(self, key)))?
            }
        }
    };
}
pub(in crate::schemes) use cache_config;
