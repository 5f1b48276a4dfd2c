//! Workloads that draw inputs by their types, as Rust sources.

use super::constants::Constants;
use super::from_rust::DerivedInterface;
use super::shape::Shape;
use super::value_kind::ValueKind;

/// The generator of inputs to time, in Rust; the function `generate` of the workload is added to it.
const RANDOM_INPUTS: &str = concat!(
    include_str!("../../inputs/random.rs"),
    include_str!("../../inputs/shared.rs")
);

/// The generator of inputs on which functions may differ, in Rust, with the material of which it makes texts; the
/// function `generate` of the workload is added to it.
const SEARCHED_INPUTS: &str = concat!(
    include_str!("../../inputs/searched.rs"),
    include_str!("../../inputs/searched_texts.rs"),
    include_str!("../../inputs/shared.rs")
);

/// The variety of the inputs that are timed. Where functions fail on inputs, less variety is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variety {
    /// Lists and texts may be short or empty, and numbers beside them may be no index into them.
    #[default]
    EdgeCases,
    /// Lists are as long as the size, but where there are several, all but one may be shorter. Texts are of all kinds.
    Ordinary,
    /// All lists are as long as the size, lists within a list are as long as each other, and texts have ASCII letters.
    Plain,
}

/// Options of a workload that draws inputs to time.
#[derive(Clone, Debug, Default)]
pub struct DrawnInputs {
    /// The variety of the inputs.
    pub variety: Variety,
    /// The kinds of values that no input has; at least one kind is left.
    pub left_out: Vec<ValueKind>,
    /// The allowed seeds by size, for sizes on which functions fail on some inputs. A size that is missing here has
    /// inputs of any seed.
    pub seeds: Vec<(u32, Vec<u64>)>,
}

impl DerivedInterface {
    /// Returns true if the function takes no list and no text, so that its numbers grow with the size.
    pub fn takes_only_numbers(&self) -> bool {
        let shapes = self.signature.parameters.iter();
        !shapes.map(|(_, shape)| shape).any(has_length)
    }

    /// Returns true if the function takes texts, or letters.
    pub fn takes_texts(&self) -> bool {
        let shapes = self.signature.parameters.iter();
        shapes.map(|(_, shape)| shape).any(has_letters)
    }

    /// Returns the next lower variety that makes a difference for this function; `None` after the lowest.
    pub fn less_than(&self, variety: Variety) -> Option<Variety> {
        let shapes = self.signature.parameters.iter().map(|(_, shape)| shape);
        let differ =
            self.takes_texts() || outer_lists(shapes.clone()) > 1 || shapes.clone().any(is_nested);
        match variety {
            Variety::EdgeCases if differ => Some(Variety::Ordinary),
            Variety::EdgeCases | Variety::Ordinary => Some(Variety::Plain),
            Variety::Plain => None,
        }
    }

    /// Returns the Rust source of a workload that draws inputs to time by their types.
    pub fn workload(&self, drawn: &DrawnInputs) -> String {
        let shapes = self.signature.parameters.iter().map(|(_, shape)| shape);
        let numbers_count = self.takes_only_numbers();
        let (ty, draw) = self.drawn();
        let kinds: Vec<&str> = drawn.left_out.iter().map(|kind| kind.rust()).collect();
        let (chosen, seeds) = if drawn.seeds.is_empty() {
            ("", String::new())
        } else {
            (
                "    let seed = chosen(size, seed);\n",
                chosen_seeds(&drawn.seeds),
            )
        };
        format!(
            "{RANDOM_INPUTS}{}\n/// Values that no input has.\nconst LEFT_OUT: [Values; {}] = [{}];\n\
             /// Whether lists may be short or empty, and numbers beside them no index into them.\n\
             const EDGE_CASES: bool = {};\n\
             /// Whether all lists have the length of the size, and texts are of one kind.\n\
             const PLAIN: bool = {};\n\
             /// Lists and texts that are not within another.\nconst LISTS: u64 = {};\n{seeds}\n\
             pub fn generate(size: u32, seed: u64) -> {ty} {{\n{chosen}    \
             let mut inputs = Inputs::new(size, seed, {numbers_count});\n    {draw}\n}}\n",
            self.signature.drawn_enums(),
            kinds.len(),
            kinds.join(", "),
            drawn.variety == Variety::EdgeCases,
            drawn.variety == Variety::Plain,
            outer_lists(shapes),
        )
    }

    /// Returns the Rust source of a workload that draws inputs on which functions may differ: no larger than the
    /// size, with the constants of the sources among their values.
    pub fn searching_workload(&self, constants: &Constants) -> String {
        let numbers: Vec<String> = constants.numbers.iter().map(i64::to_string).collect();
        let texts = constants.texts.iter().filter(|text| !text.is_empty());
        let texts: Vec<String> = texts.map(|text| format!("{text:?}")).collect();
        let (ty, draw) = self.drawn();
        format!(
            "{SEARCHED_INPUTS}{}\nconst NUMBERS: [i64; {}] = [{}];\nconst TEXTS: [&str; {}] = [{}];\n\n\
             pub fn generate(size: u32, seed: u64) -> {ty} {{\n    \
             let mut inputs = Inputs::new(size, seed);\n    {draw}\n}}\n",
            self.signature.drawn_enums(),
            numbers.len(),
            numbers.join(", "),
            texts.len(),
            texts.join(", ")
        )
    }

    /// Returns the type of all arguments together, and the expression that draws them, in Rust.
    fn drawn(&self) -> (String, String) {
        let shapes = self.signature.parameters.iter().map(|(_, shape)| shape);
        let types: Vec<String> = shapes.clone().map(Shape::given_rust).collect();
        let draws = shapes.map(|shape| {
            if shape.is_converted() {
                shape.given(&format!("inputs.argument::<{}>()", shape.drawn_rust()))
            } else {
                "inputs.argument()".to_owned()
            }
        });
        let draws: Vec<String> = draws.collect();
        match (types.as_slice(), draws.as_slice()) {
            ([one], [draw]) => (one.clone(), draw.clone()),
            (several, draws) => (
                format!("({})", several.join(", ")),
                format!("({})", draws.join(", ")),
            ),
        }
    }
}

/// Returns the Rust source of a function that replaces a seed by one of the allowed seeds of its size.
fn chosen_seeds(seeds: &[(u32, Vec<u64>)]) -> String {
    let of_size = |(size, seeds): &(u32, Vec<u64>)| {
        let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
        format!("    ({size}, &[{}]),\n", seeds.join(", "))
    };
    let sizes: String = seeds.iter().map(of_size).collect();
    format!(
        "\n/// The seeds of the inputs of some sizes: those on which not all functions fail.\n\
         const SEEDS: [(u32, &[u64]); {}] = [\n{sizes}];\n\n\
         /// One of these seeds, where there are some.\n\
         fn chosen(size: u32, seed: u64) -> u64 {{\n    \
         match SEEDS.iter().find(|(of, _)| *of == size) {{\n        \
         Some((_, seeds)) => seeds[(seed % seeds.len() as u64) as usize],\n        \
         None => seed,\n    }}\n}}\n",
        seeds.len()
    )
}

/// Returns the number of lists and texts that are not within another one.
fn outer_lists<'a>(shapes: impl Iterator<Item = &'a Shape>) -> usize {
    let of_one = |shape: &Shape| match shape {
        Shape::List(_) => 1,
        Shape::Plain(name) => usize::from(name == "string"),
        Shape::Option(item) => outer_lists(std::iter::once(&**item)),
        Shape::Tuple(items) => outer_lists(items.iter()),
        _ => 0,
    };
    shapes.map(of_one).sum()
}

/// Returns true if a shape is or contains a list of lists.
fn is_nested(shape: &Shape) -> bool {
    match shape {
        Shape::List(item) => matches!(**item, Shape::List(_)) || is_nested(item),
        Shape::Option(item) | Shape::Array(item, _) => is_nested(item),
        Shape::Tuple(items) => items.iter().any(is_nested),
        _ => false,
    }
}

/// Returns true if a shape is or contains a list or text, whose length grows with the size.
fn has_length(shape: &Shape) -> bool {
    holds(shape, &|shape| {
        matches!(shape, Shape::List(_)) || matches!(shape, Shape::Plain(name) if name == "string")
    })
}

/// Returns true if a shape is or contains a text or letter.
fn has_letters(shape: &Shape) -> bool {
    holds(
        shape,
        &|shape| matches!(shape, Shape::Plain(name) if name == "string" || name == "char"),
    )
}

/// Returns true if a shape, or one within it, has a property.
fn holds(shape: &Shape, is: &dyn Fn(&Shape) -> bool) -> bool {
    let within = match shape {
        Shape::List(item) | Shape::Option(item) | Shape::Array(item, _) => holds(item, is),
        Shape::Tuple(items) => items.iter().any(|item| holds(item, is)),
        Shape::Enum(of) => {
            let mut fields = of.cases.iter().flat_map(|case| &case.fields);
            fields.any(|field| holds(field, is))
        }
        Shape::Plain(_) | Shape::Result(_) | Shape::Any(_) | Shape::Wide(_) => false,
    };
    is(shape) || within
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_on_the_outside_are_counted_and_what_is_in_them_is_found() {
        let (text, number) = (Shape::plain("string"), Shape::plain("s32"));
        let texts = Shape::list(text.clone());
        let pair = Shape::Tuple(vec![texts.clone(), Shape::Option(Box::new(text.clone()))]);
        assert_eq!(outer_lists([&pair, &number, &text].into_iter()), 3);
        assert!(has_length(&pair) && has_letters(&pair) && !is_nested(&pair));
        let grid = Shape::list(Shape::list(number.clone()));
        assert!(is_nested(&grid) && !has_letters(&grid) && !has_length(&number));
    }

    #[test]
    fn inputs_of_some_seeds_alone_are_made_where_these_are_known() {
        let text = chosen_seeds(&[(10, vec![3, 4]), (16, vec![5])]);
        assert!(
            text.contains("const SEEDS: [(u32, &[u64]); 2] = ["),
            "{text}"
        );
        assert!(
            text.contains("    (10, &[3, 4]),\n    (16, &[5]),\n"),
            "{text}"
        );
    }
}
