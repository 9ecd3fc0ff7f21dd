#!/usr/bin/env bash
# Kills mounts of modelled drives in every state, and cuts the power under PostgreSQL and MariaDB on them, over /dev/fuse and over io_uring.
#
#   bench/mount-trials.sh [KILLS [CUTS]]     20 kills in each test and 20 cuts for each engine, if nothing else is said; about 30 minutes
#
# As root on Linux 6.14 or newer both transports are used; elsewhere the tests say what is missing. A test that fails prints its seed.
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1:-}" in -*) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac
export DRIVETRAIN_MOUNT_KILLS=${1:-20} DRIVETRAIN_CUTS=${2:-20}
names=(
    mount::a_mount_that_is_killed_in_any_state_ends_with_all_its_requests
    mount::a_mount_that_is_killed_while_it_measures_itself_ends
    mount::a_run_that_is_killed_while_it_works_on_its_own_drive_ends
    mount::a_server_on_a_modelled_drive_keeps_its_promises_through_power_cuts_and_a_lying_drive_is_found_out
)
cargo test --quiet -p drivetrain --test it -- --nocapture --test-threads 1 --exact "${names[@]}"
left=$(grep -c '^drivetrain:' /proc/self/mounts || true)
echo "mounts left behind: $left"
[ "$left" -eq 0 ]
