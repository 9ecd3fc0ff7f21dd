//! `--allow-uring`: mounts over io_uring are switched on while a command runs, and back afterwards.

use std::io;

use clap::Args;
use emulate::fuse::RingSwitch;

use crate::console::Console;
use crate::exit::Coded;

/// The permission to switch mounts over io_uring on.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct UringArgs {
    /// Enable mounts over io_uring while this command runs (root, Linux 6.14 or newer): faster drives can
    /// then be modelled under servers
    #[arg(long)]
    allow_uring: bool,
}

impl UringArgs {
    /// Refuses the permission for a command without mounts.
    pub(crate) fn check_unused(self, why: &str) -> anyhow::Result<()> {
        if self.allow_uring {
            return Err(Coded::usage(format!("--allow-uring is for mounts: {why}; leave it out")));
        }
        Ok(())
    }

    /// Switches it on where it is off and that is allowed; it is turned back when the value is dropped. Where
    /// it cannot be, everything works as without it, and the reason is told.
    pub(crate) fn switch(self, console: &Console) -> Option<RingSwitch> {
        if !self.allow_uring {
            return None;
        }
        match RingSwitch::turn_on() {
            Ok(switch) => switch,
            Err(error) => {
                let why = match error.kind() {
                    io::ErrorKind::NotFound => "this kernel does not have them (Linux 6.14 does)".to_owned(),
                    io::ErrorKind::PermissionDenied => "only root may switch them on".to_owned(),
                    _ => error.to_string(),
                };
                console.warn(&format!("mounts over io_uring stay off: {why}; requests go over /dev/fuse"));
                None
            }
        }
    }
}
