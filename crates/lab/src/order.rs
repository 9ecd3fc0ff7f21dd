//! The order of the cells: randomised complete blocks, the same for the same seed.

use experiment::{Experiment, Order};
use ground::Random;

/// The key of a cell: bed x workload x level x repeat, by index into the experiment's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellKey {
    /// Index of the bed.
    pub bed: usize,
    /// Index of the workload.
    pub workload: usize,
    /// Index of the level within its workload.
    pub level: usize,
    /// Repeat, from 0.
    pub repeat: u32,
}

impl CellKey {
    /// The cell as the room of its kind knows it: where the number of ranks is the level, every workload has
    /// one load.
    pub(crate) fn of_load(self, experiment: &Experiment) -> CellKey {
        if experiment.scale_out().is_empty() { self } else { CellKey { level: 0, ..self } }
    }
}

/// The seed of a cell's random streams: the same for all beds of one workload, level and repeat, so that they
/// are asked the same.
pub(crate) fn cell_seed(seed: u64, key: CellKey) -> u64 {
    let parts = [key.workload as u64, key.level as u64, u64::from(key.repeat)];
    parts.into_iter().fold(seed ^ ground::FNV_START, ground::fnv1a)
}

/// All cells of `experiment` in the order in which they run.
///
/// Interleaved: a block holds every cell once and is done before the next repeat begins. Within a block the
/// pairs of workload and level are shuffled, and within each of those the beds, so that beds that will be
/// compared run right after each other and slow drift of the machine hits them alike. Sequential: bed after
/// bed, as the studies did, which reports mark as not randomised.
pub fn cells_in_order(experiment: &Experiment, seed: u64) -> Vec<CellKey> {
    let groups: Vec<(usize, usize)> = experiment
        .workload
        .iter()
        .enumerate()
        .flat_map(|(workload, w)| (0..experiment.levels_of(w).len()).map(move |level| (workload, level)))
        .collect();
    let beds: Vec<usize> = (0..experiment.bed.len()).collect();
    let repeats: Vec<u32> = experiment.workload.iter().map(|w| experiment.repeats_of(w)).collect();
    let most = repeats.iter().copied().max().unwrap_or(0);
    let mut cells = match experiment.design.order {
        Order::Sequential => sequential(&groups, &beds, most),
        Order::Interleaved => interleaved(groups, beds, most, seed),
    };
    cells.retain(|cell| cell.repeat < repeats[cell.workload]);
    cells
}

fn sequential(groups: &[(usize, usize)], beds: &[usize], repeats: u32) -> Vec<CellKey> {
    let mut cells = Vec::new();
    for &bed in beds {
        for repeat in 0..repeats {
            cells.extend(groups.iter().map(|&(workload, level)| CellKey { bed, workload, level, repeat }));
        }
    }
    cells
}

fn interleaved(
    mut groups: Vec<(usize, usize)>,
    mut beds: Vec<usize>,
    repeats: u32,
    seed: u64,
) -> Vec<CellKey> {
    let mut random = Random::new(seed);
    let mut cells = Vec::new();
    for repeat in 0..repeats {
        random.shuffle(&mut groups);
        for &(workload, level) in &groups {
            random.shuffle(&mut beds);
            cells.extend(beds.iter().map(|&bed| CellKey { bed, workload, level, repeat }));
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beds_are_asked_the_same_and_repeats_are_not() {
        let key = CellKey { bed: 0, workload: 0, level: 1, repeat: 2 };
        assert_eq!(cell_seed(7, key), cell_seed(7, CellKey { bed: 1, ..key }));
        assert_ne!(cell_seed(7, key), cell_seed(7, CellKey { repeat: 3, ..key }));
        assert_ne!(cell_seed(7, key), cell_seed(8, key));
    }
    use experiment::{Crash, Durability, Span, Workload};
    use std::collections::BTreeSet;

    #[test]
    fn a_durability_test_has_its_own_number_of_rounds() {
        let mut experiment = demo();
        experiment.design.repeats = 2;
        experiment.workload.push(Workload::Durability(Durability {
            name: None,
            warehouses: 1,
            virtual_users: 4,
            load_for: Span(std::time::Duration::from_secs(1)),
            rounds: 5,
            crash: Crash::Kill,
            lying_flush: false,
        }));
        for order in [Order::Interleaved, Order::Sequential] {
            experiment.design.order = order;
            let cells = cells_in_order(&experiment, 7);
            let of = |workload: usize| cells.iter().filter(|cell| cell.workload == workload).count();
            let (beds, levels) = (experiment.bed.len(), experiment.workload[0].levels().len());
            assert_eq!((of(0), of(1)), (beds * levels * 2, beds * 5));
        }
    }

    fn demo() -> Experiment {
        let named = experiment::find_named("demo").expect("the demo is built in");
        experiment::parse(named.text, "demo").expect("the demo parses")
    }

    #[test]
    fn every_cell_stands_once_and_a_block_is_complete_before_the_next() {
        let experiment = demo();
        let cells = cells_in_order(&experiment, 7);
        let distinct: BTreeSet<_> = cells.iter().collect();
        assert_eq!(distinct.len(), cells.len());
        let block = cells.len() / experiment.design.repeats as usize;
        for (position, cell) in cells.iter().enumerate() {
            assert_eq!(cell.repeat as usize, position / block, "cell {position} stands in its own block");
        }
    }

    #[test]
    fn beds_of_one_level_run_right_after_each_other() {
        let experiment = demo();
        let beds = experiment.bed.len();
        for pair in cells_in_order(&experiment, 3).chunks(beds) {
            assert!(pair.iter().all(|c| (c.workload, c.level) == (pair[0].workload, pair[0].level)));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_order_and_another_seed_another() {
        let experiment = demo();
        assert_eq!(cells_in_order(&experiment, 11), cells_in_order(&experiment, 11));
        assert!((0..8).any(|seed| cells_in_order(&experiment, seed) != cells_in_order(&experiment, 11)));
    }

    #[test]
    fn golden_order_of_beds_for_one_seed() {
        let mut experiment = demo();
        experiment.design.repeats = 6;
        let first: Vec<usize> = cells_in_order(&experiment, 1).iter().map(|c| c.bed).take(8).collect();
        insta::assert_debug_snapshot!(first);
    }
}
