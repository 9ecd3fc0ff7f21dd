//! Sizes, times and shares: readable texts, refusals, and a round trip of each.

use std::time::Duration;

use experiment::{Share, Size, Span};
use proptest::prelude::*;

fn size(text: &str) -> u64 {
    text.parse::<Size>().unwrap().bytes()
}

fn span(text: &str) -> Duration {
    text.parse::<Span>().unwrap().0
}

#[test]
fn binary_and_decimal_units_are_told_apart() {
    assert_eq!(size("4KiB"), 4096);
    assert_eq!(size("4kB"), 4000);
    assert_eq!(size("1.5 GiB"), 3 << 29);
    assert_eq!(size("960GB"), 960_000_000_000);
    assert_eq!(size("18446744073709551615B"), u64::MAX);
    assert_eq!(size(" 0B "), 0);
}

#[test]
fn times_are_exact() {
    assert_eq!(span("2min"), Duration::from_secs(120));
    assert_eq!(span("1.5s"), Duration::from_millis(1500));
    assert_eq!(span("250ms"), Duration::from_millis(250));
    assert_eq!(span("0.001us"), Duration::from_nanos(1));
    assert_eq!(span("1d"), Duration::from_secs(86_400));
    let beyond = "999899299998998.8844888829h".parse::<Span>();
    assert!(beyond.is_err(), "it would be printed with more digits than are read: {beyond:?}");
}

#[test]
fn shares_are_percentages() {
    assert_eq!("70%".parse(), Ok(Share(0.7)));
    assert_eq!("0.5 %".parse(), Ok(Share(0.005)));
    assert_eq!("100%".parse(), Ok(Share(1.0)));
}

#[test]
fn what_has_no_clear_meaning_is_refused_with_a_way_out() {
    let refused = |text: &str| match (text.parse::<Size>(), text.parse::<Span>(), text.parse::<Share>()) {
        (Err(size), Err(span), Err(share)) => [size.help, span.help, share.help],
        parsed => panic!("{text} was read: {parsed:?}"),
    };
    for text in [
        "",
        " ",
        "4",
        "-4KiB",
        "+4s",
        "KiB",
        "4 4s",
        "1e3s",
        ".5s",
        "5.s",
        "0.1B",
        "1..2s",
        "∞s",
        "99999999999999999999999s",
    ] {
        assert!(refused(text).iter().all(|help| !help.is_empty()), "{text}");
    }
    assert_eq!(refused("4k")[0], "write \"4KiB\" (powers of 1024) or \"4kB\" (powers of 1000)");
    assert_eq!(refused("5m")[0], "write \"5MiB\" (powers of 1024) or \"5MB\" (powers of 1000)");
    assert_eq!(refused("5m")[1], "write \"5min\"");
    assert_eq!(refused("4")[0], "write the unit with the number, for example \"4MB\" or \"4GB\"");
    for text in ["18446744073709551616B", "16777216TiB"] {
        assert!(text.parse::<Size>().unwrap_err().message.contains("64 bits"), "{text}");
    }
    for text in ["101%", "1e9%", "-1%", "NaN%", "inf%", "%"] {
        assert!(text.parse::<Share>().is_err(), "{text}");
    }
}

#[test]
fn sizes_are_written_shortest_and_times_in_the_largest_exact_unit() {
    let written = |bytes: u64| Size(bytes).to_string();
    assert_eq!(written(0), "0B");
    assert_eq!(written(4096), "4KiB");
    assert_eq!(written(32_000_000_000), "32GB");
    assert_eq!(written(32 << 30), "32GiB");
    assert_eq!(written(1001), "1001B");
    assert_eq!(Span(Duration::ZERO).to_string(), "0s");
    assert_eq!(Span(Duration::from_secs(90)).to_string(), "90s");
    assert_eq!(Span(Duration::from_secs(7200)).to_string(), "2h");
    assert_eq!(Span(Duration::from_micros(2500)).to_string(), "2500us");
    assert_eq!(Span(Duration::from_millis(2500)).to_string(), "2.5s");
    assert_eq!(Span(Duration::from_millis(1050)).to_string(), "1.05s");
    assert_eq!(Share(0.07).to_string(), "7%");
    assert_eq!(Share(0.0).to_string(), "0%");
    assert_eq!(Share(0.125).to_string(), "12.5%");
    assert_eq!(Share(1.0).to_string(), "100%");
}

#[test]
fn the_direct_block_form_reads_sizes_as_fio_does() {
    let like_fio = |text: &str| Size::parse_like_fio(text).map(Size::bytes).ok();
    assert_eq!(like_fio("4k"), Some(4096));
    assert_eq!(like_fio("1G"), Some(1 << 30));
    assert_eq!(like_fio("512"), Some(512));
    assert_eq!(like_fio("4kB"), Some(4000));
    assert_eq!(like_fio("4q"), None);
    assert_eq!(like_fio("k"), None);
}

proptest! {
    #[test]
    fn any_size_comes_back(bytes: u64) {
        let text = Size(bytes).to_string();
        prop_assert_eq!(text.parse::<Size>(), Ok(Size(bytes)), "{}", text);
    }

    #[test]
    fn sizes_of_whole_units_come_back(count in 0_u64..100_000, shift in 0_u32..41) {
        let size = Size(count << shift);
        prop_assert_eq!(size.to_string().parse::<Size>(), Ok(size));
    }

    #[test]
    fn any_time_comes_back(seconds in 0..10_u64.pow(11), nanoseconds in 0_u32..1_000_000_000) {
        let span = Span(Duration::new(seconds, nanoseconds));
        prop_assert_eq!(span.to_string().parse::<Span>(), Ok(span), "{}", span);
    }

    #[test]
    fn times_that_people_write_come_back(count in 0_u64..10_000_000, unit in 0_usize..6) {
        let unit = ["ns", "us", "ms", "s", "min", "h"][unit];
        let span: Span = format!("{count}{unit}").parse().unwrap();
        prop_assert_eq!(span.to_string().parse::<Span>(), Ok(span));
    }

    #[test]
    fn any_share_comes_back(share in 0.0_f64..=1.0) {
        let text = Share(share).to_string();
        prop_assert_eq!(text.parse::<Share>(), Ok(Share(share)), "{}", text);
    }

    #[test]
    fn any_share_of_any_exponent_comes_back(mantissa in 0_u64..1 << 52, exponent in 0_u64..0x3ff) {
        let share = f64::from_bits(exponent << 52 | mantissa);
        prop_assert_eq!(Share(share).to_string().parse::<Share>(), Ok(Share(share)));
    }

    #[test]
    fn any_percentage_is_shown_as_short_as_written(tenths in 0_u32..=1000) {
        let text = format!("{}%", f64::from(tenths) / 10.0);
        prop_assert_eq!(text.parse::<Share>().unwrap().to_string(), text);
    }

    #[test]
    fn any_text_is_read_or_refused(text: String) {
        let refused = [
            text.parse::<Size>().err(),
            text.parse::<Span>().err(),
            text.parse::<Share>().err(),
            Size::parse_like_fio(&text).err(),
        ];
        prop_assert!(refused.iter().flatten().all(|error| !error.message.is_empty() && !error.help.is_empty()));
    }
}
