//! The result of reading a journal.

/// The end of a journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JournalEnd {
    /// With the end of its run.
    Closed,
    /// In the middle of its run, as after a crash: the last moments may have made more durable than it says.
    #[default]
    CutShort,
    /// Its device failed or was full, and the run went on without it.
    GivenUp,
    /// It is of the first format, in which nothing says where the end was.
    Unknown,
}

/// The readable part of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalReport {
    /// Version of its format: 2, or 1 for one that cannot tell missing records.
    pub format: u32,
    /// Records that were read.
    pub records: u64,
    /// Records that are damaged or missing: their claims are not known.
    pub unreadable: u64,
    /// Records that are there a second time.
    pub repeated: u64,
    /// Records that are not in their place.
    pub out_of_place: u64,
    /// Bytes between or behind the records that belong to none.
    pub foreign_bytes: u64,
    /// Copies of its head that are damaged, of two.
    pub damaged_heads: u32,
    /// True if the records differ from those that were written, although each of them looks whole.
    pub altered: bool,
    /// Its end.
    pub end: JournalEnd,
    /// Durable writes that it never held: its device was too slow, or too many writes waited for one flush.
    pub left_out: u64,
    /// Failed writes that it never held: its claims about their blocks may be too strong.
    pub failed_left_out: u64,
    /// Blocks whose claim was taken back because a write to them failed: anything may be there.
    pub taken_back: u64,
}

impl JournalReport {
    /// True if everything that it ever held was read, and it held everything: a journal that a crash cut
    /// short may be whole.
    pub fn is_whole(&self) -> bool {
        let counts = [
            self.unreadable,
            self.repeated,
            self.out_of_place,
            self.foreign_bytes,
            u64::from(self.damaged_heads),
            self.left_out,
            self.failed_left_out,
        ];
        counts.iter().all(|count| *count == 0) && !self.altered && self.end != JournalEnd::GivenUp
    }

    /// Everything that a reader must know about it, one sentence each; empty for a journal that is closed and
    /// whole.
    pub fn remarks(&self) -> Vec<String> {
        if self.is_headless() {
            return vec!["its head is damaged: none of its records could be read".to_owned()];
        }
        let mut remarks = Vec::new();
        let mut tell = |count: u64, one: &str, many: &str| match count {
            0 => {}
            1 => remarks.push(one.to_owned()),
            count => remarks.push(format!("{count} {many}")),
        };
        tell(
            self.unreadable,
            "one of its records is damaged or gone: what it claimed could not be checked",
            "of its records are damaged or gone: what they claimed could not be checked",
        );
        tell(self.repeated, "one of its records is there again", "records are there again");
        tell(
            self.out_of_place,
            "one of its records is out of its place",
            "of its records are out of their place",
        );
        tell(self.foreign_bytes, "one byte of it belongs to no record", "bytes of it belong to no record");
        if self.damaged_heads > 0 {
            remarks.push("one of the two copies of its head is damaged".to_owned());
        }
        if self.altered {
            remarks.push("its head and its records do not belong together: it was altered".to_owned());
        }
        let mut tell = |count: u64, text: &str| {
            if count > 0 {
                remarks.push(format!("{text}: {count}"));
            }
        };
        tell(self.left_out, "durable writes that never got into it and could not be checked");
        tell(self.failed_left_out, "failed writes that never got into it, so that a fault may be theirs");
        tell(
            self.taken_back,
            "blocks that were not judged, because a write to them failed and anything may be there",
        );
        let end = match self.end {
            JournalEnd::Closed => return remarks,
            JournalEnd::CutShort => {
                "it ends without a closing record: the run was cut short, and what its last moments made durable is not claimed"
            }
            JournalEnd::GivenUp => "it ended before its run: its device failed or was full",
            JournalEnd::Unknown => {
                "it is of the first format, which cannot tell missing records: it may claim less than the run made durable"
            }
        };
        remarks.push(end.to_owned());
        remarks
    }

    /// True if not even its head could be read.
    pub(super) fn is_headless(&self) -> bool {
        self.damaged_heads == if self.format == 1 { 1 } else { 2 }
    }
}
