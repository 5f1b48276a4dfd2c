//! A recorded trace: what identical variants took, sample by sample. `README.md` beside this file
//! describes the format; `cargo bench --bench record` writes it.

/// The first bytes of a trace.
const MAGIC: &[u8; 8] = b"BAKETRC1";
/// Bytes before the first sample.
const HEADER_BYTES: usize = 16;
/// Bytes of a sample.
const SAMPLE_BYTES: usize = 5;
/// Logarithms are kept in steps of this.
const STEP: f64 = 1e-4;

/// One sample of a trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    /// The variant that ran.
    pub(crate) variant: usize,
    /// The logarithm of its CPU time, over that of the trace's quickest sample.
    pub(crate) cpu: f64,
    /// The logarithm of its wall time, over the same.
    pub(crate) wall: f64,
}

/// Replicas of identical variants.
pub(crate) struct Trace {
    /// The number of variants in each replica.
    pub(crate) variants: usize,
    /// The clock's granularity over the time of a sample.
    pub(crate) resolution: f64,
    /// By replica, by block: its samples in the order in which they ran, one for each variant.
    pub(crate) replicas: Vec<Vec<Vec<Taken>>>,
}

impl Trace {
    /// Reads a trace.
    ///
    /// # Errors
    /// The bytes are no trace, in words.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let (header, samples) = bytes
            .split_at_checked(HEADER_BYTES)
            .filter(|(header, _)| header.starts_with(MAGIC))
            .ok_or("it does not begin like a trace")?;
        let (variants, blocks) = (usize::from(header[8]), usize::from(header[9]));
        let count = usize::from(u16::from_le_bytes([header[10], header[11]]));
        let resolution = f32::from_le_bytes([header[12], header[13], header[14], header[15]]);
        let replica_bytes = variants * blocks * SAMPLE_BYTES;
        if variants == 0 || blocks == 0 || samples.len() != count * replica_bytes {
            return Err(format!(
                "{count} replicas of {blocks} blocks of {variants} are not {} bytes",
                samples.len()
            ));
        }
        let block = |bytes: &[u8]| bytes.chunks(SAMPLE_BYTES).map(sample).collect();
        let replica = |bytes: &[u8]| bytes.chunks(variants * SAMPLE_BYTES).map(block).collect();
        Ok(Self {
            variants,
            resolution: f64::from(resolution),
            replicas: samples.chunks(replica_bytes).map(replica).collect(),
        })
    }
}

fn sample(bytes: &[u8]) -> Taken {
    let log = |low: u8, high: u8| f64::from(u16::from_le_bytes([low, high])) * STEP;
    Taken {
        variant: usize::from(bytes[0]),
        cpu: log(bytes[1], bytes[2]),
        wall: log(bytes[3], bytes[4]),
    }
}
