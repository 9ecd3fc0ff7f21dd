//! Options of `block` that shape the load beyond depth and rate.

use clap::{Args, ValueEnum};
use experiment::{
    Arrivals, Block, Burst, Content, HotSpot, OneOrMix, Part, Pattern, Share, Size, Span, Stream, Think,
};

use super::{size, span};
use crate::exit::Coded;

/// Outstanding I/Os of a worker that starts them by the clock, at most, where nothing is said.
pub(super) const DEPTH_MAX: u32 = 1024;

/// Options that shape the load.
#[derive(Debug, Args)]
#[command(next_help_heading = "Load shape")]
pub(crate) struct ShapeArgs {
    /// Threads, each with --depth outstanding I/Os; a --rate is shared among them
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(super) workers: u32,

    /// Pin each worker to one processor
    #[arg(long)]
    pin: bool,

    /// Spacing of the I/Os of --rate
    #[arg(long, value_enum, default_value_t = Spacing::Poisson)]
    arrivals: Spacing,

    /// Maximum number of outstanding I/Os of a worker with --rate or --burst; further ones wait, and their
    /// wait counts
    #[arg(long, default_value_t = DEPTH_MAX, value_name = "N")]
    depth_max: u32,

    /// Bursts at fixed times, N I/Os every TIME: 10000/60s
    #[arg(long, value_name = "N/TIME", conflicts_with = "rate")]
    pub(super) burst: Option<String>,

    /// Pause after every N I/Os: 1ms, or 1ms/8
    #[arg(long, value_name = "TIME[/N]", conflicts_with_all = ["rate", "burst"])]
    think: Option<String>,

    /// End after this many bytes of the measure phase, if that is before --time
    #[arg(long, value_name = "SIZE")]
    bytes: Option<String>,

    /// A part of the file gets most of the I/Os: 20/80 sends 80 % to the first 20 %
    #[arg(long, value_name = "SHARE/ACCESS", conflicts_with_all = ["zipf", "shuffled"])]
    hot: Option<String>,

    /// Every block once in random order, then again in another random order
    #[arg(long, conflicts_with = "zipf")]
    shuffled: bool,

    /// An fsync after this many writes, measured separately
    #[arg(long, value_name = "N", conflicts_with = "fdatasync")]
    fsync: Option<u32>,

    /// An fdatasync after this many writes, measured separately
    #[arg(long, value_name = "N")]
    fdatasync: Option<u32>,

    /// A write completes only when it would survive a loss of power (FUA if the drive has it)
    #[arg(long)]
    write_through: bool,

    /// Percentage of each 4 KiB that compression can remove
    #[arg(long, default_value_t = 0, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..100))]
    compressible: u8,

    /// Percentage of 4 KiB blocks that repeat others
    #[arg(long, default_value_t = 0, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..100))]
    duplicates: u8,
}

/// Spacing of arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Spacing {
    /// Independent callers
    Poisson,
    /// Even gaps
    Fixed,
}

impl ShapeArgs {
    /// Puts the load by rate, burst or depth, and everything else, into a workload of one stream. A load that
    /// pauses or ends after some bytes is the stream's own.
    pub(super) fn shape(
        &self,
        rate: Option<f64>,
        depth: u32,
        block: &mut Block,
        stream: &mut Stream,
    ) -> anyhow::Result<()> {
        block.pin = self.pin;
        stream.bytes = self.bytes.as_deref().map(|text| size(text, "--bytes")).transpose()?.map(Size);
        stream.think = self.think.as_deref().map(think).transpose()?;
        stream.burst = self.burst.as_deref().map(burst).transpose()?;
        let arrivals = match self.arrivals {
            Spacing::Poisson => Arrivals::Poisson,
            Spacing::Fixed => Arrivals::Fixed,
        };
        let is_own = stream.bytes.is_some() || stream.think.is_some() || stream.burst.is_some();
        let by_clock = rate.is_some() || stream.burst.is_some();
        if is_own {
            stream.workers = self.workers;
            stream.depth = Some(if by_clock { self.depth_max } else { depth });
            (stream.rate, stream.arrivals) = (rate, rate.map(|_| arrivals));
        } else {
            block.workers = self.workers;
            block.depth = if rate.is_some() { Vec::new() } else { vec![depth] };
            (block.rate, block.arrivals) = (rate.map(|rate| vec![rate]), arrivals);
            block.depth_max = if rate.is_some() { self.depth_max } else { DEPTH_MAX };
        }
        (stream.fsync, stream.fdatasync) = (self.fsync, self.fdatasync);
        stream.write_through = self.write_through;
        let percent = |percent: u8| Share::of_percent(f64::from(percent));
        if self.compressible > 0 || self.duplicates > 0 {
            let (compressible, duplicates) = (percent(self.compressible), percent(self.duplicates));
            block.content = Some(Content { compressible, duplicates });
        }
        Ok(())
    }

    /// The pattern instead of the uniform one, if one is given.
    pub(super) fn pattern(&self) -> anyhow::Result<Option<Pattern>> {
        let Some(hot) = &self.hot else { return Ok(self.shuffled.then_some(Pattern::Shuffled)) };
        let (share, access) = halves(hot, "--hot", "for example 20/80")?;
        let part =
            |text: &str| number(text, "--hot", hot).map(|percent| Share::of_percent(f64::from(percent)));
        Ok(Some(Pattern::HotSpot(HotSpot { share: part(share)?, access: part(access)? })))
    }
}

fn burst(burst: &str) -> anyhow::Result<Burst> {
    let (ios, every) = halves(burst, "--burst", "for example 10000/60s")?;
    Ok(Burst { ios: number(ios, "--burst", burst)?, every: Span(span(every, "--burst")?) })
}

fn think(think: &str) -> anyhow::Result<Think> {
    let (time, after) = think.split_once('/').unwrap_or((think, "1"));
    Ok(Think { time: Span(span(time, "--think")?), after: number(after, "--think", think)? })
}

/// One size, or a mix with shares in per cent: `4k`, `4k:60,64k:40`.
pub(super) fn sizes(text: &str) -> anyhow::Result<OneOrMix> {
    let one = |part: &str| {
        let bytes = size(part, "--bs")?;
        match u32::try_from(bytes) {
            Ok(_) => Ok(Size(bytes)),
            Err(_) => Err(Coded::usage(format!("--bs {part}: too large"))),
        }
    };
    if !text.contains(':') {
        return Ok(OneOrMix::One(one(text)?));
    }
    let parts = text.split(',').map(|part| {
        let (bytes, share) = part.split_once(':').unwrap_or((part, ""));
        Ok((one(bytes)?, number(share, "--bs", text)?))
    });
    let parts = parts.collect::<anyhow::Result<Vec<_>>>()?;
    let whole: u64 = parts.iter().map(|(_, share)| u64::from(*share)).sum();
    if whole != 100 {
        return Err(Coded::usage(format!(
            "--bs {text}: the shares add up to {whole} %; write shares of 100 %"
        )));
    }
    let part = |&(size, share): &(Size, u32)| Part { size, share: Share::of_percent(f64::from(share)) };
    Ok(OneOrMix::Mix(parts.iter().map(part).collect()))
}

fn halves<'a>(text: &'a str, flag: &str, example: &str) -> anyhow::Result<(&'a str, &'a str)> {
    text.split_once('/').ok_or_else(|| Coded::usage(format!("{flag} {text}: write two parts, {example}")))
}

fn number(text: &str, flag: &str, whole: &str) -> anyhow::Result<u32> {
    let digits = text.trim().trim_end_matches('%');
    digits.parse().map_err(|error: std::num::ParseIntError| {
        Coded::usage(match error.kind() {
            std::num::IntErrorKind::PosOverflow => {
                format!("{flag} {whole}: `{text}` is too large; at most {}", u32::MAX)
            }
            _ => format!("{flag} {whole}: `{text}` is not a whole number"),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    #[test]
    fn sizes_are_one_or_a_mix() {
        assert_eq!(sizes("4k").unwrap(), OneOrMix::One(Size(4096)));
        let part = |size, share| Part { size: Size(size), share: Share(share) };
        assert_eq!(sizes("4k:60,64k:40").unwrap(), OneOrMix::Mix(vec![part(4096, 0.6), part(65536, 0.4)]));
        for wrong in ["4k:,64k:40", "4k:a", "9g", "4k:60,64k:60", "4k:60,64k:20"] {
            assert_eq!(Exit::of(&sizes(wrong).unwrap_err()), Exit::Usage, "{wrong}");
        }
    }
}
