//! Labels inside a plot: each beside its point, where it covers no line, no marker and no other label.

use super::Anchor;

/// A box on the paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    /// A box around a point.
    pub(crate) fn around((x, y): (f64, f64), radius: f64) -> Area {
        Area { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius }
    }

    /// The size of what two boxes share.
    fn shared(&self, other: &Area) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        width.max(0.0) * height.max(0.0)
    }

    /// The place in the box that is nearest to a point.
    fn nearest(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (x.clamp(self.left, self.right), y.clamp(self.top, self.bottom))
    }

    /// The end of a leader from a point to its label, where the label stands so far off that one is needed.
    pub(crate) fn leader_to(&self, at: (f64, f64)) -> Option<(f64, f64)> {
        let end = self.nearest(at);
        ((end.0 - at.0).hypot(end.1 - at.1) > 30.0).then_some(end)
    }

    /// The same box moved as little as possible so that it lies within `other`, with its top left corner
    /// inside where it is larger.
    fn moved_into(&self, other: &Area) -> Area {
        let (width, height) = (self.right - self.left, self.bottom - self.top);
        let left = self.left.min(other.right - width).max(other.left);
        let top = self.top.min(other.bottom - height).max(other.top);
        Area { left, top, right: left + width, bottom: top + height }
    }
}

/// The paper of a plot with everything that labels must not cover.
#[derive(Debug)]
pub(crate) struct Paper {
    within: Area,
    taken: Vec<Area>,
}

/// A letter under another letter cannot be read: a label over a label costs this many times a label over a
/// line.
const LABELS: usize = 4;
/// Places are tried in the order in which readers expect labels; each further one costs this much of covered
/// paper.
const ORDER: f64 = 6.0;
/// A covered square of paper costs this much more than one by which a label was moved.
const COVERED: f64 = 3.0;
/// The distances from the point at which a label is tried: touching its marker, then further off.
const DISTANCES: [f64; 6] = [9.0, 20.0, 34.0, 52.0, 74.0, 98.0];

impl Paper {
    /// Empty paper.
    pub(crate) fn new(within: Area) -> Paper {
        Paper { within, taken: Vec::new() }
    }

    /// Takes the place of a marker.
    pub(crate) fn take(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// Takes the place of a line, as small boxes along it.
    pub(crate) fn take_line(&mut self, points: &[(f64, f64)]) {
        for pair in points.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            let steps = ((x1 - x0).hypot(y1 - y0) / 5.0).ceil().max(1.0);
            for step in 0..=steps as usize {
                let share = step as f64 / steps;
                self.take(Area::around((x0 + (x1 - x0) * share, y0 + (y1 - y0) * share), 2.5));
            }
        }
    }

    /// The place of a label of this size beside a point: the box that covers least, which it then takes.
    pub(crate) fn place(&mut self, (x, y): (f64, f64), (width, height): (f64, f64)) -> Area {
        let boxed = |left: f64, top: f64| Area { left, top, right: left + width, bottom: top + height };
        let mut best: Option<(f64, Area)> = None;
        for (ring, gap) in DISTANCES.into_iter().enumerate() {
            let (middle_x, middle_y) = (x - width / 2.0, y - height / 2.0);
            let (left, right, above, below) = (x - width - gap, x + gap, y - height - gap, y + gap);
            let diagonal = 0.5 * gap;
            let tried = [
                boxed(right, middle_y),
                boxed(left, middle_y),
                boxed(middle_x, above),
                boxed(middle_x, below),
                boxed(x - width + diagonal, above),
                boxed(x - diagonal, above),
                boxed(x - width + diagonal, below),
                boxed(x - diagonal, below),
            ];
            for (rank, wanted) in tried.into_iter().enumerate() {
                let area = wanted.moved_into(&self.within);
                let moved = (area.left - wanted.left).abs() + (area.top - wanted.top).abs();
                let covered: f64 = self.taken.iter().map(|taken| area.shared(taken)).sum();
                let cost = COVERED * covered + moved + ORDER * (rank + 8 * ring) as f64;
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, area));
                }
            }
        }
        let area = best.map_or_else(|| boxed(x, y), |(_, area)| area);
        self.taken.extend([area; LABELS]);
        area
    }
}

/// The end of a label's box that is nearer to its point, where the text begins: estimated widths are those of
/// the widest fonts.
pub(crate) fn beside(area: &Area, (x, _): (f64, f64)) -> (f64, Anchor) {
    if area.left >= x {
        (area.left, Anchor::Start)
    } else if area.right <= x {
        (area.right, Anchor::End)
    } else {
        (f64::midpoint(area.left, area.right), Anchor::Middle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper() -> Paper {
        Paper::new(Area { left: 0.0, top: 0.0, right: 400.0, bottom: 300.0 })
    }

    #[test]
    fn a_label_stands_to_the_right_of_its_point_where_there_is_room() {
        let area = paper().place((100.0, 100.0), (80.0, 14.0));
        assert_eq!((area.left, area.top), (109.0, 93.0));
        assert!(paper().place((390.0, 100.0), (80.0, 14.0)).right <= 390.0);
    }

    #[test]
    fn labels_of_one_place_cover_neither_each_other_nor_a_line() {
        let mut paper = paper();
        let line: Vec<(f64, f64)> = vec![(0.0, 150.0), (400.0, 150.0)];
        paper.take_line(&line);
        let areas: Vec<Area> = (0..4).map(|_| paper.place((200.0, 150.0), (90.0, 28.0))).collect();
        for (index, area) in areas.iter().enumerate() {
            assert!(area.bottom <= 150.0 || area.top >= 150.0, "{area:?} covers the line");
            assert!(areas[..index].iter().all(|other| area.shared(other) < 1.0), "{areas:?}");
        }
    }
}
