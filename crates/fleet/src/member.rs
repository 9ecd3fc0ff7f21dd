//! The side of a rank.

mod lead;

use std::fmt;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, SystemTime};

use ground::Clock;
use parking_lot::Mutex;
use serde::Serialize;

use crate::bytes::Bytes;
use crate::error::FleetError;
use crate::frame::{FRAME_BYTES_MAX, HELLO_BYTES_MAX, decode, encode, read_frame, write_frame};
use crate::live::Live;
use crate::meeting::Meeting;
use crate::message::{Done, Down, Hello, Up};
use crate::{Fleet, Start};
use lead::Lead;

/// Time between two signs of life.
const BEAT: Duration = Duration::from_secs(1);

/// The listeners of a rank to what comes at any time.
pub struct Callbacks {
    /// The lead asks for an end: of the phase, or with `true` at once. Called by the thread that listens.
    pub on_stop: Box<dyn Fn(bool) + Send>,
    /// The lead is gone. Called by either thread that finds it.
    pub on_gone: Box<dyn Fn() + Send + Sync>,
}

/// The way to the lead. Its lock is held for one message.
type Out = Arc<Mutex<Box<dyn Write + Send>>>;

/// A rank of a fleet, over a pair of pipes.
pub struct Member {
    rank: u32,
    size: u32,
    clock: Clock,
    out: Out,
    inbox: Mutex<Receiver<Down>>,
    lead: Arc<Lead>,
    live: Arc<Mutex<Option<Live>>>,
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").field("rank", &self.rank).field("size", &self.size).finish_non_exhaustive()
    }
}

impl Member {
    /// Says hello and takes the place that the lead gives. The rank starts by the clock of the machine;
    /// `date_off_ns` is added to its date, so that tests can have hosts whose clocks differ.
    ///
    /// # Errors
    /// [`FleetError::NoLead`] when no place comes.
    pub fn join(
        hello: Hello,
        pipes: (impl Read + Send + 'static, impl Write + Send + 'static),
        date_off_ns: i64,
        callbacks: Callbacks,
    ) -> Result<Member, FleetError> {
        let (pipe, out) = pipes;
        let clock = Clock::Wall;
        let out: Out = Arc::new(Mutex::new(Box::new(out)));
        let lead = Arc::new(Lead::new());
        let on_gone: Arc<dyn Fn() + Send + Sync> = callbacks.on_gone.into();
        let (sender, inbox) = channel();
        let listener = Listener {
            clock: clock.clone(),
            out: Arc::clone(&out),
            date_off_ns,
            on_stop: callbacks.on_stop,
            on_gone: Arc::clone(&on_gone),
            lead: Arc::clone(&lead),
        };
        std::thread::spawn(move || listener.listen(pipe, &sender));
        lead.watch(on_gone);
        let mut member =
            Member { rank: 0, size: 1, clock, out, inbox: Mutex::new(inbox), lead, live: Arc::default() };
        member.say(Meeting::Hello, &Up::Hello(hello))?;
        match member.hear(Meeting::Hello)? {
            Down::Place { rank, size, silence } => {
                (member.rank, member.size) = (rank, size);
                member.lead.may_be_silent(silence);
            }
            other => return Err(unasked(Meeting::Hello, &other)),
        }
        member.beat();
        Ok(member)
    }

    /// Shows a reading of the load with the next sign of life.
    pub fn show(&self, live: Live) {
        *self.live.lock() = Some(live);
    }

    /// Shows the share of a data set that is loaded. A lead that is gone is found at the next meeting.
    pub fn loading(&self, what: &str, share: f64) {
        let _ = self.say(Meeting::Cell, &Up::Loading { what: what.to_owned(), share });
    }

    /// Tells the user of the lead a sentence. A lead that is gone is found at the next meeting.
    pub fn tell(&self, warns: bool, text: &str) {
        let _ = self.say(Meeting::Cell, &Up::Told { warns, text: text.to_owned() });
    }

    /// The last word of a rank that came to its end.
    ///
    /// # Errors
    /// [`FleetError::NoLead`].
    pub fn bye(&self, word: &[u8]) -> Result<(), FleetError> {
        self.say(Meeting::End, &Up::Bye(Bytes(word.to_vec())))
    }

    /// The last word of a rank that failed.
    pub fn fail(&self, why: &str) {
        let _ = self.say(Meeting::End, &Up::Failed { why: why.to_owned() });
    }

    fn beat(&self) {
        let (out, live, lead) = (Arc::clone(&self.out), Arc::clone(&self.live), Arc::clone(&self.lead));
        let clock = self.clock.clone();
        std::thread::spawn(move || {
            while !lead.has_ended() {
                clock.sleep(BEAT);
                let reading = live.lock().take();
                if send(&out, &Up::Beat(reading)).is_err() {
                    break;
                }
            }
        });
    }

    fn say(&self, at: Meeting, message: &Up) -> Result<(), FleetError> {
        send(&self.out, message).map_err(|_| FleetError::NoLead { at, why: "is gone".to_owned() })
    }

    /// The next message for a meeting. The lead itself limits the wait: it ends, or gives no more signs of
    /// life.
    fn hear(&self, at: Meeting) -> Result<Down, FleetError> {
        let inbox = self.inbox.lock();
        let gone = |why: &str| Err(FleetError::NoLead { at, why: why.to_owned() });
        loop {
            match inbox.recv_timeout(BEAT) {
                Ok(message) => return Ok(message),
                Err(RecvTimeoutError::Disconnected) => return gone("is gone"),
                Err(RecvTimeoutError::Timeout) if self.lead.is_silent() => return gone("is silent"),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.lead.end();
    }
}

impl Fleet for Member {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn agree(&self, at: Meeting, word: &[u8]) -> Result<Vec<u8>, FleetError> {
        self.say(at, &Up::Word { at, word: Bytes(word.to_vec()) })?;
        match self.hear(at)? {
            Down::Word(answer) => Ok(answer.0),
            other => Err(unasked(at, &other)),
        }
    }

    fn start(&self, fault: Option<&str>) -> Result<Start, FleetError> {
        self.say(Meeting::Ready, &Up::Ready { fault: fault.map(str::to_owned) })?;
        match self.hear(Meeting::Ready)? {
            Down::Start { at_ns } => Ok(Start::At { due_ns: at_ns }),
            Down::Off { why } => Ok(Start::Off { why }),
            other => Err(unasked(Meeting::Ready, &other)),
        }
    }

    fn done(&self, done: Done) -> Result<(), FleetError> {
        self.say(Meeting::Done, &Up::Done(done))?;
        match self.hear(Meeting::Done)? {
            Down::Done => Ok(()),
            other => Err(unasked(Meeting::Done, &other)),
        }
    }

    fn gather(&self, result: &[u8]) -> Result<(), FleetError> {
        self.say(Meeting::Gather, &Up::Result(Bytes(result.to_vec())))
    }
}

fn unasked(at: Meeting, message: &Down) -> FleetError {
    FleetError::NoLead { at, why: format!("says something else ({message})") }
}

fn send<T: Serialize>(out: &Out, message: &T) -> std::io::Result<()> {
    write_frame(&mut **out.lock(), &encode(message))
}

/// Answers at once what must be answered at once, and keeps the rest for the meetings.
struct Listener {
    clock: Clock,
    out: Out,
    date_off_ns: i64,
    on_stop: Box<dyn Fn(bool) + Send>,
    on_gone: Arc<dyn Fn() + Send + Sync>,
    lead: Arc<Lead>,
}

impl Listener {
    fn listen(self, mut pipe: impl Read, inbox: &Sender<Down>) {
        let mut bytes_max = HELLO_BYTES_MAX;
        while let Ok(Some(bytes)) = read_frame(&mut pipe, bytes_max) {
            bytes_max = FRAME_BYTES_MAX;
            let clock_ns = self.clock.now_ns();
            self.lead.hear();
            let kept = match decode(&bytes) {
                Ok(Down::Ping { number }) => {
                    let date_ns = date_ns(&self.clock) + self.date_off_ns;
                    send(&self.out, &Up::Pong { number, clock_ns, date_ns }).is_ok()
                }
                Ok(Down::Alive) => true,
                Ok(Down::Stop { at_once }) => {
                    (self.on_stop)(at_once);
                    true
                }
                Ok(message) => inbox.send(message).is_ok(),
                Err(_) => false,
            };
            if !kept {
                break;
            }
        }
        (self.on_gone)();
    }
}

/// The date in ns since 1970; until the year 2262.
pub(crate) fn date_ns(clock: &Clock) -> i64 {
    let since = clock.date().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
