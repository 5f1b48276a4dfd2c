//! The network of a program of the user's behind a fence.

/// The network that a program behind a fence has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// No network: no socket can be made.
    #[default]
    Closed,
    /// The network of the machine, by IPv4 and IPv6. Sockets of the machine itself (those of containers, keys, desktops)
    /// cannot be made.
    Open,
}
