//! The families of prototypes: each solves one problem in several ways, all with the same answers.

/// A family: several prototypes for one problem.
pub(crate) struct Family {
    /// The name of its folder in `host/benches/families`.
    pub(crate) name: &'static str,
    /// The size of every input.
    pub(crate) size: u32,
    /// The number of parameters of `solve`: 1 or 2.
    pub(crate) parameters: usize,
    /// The names of the files, without their extension.
    pub(crate) prototypes: &'static [&'static str],
    /// Pairs whose order differed, with the reason that was found.
    pub(crate) explanations: &'static [([&'static str; 2], &'static str)],
}

impl Family {
    /// Returns the reason why the order of a pair differs, if it is known.
    pub(crate) fn explanation(&self, pair: [&str; 2]) -> Option<&'static str> {
        let mut known = self.explanations.iter();
        known.find(|(of, _)| of == &pair).map(|(_, why)| *why)
    }
}

pub(crate) const FAMILIES: [Family; 10] = [
    Family {
        name: "sorting",
        size: 50_000,
        parameters: 1,
        prototypes: &["library", "radix", "merge", "heap"],
        explanations: &[(
            ["merge", "heap"],
            "natively the choice of the larger child is a branch that misses half the time; for \
             WebAssembly LLVM writes a select, which misses never (seen in both assemblies)",
        )],
    },
    Family {
        name: "searching",
        size: 100_000,
        parameters: 2,
        prototypes: &["binary", "interpolation", "together", "layout"],
        explanations: &[(
            ["binary", "together"],
            "here a search takes 1.26 × as long as natively, a chain of loads that waits as long in both, and \
             sorting 1.48 ×",
        )],
    },
    Family {
        name: "hashing",
        size: 200_000,
        parameters: 1,
        prototypes: &["bits", "nibbles", "bytes", "slices"],
        explanations: &[(
            ["bits", "nibbles"],
            "natively LLVM puts half of a byte's eight masks into vector registers, and moving there and \
             back lengthens the chain of bits (without that: 0.90 for this processor, 1.07 for any); \
             here a look-up forms its address with one instruction more, in the chain of nibbles \
             (seen in both assemblies)",
        )],
    },
    Family {
        name: "parsing",
        size: 50_000,
        parameters: 1,
        prototypes: &["digits", "library", "words"],
        explanations: &[],
    },
    Family {
        name: "encoding",
        size: 200_000,
        parameters: 1,
        prototypes: &["pushes", "chunks", "pairs"],
        explanations: &[
            (
                ["pushes", "chunks"],
                "a list of the right length is new pages from the system's allocator each time: with that of \
                 prototypes it is 1.9 natively too",
            ),
            (
                ["chunks", "pairs"],
                "WebAssembly has no instruction that turns bytes round: pairs does it in nine, natively in \
                 one; and around the call that may let the list grow four values go through the stack for \
                 every two characters (seen in both assemblies); into a list of the right length it is 1.03",
            ),
        ],
    },
    Family {
        name: "editing",
        size: 1_000,
        parameters: 2,
        prototypes: &["table", "row", "band", "bits"],
        explanations: &[(
            ["row", "band"],
            "the inner loop of band has three bounds checks, that of row none; here what they compare \
             with does not fit into registers as well, and goes through the stack for every cell (seen \
             in both assemblies)",
        )],
    },
    Family {
        name: "multiplying",
        size: 160,
        parameters: 2,
        prototypes: &["columns", "rows", "turned"],
        explanations: &[(
            ["rows", "turned"],
            "any x86-64 multiplies vectors of 32-bit numbers in pieces, of which rows saves half, one \
             factor being the same all along; here, and natively for this processor, that is one \
             instruction; and here no loop is unrolled, and that of rows has a store for every four \
             numbers, that of turned none (seen in both assemblies)",
        )],
    },
    Family {
        name: "matching",
        size: 200_000,
        parameters: 2,
        prototypes: &["naive", "failures", "skips", "rolling"],
        explanations: &[
            (
                ["naive", "failures"],
                "natively 24 letters are compared by the system's memcmp, with vectors, here by a loop: with a \
                 loop it is 1.02 natively too",
            ),
            (
                ["skips", "rolling"],
                "natively 24 letters are compared by the system's memcmp, with vectors, here by a loop: with a \
                 loop it is 1.10 natively too",
            ),
        ],
    },
    Family {
        name: "sieving",
        size: 300_000,
        parameters: 1,
        prototypes: &["division", "table", "odds", "linear"],
        explanations: &[],
    },
    Family {
        name: "routing",
        size: 3_000,
        parameters: 2,
        prototypes: &["array", "heap", "queue", "buckets"],
        explanations: &[(
            ["queue", "buckets"],
            "a third of the time of buckets goes to the system's allocator natively: with one that only \
             counts up it is 1.4 natively too, and with nodes of 32 bits, as here, 0.94; a component \
             brings an allocator of its own",
        )],
    },
];
