//! The right to the drive of a process of ours.
#![allow(unsafe_code)] // A system call that no library of ours wraps.

/// `IOPRIO_WHO_PROCESS` and the class "idle" of linux/ioprio.h.
const WHO_PROCESS: libc::c_int = 1;
const CLASS_IDLE: libc::c_int = 3;
const CLASS_SHIFT: libc::c_int = 13;

/// Lets process `pid` use the drive only when nobody else does. Schedulers but BFQ and mq-deadline take no
/// notice.
pub(crate) fn use_idle_time_only(pid: u32) {
    let Ok(pid) = libc::c_int::try_from(pid) else { return };
    // SAFETY: three integers and no pointer. A process that is gone makes it fail, which is no matter.
    unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, pid, CLASS_IDLE << CLASS_SHIFT) };
}
