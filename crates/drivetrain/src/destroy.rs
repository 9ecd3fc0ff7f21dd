//! `--destroy` and `--overwrite`: the devices that a command may overwrite (DESIGN section 7).

use block::DestroyOrder;
use clap::Args;

use crate::exit::Coded;

/// What may be destroyed.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DestroyArgs {
    /// Allow a device to be overwritten: its name below /dev/disk/by-id/ and its serial; ALL DATA ON IT IS LOST (may be repeated)
    #[arg(long, value_name = "DEVICE=SERIAL")]
    pub(crate) destroy: Vec<String>,

    /// A signature on such a device that may go too: gpt, dos, ext4, btrfs, lvm, ..., or unknown for data that bears none (may be repeated)
    #[arg(long, value_name = "SIGNATURE", requires = "destroy")]
    pub(crate) overwrite: Vec<String>,
}

impl DestroyArgs {
    /// The orders.
    ///
    /// # Errors
    /// Exit code 2 for one that names no device with its serial.
    pub(crate) fn orders(&self) -> anyhow::Result<Vec<DestroyOrder>> {
        let order = |text: &String| {
            DestroyOrder::parse(text, &self.overwrite)
                .map_err(|why| Coded::usage(format!("--destroy: {why}")))
        };
        self.destroy.iter().map(order).collect()
    }
}
