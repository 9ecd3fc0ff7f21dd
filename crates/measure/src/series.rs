//! One metric over time, for figures and the notebook.

/// One metric at one-second steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Metric name, as in the notebook ("nopm", "latency_p99").
    pub metric: String,
    /// Unit of the values ("1/min", "ms").
    pub unit: String,
    /// Start of the first step, seconds after the start of the cell.
    pub start_s: f64,
    /// One value per second; NaN where nothing was measured.
    pub values: Vec<f64>,
}

impl Series {
    /// A series whose first step starts `start_s` seconds after the start of the cell.
    pub fn new(metric: impl Into<String>, unit: impl Into<String>, start_s: f64, values: Vec<f64>) -> Self {
        Self { metric: metric.into(), unit: unit.into(), start_s, values }
    }

    /// End of the last step, seconds after the start of the cell.
    pub fn end_s(&self) -> f64 {
        self.start_s + self.values.len() as f64
    }

    /// The values of steps that lie wholly between two times (a phase), seconds after the start of the cell.
    pub fn between(&self, from_s: f64, to_s: f64) -> &[f64] {
        // Tolerance: phase limits are clock readings, steps are whole seconds after one.
        let first = (from_s - self.start_s - 1e-6).ceil().max(0.0) as usize;
        let end = ((to_s - self.start_s + 1e-6).floor().max(0.0) as usize).min(self.values.len());
        self.values.get(first..end).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_takes_whole_steps_only() {
        let series = Series::new("nopm", "1/min", 0.0, vec![0.0, 1.0, 2.0, 3.0]);
        assert_eq!(series.end_s(), 4.0);
        assert_eq!(series.between(1.0, 3.0), [1.0, 2.0]);
        assert_eq!(series.between(0.5, 3.9), [1.0, 2.0]);
        assert_eq!(series.between(2.0, 99.0), [2.0, 3.0]);
        assert!(series.between(3.0, 1.0).is_empty());
        assert!(series.between(f64::NAN, f64::NAN).is_empty());
    }
}
