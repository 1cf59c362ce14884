//! The targets, by the part of the program that they test.

pub mod answers;
pub mod command;
pub mod folder;
pub mod interview;
pub mod mcp;
pub mod office;
pub mod reply;
pub mod route;
pub mod world;
