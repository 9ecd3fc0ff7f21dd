//! A run for a reader: the comparison of its beds, as text, as JSON and as one HTML page. The history of an
//! experiment over its runs ([`trend`](fn@trend)), and the maps of a drive ([`map_page`]).
//!
//! Invariant: results come from a notebook and from nothing else, drives come from the caller, and nothing is
//! changed. The same notebook gives the same words, numbers and pictures on every machine; only PNG figures
//! take the fonts of the machine. Nothing is shown without its unit, nothing compared without its
//! interval, and no cell that was run is passed over in silence: those that do not count are listed with the
//! reason.
//!
//! Read in this order: a run is read into a `LoadedRun`; its beds are set against the baseline, `Contrast` by
//! `Contrast`, into a [`Comparison`]; a comparison is written as text or JSON; the page adds figures, each
//! drawn from the table behind it.

mod across;
mod trend;
mod again;
mod alike;
mod answer;
mod brief;
mod loaded_run;
mod level;
mod caution;
mod comparison;
mod compare;
mod contrast;
mod course;
mod durability;
mod refusal;
mod error;
mod floor;
mod gate;
mod inputs;
mod held;
mod kept_verdict;
mod hosts;
mod ranks;
mod scale_out;
mod instances;
mod wear;
mod limiter;
mod kind;
mod observed;
mod naming;
mod noise;
mod nuisance;
mod number;
mod finding;
mod second;
mod source;
mod titles;
mod sentences;

mod export;
mod json;
mod lines;
mod markdown;
mod summary;
mod table;
mod text;

mod figure;
mod html;
mod map;
mod pace;
mod page;
mod profile;
mod svg;

pub use across::compare_runs;
pub use again::noisy;
pub use alike::Declared;
pub use brief::{Brief, brief, cautions};
pub use caution::others::OTHERS_MOST_PERCENT;
pub use compare::compare;
pub use comparison::{Comparison, ExcludedCell};
pub use contrast::{Contrast, Unjudged};
pub use course::{Course, Seconds};
pub use durability::Crashes;
pub use error::ReportError;
pub use export::{FigureFile, PaintError, Painter, figures, is_painted};
pub use figure::spark::spark;
pub use finding::{Finding, Operation};
pub use gate::forms::{
    JUNIT_BEGINS, MARKDOWN_BEGINS, Taken, failed_junit, failed_markdown, refused_junit, refused_markdown,
};
pub use gate::{Checked, Found, Gate, Outcome};
pub use held::Held;
pub use hosts::{FleetResult, Host};
pub use inputs::InputShare;
pub use instances::Instances;
pub use kept_verdict::{KeptVerdict, realm_and_scale};
pub use level::{LevelUnit, level};
pub use limiter::Limiters;
pub use map::{DriveMaps, MeasuredMap, map_figures, map_page};
pub use markdown::{REPORT_BEGINS, markdown};
pub use naming::{BedName, in_short};
pub use noise::Noise;
pub use nuisance::Nuisance;
pub use number::is_useless;
pub use observed::observed;
pub use pace::Pace;
pub use page::copy::script_source;
pub use page::style::sheet as style_sheet;
pub use page::{plan_svg, render_html, seconds_html};
pub use profile::profile_in_full;
pub use refusal::{Refusal, Unlike};
pub use scale_out::{Gain, Hint, Knee, ScaleOut, ScalePoint};
pub use summary::{state, summary};
pub use trend::{Links, Trend, trend};
pub use wear::Wear;
