//! Records as messages to another machine: the forms of what `measure` keeps to itself.

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};

/// Bytes that are told as bytes.
struct Told<'a>(&'a [u8]);

impl Serialize for Told<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// Bytes as they were told.
struct Heard(Vec<u8>);

impl<'de> Deserialize<'de> for Heard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Heard, D::Error> {
        struct Bytes;
        impl serde::de::Visitor<'_> for Bytes {
            type Value = Heard;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Heard, E> {
                Ok(Heard(bytes.to_vec()))
            }

            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Heard, E> {
                Ok(Heard(bytes))
            }
        }
        deserializer.deserialize_byte_buf(Bytes)
    }
}

/// Histograms in their stored encoding.
pub(crate) mod histograms {
    use measure::Histogram;
    use words::HistogramName;

    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        histograms: &[(HistogramName, Histogram)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let encoded = histograms.iter().map(|(name, histogram)| (name, histogram.encode()));
        serializer.collect_seq(encoded.map(|(name, bytes)| (name.clone(), Owned(bytes))))
    }

    struct Owned(Vec<u8>);

    impl Serialize for Owned {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            Told(&self.0).serialize(serializer)
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(HistogramName, Histogram)>, D::Error> {
        let heard = Vec::<(HistogramName, Heard)>::deserialize(deserializer)?;
        let decoded = heard
            .into_iter()
            .map(|(name, bytes)| Ok((name, Histogram::decode(&bytes.0).map_err(D::Error::custom)?)));
        decoded.collect()
    }
}

/// Series with their values as they are stored: 64-bit IEEE 754 numbers, little-endian.
pub(crate) mod series {
    use measure::Series;

    use super::*;

    #[derive(Serialize)]
    struct Sent<'a> {
        metric: &'a str,
        unit: &'a str,
        start_s: f64,
        values: Told<'a>,
    }

    #[derive(Deserialize)]
    struct Received {
        metric: String,
        unit: String,
        start_s: f64,
        values: Heard,
    }

    pub(crate) fn serialize<S: Serializer>(series: &[Series], serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeSeq as _;
        let mut items = serializer.serialize_seq(Some(series.len()))?;
        for Series { metric, unit, start_s, values } in series {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            items.serialize_element(&Sent { metric, unit, start_s: *start_s, values: Told(&bytes) })?;
        }
        items.end()
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Series>, D::Error> {
        let heard = Vec::<Received>::deserialize(deserializer)?;
        let decoded = heard.into_iter().map(|Received { metric, unit, start_s, values }| {
            let (numbers, rest) = values.0.as_chunks::<8>();
            if !rest.is_empty() {
                return Err(D::Error::custom(format!("the series {metric} is cut short")));
            }
            let values = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
            Ok(Series { metric, unit, start_s, values })
        });
        decoded.collect()
    }
}
