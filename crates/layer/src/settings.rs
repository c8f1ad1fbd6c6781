//! The settings that applications and users give the layer.
//!
//! Settings come from the application's `VkLayerSettingsCreateInfoEXT` and from the user's environment, which takes
//! precedence. If a setting cannot be read, an error names the setting, and its value does not change.

use crate::LAYER_NAME;
use crate::chain::text;
use crate::features::Feature;
use crate::log::Level;
use crate::names::one_of;
use ash::vk::{self, TaggedStructure as _};
use std::ffi::{CStr, CString, OsString, c_char, c_void};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// The operation mode of the layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    #[default]
    /// The layer provides features that the driver lacks, and does nothing if the driver has them.
    Auto,
    /// The layer hides features and extensions, and provides nothing.
    PassThrough,
    /// The layer advertises `VK_EXT_transform_feedback` where the driver lacks it, but captures nothing. This shows
    /// how an application uses the extension; draws that read captured data are wrong.
    DebugNull,
}

impl Mode {
    /// All modes, each with its name in settings.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("auto", Self::Auto),
        ("pass-through", Self::PassThrough),
        ("debug-null", Self::DebugNull),
    ];
}

/// The settings of the layer.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Settings {
    /// The operation mode of the layer.
    pub mode: Mode,
    /// The device extensions to hide.
    pub hide: Vec<CString>,
    /// The features of core Vulkan to hide.
    pub hide_features: Vec<Feature>,
    /// The features of core Vulkan that the layer provides where the driver lacks them or they are hidden.
    pub provide: Vec<Feature>,
    /// Whether the layer provides `VK_EXT_depth_clip_control`, too.
    pub provide_depth_clip: bool,
    /// Whether devices behave as if their drivers were portability drivers.
    pub portability: bool,
    /// The most detailed level that is logged.
    pub log_level: Level,
    /// The file to which log lines are appended; standard error if absent.
    pub log_file: Option<PathBuf>,
    /// Options for debugging captures.
    pub debugging: Debugging,
}

/// Options for debugging captures.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Debugging {
    /// A folder to which the layer writes the shaders of captures, before and after lowering.
    pub dump: Option<PathBuf>,
    /// The pipelines to capture, by their number in the order of creation; all by default. Other pipelines only draw.
    pub pipelines: Option<RangeInclusive<u32>>,
    /// Whether creating a pipeline that cannot be captured fails; otherwise the pipeline only draws.
    pub refuse: bool,
}

/// The names of the settings, each with its environment variable.
pub const NAMES: [(&str, &str); 9] = [
    ("mode", "POLYSHADE_LAYER_MODE"),
    ("hide", "POLYSHADE_LAYER_HIDE"),
    ("provide", "POLYSHADE_LAYER_PROVIDE"),
    ("portability", "POLYSHADE_LAYER_PORTABILITY"),
    ("log_level", "POLYSHADE_LAYER_LOG_LEVEL"),
    ("log_file", "POLYSHADE_LAYER_LOG_FILE"),
    ("dump", "POLYSHADE_LAYER_DUMP"),
    ("pipelines", "POLYSHADE_LAYER_PIPELINES"),
    ("refuse", "POLYSHADE_LAYER_REFUSE"),
];

impl Settings {
    /// Reads the settings of an instance. Returns them together with the error messages for invalid settings.
    ///
    /// # Safety
    ///
    /// `chain` is the `pNext` chain of a `VkInstanceCreateInfo`, and its structures are valid.
    pub(crate) unsafe fn read(
        chain: *const c_void,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> (Self, Vec<String>) {
        let mut settings = Self::default();
        let mut faults = Vec::new();
        // SAFETY: guaranteed by the caller.
        for (name, value) in unsafe { of_chain(chain) } {
            let set = value.and_then(|value| settings.set(&name, &value));
            faults.extend(set.err().map(|fault| format!("layer setting {name}: {fault}")));
        }
        for (name, variable_name) in NAMES {
            let Some(value) = variable(variable_name) else { continue };
            let value = value.into_string().map_err(|_| "is not UTF-8".to_owned());
            let set = value.and_then(|value| settings.set(name, &value));
            faults.extend(set.err().map(|fault| format!("{variable_name}: {fault}")));
        }
        (settings, faults)
    }

    pub(crate) fn hides(&self, extension: &CStr) -> bool {
        self.hide.iter().any(|hidden| hidden.as_c_str() == extension)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "mode" => self.mode = one_of(&Mode::NAMES, value)?,
            "hide" => (self.hide, self.hide_features) = hidden(value)?,
            "provide" => (self.provide, self.provide_depth_clip) = provided(value)?,
            "portability" => self.portability = one_of(&SWITCH, value)?,
            "log_level" => self.log_level = one_of(&Level::NAMES, value)?,
            "log_file" => self.log_file = path(value),
            "dump" => self.debugging.dump = path(value),
            "pipelines" => self.debugging.pipelines = numbers(value)?,
            "refuse" => self.debugging.refuse = one_of(&SWITCH, value)?,
            _ => {
                let known: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
                return Err(format!("unknown setting: the settings are {}", known.join(", ")));
            }
        }
        Ok(())
    }
}

/// Returns an environment variable, unless the process has more privileges than the user who set it.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    let value = if has_more_rights() { None } else { std::env::var_os(name) };
    #[cfg(target_os = "android")]
    let value = value.or_else(|| crate::system::property(name));
    value
}

/// Asks the kernel whether the program has raised privileges: it may be setuid, or have file capabilities.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn has_more_rights() -> bool {
    use std::ffi::c_ulong;
    const AT_SECURE: c_ulong = 23;
    unsafe extern "C" {
        fn getauxval(kind: c_ulong) -> c_ulong;
    }
    // SAFETY: the C library has the function, which only reads.
    unsafe { getauxval(AT_SECURE) != 0 }
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
fn has_more_rights() -> bool {
    use rustix::process::{getegid, geteuid, getgid, getuid};
    getuid() != geteuid() || getgid() != getegid()
}

#[cfg(not(unix))]
fn has_more_rights() -> bool {
    false
}

const SWITCH: [(&str, bool); 2] = [("off", false), ("on", true)];

fn path(value: &str) -> Option<PathBuf> {
    (!value.is_empty()).then(|| PathBuf::from(value))
}

/// Parses `FIRST-LAST` or one number. Returns `None`, for all pipelines, if the text is empty.
fn numbers(value: &str) -> Result<Option<RangeInclusive<u32>>, String> {
    if value.is_empty() {
        return Ok(None);
    }
    let (first, last) = value.split_once('-').unwrap_or((value, value));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) => Ok(Some(first..=last)),
        _ => Err(format!("`{value}` is not a range of pipelines, such as 3-7")),
    }
}

/// Returns the names in a list with commas or spaces between them.
fn names(value: &str) -> impl Iterator<Item = &str> {
    value.split([',', ' ']).filter(|name| !name.is_empty())
}

/// Parses names of provided features, separated by commas or spaces. Returns the features of core Vulkan, and whether
/// `VK_EXT_depth_clip_control` is among the names.
fn provided(value: &str) -> Result<(Vec<Feature>, bool), String> {
    let [clip, cull] = Feature::PROVIDED.map(|(name, feature)| (name, Some(feature)));
    let all = [clip, cull, ("VK_EXT_depth_clip_control", None)];
    let found = names(value).map(|name| one_of(&all, name)).collect::<Result<Vec<_>, _>>()?;
    Ok((found.iter().copied().flatten().collect(), found.contains(&None)))
}

/// Parses names of extensions and features, separated by commas or spaces.
fn hidden(value: &str) -> Result<(Vec<CString>, Vec<Feature>), String> {
    let (mut extensions, mut features) = (Vec::new(), Vec::new());
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for name in names(value) {
        if let Ok(feature) = one_of(&Feature::NAMES, name) {
            features.push(feature);
        } else if let (true, Ok(extension)) =
            (name.starts_with("VK_") && name.chars().all(is_word), CString::new(name))
        {
            extensions.push(extension);
        } else {
            let names = Feature::NAMES.map(|(name, _)| name).join(", ");
            return Err(format!(
                "`{value}` is not a list of extensions, such as VK_EXT_one,VK_KHR_other, or of the features {names}"
            ));
        }
    }
    Ok((extensions, features))
}

/// Returns the settings for this layer in the chain, each with its value or an error message.
///
/// # Safety
///
/// The same requirements as for [`Settings::read`].
unsafe fn of_chain(chain: *const c_void) -> Vec<(String, Result<String, String>)> {
    let mut found = Vec::new();
    let mut at = chain.cast::<vk::BaseInStructure<'_>>();
    // SAFETY: guaranteed by the caller.
    while let Some(structure) = unsafe { at.as_ref() } {
        at = structure.p_next;
        if structure.s_type != vk::LayerSettingsCreateInfoEXT::STRUCTURE_TYPE {
            continue;
        }
        let info = std::ptr::from_ref(structure).cast::<vk::LayerSettingsCreateInfoEXT<'_>>();
        // SAFETY: the structure type identifies the structure, whose array has `setting_count` elements.
        let settings = unsafe { slice((*info).p_settings, (*info).setting_count) };
        for setting in settings {
            // SAFETY: the names in valid settings are NUL-terminated strings.
            let (layer, name) =
                unsafe { (text(setting.p_layer_name), text(setting.p_setting_name)) };
            if layer == Some(LAYER_NAME) {
                let name = name.unwrap_or_default().to_string_lossy().into_owned();
                // SAFETY: the setting is valid.
                found.push((name, unsafe { value_of(setting) }));
            }
        }
    }
    found
}

/// Returns the string values of a setting, joined with commas.
///
/// # Safety
///
/// The setting is valid.
unsafe fn value_of(setting: &vk::LayerSettingEXT<'_>) -> Result<String, String> {
    if setting.ty != vk::LayerSettingTypeEXT::STRING {
        return Err(format!("has the type {:?} instead of strings", setting.ty));
    }
    // SAFETY: the type states that the array has `value_count` strings.
    let values = unsafe { slice(setting.p_values.cast::<*const c_char>(), setting.value_count) };
    // SAFETY: as above.
    let values = values.iter().filter_map(|value| unsafe { text(*value) });
    let values: Result<Vec<&str>, _> = values.map(CStr::to_str).collect();
    values.map(|values| values.join(",")).map_err(|_| "is not UTF-8".to_owned())
}

/// Returns an array as a slice, which is empty if the pointer is null.
///
/// # Safety
///
/// `first` is null or points to `count` elements, which live for as long as the result is used.
pub(crate) unsafe fn slice<'t, T>(first: *const T, count: u32) -> &'t [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: guaranteed by the caller.
    unsafe { std::slice::from_raw_parts(first, count as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chain: *const c_void, variables: &[(&str, &str)]) -> (Settings, Vec<String>) {
        let variable = |name: &str| {
            variables.iter().find(|(one, _)| *one == name).map(|(_, value)| OsString::from(value))
        };
        // SAFETY: the chains below are valid.
        unsafe { Settings::read(chain, variable) }
    }

    #[test]
    fn the_environment_wins_over_the_application() {
        let values = [c"VK_EXT_a".as_ptr(), c"VK_EXT_b".as_ptr()];
        let mode = [c"pass-through".as_ptr()];
        let setting = |layer: &'static CStr, name: &'static CStr, values: &[*const c_char]| {
            vk::LayerSettingEXT {
                p_layer_name: layer.as_ptr(),
                p_setting_name: name.as_ptr(),
                ty: vk::LayerSettingTypeEXT::STRING,
                value_count: values.len() as u32,
                p_values: values.as_ptr().cast(),
                ..vk::LayerSettingEXT::default()
            }
        };
        let settings = [
            setting(LAYER_NAME, c"hide", &values),
            setting(LAYER_NAME, c"mode", &mode),
            setting(c"VK_LAYER_of_others", c"hide", &mode),
        ];
        let info = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
        let chain = std::ptr::from_ref(&info).cast();

        let (settings, faults) = read(chain, &[]);
        assert_eq!((settings.mode, settings.hide.len()), (Mode::PassThrough, 2));
        assert!(settings.hides(c"VK_EXT_b") && !settings.hides(c"VK_EXT_c"));
        let (settings, more) = read(chain, &[("POLYSHADE_LAYER_MODE", "auto")]);
        assert_eq!((settings.mode, settings.hide.len()), (Mode::Auto, 2));
        assert_eq!([faults, more].concat(), [""; 0]);
    }

    #[test]
    fn what_helps_debugging_is_read() {
        let variables = [
            ("POLYSHADE_LAYER_DUMP", "folder"),
            ("POLYSHADE_LAYER_PIPELINES", "3-7"),
            ("POLYSHADE_LAYER_REFUSE", "on"),
        ];
        let (settings, faults) = read(std::ptr::null(), &variables);
        let expected =
            Debugging { dump: Some("folder".into()), pipelines: Some(3..=7), refuse: true };
        assert_eq!((settings.debugging, faults.len()), (expected, 0));
        let (settings, _) = read(std::ptr::null(), &[("POLYSHADE_LAYER_PIPELINES", "4")]);
        assert_eq!(settings.debugging.pipelines, Some(4..=4));
    }

    #[test]
    fn bad_settings_are_named_and_change_nothing() {
        let variables = [
            ("POLYSHADE_LAYER_MODE", "null"),
            ("POLYSHADE_LAYER_HIDE", "transform_feedback"),
            ("POLYSHADE_LAYER_PROVIDE", "geometryShader"),
            ("POLYSHADE_LAYER_LOG_LEVEL", "5"),
            ("POLYSHADE_LAYER_PIPELINES", "3-x"),
            ("POLYSHADE_LAYER_REFUSE", "yes"),
        ];
        let (settings, faults) = read(std::ptr::null(), &variables);
        assert_eq!(settings, Settings::default());
        assert_eq!(faults.len(), 6);
        for ((name, value), fault) in variables.iter().zip(&faults) {
            assert!(fault.starts_with(&format!("{name}: `{value}` is n")), "{fault}");
        }

        let number = [1_u32];
        let of_numbers = vk::LayerSettingEXT {
            p_layer_name: LAYER_NAME.as_ptr(),
            p_setting_name: c"mode".as_ptr(),
            ty: vk::LayerSettingTypeEXT::UINT32,
            value_count: 1,
            p_values: number.as_ptr().cast(),
            ..vk::LayerSettingEXT::default()
        };
        let unknown = vk::LayerSettingEXT {
            p_setting_name: c"moed".as_ptr(),
            ty: vk::LayerSettingTypeEXT::STRING,
            value_count: 0,
            ..of_numbers
        };
        let settings = [of_numbers, unknown];
        let info = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
        let (settings, faults) = read(std::ptr::from_ref(&info).cast(), &[]);
        assert_eq!(settings, Settings::default());
        assert!(faults[0].starts_with("layer setting mode: has the type"), "{faults:?}");
        assert!(faults[1].starts_with("layer setting moed: unknown setting"), "{faults:?}");
    }

    /// Only root may set file capabilities, so the test needs root.
    #[test]
    #[cfg(target_os = "linux")]
    fn programs_with_capabilities_do_not_heed_the_environment() {
        use std::ffi::{CString, c_char, c_int, c_void};
        use std::os::unix::{ffi::OsStrExt as _, fs::PermissionsExt, process::CommandExt as _};
        const NAME: &str = "POLYSHADE_LAYER_OF_A_TEST";
        const TEST: &str =
            "settings::tests::programs_with_capabilities_do_not_heed_the_environment";
        unsafe extern "C" {
            fn setxattr(
                path: *const c_char,
                name: *const c_char,
                value: *const c_void,
                size: usize,
                flags: c_int,
            ) -> c_int;
        }
        if std::env::var_os(NAME).is_some() {
            println!("heeded: {}", variable(NAME).is_some());
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755))
            .expect("it is ours");
        let program = folder.path().join("program");
        std::fs::copy(std::env::current_exe().expect("it runs"), &program).expect("there is room");
        let run = || {
            let mut run = std::process::Command::new(&program);
            run.args(["--exact", TEST, "--nocapture"]).env(NAME, "1").uid(65534).output()
        };
        let printed =
            |output: std::process::Output| String::from_utf8_lossy(&output.stdout).into_owned();
        let Ok(plain) = run().map(printed) else { return };
        assert!(plain.contains("heeded: true"), "{plain}");
        // Version 2 of `vfs_cap_data`: effective, with `CAP_NET_RAW`.
        let rights = [0x0200_0001_u32, 1 << 13, 0, 0, 0].map(u32::to_le);
        let path = CString::new(program.as_os_str().as_bytes()).expect("it has no 0");
        let name = c"security.capability".as_ptr();
        // SAFETY: both strings are NUL-terminated, and the value has the given number of bytes.
        let done = unsafe {
            setxattr(path.as_ptr(), name, rights.as_ptr().cast(), size_of_val(&rights), 0)
        };
        if done == 0 {
            let printed = run().map(printed).expect("it ran before");
            assert!(printed.contains("heeded: false"), "{printed}");
        }
    }
}
