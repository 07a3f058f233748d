//! How the parameters that several schemes share are declared: one struct, its defaults, its checks.

/// Declares a struct of parameters with their defaults, and how it is checked, settled and asked what is
/// moot. Macros that add the shared ones stand on it, since a user finds all of them side by side.
macro_rules! parameters {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* pub $field:ident: $type:ty = $default:expr,)*
        }
        $(const $constant:ident: bool = $value:expr;)*
        check $check:expr;
        settle $settle:expr;
        $(moot $moot:expr;)?
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::ftl::scheme::Parameters for $name {
            $(const $constant: bool = $value;)*

            fn check(
                &self,
                device: &$crate::hw::device_config::DeviceConfig,
                problems: &mut Vec<$crate::base::Problem>,
            ) {
                let check: fn(&Self, &$crate::hw::device_config::DeviceConfig, &mut Vec<$crate::base::Problem>) =
                    $check;
                check(self, device, problems);
            }

            fn settle(&mut self, device: &$crate::hw::device_config::DeviceConfig) {
                let settle: fn(&mut Self, &$crate::hw::device_config::DeviceConfig) = $settle;
                settle(self, device);
            }

            $(fn moot(&self, key: &str) -> Option<&'static str> {
                let moot: fn(&Self, &str) -> Option<&'static str> = $moot;
                moot(self, key)
            })?
        }
    };
}
pub(in crate::schemes) use parameters;
