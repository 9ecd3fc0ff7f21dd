//! The words of a result as types: metrics with their units, kinds of workloads, engines, levels, arms,
//! realms, limiters, phases, kinds of notes and events, and the reasons why a cell does not count.
//!
//! Invariant: a word that stands in a notebook, an export or a report is written down once, here, with its
//! stable name. Code that writes a result cannot misspell a word, and code that reads one never decides by a
//! part of a name. A name once given is never changed: a word that got a better name keeps its old one as an
//! alias that is still read.
//!
//! A reason is data, too: a stable name with its figures and texts ([`Reason`], [`LimiterFigures`],
//! [`Remark`], [`Happening`]). Its sentence, and every other one of a report, is a message of `locales`, said
//! by [`say!`].

mod arm;
mod beyond;
mod drive;
mod engine;
mod happening;
mod kept;
mod language;
mod level;
mod limiter;
mod metric;
mod numeral;
mod order;
mod phase;
mod plain;
mod reading;
mod reason;
mod remark;
mod say;
mod scale;
mod sentence;
pub mod shell;
mod spoken;
mod state;
mod storage;
mod stored;
mod unit;
mod word;
mod workload;

pub use arm::Arm;
pub use beyond::{Beyond, Operation, Through};
pub use drive::drive_number;
pub use engine::{Engine, ServerUrl, Synchronous};
pub use happening::{Conditions, FileSystem, Happening, Proven, RoundsEnd, SteadyFigure, Tracked};
pub use kept::{Kept, asked};
pub use language::{Language, english, speak};
pub use level::LevelName;
pub use limiter::{Limiter, LimiterFigures, ProcessorFigures};
pub use metric::{
    Axis, Direction, Family, HistogramName, Joining, Latency, Metric, MetricName, Read, ReadFigure, Shown,
    Statistic,
};
pub use numeral::{decimals, list, numeral, parts, significant};
pub use order::is_order;
pub use phase::{PhaseName, StoredPhase};
pub use plain::{EventKind, NoteKind, Order, PointKind, Realm};
pub use reading::{Reading, Readings};
pub use reason::{FaultCount, FaultCounts, OrdersNamed, Reason, Reasons, RowsRead, Step};
pub use remark::{LoadedData, Remark};
pub use say::{Datum, Grouped, Said, in_english, in_every_language, sentence, text};
pub use scale::{ScaleChange, ScaleChanges, ScaleClause, ScaleRule, ScaleStatement, ScaledPart, ScaledParts};
pub use spoken::{Spoken, counted, level_short, spoken};
pub use state::{CellState, RunState};
pub use storage::{BedDrive, BedStorage};
pub use stored::Stored;
pub use unit::Unit;
pub use word::Word;
pub use workload::{EffectKey, WorkloadKind};

/// The messages that are said by a stable name instead of `say!("id")`, each with the names of its data.
pub fn messages() -> impl Iterator<Item = (String, &'static [&'static str])> {
    let lists = [
        Reason::MESSAGES,
        FaultCount::MESSAGES,
        LimiterFigures::MESSAGES,
        ProcessorFigures::MESSAGES,
        Remark::MESSAGES,
        LoadedData::MESSAGES,
        Reading::MESSAGES,
        Happening::MESSAGES,
        FileSystem::MESSAGES,
        Proven::MESSAGES,
        Conditions::MESSAGES,
        RoundsEnd::MESSAGES,
        SteadyFigure::MESSAGES,
        ScaleStatement::MESSAGES,
        ScaleChange::MESSAGES,
        ScaleClause::MESSAGES,
    ];
    let sentences = lists.into_iter().flatten().map(|(id, data)| ((*id).to_owned(), *data));
    let shown = Metric::all().filter(|metric| metric.shown().is_some());
    let kept = kept::messages().chain(drive::messages()).map(ToOwned::to_owned);
    let texts = shown.flat_map(Metric::messages).chain(spoken::messages()).chain(kept);
    sentences.chain(texts.map(|id| (id, &[][..])))
}
