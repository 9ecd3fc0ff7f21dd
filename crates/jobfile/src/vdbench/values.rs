//! vdbench's numbers, lists and names: `4k`, `30m`, `(1-64,d)`, `sd*`, `(sd1-sd9)`.

/// Values that one loop may have.
const LOOP_MAX: usize = 1_000;

/// A size in bytes: k, m, g, t and p are powers of 1024.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let lower = text.trim().to_ascii_lowercase();
    let lower = lower.strip_suffix('b').unwrap_or(&lower);
    let (number, power) = match lower.chars().last().and_then(|last| "kmgtp".find(last)) {
        Some(power) => (&lower[..lower.len() - 1], power as u32 + 1),
        None => (lower, 0),
    };
    let number: f64 = number.trim().parse().map_err(|_| format!("`{text}` is not a size"))?;
    let bytes = number * 1024_f64.powi(power as i32);
    if (0.0..9e18).contains(&bytes) { Ok(bytes as u64) } else { Err(format!("`{text}` is out of range")) }
}

/// A time in seconds: bare numbers are seconds, m and h minutes and hours.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let lower = text.trim().to_ascii_lowercase();
    let end = lower.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(lower.len());
    let (number, unit) = lower.split_at(end);
    let factor = match unit {
        "" | "s" | "sec" | "seconds" => 1.0,
        "m" | "min" | "minutes" => 60.0,
        "h" | "hours" => 3600.0,
        "d" | "days" => 86_400.0,
        "ms" => 1e-3,
        _ => return Err(format!("`{unit}` is not a unit of time: use s, m or h")),
    };
    let number: f64 = number.parse().map_err(|_| format!("`{text}` is not a time"))?;
    let seconds = number * factor;
    if (0.0..=3.1e7).contains(&seconds) { Ok(seconds) } else { Err(format!("`{text}` is out of range")) }
}

/// A decimal number.
pub(super) fn number(text: &str) -> Result<f64, String> {
    let number: f64 =
        text.trim().trim_end_matches('%').parse().map_err(|_| format!("`{text}` is not a number"))?;
    if number.is_finite() { Ok(number) } else { Err(format!("`{text}` is not a number")) }
}

/// The values of a loop: a list, `(a-b,step)`, or `(a-b,d)` doubling.
pub(super) fn list(values: &[String], one: fn(&str) -> Result<f64, String>) -> Result<Vec<f64>, String> {
    let mut all = Vec::new();
    let mut index = 0;
    while let Some(value) = values.get(index) {
        index += 1;
        let range = value.split_once('-').filter(|(low, high)| !low.is_empty() && !high.is_empty());
        let Some((low, high)) = range else {
            all.push(one(value)?);
            continue;
        };
        let (low, high) = (one(low)?, one(high)?);
        let step = values.get(index).cloned().unwrap_or_else(|| "1".to_owned());
        index += 1;
        let doubles = step.eq_ignore_ascii_case("d");
        let step = if doubles { 0.0 } else { one(&step)? };
        if high < low || (doubles && low <= 0.0) || (!doubles && step <= 0.0) {
            return Err(format!("`{value}` does not go up"));
        }
        let mut next = low;
        while next <= high * (1.0 + 1e-9) {
            all.push(next);
            next = if doubles { next * 2.0 } else { next + step };
            if all.len() > LOOP_MAX {
                return Err(format!("more than {LOOP_MAX} values"));
            }
        }
    }
    if all.is_empty() { Err("no value".to_owned()) } else { Ok(all) }
}

/// True if `sd1`, `sd*`, `*` or `sd1-sd9` matches a name.
pub(super) fn means(pattern: &str, name: &str) -> bool {
    if let Some((low, high)) = pattern.split_once('-') {
        let parts = |text: &str| {
            let end = text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            text[end..].parse::<u64>().ok().map(|number| (text[..end].to_ascii_lowercase(), number))
        };
        if let (Some(low), Some(high), Some(name)) = (parts(low), parts(high), parts(name)) {
            return low.0 == name.0 && (low.1..=high.1).contains(&name.1);
        }
    }
    glob(pattern.to_ascii_lowercase().as_bytes(), name.to_ascii_lowercase().as_bytes())
}

/// `*` and `?` in names; linear in both, so that no pattern can take long.
fn glob(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n, mut star, mut mark) = (0, 0, None, 0);
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some(p);
                mark = n;
                p += 1;
            }
            Some(character) if *character == b'?' || *character == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some(at) => {
                    p = at + 1;
                    mark += 1;
                    n = mark;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|character| *character == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    #[test]
    fn numbers_and_loops() {
        assert_eq!(size("10g"), Ok(10 << 30));
        assert_eq!(size("512"), Ok(512));
        assert_eq!(seconds("24h"), Ok(86_400.0));
        assert_eq!(list(&texts(&["10-50", "20"]), number), Ok(vec![10.0, 30.0, 50.0]));
        let doubled = list(&texts(&["4k-32k", "d"]), |text| size(text).map(|bytes| bytes as f64));
        assert_eq!(doubled, Ok(vec![4096.0, 8192.0, 16384.0, 32768.0]));
        assert_eq!(list(&texts(&["1", "8", "64"]), number), Ok(vec![1.0, 8.0, 64.0]));
        assert!(list(&texts(&["9-1", "1"]), number).is_err());
        assert!(list(&texts(&["1-9", "0"]), number).is_err());
        assert!(list(&texts(&["0-1e300", "1"]), number).is_err());
    }

    #[test]
    fn names_with_stars_and_ranges() {
        assert!(means("sd*", "sd12") && means("*", "x") && means("sd1-sd9", "sd5") && means("SD1", "sd1"));
        assert!(!means("sd1-sd9", "sd10") && !means("sd1", "sd12"));
    }

    proptest! {
        #[test]
        fn nothing_panics_or_hangs(a in "[a-z0-9*?,.-]{0,40}", b in "[a-z0-9]{0,40}") {
            let _ = (size(&a), seconds(&a), list(&[a.clone(), b.clone()], number), means(&a, &b));
        }
    }
}
