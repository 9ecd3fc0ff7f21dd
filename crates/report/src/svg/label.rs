//! Labels at the ends of lines, moved apart just enough that none covers another.

/// Centres of labels of equal `height`, as near to the `wanted` centres as possible, none overlapping, all
/// within `top..=bottom` when they fit there at all. The answer is in the order of the input; labels wanted
/// at the same place keep their order.
///
/// Method: pool adjacent violators (isotonic least squares) on `wanted[i] - i * height`, so the sum of
/// squared moves is the least possible.
pub(crate) fn spread(wanted: &[f64], height: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (rank, &index) in order.iter().enumerate() {
        let mut block = (wanted[index] - rank as f64 * height, 1usize);
        while let Some(&(sum, count)) = blocks.last() {
            if sum / count as f64 <= block.0 / block.1 as f64 {
                break;
            }
            blocks.pop();
            block = (block.0 + sum, block.1 + count);
        }
        blocks.push(block);
    }
    let lowest = top + height / 2.0;
    let highest = bottom - height / 2.0 - (wanted.len().saturating_sub(1)) as f64 * height;
    let mut placed = vec![0.0; wanted.len()];
    let mut rank = 0;
    for (sum, count) in blocks {
        // Clamping the isotonic solution to a box keeps it optimal; when the labels do not fit, the top is
        // kept.
        let base = (sum / count as f64).min(highest).max(lowest);
        for _ in 0..count {
            placed[order[rank]] = base + rank as f64 * height;
            rank += 1;
        }
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_that_do_not_touch_stay_where_they_are() {
        assert_eq!(spread(&[20.0, 100.0, 60.0], 24.0, 0.0, 200.0), vec![20.0, 100.0, 60.0]);
    }

    #[test]
    fn labels_at_one_place_move_apart_evenly_and_in_order() {
        assert_eq!(spread(&[50.0, 50.0, 50.0], 20.0, 0.0, 200.0), vec![30.0, 50.0, 70.0]);
    }

    #[test]
    fn labels_at_the_edge_are_pushed_inside() {
        assert_eq!(spread(&[0.0, 2.0], 20.0, 0.0, 100.0), vec![10.0, 30.0]);
        assert_eq!(spread(&[100.0, 99.0], 20.0, 0.0, 100.0), vec![90.0, 70.0]);
        assert!(spread(&[], 20.0, 0.0, 100.0).is_empty());
    }

    proptest! {
        #[test]
        fn no_two_labels_overlap_and_all_are_inside(wanted in prop::collection::vec(0.0f64..300.0, 0..12)) {
            let placed = spread(&wanted, 24.0, 0.0, 300.0);
            let mut sorted = placed.clone();
            sorted.sort_by(f64::total_cmp);
            prop_assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= 24.0 - 1e-9), "{placed:?}");
            prop_assert!(sorted.iter().all(|&y| (12.0 - 1e-9..=288.0 + 1e-9).contains(&y)), "{placed:?}");
        }
    }
}
