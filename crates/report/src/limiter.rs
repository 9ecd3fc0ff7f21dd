//! What bounded the cells, bed by bed and level by level.

use crate::book::{Book, Place};
use crate::metric::Kind;

/// What bounded the valid cells of one bed at one level.
#[derive(Clone, Debug, PartialEq)]
pub struct Limiters {
    /// Name of the workload.
    pub workload: String,
    /// The load of this step.
    pub level: f64,
    /// What levels count.
    pub level_name: String,
    /// Name of the bed.
    pub bed: String,
    /// Limiter and number of cells, the most frequent first.
    pub counts: Vec<(String, usize)>,
    /// The figures of the first cell with the most frequent limiter.
    pub detail: Option<String>,
}

impl Limiters {
    /// The most frequent limiter; `not known` when no cell named one.
    pub fn main(&self) -> &str {
        self.counts.first().map_or("not known", |(name, _)| name.as_str())
    }

    /// `drive` or, when the cells disagree, `drive 5, CPU 1`.
    pub fn shown(&self) -> String {
        match self.counts.as_slice() {
            [] => "no valid cell".to_owned(),
            [(only, _)] => only.clone(),
            many => many.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", "),
        }
    }

    /// Whether the load generator rather than the bed bounded most cells: then the storage was not measured.
    pub fn is_generator(&self) -> bool {
        self.main().to_ascii_lowercase().starts_with("client")
    }

    /// Whether most cells kept the rate that was asked for: then the bed could do that much, and nobody knows how much more.
    pub fn is_paced(&self) -> bool {
        self.main().to_ascii_lowercase().starts_with("pacing")
    }
}

/// The limiters of every bed at every level of every workload.
pub(crate) fn of_all(book: &Book) -> Vec<Limiters> {
    let bounded = |place: &Place<'_>| {
        matches!(book.kind(place.workload), Kind::Transactions | Kind::Sysbench | Kind::Block)
    };
    book.places().filter(bounded).map(|place| of(book, &place)).collect()
}

fn of(book: &Book, place: &Place<'_>) -> Limiters {
    let cells = book.valid(place);
    let mut counts: Vec<(String, usize)> = Vec::new();
    for measured in &cells {
        let name = measured.cell.limiter.as_deref().unwrap_or("not known");
        match counts.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name.to_owned(), 1)),
        }
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let main = counts.first().map(|(name, _)| name.clone());
    let detail = cells
        .iter()
        .find(|measured| measured.cell.limiter == main)
        .and_then(|measured| measured.cell.limiter_detail.clone());
    Limiters {
        workload: place.workload.to_owned(),
        level: place.level,
        level_name: book.level_name(place.workload).to_owned(),
        bed: place.bed.to_owned(),
        counts,
        detail,
    }
}
