//! Ranks of MPI: mpirun or srun starts them, and messages go from the lead to a rank and back by MPI.
//!
//! One thread of each process speaks with MPI (`MPI_THREAD_FUNNELED`). It carries messages between MPI and
//! pipes of the process, so that lead and rank work as over any other transport. Only messages between two
//! processes are used and no collective, so that nobody waits for a rank without a limit. The lead is a part
//! of the process of rank 0.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use ::mpi::Threading;
use ::mpi::point_to_point::{Destination as _, MatchedReceiveVec as _, Source as _};
use ::mpi::topology::{Communicator as _, SimpleCommunicator};
use ground::Clock;

use crate::connection::{Connections, Keeper, Pipes};
use crate::error::FleetError;
use crate::frame::{FRAME_BYTES_MAX, read_frame, write_frame};

/// A message.
const FRAME: i32 = 1;
/// The last message of a bridge: empty.
const LAST: i32 = 2;
/// Ranks that were told to end have so long for their servers and files.
const END_MAX: Duration = Duration::from_secs(30);
/// The same beside a rank that hears nothing.
const GIVEN_UP_MAX: Duration = Duration::from_secs(2);
/// Shortest and longest pause of the thread when nothing moves: short while a clock is measured, long while a
/// load runs.
const PAUSES: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));

/// The place of this process.
#[derive(Debug)]
pub enum Place {
    /// Rank 0: the ranks as the lead reaches them, and the pipe of the rank in this process.
    Lead(Connections, UnixStream),
    /// Another rank: its pipe to the lead, and what must live until it has ended.
    Rank(UnixStream, Carrier),
}

/// The thread that speaks with MPI. Its end waits for the last messages, and ends MPI.
#[derive(Debug)]
pub struct Carrier {
    thread: Option<JoinHandle<()>>,
    /// The longest wait for the last messages.
    end_max: Duration,
}

impl Keeper for Carrier {
    /// Its last message never comes. This process ends without it, and mpirun ends the others.
    fn give_up(&mut self, _: u32) {
        self.end_max = GIVEN_UP_MAX;
    }
}

impl Drop for Carrier {
    fn drop(&mut self) {
        let begun = Clock::Wall.stopwatch();
        let Some(thread) = self.thread.take() else { return };
        while !thread.is_finished() && begun.elapsed() < self.end_max {
            Clock::Wall.sleep(PAUSES.1);
        }
        if thread.is_finished() {
            let _ = thread.join(); // A thread that failed has said why.
        }
    }
}

/// Takes this process's place among the ranks of MPI.
///
/// # Errors
/// [`FleetError::Transport`] when MPI does not start.
pub fn join() -> Result<Place, FleetError> {
    let failed = |why: &str| FleetError::Transport { by: "MPI", why: why.to_owned() };
    let (told, places) = channel();
    let thread = std::thread::spawn(move || carry(&told));
    let carrier = Carrier { thread: Some(thread), end_max: END_MAX };
    let (rank, pipes) = places.recv().map_err(|_| failed("it does not initialise"))?;
    let pipes = pipes.map_err(|error| failed(&error.to_string()))?;
    if rank > 0 {
        let pipe = pipes.into_iter().next().ok_or_else(|| failed("there is no lead"))?;
        return Ok(Place::Rank(pipe.1, carrier));
    }
    let (own, of_lead) = UnixStream::pair().map_err(|error| failed(&error.to_string()))?;
    let all = std::iter::once(("rank0".to_owned(), of_lead)).chain(pipes);
    let of_pipe = |(host, pipe): (String, UnixStream)| -> std::io::Result<Pipes> {
        Ok((host, Box::new(pipe.try_clone()?), Box::new(Closing(pipe))))
    };
    let pipes: std::io::Result<Vec<Pipes>> = all.map(of_pipe).collect();
    let connections = Connections::over(pipes.map_err(|error| failed(&error.to_string()))?);
    Ok(Place::Lead(Connections { keeper: Box::new(carrier), ..connections }, own))
}

/// The writing end of a socket: it closes when it is dropped, although the reading end is still open.
struct Closing(UnixStream);

impl std::io::Write for Closing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        let _ = self.0.shutdown(std::net::Shutdown::Write); // A pipe that is closed is closed.
    }
}

/// The connection between a process of MPI and a pipe of this one.
struct Bridge {
    peer: i32,
    pipe: UnixStream,
    /// Messages of the pipe.
    from: Receiver<Vec<u8>>,
    has_said_last: bool,
    has_heard_last: bool,
}

/// The other ends of the bridges, by the names of their hosts.
type Ends = (i32, std::io::Result<Vec<(String, UnixStream)>>);

fn carry(told: &Sender<Ends>) {
    let Some((universe, _)) = ::mpi::initialize_with_threading(Threading::Funneled) else { return };
    let world = universe.world();
    let (rank, size) = (world.rank(), world.size());
    let peers = if rank == 0 { 1..size } else { 0..1 };
    let bridges: std::io::Result<Vec<(Bridge, UnixStream)>> = peers.map(bridge).collect();
    let (mut bridges, ends) = match bridges {
        Ok(bridges) => bridges.into_iter().unzip::<_, _, Vec<_>, Vec<_>>(),
        Err(error) => {
            let _ = told.send((rank, Err(error))); // Nobody listens: the process ends.
            return;
        }
    };
    let named = bridges.iter().map(|bridge| format!("rank{}", bridge.peer)).zip(ends);
    if told.send((rank, Ok(named.collect()))).is_err() {
        return;
    }
    let mut pause = PAUSES.0;
    while !bridges.iter().all(|bridge| bridge.has_said_last && bridge.has_heard_last) {
        let received = receive(&world, &mut bridges);
        let sent = send(&world, &mut bridges);
        pause = if received || sent { PAUSES.0 } else { (pause * 2).min(PAUSES.1) };
        Clock::Wall.sleep(pause);
    }
}

fn bridge(peer: i32) -> std::io::Result<(Bridge, UnixStream)> {
    let (pipe, end) = UnixStream::pair()?;
    let (sender, from) = channel();
    let reader = pipe.try_clone()?;
    std::thread::spawn(move || read(reader, &sender));
    Ok((Bridge { peer, pipe, from, has_said_last: false, has_heard_last: false }, end))
}

fn read(mut pipe: impl Read, messages: &Sender<Vec<u8>>) {
    while let Ok(Some(message)) = read_frame(&mut pipe, FRAME_BYTES_MAX) {
        if messages.send(message).is_err() {
            break;
        }
    }
}

/// Hands what arrived to the pipes; true if anything did.
fn receive(world: &SimpleCommunicator, bridges: &mut [Bridge]) -> bool {
    let mut any = false;
    while let Some((message, status)) = world.any_process().immediate_matched_probe() {
        any = true;
        let (peer, tag) = (status.source_rank(), status.tag());
        let (bytes, _) = (message, status).matched_receive_vec::<u8>();
        let Some(bridge) = bridges.iter_mut().find(|bridge| bridge.peer == peer) else { continue };
        if tag == LAST {
            bridge.has_heard_last = true;
            let _ = bridge.pipe.shutdown(std::net::Shutdown::Write); // A pipe that is closed is closed.
        } else {
            let _ = write_frame(&mut bridge.pipe, &bytes); // Whoever closed the pipe needs nothing more.
        }
    }
    any
}

/// Sends what the pipes hold; true if anything was.
fn send(world: &SimpleCommunicator, bridges: &mut [Bridge]) -> bool {
    let mut any = false;
    for index in 0..bridges.len() {
        let next = bridges[index].from.try_recv();
        let (bytes, tag) = match next {
            Ok(bytes) => (bytes, FRAME),
            Err(TryRecvError::Disconnected) if !bridges[index].has_said_last => {
                bridges[index].has_said_last = true;
                (Vec::new(), LAST)
            }
            Err(_) => continue,
        };
        any = true;
        let peer = bridges[index].peer;
        ::mpi::request::scope(|scope| {
            let process = world.process_at_rank(peer);
            let mut request = process.immediate_send_with_tag(scope, &bytes[..], tag);
            // The other side may send something long at the same time, and waits until it is taken.
            while let Err(unfinished) = request.test() {
                request = unfinished;
                receive(world, bridges);
            }
        });
    }
    any
}
