//! Sizes, spans, shares, percentages and scales: what is read is printed as something that reads the same.
#![no_main]

use std::fmt::Display;
use std::str::FromStr;

use experiment::{Percent, Scale, Share, Size, Span};

fn reads_the_same<T: FromStr + Display + PartialEq + std::fmt::Debug>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        let printed = value.to_string();
        match printed.parse::<T>() {
            Ok(again) => assert_eq!(again, value, "`{text}` is printed as `{printed}`"),
            Err(_) => panic!("`{text}` is printed as `{printed}`, which cannot be read"),
        }
    }
}

libfuzzer_sys::fuzz_target!(|text: &str| {
    reads_the_same::<Size>(text);
    reads_the_same::<Span>(text);
    reads_the_same::<Share>(text);
    reads_the_same::<Percent>(text);
    let _ = Size::parse_like_fio(text);
    let _ = text.parse::<Scale>();
});
