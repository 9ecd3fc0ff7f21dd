//! The mark of a bed: what tells its lines and points from those of others.

use super::{MARKER_COUNT, bed_class, bed_line_class, width};

/// A bed as figures show it: a palette slot and a name short enough for the end of a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BedMark {
    /// Palette slot: the bed's colour, the same in every figure of a report.
    pub(crate) slot: usize,
    /// The index of the line among several of the bed, from 0: each way has a dash and a marker of its own.
    pub(crate) way: usize,
    /// Name in figures.
    pub(crate) name: String,
    /// Shorter name, for where the name does not fit.
    pub(crate) short: String,
}

impl BedMark {
    /// The mark of another line of the same bed: its colour, with the dash and the marker of the way.
    pub(crate) fn on_way(&self, way: usize, name: String, short: String) -> BedMark {
        BedMark { slot: self.slot, way, name, short }
    }

    /// The class of its colour.
    pub(crate) fn class(&self) -> String {
        bed_class(self.slot)
    }

    /// The classes of its colour and its dash.
    pub(crate) fn line_class(&self) -> String {
        bed_line_class(self.slot, self.shape())
    }

    /// Place of its marker and its dash in the palette: ways of a bed are as far apart as they can be.
    pub(crate) fn shape(&self) -> usize {
        self.slot + MARKER_COUNT / 2 * self.way
    }

    /// The name that fits: the name, else the short one, else what of it fits.
    pub(crate) fn fit(&self, font: f64, width_max: f64) -> String {
        if width::of(&self.name, font, true) <= width_max {
            return self.name.clone();
        }
        width::fit(&self.short, font, true, width_max)
    }
}
