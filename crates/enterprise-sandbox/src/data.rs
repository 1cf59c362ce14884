//! The company's data: tables and their fields, companies made from a seed or imported, and the writes
//! of an episode on top of them. Nothing here knows access rules, tools or tasks.
//!
//! ```text
//!  synth (seed) ────┐
//!  import (folder) ─┴─► Company (tables, never changes) ─┬─► CompanyView ─► records, search
//!  export (folder) ◄────┘          Overlay (writes) ─────┘
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`tables`] | the declarations: each source with its fields, people, verbs and generators |
//! | [`company`], [`row`], [`org`], [`value`] | the stored columns, people and levels, dates and money |
//! | [`synth`], [`import`], [`export`] | companies made from a seed, read and written in the published form |
//! | [`overlay`], [`view`] | writes of an episode; a company with the writes on top |
//! | [`search`] | full text search |

pub(crate) mod cells;
pub mod company;
pub mod export;
pub mod import;
pub mod org;
pub mod overlay;
pub mod row;
pub mod search;
pub mod synth;
pub mod tables;
pub mod value;
pub mod view;
