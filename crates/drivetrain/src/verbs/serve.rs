//! `drivetrain serve`: the notebook as local web pages.

use std::net::SocketAddr;
use std::path::Path;

use clap::Args;
use serve::{Server, Site};

use crate::console::Console;
use crate::exit::Exit;
use crate::{language, notebooks, signals};

/// The address of the pages.
pub(crate) const DEFAULT: &str = "127.0.0.1:4780";

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address and port to listen at; any other than this machine's own needs the token that is printed
    #[arg(long, value_name = "ADDRESS:PORT", default_value = DEFAULT)]
    listen: SocketAddr,
}

/// Serves until Ctrl-C.
pub(crate) fn serve(args: &ServeArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    drop(notebooks::open(path)?);
    let interrupt = signals::listen(*console, signals::OF_OTHERS)?;
    let server = start(path, args.listen)?;
    if console.json() {
        let (address, elsewhere) = (server.address(), server.elsewhere());
        console.document(&serde_json::json!({ "address": address, "from_elsewhere": elsewhere, "listens": args.listen.to_string() }));
    } else {
        console.answer(&format!("{}  (Ctrl-C ends it)", told(&server)));
    }
    language::for_people(|| server.until(&interrupt.flag()))?;
    Ok(Exit::Done)
}

/// The address of a server; with that for other machines, where it listens at all interfaces.
pub(crate) fn told(server: &Server) -> String {
    match server.elsewhere() {
        Some(link) => {
            format!("{}\nlistens on all interfaces; from another machine: {link}", server.address())
        }
        None => server.address().to_owned(),
    }
}

/// A server of this notebook.
pub(crate) fn start(path: &Path, listen: SocketAddr) -> anyhow::Result<Server> {
    let site = Site { notebook: std::path::absolute(path)?, listen };
    Ok(Server::start(&site)?)
}
