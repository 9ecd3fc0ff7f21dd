//! Parameters of the simulated beds: starting values with bounds and sources, and the calibrated values that
//! replace them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use tomlfile::{Diagnostics, Node, Reader, nearest, tables};

tomlfile::table! {
    /// One number that no study prints.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Parameter "parameter" {
        /// Its name, such as `nvme.stack_read_us`; the unit comes last.
        pub name: String = required("\"pool_share\"", Reader::text);
        /// Starting value.
        pub value: f64 = required("0.7", Reader::number);
        /// Least value that makes sense.
        pub low: f64 = required("0.5", Reader::number);
        /// Greatest value that makes sense.
        pub high: f64 = required("0.9", Reader::number);
        /// The likely distance of the truth from the starting value, as a share of it.
        pub spread: f64 = required("0.3", Reader::number);
        /// Its meaning.
        pub what: String = required("\"share of the memory that is buffer pool\"", Reader::text);
        /// The source of the starting value.
        pub source: String = required("\"datasheet\"", Reader::text);
    }
}

/// A value for every parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(BTreeMap<String, f64>);

/// A calibration as its file has it.
struct ValuesFile {
    values: BTreeMap<String, f64>,
    /// Other sets of values that fit about as well.
    alternatives: Vec<BTreeMap<String, f64>>,
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
/// All faults of the file: TOML that does not parse, an unknown key, a value outside of its own bounds, a
/// name given twice.
pub fn parse(text: &str, file: &str) -> Result<Vec<Parameter>, Diagnostics> {
    Ok(tomlfile::read(text, file, ParametersFile::read)?.parameters)
}

tomlfile::table! {
    struct ParametersFile "file of parameters" {
        parameters as parameter: Vec<Parameter> = header("[[parameter]]", parameters);
    }
}

/// Reads parameters of different names.
fn parameters(reader: &mut Reader, node: &Node<'_>) -> Option<Vec<Parameter>> {
    let mut seen = Vec::new();
    let read = |reader: &mut Reader, node: &Node<'_>| {
        if let Some(written) = node.at("name")
            && let Some(name) = written.value.as_str().map(str::to_owned)
        {
            if seen.contains(&name) {
                let help = Some("keep one of the two".to_owned());
                let message = format!("the parameter `{name}` is given twice");
                reader.fault(&written, message, "given here again", help);
            }
            seen.push(name);
        }
        let parameter = Parameter::read(reader, node)?;
        parameter.check(reader, node);
        Some(parameter)
    };
    tables(read)(reader, node)
}

impl Parameter {
    /// Reports a value beyond its own bounds, and a spread that says nothing.
    fn check(&self, reader: &mut Reader, node: &Node<'_>) {
        let Parameter { value, low, high, spread, .. } = self;
        let at = |key| node.at(key).unwrap_or_else(|| node.clone());
        if !(low <= value && value <= high && low < high) {
            let message = format!("{value} is not between its bounds {low} and {high}");
            let help = Some("give low <= value <= high, and low < high".to_owned());
            reader.fault(&at("value"), message, "", help);
        }
        if *spread <= 0.0 {
            let help = Some("give a share above 0: 0.3 for 30 %".to_owned());
            reader.fault(&at("spread"), format!("a spread of {spread} says nothing"), "", help);
        }
    }
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
        let read = ValuesFile::parse(CALIBRATED, "calibrated.toml", &Values::uncalibrated())
            .expect("a test reads the shipped file");
        let set = |values: BTreeMap<String, f64>| {
            let mut all = Values::uncalibrated();
            all.0.extend(values);
            all
        };
        read.alternatives.into_iter().map(set).collect()
    }

    /// These values with those of a calibration file in their place.
    ///
    /// # Errors
    /// All faults of the file: TOML that does not parse, a name that is no parameter, a value outside of what
    /// makes sense for a shipped one.
    pub fn with_file(mut self, text: &str, file: &str) -> Result<Values, Diagnostics> {
        let read = ValuesFile::parse(text, file, &self)?;
        self.0.extend(read.values);
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

impl ValuesFile {
    /// Reads a calibration of the parameters that `known` has.
    fn parse(text: &str, file: &str, known: &Values) -> Result<ValuesFile, Diagnostics> {
        tomlfile::read(text, file, |reader, root| {
            let one = |reader: &mut Reader, node: &Node<'_>| set(reader, node, known);
            tomlfile::keys!(reader, root, "calibration", ValuesFile {
                values: header("[values]", one),
                alternatives as alternative: or_default(tables(one)),
            })
        })
    }
}

/// A table of parameters with their values.
fn set(reader: &mut Reader, node: &Node<'_>, known: &Values) -> Option<BTreeMap<String, f64>> {
    let Some(table) = node.value.as_table() else {
        reader.wrong_type(node, "a table", Some("write \"pool_share\" = 0.7, a line for each".to_owned()));
        return None;
    };
    let mut values = BTreeMap::new();
    for (key, value) in table {
        let (name, place): (&str, _) = (key.get_ref().as_ref(), value.span());
        let of = |span| Node { path: format!("{}.{name}", node.path), span, value: value.get_ref() };
        if known.get(name).is_none() {
            let help = match nearest(name, known.iter().map(|(name, _)| name)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "take the names of a file that `drivetrain calibrate` wrote".to_owned(),
            };
            reader.fault(&of(key.span()), format!("`{name}` is no parameter of the beds"), "", Some(help));
        } else if let Some(number) = reader.number(&of(place.clone())) {
            within_bounds(reader, &of(place), name, number);
            values.insert(name.to_owned(), number);
        }
    }
    Some(values)
}

/// Reports a value of a shipped parameter outside of what makes sense for it.
fn within_bounds(reader: &mut Reader, node: &Node<'_>, name: &str, value: f64) {
    let Some(Parameter { low, high, what, .. }) = shipped().iter().find(|parameter| parameter.name == name)
    else {
        return;
    };
    if value < low * (1.0 - ROUNDING) || value > high * (1.0 + ROUNDING) {
        let message = format!("{name} = {value}: the model holds from {low} to {high} only ({what})");
        let help = "give a value within, or other bounds to `drivetrain calibrate --parameters`";
        reader.fault(node, message, "", Some(help.to_owned()));
    }
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
