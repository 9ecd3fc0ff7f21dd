//! Beds that are somebody else's server: reached by its address, loaded if it is empty, and used as it is
//! afterwards. Nothing is copied, restored, stopped or dropped there.

use words::{NoteKind, Remark};

use database::{Existing, Instance};
use experiment::Bed;
use notebook::Notebook;
use oltp::tpcc::{self, OltpError, Stage};

use crate::bed::fleet::{FirstState, Fleet};
use crate::conductor::Conductor;
use crate::error::LabError;
use crate::event::Event;
use crate::needs::data_set::DataSet;

/// The server at `url`, entered once.
fn visit(conductor: &Conductor<'_>, url: &str) -> Result<Existing, String> {
    let engine = conductor.experiment.engine();
    conductor.world.servers.visit(engine, url, conductor.interrupt.hang_up()).map_err(|e| e.to_string())
}

/// The server of one cell, as it is.
pub(crate) fn fleet(conductor: &Conductor<'_>, url: &str) -> Result<Fleet, String> {
    let server = visit(conductor, url)?;
    Ok(Fleet { instances: vec![Box::new(server)], first_state: FirstState::Kept })
}

/// Ensures that the server of a bed holds `data`: uses existing whole tables, loads an empty database. What
/// the first rank has found or loaded it has also checked, and the others take as it is.
pub(crate) fn prepare(
    conductor: &Conductor<'_>,
    notebook: &mut Notebook,
    (bed, url): (&Bed, &str),
    data: &DataSet,
) -> Result<(), LabError> {
    let server = visit(conductor, url).map_err(LabError::Load)?;
    let started = conductor.clock().stopwatch();
    let (is_new, stage) = if is_there(&server, data).map_err(LabError::Load)? {
        if conductor.world.membership.is_guest(bed) {
            return Ok(());
        }
        (false, Stage::AfterRun)
    } else {
        server.require_create().map_err(|e| LabError::Database(e.to_string()))?;
        let what = data.what();
        let progress =
            |share: f64| conductor.observer.event(Event::Loading { what: what.to_string(), share });
        data.load(&server, conductor.seed, conductor.interrupt.flag(), &progress).map_err(LabError::Load)?;
        (true, Stage::AfterLoad)
    };
    let violated = data.violations(&server, stage, &conductor.interrupt.flag()).map_err(LabError::Load)?;
    if let Some(first) = violated.0.first() {
        return Err(LabError::Load(format!(
            "what {} holds is not consistent: {first}",
            server.endpoint().address()
        )));
    }
    let (data, server) = (data.what(), server.endpoint().address());
    let elapsed_s = started.seconds();
    let did = match is_new {
        true => Remark::LoadedOnServer { data, server, elapsed_s },
        false => Remark::FoundOnServer { data, server, elapsed_s },
    };
    conductor.observer.event(Event::Did { what: did.to_string() });
    notebook.add_note(conductor.run, NoteKind::Load, did)?;
    Ok(())
}

/// True if the tables are there, in the requested size. Those of another tool are accepted if they are whole.
fn is_there(server: &Existing, data: &DataSet) -> Result<bool, String> {
    match *data {
        DataSet::OrderEntry { warehouses } => {
            let loaded = match tpcc::Loaded::of_instance(server) {
                Err(OltpError::NotLoaded { .. }) => tpcc::adopt(server).map_err(|e| e.to_string())?,
                other => Some(other.map_err(|e| e.to_string())?),
            };
            match loaded {
                Some(loaded) if loaded.warehouses != warehouses => {
                    Err(OltpError::OtherSize { loaded: loaded.warehouses, asked: warehouses }.to_string())
                }
                loaded => Ok(loaded.is_some()),
            }
        }
        // Its loader refuses tables that are there already, and says so.
        DataSet::Sysbench { tables, rows, .. } => {
            Ok(oltp::sysbench::check(server.access(), tables, rows).is_ok())
        }
        // Refused before anything is touched: a visited server's caches cannot be emptied.
        DataSet::Scanned(_) => Ok(false),
    }
}
