//! Speed measurements, one file per simulator in `benches/`.
//!
//! This library is empty: the benches are a package of their own so that examples and tests never
//! build the harness. Run one with `cargo bench -p benches --bench beer_game`.
//!
//! Rules for a bench: inputs vary from iteration to iteration, because branch predictors learn
//! repeated ones; throughput is declared in the unit that people ask for (steps, pairs, plans);
//! what is measured and what is left out stands in the file's header.
