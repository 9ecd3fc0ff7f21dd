//! The places of an object's bytes: components on capacity drives, replicas on different hosts, the emptiest
//! drive first.

use super::DatastoreError;
use super::spec::DatastoreSpec;

/// One capacity drive: its group, counted through all hosts, and its place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DrivePlace {
    pub(super) group: usize,
    pub(super) drive: usize,
}

/// A piece of an object with its replicas; a lost one is `None`.
#[derive(Clone, Debug)]
struct Component {
    bytes: u64,
    replicas: Replicas,
}

/// The places of a piece's copies; no more than three, as many as two failures need.
type Replicas = [Option<DrivePlace>; COPIES_MAX];

const COPIES_MAX: usize = 3;

#[derive(Clone, Debug)]
struct Object {
    components: Vec<Component>,
    /// Components that lie side by side under one stretch of the object.
    stripe: usize,
}

/// All objects and the room that is left.
#[derive(Clone, Debug)]
pub(super) struct Places {
    objects: Vec<Object>,
    /// Bytes used of each drive, `drives_per_group` per group; `None` for one that has failed.
    used_bytes: Vec<Option<u64>>,
    drives_per_group: usize,
    groups_per_host: usize,
    capacity_bytes: u64,
    component_bytes: u64,
    copies: usize,
    stripe: usize,
    salt: u64,
}

/// Bytes of one piece of a stripe.
const STRIPE_BYTES: u64 = 1 << 20;

impl Places {
    pub(super) fn new(spec: &DatastoreSpec, salt: u64) -> Places {
        let groups = (spec.hosts * spec.groups_per_host) as usize;
        let drives_per_group = spec.capacity_drives as usize;
        Places {
            objects: Vec::new(),
            used_bytes: vec![Some(0); groups * drives_per_group],
            drives_per_group,
            groups_per_host: spec.groups_per_host as usize,
            capacity_bytes: spec.capacity_bytes,
            component_bytes: spec.component_bytes.max(1),
            copies: (spec.failures_to_tolerate as usize + 1).min(COPIES_MAX),
            stripe: (spec.stripe_width as usize).min(groups * drives_per_group),
            salt,
        }
    }

    pub(super) fn create(&mut self, size_bytes: u64) -> Result<usize, DatastoreError> {
        let stripe = self.stripe;
        let pieces = size_bytes.div_ceil(self.component_bytes).max(stripe as u64);
        let bytes = size_bytes.div_ceil(pieces);
        let mut components: Vec<Component> = Vec::new();
        for piece in 0..pieces {
            let mut replicas: Replicas = [None; COPIES_MAX];
            for copy in 0..self.copies {
                // Neighbours of a stripe go to different drives where there are enough.
                let of_stripe = components.len() - components.len() % stripe;
                let taken: Vec<DrivePlace> = components[of_stripe..]
                    .iter()
                    .flat_map(|c| c.replicas.iter().flatten().copied())
                    .collect();
                let place = self.emptiest(bytes, &replicas, &taken, piece);
                let Some(place) = place else {
                    let free = self
                        .used_bytes
                        .iter()
                        .flatten()
                        .map(|used| self.capacity_bytes.saturating_sub(*used))
                        .sum();
                    return Err(DatastoreError::Full {
                        asked_bytes: size_bytes,
                        copies: self.copies as u32,
                        free_bytes: free,
                    });
                };
                if let Some(used) = &mut self.used_bytes[place.group * self.drives_per_group + place.drive] {
                    *used += bytes;
                }
                replicas[copy] = Some(place);
            }
            components.push(Component { bytes, replicas });
        }
        self.objects.push(Object { components, stripe });
        Ok(self.objects.len() - 1)
    }

    /// The emptiest drive with room on a host without a replica of the same piece; among equals one by the
    /// seed.
    fn emptiest(
        &self,
        bytes: u64,
        replicas: &[Option<DrivePlace>],
        taken: &[DrivePlace],
        piece: u64,
    ) -> Option<DrivePlace> {
        let mut best: Option<((bool, u64, u64), DrivePlace)> = None;
        for (number, used) in self.used_bytes.iter().enumerate() {
            let place =
                DrivePlace { group: number / self.drives_per_group, drive: number % self.drives_per_group };
            let Some(used) = *used else { continue };
            let same_host =
                |other: &DrivePlace| other.group / self.groups_per_host == place.group / self.groups_per_host;
            let fits = used.saturating_add(bytes) <= self.capacity_bytes;
            if !fits || replicas.iter().flatten().any(same_host) {
                continue;
            }
            let tie = ground::finalise(
                self.salt ^ ((self.objects.len() as u64) << 32) ^ (piece << 16) ^ number as u64,
            );
            let rank = (taken.contains(&place), used, tie);
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, place));
            }
        }
        best.map(|(_, place)| place)
    }

    /// Every replica of an object with its bytes.
    pub(super) fn of(&self, object: usize) -> Vec<(DrivePlace, u64)> {
        let pieces = self.objects[object].components.iter();
        pieces.flat_map(|c| c.replicas.iter().flatten().map(|place| (*place, c.bytes))).collect()
    }

    /// The replicas that are left of the byte at `offset`. Offsets beyond the object wrap around.
    pub(super) fn replicas(
        &self,
        object: usize,
        offset: u64,
    ) -> impl Iterator<Item = DrivePlace> + Clone + use<> {
        let Object { components, stripe } = &self.objects[object];
        let (count, stripe) = (components.len() as u64, *stripe as u64);
        let bytes = components.first().map_or(1, |component| component.bytes.max(1));
        let number = if stripe > 1 {
            let row = offset / (bytes * stripe);
            row * stripe + offset / STRIPE_BYTES % stripe
        } else {
            offset / bytes
        };
        components[(number % count) as usize].replicas.into_iter().flatten()
    }

    /// Takes away every replica that `gone` names; returns the bytes that can be copied from others.
    pub(super) fn lose(&mut self, gone: impl Fn(&DrivePlace) -> bool) -> u64 {
        for (number, used) in self.used_bytes.iter_mut().enumerate() {
            if gone(&DrivePlace {
                group: number / self.drives_per_group,
                drive: number % self.drives_per_group,
            }) {
                *used = None;
            }
        }
        let mut copied_bytes = 0;
        for component in self.objects.iter_mut().flat_map(|object| &mut object.components) {
            let before = component.replicas.iter().flatten().count();
            for replica in &mut component.replicas {
                if replica.as_ref().is_some_and(&gone) {
                    *replica = None;
                }
            }
            let left = component.replicas.iter().flatten().count();
            if left > 0 {
                copied_bytes += (before - left) as u64 * component.bytes;
            }
        }
        copied_bytes
    }

    /// Groups of which no drive has failed.
    pub(super) fn whole_groups(&self) -> Vec<usize> {
        let groups = self.used_bytes.chunks(self.drives_per_group).enumerate();
        groups.filter(|(_, drives)| drives.iter().all(Option::is_some)).map(|(group, _)| group).collect()
    }

    /// Gives every replica that was lost a new place, as far as there is room on other hosts.
    pub(super) fn make_whole(&mut self) {
        let mut objects = std::mem::take(&mut self.objects);
        for (number, component) in objects.iter_mut().flat_map(|object| &mut object.components).enumerate() {
            if component.replicas.iter().flatten().count() == 0 {
                continue;
            }
            for lost in 0..self.copies {
                if component.replicas[lost].is_some() {
                    continue;
                }
                let place = self.emptiest(component.bytes, &component.replicas, &[], number as u64);
                if let Some(place) = place
                    && let Some(used) =
                        &mut self.used_bytes[place.group * self.drives_per_group + place.drive]
                {
                    *used += component.bytes;
                    component.replicas[lost] = Some(place);
                }
            }
        }
        self.objects = objects;
    }
}
