//! The power cut: unsynced data is kept or lost sector by sector, and nothing works until the power is back.

use std::fs;
use std::io;
use std::sync::Arc;

use ground::Random;

use super::file::SharedFile;
use super::oslock;
use super::state::{Files, State};
use super::store::{OpenAs, Store};
use crate::undo::Settled;

impl State {
    /// Cuts the power: from now on every call fails. Chooses at random, from the seed alone, the unsynced
    /// writes that are kept. Gives the first failure of the host on the way; a second cut without power does
    /// nothing.
    pub(crate) fn cut(&self, seed: u64) -> Result<(), String> {
        let Some(_nobody_writes) = self.common.power.cut() else { return Ok(()) };
        let mut generator = Random::new(seed);
        let mut random = || generator.next_u64();
        let files = std::mem::take(&mut *self.files.lock());
        let mut first_problem = Ok(());
        for known in files.known.values() {
            let file = &known.file;
            if file.is_emulated() && !known.is_replaced() {
                let result = settle_in_place(file, &mut random);
                first_problem = first_problem.and(result.map_err(|error| problem(file, &error)));
            }
        }
        for file in &files.deleted {
            if random() & 1 == 0 && !file.path().exists() {
                let result = bring_back(file, &mut random);
                first_problem = first_problem.and(result.map_err(|error| problem(file, &error)));
            }
        }
        self.let_go(&files);
        first_problem
    }

    /// Ends the life of all open files without touching their bytes.
    pub(crate) fn detach(&self) {
        if let Some(_nobody_writes) = self.common.power.cut() {
            let files = std::mem::take(&mut *self.files.lock());
            self.let_go(&files);
        }
    }

    /// Forgets files: their cached blocks, their undo information, and the locks that keep other processes
    /// out.
    fn let_go(&self, files: &Files) {
        let open = files.known.values().map(|known| &known.file);
        for file in open.chain(&files.deleted) {
            self.common.pool.forget(file.id, 0);
            self.drop_undo(file);
            let _ = oslock::release(file.store.file());
        }
        self.common.open_gathers.store(0, std::sync::atomic::Ordering::Release);
    }
}

fn problem(file: &SharedFile, error: &io::Error) -> String {
    format!("{}: {error}", file.path().display())
}

fn settle_in_place(file: &SharedFile, random: &mut impl FnMut() -> u64) -> io::Result<()> {
    match file.undo.lock().settle(file.size(), random) {
        Settled::Absent => fs::remove_file(file.path()),
        Settled::File { size, sectors } => put(&file.store, size, &sectors),
    }
}

/// The file is deleted; only its open descriptor still has the bytes.
fn bring_back(file: &Arc<SharedFile>, random: &mut impl FnMut() -> u64) -> io::Result<()> {
    let Settled::File { size, sectors } = file.undo.lock().settle(file.size(), random) else { return Ok(()) };
    let how = OpenAs { write: true, create: true, exclusive: true, direct: false };
    let store = Store::open(file.path(), how)?;
    let mut piece = vec![0; 1 << 20];
    let mut offset = 0;
    loop {
        let got = file.store.read_at(&mut piece, offset)?;
        if got == 0 {
            break;
        }
        store.write_at(&piece[..got], offset)?;
        offset += got as u64;
    }
    put(&store, size, &sectors)
}

fn put(store: &Store, size: u64, sectors: &[(u64, Vec<u8>)]) -> io::Result<()> {
    store.set_size(size)?;
    for (sector, contents) in sectors {
        let at = sector * crate::undo::SECTOR;
        let mut whole = contents.clone();
        whole.resize(crate::undo::SECTOR as usize, 0);
        let len = (size - at).min(crate::undo::SECTOR) as usize;
        store.write_at(&whole[..len], at)?;
    }
    Ok(())
}
