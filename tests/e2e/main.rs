//! The real program in the real window: what a person sees and does.

mod smoke;
