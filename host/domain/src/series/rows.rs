//! Rows of somebody's measurements, put together to blocks.

use super::race::BlockValue;
use crate::ids;
use crate::stats::at_most;
use std::collections::{BTreeMap, HashMap};

/// Probability with which an order that was drawn is called uneven.
const UNEVEN_PROBABILITY: f64 = 0.01;

/// One measured value.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the variant.
    pub variant: String,
    /// Name of the block, if the rows have blocks.
    pub block: Option<String>,
    /// Name of the case, if the rows have cases.
    pub case: Option<String>,
    /// The value.
    pub value: f64,
}

/// An error in a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// Some rows have a block and others have none.
    #[error("some rows have a block and others have none: give every row one, or none")]
    SomeBlocks,
    /// Some rows have a case and others have none.
    #[error("some rows have a case and others have none: give every row one, or none")]
    SomeCases,
    /// Rows without blocks are read as they are written.
    #[error(
        "rows without a block cannot be read as they are written: nobody knows when a block is complete"
    )]
    NoBlock,
    /// More names than there may be.
    #[error("more than {max} {what}: compare fewer of them")]
    TooMany {
        /// The thing of which there are too many.
        what: &'static str,
        /// The most that there may be.
        max: usize,
    },
    /// Two names that a reader would take for one.
    #[error(
        "the {what} {one:?} and {other:?} read alike, and differ in character {place}, {characters}: rename one"
    )]
    ReadAlike {
        /// The things that have these names.
        what: &'static str,
        /// The name that came first.
        one: String,
        /// The other one.
        other: String,
        /// The first character that is another one, counted from 1.
        place: usize,
        /// The code points there.
        characters: String,
    },
    /// A row came after its block had ended.
    #[error(
        "a row of block {0:?} comes after rows of a later block: whoever reads on needs each block in one piece"
    )]
    LateRow(String),
    /// A variant that the first block does not have.
    #[error(
        "variant {0:?} is not in the first block: whoever reads on has to know all variants from it"
    )]
    LateVariant(String),
    /// A case that the first block does not have.
    #[error("case {0:?} is not in the first block: whoever reads on has to know all cases from it")]
    LateCase(String),
}

/// The most variants that are compared.
const VARIANTS_MAX: usize = 64;
/// The most cases.
const CASES_MAX: usize = 256;
/// The most blocks.
const BLOCKS_MAX: usize = 20_000;

/// The values of one block. A variant with several values on a case has their mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The values in the order of their first rows.
    pub values: Vec<BlockValue>,
    counts: Vec<u32>,
}

impl Block {
    fn add(&mut self, variant: usize, case: usize, value: f64) {
        let mut known = self.values.iter();
        match known.position(|one| (one.variant, one.case) == (variant, case)) {
            Some(place) => {
                self.counts[place] += 1;
                let known = &mut self.values[place].value;
                *known += (value - *known) / f64::from(self.counts[place]);
            }
            None => {
                self.values.push(BlockValue {
                    variant,
                    case,
                    value,
                });
                self.counts.push(1);
            }
        }
    }

    /// The variants in the order in which they were measured first.
    fn order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        for value in &self.values {
            if !order.contains(&value.variant) {
                order.push(value.variant);
            }
        }
        order
    }
}

/// The order in which the values of a block were measured, as far as the rows say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderInBlocks {
    /// Each of any two is the first as often as chance has it, as far as the blocks are enough to say so.
    Varies,
    /// One comes before the other far more often than an order that was drawn would have it.
    Uneven {
        /// The one that comes first.
        a: usize,
        /// The other one.
        b: usize,
        /// Number of blocks in which it does.
        first: u32,
        /// Number of blocks that have both.
        of: u32,
    },
    /// The blocks are not in one piece, so that the rows are in no order of time.
    Unknown,
    /// The rows have no blocks: the first values of all variants were taken together, the second ones, and so on.
    ByPlace,
}

/// Rows as blocks, in the order of their first rows.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// Names of the variants, in the order of their first rows.
    pub variants: Vec<String>,
    /// Names of the cases; empty without cases.
    pub cases: Vec<String>,
    blocks: Vec<Block>,
    places: HashMap<String, usize>,
    /// Numbers of values by variant and case, where rows have no block.
    counts: BTreeMap<(usize, usize), usize>,
    has_blocks: Option<bool>,
    has_cases: Option<bool>,
    is_torn: bool,
    last: Option<usize>,
    /// True if rows are read as they are written: names are those of the first block, and no block changes once the
    /// next one has begun.
    follows: bool,
}

impl Blocks {
    /// Blocks without rows. With `follows`, a block is done once the next one begins. `first`, if given, is the name of
    /// the variant that has index 0, wherever its rows stand.
    pub fn new(follows: bool, first: Option<&str>) -> Self {
        Self {
            variants: first.map(str::to_owned).into_iter().collect(),
            follows,
            ..Self::default()
        }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// The row does not fit those before it, or there are too many names.
    pub fn push(&mut self, row: &Row) -> Result<(), RowError> {
        if *self.has_blocks.get_or_insert(row.block.is_some()) != row.block.is_some() {
            return Err(RowError::SomeBlocks);
        }
        if *self.has_cases.get_or_insert(row.case.is_some()) != row.case.is_some() {
            return Err(RowError::SomeCases);
        }
        if self.follows && row.block.is_none() {
            return Err(RowError::NoBlock);
        }
        let in_first = self.blocks.is_empty()
            || row
                .block
                .as_ref()
                .is_some_and(|block| self.places.get(block) == Some(&0));
        let named = |names: &mut Vec<String>, name: &str, max: usize, what: &'static str| {
            if let Some(place) = names.iter().position(|known| known == name) {
                return Ok(Some(place));
            }
            if self.follows && !in_first {
                return Ok(None);
            }
            if names.len() >= max {
                return Err(RowError::TooMany { what, max });
            }
            let look = ids::look(name);
            let mut alike = names.iter().filter(|known| ids::look(known) == look);
            if let Some(one) = alike.find(|known| ids::slug(known) != ids::slug(name)) {
                let (place, characters) = ids::first_difference(one, name);
                return Err(RowError::ReadAlike {
                    what,
                    one: one.clone(),
                    other: name.to_owned(),
                    place,
                    characters,
                });
            }
            names.push(name.to_owned());
            Ok(Some(names.len() - 1))
        };
        let variant = named(&mut self.variants, &row.variant, VARIANTS_MAX, "variants")?
            .ok_or_else(|| RowError::LateVariant(row.variant.clone()))?;
        let case = match &row.case {
            Some(case) => named(&mut self.cases, case, CASES_MAX, "cases")?
                .ok_or_else(|| RowError::LateCase(case.clone()))?,
            None => 0,
        };
        let place = self.place_of(row, variant, case)?;
        self.blocks[place].add(variant, case, row.value);
        self.last = Some(place);
        Ok(())
    }

    /// The place of the block of a row.
    fn place_of(&mut self, row: &Row, variant: usize, case: usize) -> Result<usize, RowError> {
        let place = match &row.block {
            Some(name) => match self.places.get(name) {
                Some(place) => {
                    if self.last != Some(*place) {
                        if self.follows {
                            return Err(RowError::LateRow(name.clone()));
                        }
                        self.is_torn = true;
                    }
                    *place
                }
                None => {
                    self.places.insert(name.clone(), self.blocks.len());
                    self.blocks.len()
                }
            },
            None => {
                let count = self.counts.entry((variant, case)).or_default();
                *count += 1;
                *count - 1
            }
        };
        if place >= BLOCKS_MAX {
            return Err(RowError::TooMany {
                what: "blocks",
                max: BLOCKS_MAX,
            });
        }
        if place == self.blocks.len() {
            self.blocks.push(Block::default());
        }
        Ok(place)
    }

    /// The blocks that no further row changes, if rows are read as they are written; else all.
    pub fn done(&self) -> &[Block] {
        let open = usize::from(self.follows);
        &self.blocks[..self.blocks.len().saturating_sub(open)]
    }

    /// All blocks.
    pub fn all(&self) -> &[Block] {
        &self.blocks
    }

    /// The order in which the values of a block were measured, as far as the rows say it.
    pub fn order(&self) -> OrderInBlocks {
        if self.has_blocks == Some(false) {
            return OrderInBlocks::ByPlace;
        }
        if self.is_torn {
            return OrderInBlocks::Unknown;
        }
        let variants = self.variants.len();
        // By pair: the blocks in which the first of it came first, and those that have both.
        let mut counts = vec![[0_u32; 2]; variants * variants];
        for order in self.blocks.iter().map(Block::order) {
            for (place, a) in order.iter().enumerate() {
                for b in &order[place + 1..] {
                    counts[a * variants + b][0] += 1;
                    counts[a * variants + b][1] += 1;
                    counts[b * variants + a][1] += 1;
                }
            }
        }
        let pairs = (variants * variants.saturating_sub(1) / 2).max(1) as f64;
        let pair = |place: usize| {
            let [first, of] = counts[place];
            (place / variants, place % variants, first, of)
        };
        let mut found = (0..counts.len()).map(pair);
        let uneven = found.find(|(_, _, first, of)| {
            2 * first > *of && 2.0 * at_least(*first, *of) < UNEVEN_PROBABILITY / pairs
        });
        uneven.map_or(OrderInBlocks::Varies, |(a, b, first, of)| {
            OrderInBlocks::Uneven { a, b, first, of }
        })
    }
}

/// The probability of this many heads or more of `of` throws of a coin.
fn at_least(heads: u32, of: u32) -> f64 {
    at_most(of as usize)
        .nth((of - heads) as usize)
        .unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(variant: &str, block: Option<&str>, value: f64) -> Row {
        Row {
            variant: variant.to_owned(),
            block: block.map(str::to_owned),
            case: None,
            value,
        }
    }

    #[test]
    fn rows_of_a_block_are_one_block_and_several_values_count_as_their_mean() {
        let mut blocks = Blocks::new(false, None);
        for (variant, block, value) in [
            ("a", "x", 1.0),
            ("b", "x", 4.0),
            ("a", "x", 3.0),
            ("b", "y", 5.0),
        ] {
            blocks.push(&row(variant, Some(block), value)).unwrap();
        }
        assert_eq!(blocks.variants, ["a", "b"]);
        let values: Vec<Vec<f64>> = blocks
            .all()
            .iter()
            .map(|block| block.values.iter().map(|one| one.value).collect())
            .collect();
        assert_eq!(values, [vec![2.0, 4.0], vec![5.0]]);
    }

    #[test]
    fn names_that_read_alike_are_refused() {
        let mut blocks = Blocks::new(false, None);
        blocks.push(&row("sort", Some("x"), 1.0)).unwrap();
        for other in ["s\u{43e}rt", "sort\u{200b}"] {
            let refused = blocks.push(&row(other, Some("x"), 1.0)).unwrap_err();
            assert!(matches!(refused, RowError::ReadAlike { .. }), "{refused}");
            assert!(refused.to_string().contains("U+"), "{refused}");
        }
        for other in ["sort", "Sort", "heap"] {
            blocks.push(&row(other, Some("x"), 1.0)).unwrap();
        }
    }

    #[test]
    fn without_blocks_values_are_paired_by_their_place() {
        let mut blocks = Blocks::new(false, None);
        for (variant, value) in [("a", 1.0), ("a", 2.0), ("b", 3.0), ("b", 4.0)] {
            blocks.push(&row(variant, None, value)).unwrap();
        }
        assert_eq!(blocks.all().len(), 2);
        assert_eq!(blocks.all()[1].values.len(), 2);
        assert_eq!(blocks.order(), OrderInBlocks::ByPlace);
        assert_eq!(
            blocks.push(&row("a", Some("1"), 1.0)),
            Err(RowError::SomeBlocks)
        );
    }

    #[test]
    fn an_order_that_is_always_the_same_is_seen() {
        let of = |orders: &[[&str; 2]]| {
            let mut blocks = Blocks::new(false, None);
            for (block, order) in orders.iter().enumerate() {
                for variant in order {
                    blocks
                        .push(&row(variant, Some(&block.to_string()), 1.0))
                        .unwrap();
                }
            }
            blocks.order()
        };
        let uneven = |first: u32, of: u32| OrderInBlocks::Uneven {
            a: 0,
            b: 1,
            first,
            of,
        };
        assert_eq!(of(&[["a", "b"]; 7]), OrderInBlocks::Varies);
        assert_eq!(of(&[["a", "b"]; 8]), uneven(8, 8));
        let mut orders = [["a", "b"]; 30];
        orders[3] = ["b", "a"];
        assert_eq!(of(&orders), uneven(29, 30));
        for order in orders.iter_mut().step_by(2) {
            *order = ["b", "a"];
        }
        assert_eq!(of(&orders), OrderInBlocks::Varies);
        // Of a fair coin: 1/4, and 56/1024.
        assert!((at_least(2, 2) - 0.25).abs() < 1e-12);
        assert!((at_least(8, 10) - 56.0 / 1024.0).abs() < 1e-12);
        assert!((at_least(10_000, 20_000) - 0.5).abs() < 0.01);
        let mut torn = Blocks::new(false, None);
        for (variant, block) in [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")] {
            torn.push(&row(variant, Some(block), 1.0)).unwrap();
        }
        assert_eq!(torn.order(), OrderInBlocks::Unknown);
    }

    #[test]
    fn whoever_reads_on_knows_all_names_from_the_first_block_and_blocks_in_one_piece() {
        let mut blocks = Blocks::new(true, None);
        for (variant, block) in [("a", "1"), ("b", "1"), ("b", "2")] {
            blocks.push(&row(variant, Some(block), 1.0)).unwrap();
        }
        assert_eq!(blocks.done().len(), 1);
        assert_eq!(
            blocks.push(&row("c", Some("2"), 1.0)),
            Err(RowError::LateVariant("c".to_owned()))
        );
        assert_eq!(
            blocks.push(&row("c", Some("3"), 1.0)),
            Err(RowError::LateVariant("c".to_owned()))
        );
        assert_eq!(
            blocks.push(&row("a", Some("1"), 1.0)),
            Err(RowError::LateRow("1".to_owned()))
        );
    }

    #[test]
    fn there_are_bounds_on_names() {
        let mut blocks = Blocks::new(false, None);
        for number in 0..VARIANTS_MAX {
            blocks
                .push(&row(&number.to_string(), Some("1"), 1.0))
                .unwrap();
        }
        let error = blocks.push(&row("one more", Some("1"), 1.0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "more than 64 variants: compare fewer of them"
        );
    }
}
