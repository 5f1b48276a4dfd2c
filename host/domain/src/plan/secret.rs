//! The seed of a run, and the keys that are derived from it by a function that nobody can undo.
//!
//! The holder of a key can derive what is below it and nothing else: neither what is above it nor what is beside it. So
//! a call that sees its own seed learns nothing of another's, and a process gets the keys of its own inputs alone.

use hmac::{Hmac, Mac};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::Sha256;
use std::fmt;
use std::str::FromStr;

/// The key of the first derivation. It separates these uses of HMAC from any other.
const ROOT: [u8; 32] = *b"bakeoff: inputs and orders, 1   ";

/// A key from which seeds, orders and further keys are derived.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secret([u8; 32]);

impl Secret {
    /// The key for one purpose: HMAC-SHA256 of the label and the numbers under this key. Different
    /// labels or numbers give keys that have nothing to do with each other.
    #[must_use]
    pub fn derive(&self, label: &str, numbers: &[u64]) -> Self {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        // With its length before it, no label runs into the numbers.
        mac.update(&(label.len() as u64).to_le_bytes());
        mac.update(label.as_bytes());
        for number in numbers {
            mac.update(&number.to_le_bytes());
        }
        Self(mac.finalize().into_bytes().into())
    }

    /// All bytes, as the start of a generator of orders.
    pub(super) fn bytes(self) -> [u8; 32] {
        self.0
    }

    /// The first 64 bits, as a seed that a workload gets.
    pub(super) fn seed(self) -> u64 {
        self.0
            .iter()
            .take(8)
            .rev()
            .fold(0, |seed, byte| seed << 8 | u64::from(*byte))
    }
}

/// Never shows the key: messages and logs are for everybody.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The seed of a run, from which its inputs and orders follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunSeed {
    /// A number that somebody chose. Anybody who knows it can work out every input beforehand.
    Named(u64),
    /// 128 bits from the system, which nobody knew before the run.
    Drawn([u8; 16]),
}

impl RunSeed {
    /// The key from which everything in the run is derived.
    pub fn secret(&self) -> Secret {
        let root = Secret(ROOT);
        match self {
            Self::Named(number) => root.derive("named", &[*number]),
            Self::Drawn(bytes) => {
                let (low, high) = halves(*bytes);
                root.derive("drawn", &[low, high])
            }
        }
    }

    /// The key of the inputs on which every case is checked.
    pub fn check_secret(&self) -> Secret {
        self.secret().derive("check", &[])
    }

    /// The key of the inputs and the order of rehearsals.
    pub fn rehearsal_secret(&self) -> Secret {
        self.secret().derive("rehearsal", &[])
    }

    /// The key of the inputs whose answers are assessed.
    pub fn assessment_secret(&self) -> Secret {
        self.secret().derive("assessment", &[])
    }

    /// The key of a race: inputs and orders of its replicas and of its pilot.
    pub fn race_secret(&self) -> Secret {
        self.secret().derive("race", &[])
    }

    /// The seed of the coarse race that chooses the variants of the race. Its inputs and orders have nothing to do with
    /// those of the race.
    #[must_use]
    pub fn of_coarse_race(&self) -> Self {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&self.secret().derive("coarse", &[]).0[..16]);
        Self::Drawn(bytes)
    }

    /// The start of the bootstrap of the scores, of which nothing has to stay secret.
    pub fn bootstrap(&self) -> u64 {
        match self {
            Self::Named(number) => *number,
            Self::Drawn(_) => self.secret().derive("bootstrap", &[]).seed(),
        }
    }
}

impl Default for RunSeed {
    fn default() -> Self {
        Self::Named(0)
    }
}

fn halves(bytes: [u8; 16]) -> (u64, u64) {
    let all = u128::from_be_bytes(bytes);
    (all as u64, (all >> 64) as u64)
}

/// The number, or 32 hexadecimal digits.
impl fmt::Display for RunSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(number) => write!(f, "{number}"),
            Self::Drawn(bytes) => f.write_str(&crate::hex(bytes)),
        }
    }
}

/// Error of a text that is not a seed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a seed is a whole number from 0, or the 32 hexadecimal digits that a report shows")]
pub struct NoSeed;

impl FromStr for RunSeed {
    type Err = NoSeed;

    fn from_str(text: &str) -> Result<Self, NoSeed> {
        // Of 32 digits, no text is a number of 64 bits.
        if text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let all = u128::from_str_radix(text, 16).map_err(|_| NoSeed)?;
            return Ok(Self::Drawn(all.to_be_bytes()));
        }
        // A sign is no part of a seed, although a number may have one.
        if text.starts_with('+') {
            Err(NoSeed)
        } else {
            text.parse().map(Self::Named).map_err(|_| NoSeed)
        }
    }
}

/// A number stays one, as in results of earlier versions; what was drawn is a text, since it is
/// longer than the numbers of JSON.
impl Serialize for RunSeed {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Named(number) => to.serialize_u64(*number),
            Self::Drawn(_) => to.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for RunSeed {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct NumberOrText;

        impl de::Visitor<'_> for NumberOrText {
            type Value = RunSeed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a seed")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<RunSeed, E> {
                Ok(RunSeed::Named(number))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RunSeed, E> {
                text.parse().map_err(E::custom)
            }
        }

        from.deserialize_any(NumberOrText)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_hmac_sha256() {
        // RFC 4231, test case 2, with its key padded with zeros, which is the same key to HMAC.
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(b"what do ya want for nothing?");
        assert_eq!(
            crate::hex(&mac.finalize().into_bytes()),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn each_purpose_has_a_key_of_its_own() {
        let seed = RunSeed::Named(7);
        let keys = [
            seed.secret(),
            seed.check_secret(),
            seed.rehearsal_secret(),
            seed.assessment_secret(),
            seed.race_secret(),
            RunSeed::Named(8).race_secret(),
            RunSeed::Drawn(7_u128.to_be_bytes()).race_secret(),
            RunSeed::Drawn((7_u128 << 64).to_be_bytes()).race_secret(),
            seed.secret().derive("race", &[0]),
            seed.secret().derive("rac", &[]),
        ];
        for (place, key) in keys.iter().enumerate() {
            assert!(!keys[..place].contains(key), "key {place}");
        }
    }

    #[test]
    fn seeds_are_read_as_they_are_shown() {
        let drawn = RunSeed::Drawn([0xA0; 16]);
        for seed in [RunSeed::Named(0), RunSeed::Named(u64::MAX), drawn] {
            assert_eq!(seed.to_string().parse(), Ok(seed));
            let json = serde_json::to_string(&seed).unwrap();
            assert_eq!(serde_json::from_str::<RunSeed>(&json).unwrap(), seed);
        }
        assert_eq!(serde_json::to_string(&RunSeed::Named(7)).unwrap(), "7");
        for text in [
            "",
            "-1",
            "x",
            "18446744073709551616",
            "+0000000000000000000000000000000",
        ] {
            assert_eq!(text.parse::<RunSeed>(), Err(NoSeed), "{text}");
        }
    }

    #[test]
    fn no_message_shows_a_key() {
        assert_eq!(format!("{:?}", RunSeed::Named(7).secret()), "Secret(…)");
    }
}
