//! The meaning of a run definition: its workloads and the storage of each.

use std::collections::BTreeMap;

use super::catalogue::DefinitionKind;
use super::definitions::{Definition, Definitions};
use super::lines::Pair;
use super::trees::{self, Tree};
use crate::source::Reading;

/// Devices and files of one run.
const FILES_MAX: usize = 256;

/// A run with the storage and the workloads it means.
pub(super) struct Run<'d> {
    pub(super) run: &'d Definition,
    pub(super) storages: Vec<&'d Definition>,
    pub(super) works: Vec<(String, Option<&'d Definition>, Vec<&'d Definition>)>,
    /// Files and devices by name; none when the files lie in the bed's directory.
    pub(super) paths: Vec<String>,
    /// Of file system workloads, the files of each storage.
    pub(super) trees: Vec<Tree>,
    pub(super) general: &'d BTreeMap<&'static str, Pair>,
}

/// Finds them; a missing one is a fault.
pub(super) fn gather<'d>(
    reading: &mut Reading<'_>,
    definitions: &'d Definitions,
    run: &'d Definition,
) -> Option<Run<'d>> {
    let names = |definition: &Definition, key: &str| definition.pair(key).map(|pair| pair.values.clone());
    let missing = |reading: &mut Reading<'_>, key: &str, of: &Definition| {
        if definitions.is_partial {
            return; // An unreadable one may have been it.
        }
        let message = format!("`{}` means no {key} that is defined above", of.name);
        reading.fault(of.place_of(key), &message, "", &format!("define it, or correct {key}="));
    };
    let mut works = Vec::new();
    let on_files = run.pair("fwd").is_some();
    let (work_key, work_kind, storage_key, storage_kind) = match on_files {
        true => ("fwd", DefinitionKind::FileWork, "fsd", DefinitionKind::FileSystem),
        false => ("wd", DefinitionKind::Work, "sd", DefinitionKind::Storage),
    };
    match names(run, work_key) {
        Some(meant) => {
            for work in definitions.named(work_kind, &meant) {
                let meant = names(run, storage_key).or_else(|| names(work, storage_key));
                let meant = meant.unwrap_or_else(|| vec!["*".to_owned()]);
                works.push((work.name.clone(), Some(work), definitions.named(storage_kind, &meant)));
            }
            if works.is_empty() {
                missing(reading, work_key, run);
                return None;
            }
        }
        None => {
            let meant = names(run, "sd").unwrap_or_else(|| vec!["*".to_owned()]);
            works.push((run.name.clone(), None, definitions.named(DefinitionKind::Storage, &meant)));
        }
    }
    if let Some((_, work, _)) = works.iter().find(|(_, _, storages)| storages.is_empty()) {
        missing(reading, storage_key, work.unwrap_or(run));
        return None;
    }
    let mut storages: Vec<&Definition> = Vec::new();
    for storage in works.iter().flat_map(|(_, _, storages)| storages) {
        if !storages.iter().any(|known| known.name == storage.name) {
            storages.push(storage);
        }
    }
    let (paths, trees) = match on_files {
        true => {
            let trees = trees::trees(reading, &storages)?;
            (tree_paths(reading, definitions, &storages, &trees)?, trees)
        }
        false => (paths(reading, &storages)?, Vec::new()),
    };
    Some(Run { run, storages, works, paths, trees, general: &definitions.general })
}

/// Names of the files where the file systems have several directories; with one, the bed lies there.
fn tree_paths(
    reading: &mut Reading<'_>,
    definitions: &Definitions,
    storages: &[&Definition],
    trees: &[Tree],
) -> Option<Vec<String>> {
    if definitions.anchor().is_some() {
        return Some(Vec::new());
    }
    let mut paths = Vec::new();
    for tree in trees {
        let storage = storages[tree.storage];
        let Some(anchor) = storage.value("anchor") else {
            let message = format!("the file system `{}` has no anchor", storage.name);
            reading.fault(&storage.place, &message, "", "add anchor=/path/to/directory");
            return None;
        };
        let anchor = anchor.trim_end_matches('/');
        let of_storage = trees.iter().find(|first| first.storage == tree.storage);
        let before = tree.first - of_storage.map_or(tree.first, |first| first.first);
        let name = |number: u32| format!("{anchor}/{}-{number}.dat", storage.name);
        paths.extend((before + 1..=before + tree.count).map(name));
    }
    Some(paths)
}

/// The luns of the SDs, each once.
fn paths(reading: &mut Reading<'_>, storages: &[&Definition]) -> Option<Vec<String>> {
    let mut paths: Vec<String> = Vec::new();
    for storage in storages {
        let Some(lun) = storage.value("lun") else {
            let message = format!("the storage `{}` has no lun", storage.name);
            reading.fault(&storage.place, &message, "", "add lun=/dev/NAME or lun=/path/to/file");
            return None;
        };
        if lun.contains('\\') || lun.to_ascii_lowercase().starts_with("vol") && lun.contains(':') {
            let message = format!("`lun`: `{lun}` is no path of this system");
            reading.fault(
                storage.place_of("lun"),
                &message,
                "",
                "name a file or a block device of this host",
            );
            return None;
        }
        if paths.iter().any(|path| path == lun) {
            reading.note(
                storage.place_of("lun"),
                format!("`{lun}` stands in several SDs and is one target here"),
            );
        } else {
            paths.push(lun.to_owned());
        }
    }
    if paths.len() > FILES_MAX {
        let message = format!("{} SDs are more than one workload has files", paths.len());
        reading.fault(&storages[0].place, &message, "", &format!("use {FILES_MAX} at most"));
        return None;
    }
    Some(paths)
}
