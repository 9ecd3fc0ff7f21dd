//! Every option of fio and its treatment here. An option that is not in this list is no option of fio.

use std::collections::HashMap;
use std::sync::LazyLock;

use tomlfile::Words;

use crate::source::Handling::{self, Noted, Refused, Silent, Used};

const BOOKKEEPING: &str = "fio's own bookkeeping is not needed: every latency is kept";
const LOGS: &str =
    "no log is written during the run; `drivetrain export --format fio-log` writes fio's logs afterwards";
const OWN_FILE: &str = "files are made and filled by drivetrain before the run";
const TRIM: &str = "what is discarded is not judged until it is written again";
const ZONED: &str = "zoned devices are not supported";
const VERIFY: &str = "blocks carry drivetrain's own offset, generation and checksum, which tell flipped, torn, stale and misplaced blocks apart";
const PRIORITY: &str = "I/O priorities are not set; run drivetrain under `ionice` for all I/Os alike";
const CPUS: &str = "workers are not bound to these processors; run drivetrain under `taskset` or `numactl`";
const ENGINE_DETAIL: &str =
    "a detail of fio's engine; drivetrain's io_uring engine chooses its own (registered files and buffers)";
const REPLAY: &str = "a trace is replayed by `drivetrain replay TRACE TARGET`";
const COMMAND: &str = "drivetrain runs no commands of a job file";

/// Name, other names, handling.
type Entry = (&'static str, &'static [&'static str], Handling);

#[rustfmt::skip]
const OPTIONS: &[Entry] = &[
    // Kind of job
    ("description", &[], Silent),
    ("name", &[], Used),
    ("numjobs", &[], Used),
    ("loops", &[], Used),
    ("stonewall", &["wait_for_previous"], Used),
    ("wait_for", &[], Used),
    ("group_reporting", &[], Silent),
    ("new_group", &[], Silent),
    ("stats", &[], Silent),
    ("thread", &["threads"], Silent),
    ("exitall", &[], Used),
    ("exit_what", &[], Used),
    ("exitall_on_error", &[], Silent),
    ("profile", &[], Refused("fio's built-in profiles are not supported")),
    ("kb_base", &[], Used),
    ("unit_base", &[], Silent),
    // Where
    ("filename", &[], Used),
    ("directory", &[], Used),
    ("filename_format", &[], Used),
    ("unique_filename", &[], Silent),
    ("opendir", &[], Refused("a tree of files as target is not supported: name the files")),
    ("lockfile", &[], Noted("files are not locked")),
    ("nrfiles", &["nr_files"], Used),
    ("openfiles", &[], Noted("all files stay open")),
    ("file_service_type", &[], Used),
    ("size", &[], Used),
    ("filesize", &[], Used),
    ("io_size", &["io_limit"], Used),
    ("offset", &["offset_start", "fileoffset"], Used),
    ("offset_increment", &[], Used),
    ("offset_align", &[], Used),
    ("number_ios", &[], Used),
    ("fill_device", &["fill_fs"], Used),
    ("file_append", &[], Refused("appending to a file is not supported")),
    ("fallocate", &[], Silent),
    ("fadvise_hint", &["fadvise"], Silent),
    ("create_serialize", &[], Silent),
    ("create_fsync", &[], Silent),
    ("create_on_open", &[], Noted(OWN_FILE)),
    ("create_only", &[], Refused("making files without a load is not supported")),
    ("allow_file_create", &[], Silent),
    ("allow_mounted_write", &[], Noted("a device with anything mounted on it is never written to")),
    ("overwrite", &[], Silent),
    ("pre_read", &[], Noted("files are not read beforehand")),
    ("invalidate", &[], Silent),
    ("unlink", &[], Silent),
    ("unlink_each_loop", &[], Silent),
    ("ioscheduler", &[], Noted("set the I/O scheduler yourself: drivetrain changes no setting of the host")),
    // Contents
    ("rw", &["readwrite"], Used),
    ("rw_sequencer", &[], Used),
    ("rwmixread", &[], Used),
    ("rwmixwrite", &[], Used),
    ("rwmixcycle", &[], Noted("fio dropped this option long ago; reads and writes are mixed I/O by I/O")),
    ("bs", &["blocksize"], Used),
    ("bsrange", &["blocksize_range"], Used),
    ("bssplit", &[], Used),
    ("bs_unaligned", &["blocksize_unaligned"], Noted("block sizes are whole sectors")),
    ("bs_is_seq_rand", &[], Refused("sizes go with the direction, not with the pattern: use two jobs")),
    ("blockalign", &["ba"], Used),
    ("percentage_random", &[], Used),
    ("percentage_sequential", &[], Noted("fio takes no notice of this option; write percentage_random")),
    ("random_distribution", &[], Used),
    ("random_generator", &[], Silent),
    ("norandommap", &[], Used),
    ("softrandommap", &[], Silent),
    ("randrepeat", &[], Used),
    ("allrandrepeat", &[], Silent),
    ("randseed", &["rand_seed"], Used),
    ("buffer_compress_percentage", &[], Used),
    ("buffer_compress_chunk", &[], Silent),
    ("dedupe_percentage", &[], Used),
    ("dedupe_mode", &[], Noted("duplicates repeat earlier blocks at random")),
    ("dedupe_working_set_percentage", &[], Silent),
    ("dedupe_global", &[], Silent),
    ("buffer_pattern", &[], Used),
    ("zero_buffers", &[], Used),
    ("refill_buffers", &[], Silent),
    ("scramble_buffers", &[], Silent),
    ("mem", &["iomem"], Silent),
    ("iomem_align", &["mem_align"], Silent),
    ("hugepage-size", &["hugepage_size"], Silent),
    ("lockmem", &[], Noted("memory is not locked")),
    ("swapram", &[], Silent),
    // Engine, depth and manner of the I/O
    ("ioengine", &[], Used),
    ("iodepth", &[], Used),
    ("iodepth_batch", &["iodepth_batch_submit"], Noted(ENGINE_DETAIL)),
    ("iodepth_batch_complete", &["iodepth_batch_complete_min"], Noted(ENGINE_DETAIL)),
    ("iodepth_batch_complete_max", &[], Noted(ENGINE_DETAIL)),
    ("iodepth_low", &[], Noted("the depth is kept full")),
    ("io_submit_mode", &[], Silent),
    ("serialize_overlap", &[], Noted("I/Os that overlap are not held back")),
    ("direct", &[], Used),
    ("buffered", &[], Used),
    ("atomic", &[], Refused("atomic writes are not supported")),
    ("sync", &[], Used),
    ("fsync", &[], Used),
    ("fdatasync", &[], Used),
    ("end_fsync", &[], Noted("the flush at the end is not part of the measured time")),
    ("fsync_on_close", &[], Noted("the flush at the end is not part of the measured time")),
    ("sync_file_range", &[], Refused("sync_file_range is not supported: use fsync or fdatasync")),
    ("write_barrier", &["barrier"], Refused("barrier writes are not supported: use fsync or sync=dsync")),
    ("write_hint", &[], Noted("write hints are not given")),
    // When
    ("runtime", &["timeout"], Used),
    ("time_based", &[], Used),
    ("ramp_time", &[], Used),
    ("startdelay", &["start_delay"], Used),
    ("rate", &[], Used),
    ("rate_iops", &[], Used),
    ("rate_min", &["ratemin"], Noted("a rate that is not reached is reported, and ends nothing")),
    ("rate_iops_min", &[], Noted("a rate that is not reached is reported, and ends nothing")),
    ("rate_process", &[], Used),
    ("rate_poisson", &[], Used),
    ("rate_cycle", &["ratecycle"], Silent),
    ("rate_ignore_thinktime", &[], Silent),
    ("thinktime", &[], Used),
    ("thinktime_spin", &[], Noted("the whole pause is slept")),
    ("thinktime_blocks", &[], Used),
    ("thinktime_blocks_type", &[], Used),
    ("thinktime_iotime", &[], Refused("pauses by time under load are not supported: use thinktime_blocks")),
    ("latency_target", &[], Used),
    ("latency_window", &[], Used),
    ("latency_percentile", &[], Used),
    ("latency_run", &[], Silent),
    ("max_latency", &[], Noted("a latency beyond it ends nothing; the report shows the maximum")),
    ("flow", &[], Used),
    ("flow_id", &[], Silent),
    ("flow_sleep", &["flow_sleep_us"], Silent),
    ("flow_watermark", &[], Silent),
    ("steadystate", &["ss"], Used),
    ("steadystate_duration", &["ss_dur"], Used),
    ("steadystate_ramp_time", &["ss_ramp"], Used),
    ("steadystate_check_interval", &["ss_interval"], Silent),
    // Verification
    ("verify", &[], Used),
    ("do_verify", &[], Used),
    ("verifysort", &[], Silent),
    ("verifysort_nr", &[], Silent),
    ("verify_interval", &[], Noted(VERIFY)),
    ("verify_offset", &[], Noted(VERIFY)),
    ("verify_pattern", &[], Noted(VERIFY)),
    ("verify_pattern_interval", &[], Silent),
    ("verify_header_seed", &[], Silent),
    ("verify_write_sequence", &[], Silent),
    ("verify_fatal", &[], Silent),
    ("verify_dump", &[], Silent),
    ("verify_async", &[], Silent),
    ("verify_async_cpus", &[], Silent),
    ("verify_backlog", &[], Used),
    ("verify_backlog_batch", &[], Silent),
    ("verify_only", &[], Refused("a run verifies what it wrote itself: run the writing job with verify")),
    ("verify_state_load", &[], Refused("fio's verify states cannot be read")),
    ("verify_state_save", &[], Silent),
    ("experimental_verify", &[], Silent),
    ("trim_percentage", &[], Used),
    ("trim_verify_zero", &[], Noted(TRIM)),
    ("trim_backlog", &[], Used),
    ("trim_backlog_batch", &[], Silent),
    ("num_range", &[], Refused("discards of several ranges at once are not supported")),
    // Zones
    ("zonemode", &[], Used),
    ("zonesize", &[], Used),
    ("zonerange", &[], Used),
    ("zoneskip", &[], Used),
    ("zonecapacity", &[], Refused(ZONED)),
    ("read_beyond_wp", &[], Refused(ZONED)),
    ("max_open_zones", &[], Refused(ZONED)),
    ("job_max_open_zones", &[], Refused(ZONED)),
    ("ignore_zone_limits", &[], Refused(ZONED)),
    ("zone_reset_threshold", &[], Refused(ZONED)),
    ("zone_reset_frequency", &[], Refused(ZONED)),
    ("recover_zbd_write_error", &[], Refused(ZONED)),
    ("reset_all_zones_first", &["reset_active_zones_first"], Refused(ZONED)),
    // Traces
    ("write_iolog", &[], Noted("`drivetrain block --record FILE` writes a trace")),
    ("read_iolog", &[], Refused(REPLAY)),
    ("read_iolog_chunked", &[], Refused(REPLAY)),
    ("replay_no_stall", &[], Refused(REPLAY)),
    ("replay_redirect", &[], Refused(REPLAY)),
    ("replay_scale", &[], Refused(REPLAY)),
    ("replay_align", &[], Refused(REPLAY)),
    ("replay_time_scale", &[], Refused(REPLAY)),
    ("replay_skip", &[], Refused(REPLAY)),
    ("merge_blktrace_file", &[], Refused(REPLAY)),
    ("merge_blktrace_scalars", &[], Refused(REPLAY)),
    ("merge_blktrace_iters", &[], Refused(REPLAY)),
    // Host and process
    ("exec_prerun", &[], Refused(COMMAND)),
    ("exec_postrun", &[], Refused(COMMAND)),
    ("cpus_allowed", &[], Noted(CPUS)),
    ("cpumask", &[], Noted(CPUS)),
    ("cpus_allowed_policy", &[], Noted(CPUS)),
    ("numa_cpu_nodes", &[], Noted(CPUS)),
    ("numa_mem_policy", &[], Noted(CPUS)),
    ("nice", &[], Noted("run drivetrain under `nice` instead")),
    ("prio", &[], Noted(PRIORITY)),
    ("prioclass", &[], Noted(PRIORITY)),
    ("priohint", &[], Noted(PRIORITY)),
    ("cmdprio_percentage", &[], Noted(PRIORITY)),
    ("cmdprio_class", &[], Noted(PRIORITY)),
    ("cmdprio", &[], Noted(PRIORITY)),
    ("cmdprio_hint", &[], Noted(PRIORITY)),
    ("cmdprio_bssplit", &[], Noted(PRIORITY)),
    ("cgroup", &[], Noted("the run stays in its own control group")),
    ("cgroup_weight", &[], Noted("the run stays in its own control group")),
    ("cgroup_nodelete", &[], Silent),
    ("uid", &[], Noted("the run keeps its user")),
    ("gid", &[], Noted("the run keeps its group")),
    ("ignore_error", &[], Noted("failed I/Os are counted and make the cell invalid; they do not end it")),
    ("continue_on_error", &[], Noted("failed I/Os are counted and make the cell invalid; they do not end it")),
    ("error_dump", &[], Silent),
    // Reports and logs
    ("write_bw_log", &[], Noted(LOGS)),
    ("write_lat_log", &[], Noted(LOGS)),
    ("write_iops_log", &[], Noted(LOGS)),
    ("write_hist_log", &[], Noted(LOGS)),
    ("bwavgtime", &[], Silent),
    ("iopsavgtime", &[], Silent),
    ("per_job_logs", &[], Silent),
    ("log_entries", &[], Silent),
    ("log_avg_msec", &[], Silent),
    ("log_window_value", &[], Silent),
    ("log_hist_msec", &[], Silent),
    ("log_hist_coarseness", &[], Silent),
    ("log_max_value", &[], Silent),
    ("log_offset", &[], Silent),
    ("log_prio", &[], Silent),
    ("log_issue_time", &[], Silent),
    ("log_compression", &["log_compress_chunk"], Silent),
    ("log_compression_cpus", &[], Silent),
    ("log_store_compressed", &["log_store"], Silent),
    ("log_unix_epoch", &[], Silent),
    ("log_alternate_epoch", &[], Silent),
    ("log_alternate_epoch_clock_id", &[], Silent),
    ("block_error_percentiles", &[], Silent),
    ("clat_percentiles", &[], Silent),
    ("lat_percentiles", &[], Silent),
    ("slat_percentiles", &[], Silent),
    ("percentile_list", &[], Silent),
    ("significant_figures", &[], Silent),
    ("disk_util", &[], Silent),
    ("unified_rw_reporting", &[], Silent),
    ("gtod_reduce", &[], Noted(BOOKKEEPING)),
    ("gtod_cpu", &[], Noted(BOOKKEEPING)),
    ("clocksource", &[], Silent),
    ("disable_lat", &[], Noted(BOOKKEEPING)),
    ("disable_clat", &[], Noted(BOOKKEEPING)),
    ("disable_slat", &[], Noted(BOOKKEEPING)),
    ("disable_bw_measurement", &["disable_bw"], Noted(BOOKKEEPING)),
    // Engines' own options
    ("hipri", &[], Noted("completions are not polled for")),
    ("hipri_percentage", &[], Noted("completions are not polled for")),
    ("userspace_reap", &[], Silent),
    ("libaio_vectored", &[], Silent),
    ("nowait", &[], Silent),
    ("fixedbufs", &[], Silent),
    ("registerfiles", &[], Silent),
    ("sqthread_poll", &[], Noted(ENGINE_DETAIL)),
    ("sqthread_poll_cpu", &[], Noted(ENGINE_DETAIL)),
    ("nonvectored", &[], Silent),
    ("uncached", &[], Noted("the page cache is used as usual; direct=1 passes it by")),
    ("force_async", &[], Noted(ENGINE_DETAIL)),
    ("thp", &[], Silent),
    ("readfua", &[], Noted("reads carry no FUA flag")),
    ("writefua", &[], Used),
    ("sg_write_mode", &[], Used),
    ("xnvme_async", &["xnvme_sync", "xnvme_admin", "xnvme_dev_nsid", "xnvme_dev_subnqn", "xnvme_mem", "xnvme_iovec"], Silent),
    ("libblkio_driver", &["libblkio_path", "libblkio_num_entries", "libblkio_queue_size", "libblkio_pre_connect_props", "libblkio_pre_start_props", "libblkio_vectored", "libblkio_write_zeroes_on_trim", "libblkio_wait_mode", "libblkio_force_enable_completion_eventfd"], Silent),
    // Of engines that are refused as a whole: their own line says why.
    ("hostname", &["port", "listen", "protocol", "proto", "nodelay", "interface", "ttl", "pingpong", "mss", "netsplice", "window_size", "bindname", "verb", "uri", "nfs_url", "server_ip", "direct_write_to_pmem", "busy_wait_polling"], Silent),
    ("clustername", &["rbdname", "pool", "clientname", "busy_poll", "touch_objects", "volume", "brick", "namenode", "chunk_size", "single_instance", "hdfsdirectory", "svcmode", "svc", "cont", "object_class"], Silent),
    ("http_host", &["https", "http_mode", "http_user", "http_pass", "http_s3_key", "http_s3_keyid", "http_s3_region", "http_s3_sse_customer_key", "http_s3_sse_customer_algorithm", "http_s3_storage_class", "http_swift_auth_token", "http_verbose"], Silent),
    ("cpuload", &["cpuchunks", "cpumode", "exit_on_io_done", "program", "arguments", "grace_time", "std_redirect", "donorname", "inplace", "skip_bad", "gpu_dev_ids", "cuda_io", "stat_type"], Silent),
    ("cmd_type", &[], Refused("NVMe passthrough is not supported: use the block device with io_uring")),
];

/// First name and handling of each option, by every name that it has.
static BY_NAME: LazyLock<HashMap<&str, (&str, Handling)>> = LazyLock::new(|| {
    let named = |(first, others, handling): &Entry| {
        let (first, handling) = (*first, *handling);
        std::iter::once(first).chain(others.iter().copied()).map(move |name| (name, (first, handling)))
    };
    OPTIONS.iter().flat_map(named).collect()
});

static WORDS: LazyLock<Words<'static>> = LazyLock::new(|| Words::of(names()));

/// The option of this name: its first name and its handling.
pub(super) fn find(name: &str) -> Option<(&'static str, Handling)> {
    BY_NAME.get(name).copied()
}

/// The option that an unknown name was most likely meant to be.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    WORDS.nearest(name)
}

/// Every name that fio has for its options.
fn names() -> impl Iterator<Item = &'static str> {
    OPTIONS.iter().flat_map(|(first, others, _)| std::iter::once(*first).chain(others.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_stands_once() {
        let all: Vec<_> = names().collect();
        assert_eq!(all.len(), all.iter().collect::<BTreeSet<_>>().len());
        assert!(all.len() > 230, "{}", all.len());
        assert_eq!(find("blocksize"), Some(("bs", Used)));
        assert_eq!(find("blocksze"), None);
    }
}
