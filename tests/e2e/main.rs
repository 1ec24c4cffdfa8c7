//! The real program in the real window: what a person sees and does, and what the page can't do.

mod bridge;
mod cases;
mod comeback;
mod journey;
mod no_database;
mod page;
mod pictures;
mod smoke;
mod telling;
mod walls;
