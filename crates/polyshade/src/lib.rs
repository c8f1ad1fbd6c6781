//! polyshade.
