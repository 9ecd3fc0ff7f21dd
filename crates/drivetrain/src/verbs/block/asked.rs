//! The load of the command line as the block workload of an experiment.

use experiment::{Block, BlockEngine, Discard, DiscardRule, Experiment, Pattern, Share, Span, Stream};
use words::say;

use super::{BlockArgs, Engine, Rw, shapes, span};
use crate::exit::Coded;
use crate::targets::TargetBed;

impl BlockArgs {
    /// The workload, without its target.
    ///
    /// # Errors
    /// Exit code 2 for values that cannot be read.
    pub(super) fn workload(&self) -> anyhow::Result<Block> {
        let mut stream = Stream::new(self.pattern()?, Share(self.read_share()), shapes::sizes(&self.bs)?);
        stream.discard = self.discard();
        let mut block = Block {
            engine: self.block_engine(),
            direct: !self.buffered,
            verify: self.verify,
            ..Block::new(Span(span(&self.ramp, "--ramp")?), Span(span(&self.time, "--time")?))
        };
        self.shapes.shape(self.rate, self.depth, &mut block, &mut stream)?;
        block.streams.push(stream);
        Ok(block)
    }

    /// The load on its target as an experiment, and the name of the run.
    pub(super) fn experiment(&self, load: &Block, bed: &TargetBed) -> (Experiment, String) {
        let word = clap::ValueEnum::to_possible_value(&self.rw);
        let rw = word.map(|word| word.get_name().to_owned()).unwrap_or_default();
        let title = say!("load-title", rw, size = self.bs, at = self.load_in_words(load), target = bed.label);
        (bed.experiment(title, load.clone(), self.seed), bed.name.clone())
    }

    fn load_in_words(&self, load: &Block) -> String {
        let grouped = |number: u32| words::decimals(f64::from(number), 0);
        if let Some(burst) = load.streams.first().and_then(|stream| stream.burst) {
            return say!("load-bursts", ios = grouped(burst.ios), every = burst.every.to_string());
        }
        match (self.rate, self.shapes.workers) {
            (Some(rate), _) => {
                let digits = usize::from(rate.fract() != 0.0);
                say!("level-iops", value = words::decimals(rate, digits))
            }
            (None, 1) => say!("level-depth", value = grouped(self.depth)),
            (None, workers) => {
                say!("level-depth-of-each", workers = grouped(workers), value = grouped(self.depth))
            }
        }
    }

    fn block_engine(&self) -> BlockEngine {
        match self.engine {
            Engine::IoUring => BlockEngine::IoUring,
            Engine::Psync => BlockEngine::Psync,
            Engine::Null => BlockEngine::Null,
        }
    }

    fn pattern(&self) -> anyhow::Result<Pattern> {
        let skewed = match self.zipf {
            Some(theta) => Some(Pattern::Zipf(theta)),
            None => self.shapes.pattern()?,
        };
        let is_sequential = matches!(self.rw, Rw::Read | Rw::Write | Rw::Rw | Rw::Trim | Rw::Trimwrite);
        match (is_sequential, skewed) {
            (true, None) => Ok(Pattern::Sequential),
            (true, Some(_)) => Err(Coded::usage(
                "--zipf, --hot and --shuffled choose the places of random I/Os; give --rw randread, randwrite, randrw or randtrim with them",
            )),
            (false, skewed) => Ok(skewed.unwrap_or(Pattern::Uniform)),
        }
    }

    fn discard(&self) -> Option<Discard> {
        match self.rw {
            Rw::Trim | Rw::Randtrim => Some(Discard::Share(Share(1.0))),
            Rw::Trimwrite => Some(Discard::Rule(DiscardRule::BeforeWrites)),
            _ => None,
        }
    }

    pub(super) fn read_share(&self) -> f64 {
        match self.rw {
            Rw::Read | Rw::Randread => 1.0,
            Rw::Write | Rw::Randwrite | Rw::Trim | Rw::Randtrim | Rw::Trimwrite => 0.0,
            Rw::Rw | Rw::Randrw => f64::from(self.read) / 100.0,
        }
    }
}
