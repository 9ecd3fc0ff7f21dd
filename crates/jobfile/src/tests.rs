//! The recognition of job files. Whole files of either tool are in `tests/jobs`.

use super::*;

#[test]
fn job_files_are_told_from_experiments() {
    assert!(is_job_file("job.fio", "anything"));
    assert!(is_job_file("jobs", "; comment\n[global]\nrw=read\n"));
    assert!(is_job_file("parm", "* comment\nsd=sd1,lun=/dev/sdb\n"));
    assert!(!is_job_file("x.toml", "[design]\nrepeats = 1\n"));
    assert!(!is_job_file("experiment", "schema = 1\n[[bed]]\nname = \"a\"\n"));
    for named in experiment::named() {
        assert!(!is_job_file(named.name, named.text), "{} is an experiment", named.name);
    }
}
