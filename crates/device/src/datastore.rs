//! The model of a datastore: drives put together behind a host's storage stack, a network and a disk group's
//! own work.
//!
//! An operation passes fixed delays (stack, hop), queues that many share (a host's link, the work of a disk
//! group) and drives. Every queue is charged at the moment of submission and the fixed delays are added to
//! what it costs: fixed delays commute with queues in a network of first-come stations, and so an operation
//! costs O(replicas) and needs no event of its own. Destaging and rebuild traffic are moved on whenever an
//! operation arrives, in the same virtual time.

mod array;
mod buffer;
mod group;
mod place;
mod spec;

use ground::Random;

use crate::drive::Op;
use group::Group;
use place::Places;

pub use array::{Array, ArraySpec, RaidLevel};
pub use spec::{CacheTier, DatastoreSpec, LinearCost};

/// Names one object (a virtual disk) of a datastore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectId(usize);

/// A part that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A host with all its disk groups.
    Host(u32),
    /// The network link of a host: its disk groups are out of reach for the others.
    Link(u32),
    /// The cache drive of a group, with which the whole group is lost: groups are counted through all hosts.
    CacheDrive(u32),
    /// One capacity drive of a group.
    CapacityDrive {
        /// The group, counted through all hosts.
        group: u32,
        /// The drive within it.
        drive: u32,
    },
}

/// An error of a datastore's request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatastoreError {
    /// There is no room for an object.
    #[error(
        "an object of {asked_bytes} bytes in {copies} copies does not fit: {free_bytes} bytes are free; use larger or more drives, or fewer replicas"
    )]
    Full {
        /// Bytes of the object.
        asked_bytes: u64,
        /// Copies of every byte.
        copies: u32,
        /// Bytes left over all drives.
        free_bytes: u64,
    },
    /// No copy of the data is left.
    #[error(
        "the data at offset {offset} of object {object} is gone: no replica is left after the failures so far"
    )]
    Lost {
        /// The object's number.
        object: usize,
        /// First byte asked for.
        offset: u64,
    },
}

/// The work of a datastore so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Reads of the guests.
    pub reads: u64,
    /// Writes of the guests.
    pub writes: u64,
    /// Bytes that crossed the network.
    pub network_bytes: u64,
    /// Bytes moved from write buffers to capacity drives.
    pub destaged_bytes: u64,
    /// Bytes copied to make lost replicas whole.
    pub rebuilt_bytes: u64,
    /// Nanoseconds that writes were held back because a buffer was filling up.
    pub congestion_ns: u64,
}

/// A datastore in use: the state behind a [`DatastoreSpec`].
#[derive(Clone, Debug)]
pub struct Datastore {
    spec: DatastoreSpec,
    groups: Vec<Group>,
    places: Places,
    /// When the link of each host is free again, inwards and outwards.
    links_free_ns: Vec<[u64; 2]>,
    link_down: Vec<bool>,
    rebuild: Rebuild,
    traffic: Traffic,
    random: Random,
}

/// The data that remains to be copied after a failure, and the time up to which it was advanced.
#[derive(Clone, Copy, Debug, Default)]
struct Rebuild {
    left_bytes: u64,
    seen_ns: u64,
    turn: usize,
}

/// Bytes that a rebuild copies at once.
const REBUILD_CHUNK_BYTES: u32 = 1 << 20;

impl Datastore {
    /// An idle, empty datastore whose placement and draws all come from `seed`.
    ///
    /// # Errors
    /// The first quantity of `spec` that is out of range, and what is allowed.
    pub fn new(spec: &DatastoreSpec, seed: u64) -> Result<Datastore, crate::SpecError> {
        spec.validate()?;
        let mut random = Random::new(seed);
        let count = (spec.hosts * spec.groups_per_host) as usize;
        let groups = (0..count).map(|_| Group::new(spec, random.next_u64())).collect();
        Ok(Datastore {
            groups,
            places: Places::new(spec, random.next_u64()),
            links_free_ns: vec![[0; 2]; spec.hosts as usize],
            link_down: vec![false; spec.hosts as usize],
            rebuild: Rebuild::default(),
            traffic: Traffic::default(),
            spec: spec.clone(),
            random,
        })
    }

    /// The numbers that this datastore was made from.
    #[must_use]
    pub fn spec(&self) -> &DatastoreSpec {
        &self.spec
    }

    /// Makes room for a virtual disk and fills it: the last writes are still in the write buffers, as far as
    /// these hold on to them.
    ///
    /// # Errors
    /// [`DatastoreError::Full`].
    pub fn create(&mut self, size_bytes: u64) -> Result<ObjectId, DatastoreError> {
        let object = self.places.create(size_bytes)?;
        for (place, bytes) in self.places.of(object) {
            self.groups[place.group].fill(bytes);
        }
        Ok(ObjectId(object))
    }

    /// Advances slow state faster: in a run of seconds that represents hours, write buffers fill as they
    /// would in hours.
    pub fn hasten(&mut self, factor: f64) {
        for group in &mut self.groups {
            group.hasten(factor);
        }
    }

    /// Submits an operation of a guest on `host` at `now_ns`; returns when it completes.
    ///
    /// # Errors
    /// [`DatastoreError::Lost`] when no replica of the data is left.
    pub fn submit(
        &mut self,
        now_ns: u64,
        host: u32,
        object: ObjectId,
        op: Op,
    ) -> Result<u64, DatastoreError> {
        self.rebuild(now_ns);
        match op {
            Op::Read { offset, len } => self.read(now_ns, host, object, offset, len),
            Op::Write { offset, len } => self.write(now_ns, host, object, offset, len),
            // A write is acknowledged when every replica's buffer holds it, on drives with power-loss
            // protection.
            Op::Flush => Ok(now_ns),
        }
    }

    fn read(
        &mut self,
        now_ns: u64,
        host: u32,
        object: ObjectId,
        offset: u64,
        len: u32,
    ) -> Result<u64, DatastoreError> {
        self.traffic.reads += 1;
        let draw = self.random.next_u64();
        let replicas = self.places.replicas(object.0, offset);
        let alive = replicas.clone().filter(|place| self.is_reachable(host, place.group)).count();
        if alive == 0 {
            return Err(DatastoreError::Lost { object: object.0, offset });
        }
        // Reads are spread over the replicas, so that each is asked for the same part of the data every time.
        let turn = (offset / self.spec.component_bytes.max(1) + offset / (1 << 20)) as usize % alive;
        let mut reachable = replicas.filter(|place| self.is_reachable(host, place.group));
        let place = reachable.nth(turn).ok_or(DatastoreError::Lost { object: object.0, offset })?;
        let wire_ns = self.cross(now_ns, place.group, host, len);
        let group_ns = self.groups[place.group].read(now_ns, place.drive, address(object, offset), len, draw);
        Ok(now_ns + self.spec.stack_read_ns + wire_ns + group_ns)
    }

    fn write(
        &mut self,
        now_ns: u64,
        host: u32,
        object: ObjectId,
        offset: u64,
        len: u32,
    ) -> Result<u64, DatastoreError> {
        self.traffic.writes += 1;
        let copies = self.places.replicas(object.0, offset);
        let (mut slowest_ns, mut written) = (0, 0);
        for place in copies {
            if !self.is_reachable(host, place.group) {
                continue;
            }
            let wire_ns = self.cross(now_ns, self.group_of_host(host), self.host_of(place.group), len);
            let address = address(object, offset);
            let (group_ns, congestion_ns) = self.groups[place.group].write(now_ns, place.drive, address, len);
            self.traffic.congestion_ns += congestion_ns;
            slowest_ns = slowest_ns.max(wire_ns + group_ns);
            written += 1;
        }
        if written == 0 {
            return Err(DatastoreError::Lost { object: object.0, offset });
        }
        Ok(now_ns + self.spec.stack_write_ns + slowest_ns)
    }

    /// Takes `len` bytes from the host of `group` to `host`; returns the network's time, nothing within one
    /// host.
    fn cross(&mut self, now_ns: u64, group: usize, host: u32, len: u32) -> u64 {
        let (from, to) = (self.host_of(group) as usize, host as usize);
        if from == to {
            return 0;
        }
        self.traffic.network_bytes += u64::from(len);
        let wire_ns = (f64::from(len) / self.spec.link_bytes_per_s * 1e9) as u64;
        let start_ns = self.links_free_ns[from][1].max(self.links_free_ns[to][0]).max(now_ns);
        let end_ns = start_ns + wire_ns;
        self.links_free_ns[from][1] = end_ns;
        self.links_free_ns[to][0] = end_ns;
        end_ns - now_ns + self.spec.hop_ns
    }

    fn host_of(&self, group: usize) -> u32 {
        group as u32 / self.spec.groups_per_host
    }

    fn group_of_host(&self, host: u32) -> usize {
        (host * self.spec.groups_per_host) as usize
    }

    fn is_reachable(&self, host: u32, group: usize) -> bool {
        let home = self.host_of(group);
        home == host || !(self.link_down[home as usize] || self.link_down[host as usize])
    }

    /// A part fails at `now_ns`. Data with other replicas stays and is copied anew to the remaining parts;
    /// other data is gone.
    ///
    /// Numbers of parts that the datastore does not have are ignored.
    pub fn fail(&mut self, now_ns: u64, part: Part) {
        self.rebuild(now_ns);
        let per_host = self.spec.groups_per_host as usize;
        let lost_bytes = match part {
            Part::Link(host) => {
                if let Some(down) = self.link_down.get_mut(host as usize) {
                    *down = true;
                }
                0
            }
            Part::Host(host) => {
                let first = host as usize * per_host;
                (first..first + per_host).map(|group| self.places.lose(|place| place.group == group)).sum()
            }
            Part::CacheDrive(group) => self.places.lose(|place| place.group == group as usize),
            Part::CapacityDrive { group, drive } => {
                self.places.lose(|place| place.group == group as usize && place.drive == drive as usize)
            }
        };
        if self.rebuild.left_bytes == 0 {
            self.rebuild.seen_ns = now_ns;
        }
        self.rebuild.left_bytes += lost_bytes;
    }

    /// Bytes still to be copied until every object has all its replicas again.
    #[must_use]
    pub fn rebuild_left_bytes(&self) -> u64 {
        self.rebuild.left_bytes
    }

    /// Copies the bytes that the time since the last call allows, by way of the same groups and links as the
    /// load.
    fn rebuild(&mut self, now_ns: u64) {
        if self.rebuild.left_bytes == 0 {
            return;
        }
        let chunk_ns = (f64::from(REBUILD_CHUNK_BYTES) / self.spec.rebuild_bytes_per_s * 1e9).max(1.0) as u64;
        while self.rebuild.left_bytes > 0 && self.rebuild.seen_ns + chunk_ns <= now_ns {
            self.rebuild.seen_ns += chunk_ns;
            let (turn, groups) = (self.rebuild.turn, self.places.whole_groups());
            self.rebuild.turn += 1;
            let bytes = self.rebuild.left_bytes.min(u64::from(REBUILD_CHUNK_BYTES));
            if let (Some(&from), Some(&to)) =
                (groups.get(turn % groups.len().max(1)), groups.get((turn + 1) % groups.len().max(1)))
            {
                let offset = turn as u64 * u64::from(REBUILD_CHUNK_BYTES);
                self.groups[from].read(now_ns, turn, offset, bytes as u32, u64::MAX);
                self.cross(now_ns, from, self.host_of(to), bytes as u32);
                self.groups[to].write(now_ns, turn, offset, bytes as u32);
            }
            self.rebuild.left_bytes -= bytes;
            self.traffic.rebuilt_bytes += bytes;
        }
        if self.rebuild.left_bytes == 0 {
            self.places.make_whole();
        }
    }

    /// The work done so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        let destaged_bytes = self.groups.iter().map(Group::destaged_bytes).sum();
        Traffic { destaged_bytes, ..self.traffic }
    }

    /// The fill level of the fullest write buffer, 0 to 1.
    #[must_use]
    pub fn buffer_fill(&self) -> f64 {
        self.groups.iter().map(Group::buffer_fill).fold(0.0, f64::max)
    }
}

/// Bytes of addresses that one object has to itself on a drive.
const OBJECT_BITS: u32 = 44;

/// An offset in an object as an offset on a drive that many objects share.
fn address(object: ObjectId, offset: u64) -> u64 {
    ((object.0 as u64) << OBJECT_BITS).wrapping_add(offset)
}

#[cfg(test)]
mod tests;
