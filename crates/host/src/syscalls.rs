//! The system calls that have no safe wrapper in our dependencies.
#![allow(unsafe_code)] // getrusage, io_uring_setup and an ioctl are called through libc; nothing else is unsafe here.

use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, FromRawFd, OwnedFd};

use crate::own_cost::OwnCost;

/// The resources that this process has used so far, all its threads included.
pub(crate) fn own_cost() -> Option<OwnCost> {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: getrusage writes one rusage through a pointer to one; all-zero bytes are a valid rusage too.
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) != 0 {
            return None;
        }
        usage.assume_init()
    };
    let ns = |time: libc::timeval| {
        let whole = u64::try_from(time.tv_sec).unwrap_or(0).saturating_mul(1_000_000_000);
        whole.saturating_add(u64::try_from(time.tv_usec).unwrap_or(0).saturating_mul(1_000))
    };
    let count = |value: libc::c_long| u64::try_from(value).unwrap_or(0);
    Some(OwnCost {
        user_ns: ns(usage.ru_utime),
        system_ns: ns(usage.ru_stime),
        voluntary_switches: count(usage.ru_nvcsw),
        involuntary_switches: count(usage.ru_nivcsw),
        // Linux gives it in KiB (getrusage(2)).
        max_rss_bytes: count(usage.ru_maxrss).saturating_mul(1024),
    })
}

/// Bytes of the SMART / health log.
pub(crate) const HEALTH_LOG_BYTES: usize = 512;

/// `struct nvme_passthru_cmd` of linux/nvme_ioctl.h.
#[repr(C)]
#[derive(Default)]
struct NvmeCommand {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    words_2_3: [u32; 2],
    metadata: u64,
    address: u64,
    metadata_bytes: u32,
    data_bytes: u32,
    words_10_15: [u32; 6],
    timeout_ms: u32,
    result: u32,
}

/// `NVME_IOCTL_ADMIN_CMD`: reads and writes one [`NvmeCommand`] of 72 bytes.
const NVME_ADMIN_COMMAND: libc::c_ulong = 0xC048_4E41;
const GET_LOG_PAGE: u8 = 0x02;
const HEALTH_LOG: u32 = 0x02;
const ALL_NAMESPACES: u32 = u32::MAX;

/// The SMART / health log of an NVMe drive; `None` when the drive or the kernel refuses. Changes nothing on
/// the drive.
pub(crate) fn nvme_health_log(drive: &std::fs::File) -> Option<[u8; HEALTH_LOG_BYTES]> {
    let mut log = [0_u8; HEALTH_LOG_BYTES];
    // Double words to transfer less one, and which log.
    let words = (HEALTH_LOG_BYTES as u32 / 4 - 1) << 16 | HEALTH_LOG;
    let mut command = NvmeCommand {
        opcode: GET_LOG_PAGE,
        namespace: ALL_NAMESPACES,
        address: log.as_mut_ptr() as u64,
        data_bytes: HEALTH_LOG_BYTES as u32,
        words_10_15: [words, 0, 0, 0, 0, 0],
        ..NvmeCommand::default()
    };
    // SAFETY: the request reads and writes one command of the size that it names, and the drive writes at
    // most `data_bytes` into `log`, which outlives the call.
    let status = unsafe { libc::ioctl(drive.as_raw_fd(), NVME_ADMIN_COMMAND as _, &raw mut command) };
    (status == 0).then_some(log)
}

/// Size of `struct io_uring_params` (linux/io_uring.h): 40 bytes and two offset blocks of 40.
const IO_URING_PARAMS_BYTES: usize = 120;

/// Success if this process may set up an io_uring. It tries, because a sandbox can forbid what the kernel
/// allows.
pub(crate) fn io_uring_setup_works() -> Result<(), std::io::Error> {
    let mut params = [0_u64; IO_URING_PARAMS_BYTES / 8];
    // SAFETY: io_uring_setup(entries, params) reads and writes one io_uring_params, which `params` is large
    // and aligned enough to hold; zeroes ask for the defaults.
    let ring = unsafe { libc::syscall(libc::SYS_io_uring_setup, 1_u32, params.as_mut_ptr()) };
    match i32::try_from(ring) {
        Ok(descriptor) if descriptor >= 0 => {
            // SAFETY: the call succeeded, so this is a fresh descriptor that nobody else owns.
            drop(unsafe { OwnedFd::from_raw_fd(descriptor) });
            Ok(())
        }
        _ => Err(std::io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_cost_grows_with_work() {
        let before = own_cost().unwrap();
        let mut sum = 0_u64;
        while own_cost().unwrap().user_ns == before.user_ns {
            sum = sum.wrapping_mul(31).wrapping_add(std::hint::black_box(7));
        }
        let after = own_cost().unwrap();
        assert!(after.user_ns > before.user_ns, "{sum}");
        assert!(after.max_rss_bytes > 100_000, "{after:?}");
    }

    #[test]
    fn asking_for_io_uring_leaves_no_descriptor_behind() {
        let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
        let _ = io_uring_setup_works();
        let before = open();
        for _ in 0..100 {
            let _ = io_uring_setup_works();
        }
        // Other tests of this process open files meanwhile; a leak would be a hundred.
        assert!(open() < before + 50);
    }
}
