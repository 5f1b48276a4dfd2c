//! The user whose program is at the other end of a connection on this machine, by the kernel's tables of connections.

use std::fs::File;
use std::io::Read as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// The tables: a program may reach an address of IPv4 through a socket of either kind.
const TABLES: [&str; 2] = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
/// The most bytes of a table that are read: a hundred thousand connections.
const TABLE_BYTES_MAX: u64 = 16 << 20;
/// State of a connection that is open in both directions.
const ESTABLISHED: &str = "01";

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

impl Peer {
    /// Returns true if the connection to a port of 127.0.0.1 is known to be that of a program of this process' user.
    pub(crate) fn is_own(self, port: u16) -> bool {
        let own = rustix::process::geteuid().as_raw();
        let mut owners = Vec::new();
        for table in TABLES {
            let mut text = String::new();
            let read = File::open(table)
                .and_then(|file| file.take(TABLE_BYTES_MAX).read_to_string(&mut text));
            if read.is_ok() {
                owners.extend(owners_of(&text, self.0, port));
            }
        }
        !owners.is_empty() && owners.iter().all(|owner| *owner == own)
    }
}

/// Returns the users of the connections in a table that go from an address to a port of 127.0.0.1.
fn owners_of(table: &str, from: SocketAddr, port: u16) -> impl Iterator<Item = u32> {
    let from = match from.ip() {
        IpAddr::V4(address) => Some(end(address, from.port())),
        IpAddr::V6(_) => None,
    };
    let to = end(Ipv4Addr::LOCALHOST, port);
    table.lines().filter_map(move |line| {
        let mut words = line.split_ascii_whitespace().skip(1);
        let (local, remote, state) = (words.next()?, words.next()?, words.next()?);
        // An address of IPv4 in a table of IPv6 stands at the end of a longer one.
        let is_it =
            local.ends_with(from.as_deref()?) && remote.ends_with(&to) && state == ESTABLISHED;
        // Between them are the queues, the timer and the retransmissions.
        is_it.then(|| words.nth(3)?.parse().ok()).flatten()
    })
}

/// Returns an end of a connection as the tables have it: the bytes of the address as a number of this machine.
fn end(address: Ipv4Addr, port: u16) -> String {
    format!("{:08X}:{port:04X}", u32::from_ne_bytes(address.octets()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_connection_of_this_process_is_its_users_own_until_it_ends() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let (accepted, from) = listener.accept().unwrap();
        assert!(Peer(from).is_own(port));
        assert!(!Peer(from).is_own(port ^ 1), "another port");
        drop(stream);
        drop(accepted);
        assert!(!Peer(from).is_own(port), "nobody is there any more");
    }

    #[test]
    fn the_user_of_a_connection_is_read_from_its_line_alone() {
        let local = end(Ipv4Addr::LOCALHOST, 0x1F90);
        let (near, far) = (
            end(Ipv4Addr::LOCALHOST, 0xA000),
            end(Ipv4Addr::LOCALHOST, 0xA001),
        );
        let rest = "00000000:00000000 00:00000000 00000000";
        let table = format!(
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
             0: {local} 00000000:0000 0A {rest} 0 0 1\n\
             1: {near} {local} 01 {rest} 1000 0 2\n\
             2: {local} {near} 01 {rest} 0 0 3\n\
             3: {far} {local} 06 {rest} 0 0 0\n\
             4: 0000000000000000FFFF0000{near} 0000000000000000FFFF0000{local} 01 {rest} 1001 0 4\n\
             5: {near}\n"
        );
        let owners = |port: u16| -> Vec<u32> {
            let from = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            owners_of(&table, from, 0x1F90).collect()
        };
        assert_eq!(owners(0xA000), [1000, 1001]);
        assert_eq!(owners(0xA001), [0_u32; 0], "it is closed");
        assert_eq!(owners(0x1F90), [0_u32; 0]);
    }
}
