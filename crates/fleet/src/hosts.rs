//! The list of hosts: `a,b,c`, `localhost:4`, `a:2,b`.

use std::fmt;

use crate::error::FleetError;

/// Most ranks of a fleet.
const RANKS_MAX: usize = 1024;

/// The host of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host(pub String);

impl Host {
    /// True if the rank is a process of this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.0 == "localhost"
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The hosts of all ranks, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(pub Vec<Host>);

impl Hosts {
    /// Reads a list.
    ///
    /// # Errors
    /// [`FleetError::Hosts`] for an empty list, a name that is an option, a number that is none, and more
    /// than 1,024 ranks.
    pub fn read(text: &str) -> Result<Hosts, FleetError> {
        let fault = |why: String| FleetError::Hosts { text: text.to_owned(), why };
        let mut hosts = Vec::new();
        for item in text.split(',').map(str::trim) {
            let (name, count) = match item.rsplit_once(':') {
                Some((name, count)) => {
                    let count: usize = count.parse().ok().filter(|count| *count > 0).ok_or_else(|| {
                        fault(format!("`{count}` is no number of ranks; write HOST:4 for four ranks"))
                    })?;
                    (name, count)
                }
                None => (item, 1),
            };
            let is_plain = name.chars().all(|c| c.is_alphanumeric() || "._-@%".contains(c));
            // ssh takes a word that begins with a hyphen for an option, also behind the name of a user.
            let is_option = name.split('@').any(|part| part.starts_with('-'));
            if name.is_empty() || is_option || !is_plain {
                return Err(fault(format!("`{name}` is no host; write a,b,c or localhost:4")));
            }
            if hosts.len() + count > RANKS_MAX {
                return Err(fault(format!("more than {RANKS_MAX} ranks")));
            }
            hosts.extend(std::iter::repeat_n(Host(name.to_owned()), count));
        }
        Ok(Hosts(hosts))
    }

    /// The number of ranks.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.0.len() as u32
    }
}

/// As it is read.
impl fmt::Display for Hosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, group) in self.0.chunk_by(|one, next| one == next).enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match group {
                [host] => write!(f, "{comma}{host}")?,
                [host, ..] => write!(f, "{comma}{host}:{}", group.len())?,
                [] => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lists_are_read_and_written_alike() {
        for (text, ranks) in [("localhost:4", 4), ("a,b,c", 3), ("a:2,user@b.example", 3), ("a,b,a", 3)] {
            let hosts = Hosts::read(text).unwrap();
            assert_eq!((hosts.size(), hosts.to_string()), (ranks, text.to_owned()));
        }
        assert!(Hosts::read("localhost").unwrap().0[0].is_local());
    }

    #[test]
    fn a_faulty_list_is_refused_with_its_place() {
        for (text, part) in [
            ("", "``"),
            ("a,,b", "``"),
            ("-oProxyCommand=x", "-oProxy"),
            ("root@-x", "`root@-x`"),
            ("a:0", "`0`"),
            ("a:x", "`x`"),
            ("a b", "`a b`"),
            ("a:2000", "1024"),
        ] {
            let error = Hosts::read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            if let Ok(hosts) = Hosts::read(&text) {
                prop_assert_eq!(Hosts::read(&hosts.to_string()).unwrap(), hosts);
            }
        }
    }
}
