//! Options as JSON: those of the program's recipes, and of the library's `serde`.

use super::{Asked, Kind, polyshade_options};
use crate::border::{self, versioned};
use crate::error::{guard, polyshade_error};
use crate::failure::{Failure, polyshade_status};
use crate::place::check_reserved;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::ffi::c_char;

/// Options of any kind as JSON.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_json_options {
    /// The size, and `POLYSHADE_OPTIONS_JSON`.
    pub base: polyshade_options,
    /// The kind that the JSON is of.
    pub of: u32,
    /// 0
    pub reserved: u32,
    /// What the options of that kind are, as `polyshade_options_json` writes them. What is not said is the default.
    pub json: *const c_char,
}

versioned!(polyshade_json_options, 16 + size_of::<usize>());

/// Writes options, whatever struct they are in, as JSON: text that ends with a zero, which `*length` counts. Where
/// `buffer` is NULL, `*length` becomes the length; else it says how much `buffer` holds, and becomes how much there
/// is.
#[unsafe(no_mangle)]
pub extern "C" fn polyshade_options_json(
    options: *const polyshade_options,
    buffer: *mut c_char,
    length: *mut usize,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let text = super::read(options)?.to_value().to_string();
        border::fill_text(&text, buffer, length)
    })
}

/// The options in the caller's struct.
pub(super) fn read(at: *const polyshade_json_options) -> Result<Asked, Failure> {
    let given = border::get(at)?;
    check_reserved(given.reserved, "the options")?;
    Asked::of_json(Kind::of(given.of)?, border::text(given.json, "the options")?)
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::json("the options", &error))
}

fn value(options: &impl Serialize) -> Value {
    serde_json::to_value(options).expect("options have no keys but strings and numbers")
}

impl Asked {
    /// What the text asks for.
    pub(crate) fn of_json(kind: Kind, text: &str) -> Result<Self, Failure> {
        Ok(match kind {
            Kind::CaptureStorage => Self::Storage(parse(text)?),
            Kind::CaptureExtension => Self::Extension(parse(text)?),
            Kind::VertexPulling => Self::Pulling(parse(text)?),
            Kind::PositionOnly => Self::PositionOnly(parse(text)?),
            Kind::PositionComplement => Self::PositionComplement(parse(text)?),
            Kind::PositionFull => Self::PositionFull(parse(text)?),
            Kind::DepthConvention => Self::Depth(parse(text)?),
            Kind::RasterizerDiscard => Self::Discard(parse(text)?),
            Kind::AdvancedBlend => Self::Blend(parse(text)?),
            Kind::ClipNormalize => Self::Normalize(parse(text)?),
            Kind::ClipEnable => Self::Enable(parse(text)?),
            Kind::ClipPlanes => Self::Planes(parse(text)?),
            Kind::ClipCombine => Self::Combine(parse(text)?),
            Kind::ClipSeparate => Self::Separate(parse(text)?),
            Kind::ClipRegisters => Self::Registers(parse(text)?),
            Kind::ClipEmulateLast => Self::EmulateLast(parse(text)?),
            Kind::ClipEmulateFragment => Self::EmulateFragment(parse(text)?),
            Kind::ClipCut => Self::Cut(parse(text)?),
            Kind::ClipGenerate => Self::Generate(parse(text)?),
            Kind::ClipRepair => Self::Repair(parse(text)?),
            Kind::Recipe => Self::Recipe(Box::new(parse(text)?)),
        })
    }

    /// As JSON.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Storage(options) => value(options),
            Self::Extension(options) => value(options),
            Self::Pulling(options) => value(options),
            Self::PositionOnly(options)
            | Self::PositionComplement(options)
            | Self::PositionFull(options) => value(options),
            Self::Depth(options) => value(options),
            Self::Discard(options) => value(options),
            Self::Blend(options) => value(options),
            Self::Normalize(options) => value(options),
            Self::Enable(options) => value(options),
            Self::Planes(options) => value(options),
            Self::Combine(options) => value(options),
            Self::Separate(options) => value(options),
            Self::Registers(options) => value(options),
            Self::EmulateLast(options) => value(options),
            Self::EmulateFragment(options) => value(options),
            Self::Cut(options) => value(options),
            Self::Generate(options) => value(options),
            Self::Repair(options) => value(options),
            Self::Recipe(options) => value(options),
        }
    }

    /// Its kind.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Storage(_) => Kind::CaptureStorage,
            Self::Extension(_) => Kind::CaptureExtension,
            Self::Pulling(_) => Kind::VertexPulling,
            Self::PositionOnly(_) => Kind::PositionOnly,
            Self::PositionComplement(_) => Kind::PositionComplement,
            Self::PositionFull(_) => Kind::PositionFull,
            Self::Depth(_) => Kind::DepthConvention,
            Self::Discard(_) => Kind::RasterizerDiscard,
            Self::Blend(_) => Kind::AdvancedBlend,
            Self::Normalize(_) => Kind::ClipNormalize,
            Self::Enable(_) => Kind::ClipEnable,
            Self::Planes(_) => Kind::ClipPlanes,
            Self::Combine(_) => Kind::ClipCombine,
            Self::Separate(_) => Kind::ClipSeparate,
            Self::Registers(_) => Kind::ClipRegisters,
            Self::EmulateLast(_) => Kind::ClipEmulateLast,
            Self::EmulateFragment(_) => Kind::ClipEmulateFragment,
            Self::Cut(_) => Kind::ClipCut,
            Self::Generate(_) => Kind::ClipGenerate,
            Self::Repair(_) => Kind::ClipRepair,
            Self::Recipe(_) => Kind::Recipe,
        }
    }
}
