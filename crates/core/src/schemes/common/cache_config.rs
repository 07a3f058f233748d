//! The parameters that every scheme with a page-level SLC cache has, declared once.

/// Declares the parameters of scheme `$scheme`: those of the cache, and its own with their defaults.
macro_rules! cache_config {
    (
        $(#[$about:meta])*
        pub struct $name:ident($scheme:literal) {
            $($(#[$doc:meta])* pub $field:ident: $type:ty = $default:expr,)*
        }
        $(check $own:path;)?
        $(moot $moot:path;)?
    ) => {
        $crate::schemes::common::parameters::parameters! {
            $(#[$about])*
            pub struct $name {
                /// SLC blocks per plane.
                pub slc_blocks: u32 = 64,
                /// Cell mode of the store behind the cache; default: the densest that one pool offers beside SLC.
                pub dense_mode: Option<$crate::base::CellMode> = None,
                /// Order in which consecutive pages go to planes.
                pub plane_order: $crate::ftl::config::PlaneOrder = $crate::ftl::config::PlaneOrder::Cwdp,
                /// How a page's plane is chosen.
                pub placement: $crate::ftl::config::Placement = $crate::ftl::config::Placement::RoundRobin,
                /// What starts the reclamation of SLC blocks.
                pub trigger: $crate::schemes::common::cache::Trigger = Default::default(),
                /// Reclamation of SLC blocks.
                pub slc: $crate::ftl::config::CleanConfig =
                    $crate::ftl::config::CleanConfig { start_free_ratio: 0.5, ..Default::default() },
                /// Cleaning of the dense region.
                pub dense: $crate::ftl::config::CleanConfig = Default::default(),
                $($(#[$doc])* pub $field: $type = $default,)*
            }
            check |config, device, problems| {
                $($own(config, device, problems);)?
                config.cache().check(device, problems);
            };
            settle |config, device| config.dense_mode = Some(config.cache().mode(device));
            moot |_config, key| $crate::schemes::common::cache::moot(key)$(.or_else(|| $moot(_config, key)))?;
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
    };
}
pub(in crate::schemes) use cache_config;
