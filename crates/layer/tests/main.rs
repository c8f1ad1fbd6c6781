//! The layer as applications meet it: below the real loader, above both drivers; and above a driver that is made up,
//! which sees all that reaches it.

mod alone;
mod bare;
mod below;
mod captured;
mod discarding;
mod draws;
mod hide;
mod linked;
mod loader;
mod made_up;
mod made_up_loader;
mod many;
mod memory;
mod narrow;
mod newer;
mod null;
mod objects;
mod others;
mod parameters;
mod pass_through;
mod queries;
mod reached;
mod streams;
mod unfit;
mod without_loader;
