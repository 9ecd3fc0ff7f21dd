//! `--destroy` and `--overwrite`: the devices that a command may overwrite.

use block::{DestroyOrder, Target};
use clap::Args;

use crate::console::Console;
use crate::exit::Coded;

/// The devices that may be overwritten.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DestroyArgs {
    /// Allow a device to be overwritten: its name below /dev/disk/by-id/ and its serial; ALL DATA ON IT IS
    /// LOST (may be repeated)
    #[arg(long, value_name = "DEVICE=SERIAL")]
    pub(crate) destroy: Vec<String>,

    /// A signature on such a device that may also be overwritten: gpt, dos, ext4, btrfs, lvm, ..., or unknown
    /// for data without a signature (may be repeated)
    #[arg(long, value_name = "SIGNATURE", requires = "destroy")]
    pub(crate) overwrite: Vec<String>,
}

/// Says which device is overwritten from now on. Everything that could refuse the load comes before.
///
/// # Errors
/// As [`DestroyArgs::orders`].
pub(crate) fn announce(args: &DestroyArgs, target: &Target, console: &Console) -> anyhow::Result<()> {
    let Target::Permitted(permit) = target else { return Ok(()) };
    let orders = args.orders()?;
    if let Some(order) = orders.iter().find(|order| permit.is_device() && order.is_for(permit.path())) {
        console.note(&format!("OVERWRITING {} (serial {})", order.path.display(), order.serial));
    }
    Ok(())
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
