//! SPIR-V.
