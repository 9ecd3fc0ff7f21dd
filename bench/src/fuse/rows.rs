//! fio's figures on modelled drives beside those of the models alone, driven alike without any clock; and
//! whether the tool said by itself, from its own measurement of the same run, which of them are off.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use device::{DriveSpec, catalogue};
use emulate::{Counters, FuseMount, NEAR, Seen as ByTool};

use super::{fio, model, mounted};
use crate::options::Options;

/// Drives whose figures are promised within [`NEAR`] of the model wherever the machine allows.
const DRIVES: [&str; 3] = ["kingston-dc1500m-960g", "kingston-dc500m-1920g", "micron-5200-eco-1920g"];
const DEPTHS: [u32; 4] = [1, 4, 16, 32];
/// One load: its name and the share of reads, percent.
const LOADS: [(&str, u8); 3] = [("read", 100), ("write", 0), ("70/30", 70)];
/// A drive that answers earlier than its model flatters, so less is allowed on that side.
const EARLY_MOST: f64 = 0.03;
/// More late completions than this are a flag as well.
const LATE_MOST: f64 = 0.10;
/// The goal: so many rows near the model.
const NEAR_LEAST: usize = 26;

/// Runs all rows over all transports, which take turns, and prints them.
pub(super) fn all(
    options: &Options,
    dir: &Path,
    transports: &[(&str, bool)],
    text: &mut String,
) -> anyhow::Result<()> {
    let mut rows: Vec<Vec<Row>> = transports.iter().map(|_| Vec::new()).collect();
    for name in DRIVES {
        let entry = catalogue::find(name).with_context(|| format!("no drive {name} in the catalogue"))?;
        let mut sides = Vec::new();
        for (transport, over_rings) in transports {
            let mount = mounted(dir, &format!("{name}-{transport}"), &entry.spec, *over_rings)?;
            let file = fio::lay_out(mount.mountpoint(), options)?;
            sides.push((mount, file));
        }
        let of_drive = measure(options, &entry.spec, &sides).with_context(|| name.to_owned())?;
        for (((transport, _), (mount, _)), (all, now)) in
            transports.iter().zip(&sides).zip(rows.iter_mut().zip(of_drive))
        {
            table(&format!("{}, {transport}", entry.title), mount, &now, text)?;
            all.extend(now.into_iter().map(|row| Row { name: format!("{name} {}", row.name), ..row }));
        }
    }
    for ((transport, _), rows) in transports.iter().zip(&rows) {
        summary(transport, rows, text)?;
    }
    Ok(())
}

/// The rows of one drive, for each of its mounts: of each row the run whose mean is the middle one.
fn measure(
    options: &Options,
    spec: &DriveSpec,
    sides: &[(FuseMount, PathBuf)],
) -> anyhow::Result<Vec<Vec<Row>>> {
    let depths: &[u32] = if options.smoke { &DEPTHS[..1] } else { &DEPTHS };
    let mut rows: Vec<Vec<Row>> = sides.iter().map(|_| Vec::new()).collect();
    for (load, reads) in LOADS {
        for &depth in depths {
            let mut runs: Vec<Vec<Row>> = sides.iter().map(|_| Vec::new()).collect();
            for _ in 0..options.pairs {
                for ((mount, file), runs) in sides.iter().zip(&mut runs) {
                    let before = mount.counters();
                    let seen = fio::run(file, &fio::MountLoad { reads, depth, threads: 1 }, options)?;
                    let counted = mount.counters().since(&before);
                    let expected = model::closed_loop(spec, reads, depth, options.seconds);
                    runs.push(Row { name: format!("{load} at {depth}"), expected, seen, counted });
                }
            }
            for (runs, rows) in runs.iter_mut().zip(&mut rows) {
                runs.sort_by(|a, b| a.seen.mean_us().total_cmp(&b.seen.mean_us()));
                rows.push(runs.swap_remove(runs.len() / 2));
            }
        }
    }
    Ok(rows)
}

/// One load on one mount.
struct Row {
    name: String,
    expected: model::Expected,
    seen: fio::Seen,
    counted: Counters,
}

impl Row {
    /// Of fio's figures to the model's: operations a second, mean time.
    fn ratios(&self) -> [f64; 2] {
        [self.seen.iops / self.expected.iops, self.seen.mean_us() / self.expected.mean_us()]
    }

    fn is_near(&self) -> bool {
        self.ratios().iter().all(|ratio| (ratio - 1.0).abs() <= NEAR)
    }

    fn is_early(&self) -> bool {
        self.ratios()[1] < 1.0 - EARLY_MOST
    }

    fn operations(&self) -> f64 {
        (self.counted.data.reads + self.counted.data.writes).max(1) as f64
    }

    /// The tool's own judgement of this run; empty if it has none.
    fn flags(&self) -> String {
        let judged = self.counted.judged();
        let told = |of: Vec<ByTool>, by: fn(&ByTool) -> f64, what: &str| -> Vec<String> {
            of.iter().map(|seen| format!("{} {:+.0} %{what}", seen.kind, by(seen) * 1e2)).collect()
        };
        let mut parts = told(judged.off(), ByTool::by, "");
        parts.extend(told(judged.perhaps_off(), ByTool::by_perhaps, " perhaps"));
        parts.extend(told(judged.held_up(), ByTool::by_in_all, " with waits for processors"));
        let late = self.counted.late as f64 / self.operations();
        if late > LATE_MOST {
            parts.push(format!("{:.0} % late", late * 1e2));
        }
        parts.join(", ")
    }
}

fn table(title: &str, mount: &FuseMount, rows: &[Row], text: &mut String) -> anyhow::Result<()> {
    let rehearsal = mount.rehearsal().context("this drive takes time, so its mount was rehearsed")?;
    let [read_us, write_us, _] = rehearsal.ways_ns().map(|ns| ns as f64 / 1e3);
    writeln!(
        text,
        "\n## {title}\n\nThe way: reads {read_us:.1} us, writes {write_us:.1} us; the mount completes {:.0} operations a second.\n",
        rehearsal.most_per_second()
    )?;
    writeln!(
        text,
        "| load | IOPS, model | fio | ratio | mean us, model | fio | ratio | by the tool: model | mount | waits | late % | layer's CPU us | | flagged by the run itself |"
    )?;
    writeln!(text, "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---|")?;
    for row in rows {
        let [iops, mean] = row.ratios();
        let by_tool = row.counted.judged().all;
        let us = |of: fn(&ByTool) -> f64| by_tool.map_or(f64::NAN, |seen| of(&seen) / 1e3);
        writeln!(
            text,
            "| {} | {:.0} | {:.0} | {iops:.2} | {:.1} | {:.1} | {mean:.2} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {} | {} |",
            row.name,
            row.expected.iops,
            row.seen.iops,
            row.expected.mean_us(),
            row.seen.mean_us(),
            us(|seen| seen.model_ns),
            us(|seen| seen.seen_ns),
            us(|seen| seen.waits_ns),
            row.counted.late as f64 / row.operations() * 1e2,
            row.counted.cpu_ns as f64 / 1e3 / row.operations(),
            match (row.is_near(), row.is_early()) {
                (_, true) => "**early**",
                (true, _) => "",
                (false, _) => "**beyond 10 %**",
            },
            row.flags(),
        )?;
    }
    Ok(())
}

/// The number of rows near the model, and the rows of the rest that the tool did not flag.
fn summary(transport: &str, rows: &[Row], text: &mut String) -> anyhow::Result<()> {
    let names = |is: &dyn Fn(&Row) -> bool| {
        let names: Vec<&str> = rows.iter().filter(|row| is(row)).map(|row| row.name.as_str()).collect();
        if names.is_empty() { "none".to_owned() } else { format!("{}: {}", names.len(), names.join("; ")) }
    };
    let near = rows.iter().filter(|row| row.is_near()).count();
    writeln!(
        text,
        "\n## All {} rows, {transport}\n\n- within 10 % of the model: {near} (goal: at least {NEAR_LEAST} of 36)",
        rows.len()
    )?;
    writeln!(
        text,
        "- beyond and flagged by the run itself: {}",
        names(&|row| !row.is_near() && !row.flags().is_empty())
    )?;
    writeln!(
        text,
        "- beyond and not flagged: {} (goal: none)",
        names(&|row| !row.is_near() && row.flags().is_empty())
    )?;
    writeln!(text, "- flagged and within: {}", names(&|row| row.is_near() && !row.flags().is_empty()))?;
    writeln!(text, "- more than 3 % early: {} (goal: none)", names(&Row::is_early))?;
    Ok(())
}
