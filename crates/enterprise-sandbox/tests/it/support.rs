//! Helpers of several tests.

use enterprise_sandbox::access::{AccessEngine, EngineKind, NativeEngine};
use enterprise_sandbox::data::company::Company;
use enterprise_sandbox::data::export::export;
use enterprise_sandbox::data::import::NativeTree;
use enterprise_sandbox::data::synth::{CompanyConfig, synthesise};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// Every kind of engine that this build has.
pub(crate) fn kinds() -> Vec<EngineKind> {
    let mut kinds = vec![EngineKind::Native];
    if cfg!(feature = "cedar") {
        kinds.push(EngineKind::Cedar);
    }
    kinds
}

/// Every engine that this build has, with the built-in rules.
pub(crate) fn engines() -> Vec<Box<dyn AccessEngine>> {
    #[allow(unused_mut, reason = "the feature `cedar` adds one")]
    let mut engines: Vec<Box<dyn AccessEngine>> = vec![Box::new(NativeEngine::new(false, false))];
    #[cfg(feature = "cedar")]
    {
        use enterprise_sandbox::access::{CedarEngine, POLICIES, SCHEMA};
        engines.push(Box::new(CedarEngine::new(&POLICIES, &SCHEMA).unwrap()));
    }
    engines
}

/// The folder of shared fixtures; prints a note and returns `None` if it is absent.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let full = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(path);
    if full.exists() {
        return Some(full);
    }
    eprintln!("SKIPPED: {} is not there", full.display());
    None
}

/// All text files below a folder, by relative path.
pub(crate) fn read_tree(root: &Path) -> NativeTree {
    fn walk(root: &Path, at: &Path, out: &mut NativeTree) {
        for entry in std::fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, out);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                let relative = path
                    .strip_prefix(root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                out.insert(relative, text);
            }
        }
    }
    let mut out = NativeTree::new();
    walk(root, root, &mut out);
    out
}

static SMALL: LazyLock<Arc<Company>> =
    LazyLock::new(|| Arc::new(synthesise(&CompanyConfig::of(50, 3)).unwrap()));
static PAPER: LazyLock<Arc<Company>> =
    LazyLock::new(|| Arc::new(synthesise(&CompanyConfig::default()).unwrap()));

/// A company of fifty.
pub(crate) fn small() -> Arc<Company> {
    Arc::clone(&SMALL)
}

/// A company of the published size.
pub(crate) fn paper() -> Arc<Company> {
    Arc::clone(&PAPER)
}

/// The exported files of a company, by path.
pub(crate) fn exported(c: &Company) -> BTreeMap<String, String> {
    let mut out: BTreeMap<String, String> = BTreeMap::new();
    let all = export(c, &mut |path, piece| {
        out.entry(path.to_owned()).or_default().push_str(piece);
        ControlFlow::Continue(())
    });
    assert!(all.is_continue());
    out
}
