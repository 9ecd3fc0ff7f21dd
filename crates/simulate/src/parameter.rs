//! Parameters of the simulated beds: starting values with bounds and sources, and the calibrated values that
//! replace them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// One number that no study prints.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its name, such as `nvme.stack_read_us`; the unit stands last.
    pub name: String,
    /// Starting value.
    pub value: f64,
    /// Least value that makes sense.
    pub low: f64,
    /// Greatest value that makes sense.
    pub high: f64,
    /// How far the truth may well be from the starting value, as a share of it.
    pub spread: f64,
    /// What it is.
    pub what: String,
    /// Where the starting value comes from.
    pub source: String,
}

/// A value for every parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(BTreeMap<String, f64>);

/// Why a file of parameters cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct ParameterError {
    /// The file.
    pub file: String,
    /// What is wrong and what is allowed.
    pub problem: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParameterFile {
    parameter: Vec<Parameter>,
}

#[derive(Deserialize)]
struct ValuesFile {
    values: BTreeMap<String, f64>,
    /// Other sets of values that fit about as well.
    #[serde(default)]
    alternative: Vec<BTreeMap<String, f64>>,
}

const CALIBRATED: &str = include_str!("../../../catalogue/beds/calibrated.toml");

static SHIPPED: LazyLock<Vec<Parameter>> = LazyLock::new(|| {
    parse(include_str!("../../../catalogue/beds/parameters.toml"), "parameters.toml")
        .expect("a test reads the shipped file")
});

/// The parameters that are shipped.
#[must_use]
pub fn shipped() -> &'static [Parameter] {
    &SHIPPED
}

/// Reads a file of parameters; `file` is its name, for messages.
///
/// # Errors
/// TOML that does not parse, an unknown key, a value outside of its own bounds, a name given twice.
pub fn parse(text: &str, file: &str) -> Result<Vec<Parameter>, ParameterError> {
    let fault = |problem: String| ParameterError { file: file.to_owned(), problem };
    let read: ParameterFile =
        toml::from_str(text).map_err(|error| fault(error.to_string().trim_end().to_owned()))?;
    for (number, parameter) in read.parameter.iter().enumerate() {
        let Parameter { name, value, low, high, spread, .. } = parameter;
        if !(low <= value && value <= high && low < high) {
            return Err(fault(format!(
                "{name}: {value} is not between its bounds {low} and {high}; give low <= value <= high"
            )));
        }
        if !(*spread > 0.0 && spread.is_finite()) {
            return Err(fault(format!(
                "{name}: a spread of {spread} says nothing; give a share above 0, 0.3 for 30 %"
            )));
        }
        if read.parameter[..number].iter().any(|other| other.name == *name) {
            return Err(fault(format!("{name} is given twice; keep one")));
        }
    }
    Ok(read.parameter)
}

impl Values {
    /// The starting value of every parameter: datasheets, derivations and guesses, nothing fitted.
    #[must_use]
    pub fn starting(parameters: &[Parameter]) -> Values {
        Values(parameters.iter().map(|p| (p.name.clone(), p.value)).collect())
    }

    /// The shipped starting values.
    #[must_use]
    pub fn uncalibrated() -> Values {
        Values::starting(shipped())
    }

    /// The shipped calibration.
    #[must_use]
    pub fn calibrated() -> Values {
        Values::uncalibrated()
            .with_file(CALIBRATED, "calibrated.toml")
            .expect("a test reads the shipped file")
    }

    /// Other sets of values that fit the printed numbers about as well as the shipped calibration: what the
    /// data leaves open.
    #[must_use]
    pub fn alternatives() -> Vec<Values> {
        let read: ValuesFile = toml::from_str(CALIBRATED).expect("a test reads the shipped file");
        let set = |values: BTreeMap<String, f64>| {
            let mut all = Values::uncalibrated();
            all.0.extend(values);
            all
        };
        read.alternative.into_iter().map(set).collect()
    }

    /// These values with those of a calibration file in their place.
    ///
    /// # Errors
    /// TOML that does not parse, a name that is no parameter, or a value outside of what makes sense for a
    /// shipped one.
    pub fn with_file(mut self, text: &str, file: &str) -> Result<Values, ParameterError> {
        let fault = |problem: String| ParameterError { file: file.to_owned(), problem };
        let read: ValuesFile =
            toml::from_str(text).map_err(|error| fault(error.to_string().trim_end().to_owned()))?;
        for (name, value) in read.values {
            if !self.0.contains_key(&name) {
                return Err(fault(format!("`{name}` is no parameter of the beds")));
            }
            check_bounds(&name, value).map_err(&fault)?;
            self.0.insert(name, value);
        }
        Ok(self)
    }

    /// The value of a parameter.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// Sets a value.
    pub fn set(&mut self, name: &str, value: f64) {
        self.0.insert(name.to_owned(), value);
    }

    /// All names and values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }
}

/// Calibrated values are written with four digits, so that one on a bound may lie this share beyond it.
const ROUNDING: f64 = 1e-3;

fn check_bounds(name: &str, value: f64) -> Result<(), String> {
    let Some(Parameter { low, high, what, .. }) = shipped().iter().find(|parameter| parameter.name == name)
    else {
        return Ok(());
    };
    if value >= low * (1.0 - ROUNDING) && value <= high * (1.0 + ROUNDING) {
        return Ok(());
    }
    Err(format!(
        "{name} = {value}: the model holds from {low} to {high} only ({what}); give a value within, or other bounds to `drivetrain calibrate --parameters`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shipped_can_be_read_and_lies_within_its_bounds() {
        let calibrated = Values::calibrated();
        for parameter in shipped() {
            let value = calibrated.get(&parameter.name).expect("every parameter has a value");
            assert!(value >= parameter.low && value <= parameter.high, "{}", parameter.name);
        }
    }

    #[test]
    fn bad_files_are_refused_with_what_is_allowed() {
        let one = |value: f64| {
            let text = format!(
                "[[parameter]]\nname = \"a_us\"\nvalue = {value}\nlow = 1\nhigh = 2\nspread = 0.1\nwhat = \"\"\nsource = \"\"\n"
            );
            parse(&text, "p.toml")
        };
        assert!(one(1.5).is_ok());
        assert!(one(3.0).expect_err("outside").to_string().contains("between its bounds"));
        assert!(Values::uncalibrated().with_file("[values]\nnone = 1\n", "c.toml").is_err());
        let outside = Values::uncalibrated().with_file("[values]\npool_share = 7\n", "c.toml");
        assert!(outside.expect_err("outside").to_string().contains("the model holds from"));
    }
}
