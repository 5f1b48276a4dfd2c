//! E15: arguments of many small pieces, for each of which the allocator is called, beside one flat list
//! whose call takes as long: with more bytes, since freeing the pieces takes a part of the call. How many
//! calls make a sample, and how often one is disturbed, go with how long a call takes. Both have the
//! same budget, which hardly anything ends before: the variants of a pair are the same code, and no
//! tie is that narrow.

use super::figures::{Demand, Figures, Unit};
use super::runs;
use super::spin::{Failure, Spin};
use super::support::{is_quick, median};

/// The number of pieces, and the bytes of each.
const PIECES: u32 = 20_000;
const PIECE_BYTES: u32 = 16;
/// The pieces of which one flat list has the bytes: a call on it takes as long as on strings.
const PIECES_FLAT: u32 = 28_000;

/// The demand on the half-width of the interval, relative to that for a flat list.
const HALF_WIDTH_MAX: f64 = 1.5;

/// A form of the argument.
struct Shape {
    what: &'static str,
    pieces: u32,
    wit: &'static str,
    rust: &'static str,
    /// The value, of `pieces` pieces that `bytes()` makes.
    generated: &'static str,
    /// A loop over all bytes, each of which is passed to `mix`.
    folded: &'static str,
}

const FLAT: Shape = Shape {
    what: "one flat list",
    pieces: PIECES_FLAT,
    wit: "list<u8>",
    rust: "Vec<u8>",
    generated: "(0..pieces).flat_map(|_| bytes()).collect()",
    folded: "values.iter().for_each(|byte| mix(*byte))",
};

const SHAPES: [Shape; 3] = [
    Shape {
        what: "strings",
        pieces: PIECES,
        wit: "list<string>",
        rust: "Vec<String>",
        generated: "(0..pieces).map(|_| String::from_utf8(bytes()).unwrap()).collect()",
        folded: "values.iter().flat_map(|text| text.bytes()).for_each(&mut mix)",
    },
    Shape {
        what: "records with a list",
        pieces: PIECES,
        wit: "list<tuple<u32, list<u8>>>",
        rust: "Vec<(u32, Vec<u8>)>",
        generated: "(0..pieces).map(|piece| (piece, bytes())).collect()",
        folded: "values.iter().flat_map(|(_, list)| list).for_each(|byte| mix(*byte))",
    },
    Shape {
        what: "options",
        pieces: PIECES,
        wit: "list<option<string>>",
        rust: "Vec<Option<String>>",
        generated: "(0..pieces).map(|_| Some(String::from_utf8(bytes()).unwrap())).collect()",
        folded: "values.iter().flatten().flat_map(|text| text.bytes()).for_each(&mut mix)",
    },
];

impl Shape {
    /// Writes an experiment with two variants of the same code.
    fn experiment(&self) -> Result<Spin, Failure> {
        let Self {
            pieces,
            wit,
            rust,
            generated,
            folded,
            ..
        } = self;
        let seconds = if is_quick() { 4 } else { 10 };
        let folder = tempfile::tempdir()?;
        let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text);
        write(
            "pieces.wit",
            format!(
                "package pieces:bench;\n\
                 world prototype {{ export fold: func(values: {wit}) -> u64; }}\n\
                 world workload {{ export generate: func(size: u32, seed: u64) -> {wit}; }}\n"
            ),
        )?;
        write(
            "workload.rs",
            format!(
                "pub fn generate(pieces: u32, seed: u64) -> {rust} {{
    let mut state = seed | 1;
    let mut bytes = || -> Vec<u8> {{
        let mut letter = || {{
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            b'a' + (state % 26) as u8
        }};
        (0..{PIECE_BYTES}).map(|_| letter()).collect()
    }};
    {generated}
}}
"
            ),
        )?;
        let mut approaches = String::new();
        for name in ["v0", "v1"] {
            // The name is never read, and makes other bytes of the same code.
            write(
                &format!("{name}.rs"),
                format!(
                    "const NAME: &[u8] = b\"{name}\";
pub fn fold(values: {rust}) -> u64 {{
    let mut state = 1_u64;
    let mut mix = |byte: u8| {{
        state = (state ^ u64::from(byte)).rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }};
    {folded};
    match state {{
        0 => u64::from(NAME[values.len() % NAME.len()]),
        _ => state,
    }}
}}
"
                ),
            )?;
            approaches.push_str(&format!(
                "[[approach]]\nname = \"{name}\"\nsource = \"{name}.rs\"\n"
            ));
        }
        write(
            "bakeoff.toml",
            format!(
                "name = \"pieces\"\nproblem = \"Which folds faster?\"\n\
                 [interface]\nwit = \"pieces.wit\"\ncall = \"fold\"\n\
                 [workload]\nsource = \"workload.rs\"\nsizes = [{pieces}]\n\
                 [measure]\nbudget = \"{seconds} s\"\npractical = \"0.1 %\"\n\
                 {approaches}"
            ),
        )?;
        Ok(Spin::in_folder(folder))
    }
}

/// Returns half of the interval's width, in logarithms; infinite where an end is not known.
fn half_width(spin: &Spin, seed: u64) -> Result<f64, Failure> {
    let interval = spin.run(seed)?.first_interval();
    Ok(interval.map_or(f64::INFINITY, |interval| {
        (interval.end() / interval.start()).ln() / 2.0
    }))
}

/// Runs each shape in alternation with the flat list.
pub(crate) fn pieces(figures: &mut Figures) -> Result<(), Failure> {
    let runs = runs(3, 1);
    let flat = FLAT.experiment()?;
    for shape in SHAPES {
        let experiment = shape.experiment()?;
        let (mut widths, mut flat_widths) = (Vec::new(), Vec::new());
        for seed in 1..=runs {
            widths.push(half_width(&experiment, seed)?);
            flat_widths.push(half_width(&flat, seed)?);
        }
        let ratio = median(widths) / median(flat_widths);
        let what = format!(
            "{PIECES} {}: half-width ÷ that of {}",
            shape.what, FLAT.what
        );
        let demand = Demand::AtMost(HALF_WIDTH_MAX);
        figures.row("E15", &what, ratio, Unit::One, demand);
    }
    Ok(())
}
