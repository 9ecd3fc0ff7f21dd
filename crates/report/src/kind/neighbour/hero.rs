//! The first figure of neighbours: the victims' orders in every arm, bed by bed, and what each arm cost them.

use crate::figure::bars::{self, Bar, Chart, Group};
use crate::figure::line::Point;
use crate::figure::{Caption, Figure};
use crate::finding::Finding;
use crate::level::LevelUnit;
use crate::loaded_run::GroupKey;
use crate::naming::BedName;
use crate::number::{self, Digits};
use crate::source::Source;
use crate::table::{Entry, Table, columns};
use crate::titles::{id, titled};
use words::{Arm, LevelName, Metric, say};

const ARMS: [Arm; 4] = [Arm::Alone, Arm::Together, Arm::WithNeighbour, Arm::Mitigated];

/// One group of bars for each bed; `None` where no victim did anything.
pub(super) fn of(source: &Source<'_>, workload: &str) -> Option<Figure> {
    let group = |bed: &BedName| {
        let bars: Vec<Bar> = ARMS.iter().filter_map(|arm| bar(source, workload, bed, *arm)).collect();
        (bars.len() > 1).then(|| Group { title: bed.mark.name.clone(), bed: Some(bed.mark.clone()), bars })
    };
    let groups: Vec<Group> = source.comparison.beds.iter().filter_map(group).collect();
    if groups.is_empty() {
        return None;
    }
    let title = title(source, workload);
    let caption = Caption {
        id: id(source, workload, "arms"),
        title: titled(source, workload, &title),
        reading: say!("neighbour-bars-reading").to_owned(),
        description: title,
    };
    let chart = Chart { groups, key: Vec::new(), axis: say!("neighbour-bars-axis").to_owned() };
    let table = table(&chart);
    Some(bars::figure(caption, &chart, table))
}

fn bar(source: &Source<'_>, workload: &str, bed: &BedName, arm: Arm) -> Option<Bar> {
    let place = GroupKey { workload, level: arm.number(), bed: &bed.name };
    let values = source.loaded.values(&place, Metric::Nopm).into_iter().map(|pair| pair.1).collect();
    let point = Point::new(arm.number(), values)?;
    let note = match (arm, loss(source, workload, bed, arm)) {
        (Arm::Together, _) => say!("neighbour-bars-before").to_owned(),
        (_, Some(loss)) => change(&loss),
        (_, None) => String::new(),
    };
    Some(Bar {
        bed: bed.mark.clone(),
        label: LevelUnit::Known(LevelName::Arm).said_under(arm.number()),
        parts: vec![point.mean],
        interval: point.drawn_interval(),
        shown: point.shown(),
        note,
    })
}

/// The same victims' orders in this arm over those without a neighbour, all together: the geometric mean over
/// victims. `None` where the victims are not the same.
fn loss(source: &Source<'_>, workload: &str, bed: &BedName, arm: Arm) -> Option<Finding> {
    let loaded = source.loaded;
    if !matches!(arm, Arm::WithNeighbour | Arm::Mitigated)
        || super::fewer_victims(loaded, workload, &bed.name).is_some()
    {
        return None;
    }
    let place = (loaded, workload, bed.name.as_str());
    let count = super::victims_of_both(place, [arm, Arm::Together]);
    let [here, before] =
        [arm, Arm::Together].map(|arm| super::geometric_means(place, arm, Metric::Nopm, count));
    Finding::ratio(&bed.name, "", "", &here, &before)
}

/// `−34 % (−38 to −30)`.
fn change(loss: &Finding) -> String {
    let percent = |ratio: f64| Digits::decimals(0).show(100.0 * (ratio - 1.0));
    match loss.interval {
        Some((low, high)) if !number::is_useless(low, high) => say!(
            "neighbour-bars-change",
            percent = percent(loss.value),
            low = percent(low),
            high = percent(high)
        ),
        Some(_) => say!("figure-no-useful-interval").to_owned(),
        None => say!("neighbour-bars-change-once", percent = percent(loss.value)),
    }
}

/// The finding: the victims' loss beside the neighbour, on each bed.
fn title(source: &Source<'_>, workload: &str) -> String {
    let of = |bed: &BedName| {
        let loss = loss(source, workload, bed, Arm::WithNeighbour)?;
        let percent = Digits::decimals(0).show(100.0 * (1.0 - loss.value));
        let bed = &bed.mark.name;
        Some(match loss.interval {
            Some((_, high)) if high < 1.0 => say!("neighbour-title-loss", percent, bed),
            Some(_) => say!("neighbour-title-none", bed),
            None => say!("neighbour-title-once", percent, bed),
        })
    };
    let losses: Vec<String> = source.comparison.beds.iter().filter_map(of).collect();
    match losses.is_empty() {
        true => say!("neighbour-title-not-comparable").to_owned(),
        false => say!("neighbour-title", losses = words::list(losses)),
    }
}

fn table(chart: &Chart) -> Table {
    let mut table = Table::new(
        columns![text say!("column-bed"), text say!("column-at"), number chart.axis.clone(), text say!("column-change")],
    );
    for bar in chart.groups.iter().flat_map(|group| &group.bars) {
        table.row([&bar.bed.name, &bar.label, &bar.shown, &bar.note].map(|text| Entry::from(text.clone())));
    }
    table
}
