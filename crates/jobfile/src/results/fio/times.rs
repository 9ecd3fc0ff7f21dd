//! The times of the jobs. fio states when it wrote the document; newer versions also when a job began.

use jiff::Timestamp;

use super::{Job, moment_of};
use crate::fault::FileFault;
use crate::moment::seconds_between;
use crate::steps::LONGEST_S;
use crate::tree::Node;

/// The starts of a run and of its jobs.
pub(super) struct Places {
    pub(super) started_at: Option<Timestamp>,
    /// Of each job, seconds after the start of the run.
    pub(super) starts_s: Vec<f64>,
    /// True if jobs ran one after the other and only the end of the last is known.
    pub(super) are_guessed: bool,
}

/// The moment at which fio wrote the document.
pub(super) fn ended_at(root: &Node<'_>) -> Result<Option<Timestamp>, FileFault> {
    match (root.find("timestamp_ms"), root.find("timestamp")) {
        (Some(milliseconds), _) => moment_of(&milliseconds, 1.0).map(Some),
        (None, Some(seconds)) => moment_of(&seconds, 1e3).map(Some),
        (None, None) => Ok(None),
    }
}

/// Places the jobs in time. Jobs of one group began together; groups ran one after the other.
pub(super) fn places(jobs: &[Job<'_>], ended_at: Option<Timestamp>) -> Result<Places, FileFault> {
    let stated = jobs.iter().map(|job| job.node.find("job_start").map(|node| moment_of(&node, 1.0)));
    let stated: Option<Vec<Timestamp>> = stated.map(Option::transpose).collect::<Result<_, _>>()?;
    if let Some((first, starts)) = stated.as_ref().and_then(|all| Some((*all.iter().min()?, all))) {
        let starts_s: Vec<f64> = starts.iter().map(|start| seconds_between(first, *start)).collect();
        if starts_s.iter().all(|start_s| *start_s <= LONGEST_S) {
            return Ok(Places { started_at: Some(first), starts_s, are_guessed: false });
        }
    }
    let mut starts_s = Vec::new();
    let mut end_s = 0.0;
    let mut groups = 0;
    for (index, job) in jobs.iter().enumerate() {
        if index == 0 || jobs[index - 1].group != job.group {
            let group = jobs[index..].iter().take_while(|other| other.group == job.group);
            let length_s = group.map(Job::runtime_s).fold(0.0, f64::max);
            starts_s.push(end_s);
            (groups, end_s) = (groups + 1, end_s + length_s);
        } else {
            starts_s.push(starts_s[index - 1]);
        }
    }
    let before = |end: Timestamp| end.checked_sub(jiff::SignedDuration::from_secs_f64(end_s)).ok();
    let started_at = ended_at.and_then(before);
    Ok(Places { started_at, starts_s, are_guessed: groups > 1 && started_at.is_some() })
}
