//! Options of `block` that shape the load beyond depth and rate.

use block::{Arrivals, Content, Flush, Job, Pattern, Shape, SizeMix, Think};
use clap::{Args, ValueEnum};

use super::{size, span};
use crate::exit::Coded;

/// Options that shape the load.
#[derive(Debug, Args)]
#[command(next_help_heading = "Load shape")]
pub(crate) struct ShapeArgs {
    /// Threads, each with --depth outstanding I/Os; a --rate is shared among them
    #[arg(long, default_value_t = 1, value_name = "N")]
    workers: u32,

    /// Pin each worker to one processor
    #[arg(long)]
    pin: bool,

    /// Spacing of the I/Os of --rate
    #[arg(long, value_enum, default_value_t = Spacing::Poisson)]
    arrivals: Spacing,

    /// Maximum number of outstanding I/Os of a worker with --rate or --burst; further ones wait, and their
    /// wait counts
    #[arg(long, default_value_t = 1024, value_name = "N")]
    depth_max: u32,

    /// Bursts at fixed times, N I/Os every TIME: 10000/60s
    #[arg(long, value_name = "N/TIME", conflicts_with = "rate")]
    pub(super) burst: Option<String>,

    /// Pause after every N I/Os: 1ms, or 1ms/8
    #[arg(long, value_name = "TIME[/N]", conflicts_with_all = ["rate", "burst"])]
    think: Option<String>,

    /// End after this many bytes, if that is before --time
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
    /// The shape of a load by rate, burst or depth.
    pub(super) fn shape(&self, rate: Option<f64>, depth: u32) -> anyhow::Result<Shape> {
        let arrivals = match self.arrivals {
            Spacing::Poisson => Arrivals::Poisson,
            Spacing::Fixed => Arrivals::Fixed,
        };
        if let Some(burst) = &self.burst {
            let (ios, every) = halves(burst, "--burst", "for example 10000/60s")?;
            let ios = number(ios, "--burst", burst)?;
            return Ok(Shape::Bursts { ios, every: span(every, "--burst")?, depth_max: self.depth_max });
        }
        Ok(match rate {
            Some(rate) => Shape::OpenLoop { rate, depth_max: self.depth_max, arrivals },
            None => Shape::ClosedLoop { depth },
        })
    }

    /// The pattern instead of the uniform one, if one is given.
    pub(super) fn pattern(&self) -> anyhow::Result<Option<Pattern>> {
        let Some(hot) = &self.hot else { return Ok(self.shuffled.then_some(Pattern::Shuffled)) };
        let (share, access) = halves(hot, "--hot", "for example 20/80")?;
        let part = |text: &str| number(text, "--hot", hot).map(|percent| f64::from(percent) / 100.0);
        Ok(Some(Pattern::HotSpot { share: part(share)?, access: part(access)? }))
    }

    /// Puts everything else into the job.
    pub(super) fn apply(&self, job: &mut Job) -> anyhow::Result<()> {
        job.workers = self.workers;
        job.pin_from = self.pin.then_some(0);
        job.content = Content {
            compressible: f64::from(self.compressible) / 100.0,
            duplicates: f64::from(self.duplicates) / 100.0,
        };
        job.bytes_max = self.bytes.as_deref().map(|text| size(text, "--bytes")).transpose()?;
        if let Some(think) = &self.think {
            let (time, after) = think.split_once('/').unwrap_or((think, "1"));
            job.think = Some(Think { time: span(time, "--think")?, after: number(after, "--think", think)? });
        }
        let flush = match (self.fsync, self.fdatasync) {
            (Some(every), _) => Some(Flush { every, data_only: false }),
            (None, Some(every)) => Some(Flush { every, data_only: true }),
            (None, None) => None,
        };
        for stream in &mut job.streams {
            (stream.flush, stream.write_through) = (flush, self.write_through);
        }
        Ok(())
    }
}

/// One size, or a mix with shares in per cent: `4k`, `4k:60,64k:40`.
pub(super) fn sizes(text: &str) -> anyhow::Result<SizeMix> {
    let one = |part: &str| {
        let bytes = size(part, "--bs")?;
        u32::try_from(bytes).map_err(|_| Coded::usage(format!("--bs {part}: too large")))
    };
    if !text.contains(':') {
        return Ok(SizeMix::fixed(one(text)?));
    }
    let parts = text.split(',').map(|part| {
        let (bytes, share) = part.split_once(':').unwrap_or((part, ""));
        Ok((one(bytes)?, f64::from(number(share, "--bs", text)?)))
    });
    let parts = parts.collect::<anyhow::Result<Vec<_>>>()?;
    let whole: f64 = parts.iter().map(|(_, share)| share).sum();
    if whole != 100.0 {
        return Err(Coded::usage(format!(
            "--bs {text}: the shares add up to {whole} %; write shares of 100 %"
        )));
    }
    Ok(SizeMix::mix(parts))
}

fn halves<'a>(text: &'a str, flag: &str, example: &str) -> anyhow::Result<(&'a str, &'a str)> {
    text.split_once('/').ok_or_else(|| Coded::usage(format!("{flag} {text}: write two parts, {example}")))
}

fn number(text: &str, flag: &str, whole: &str) -> anyhow::Result<u32> {
    let parsed = text.trim().trim_end_matches('%').parse();
    parsed.map_err(|_| Coded::usage(format!("{flag} {whole}: `{text}` is not a whole number")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    #[test]
    fn sizes_are_one_or_a_mix() {
        assert_eq!(sizes("4k").unwrap(), SizeMix::fixed(4096));
        assert_eq!(sizes("4k:60,64k:40").unwrap(), SizeMix::mix([(4096, 60.0), (65536, 40.0)]));
        for wrong in ["4k:,64k:40", "4k:a", "9g", "4k:60,64k:60", "4k:60,64k:20"] {
            assert_eq!(Exit::of(&sizes(wrong).unwrap_err()), Exit::Usage, "{wrong}");
        }
    }
}
