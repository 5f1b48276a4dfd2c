//! Functions of a source, by the places of their code, read in the child.
//!
//! Of a source in Rust they are its `fn` items, found among its tokens, also in macros: what is in a closure, or in a block
//! of its own, belongs to the function around it. Of a source in another language they are those that the compiler
//! named, and reach from the first line that has code to the last.

use super::marks::Frame;
use bakeoff_domain::function_fuel::SourceFunction;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::BTreeMap;

/// The most blocks in each other whose functions are found.
const DEPTH_MAX: usize = 256;

/// The most tokens between the beginning of a function, or of what has functions, and its block.
const HEAD_TOKENS_MAX: usize = 1_000;

/// The longest name of a function, with what it is in, in bytes.
const NAME_BYTES_MAX: usize = 400;

/// A place in a source: line and column, from 1.
type Place = (u32, u32);

/// The functions of a source, with numbers for those that have code.
#[derive(Debug, Default)]
pub(super) struct SourceFunctions {
    /// The functions of a source in Rust, in the order of their beginnings.
    items: Vec<FunctionItem>,
    /// True if functions have the names that the compiler gave them.
    by_compiler: bool,
    /// The functions that have code.
    found: Vec<SourceFunction>,
    /// The number of each item that has code, and of what is in none.
    numbers: BTreeMap<Option<usize>, u32>,
    /// The numbers of functions by the compiler's names.
    named: BTreeMap<String, u32>,
}

/// A function of a source in Rust.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FunctionItem {
    name: String,
    first: Place,
    last: Place,
    /// The index of the function that it is in.
    parent: Option<usize>,
}

impl SourceFunctions {
    /// Returns the functions of a source in Rust; none where it cannot be read.
    pub(super) fn of_rust(text: &str) -> Self {
        let mut items = FunctionItems::default();
        if let Ok(tokens) = text.parse::<TokenStream>() {
            items.visit(tokens, "", DEPTH_MAX);
        }
        Self {
            items: items.found,
            ..Self::default()
        }
    }

    /// Returns the functions of a source in another language, as the compiler names them.
    pub(super) fn by_compiler() -> Self {
        Self {
            by_compiler: true,
            ..Self::default()
        }
    }

    /// Returns the number of the function that a place in the source is in.
    pub(super) fn number_of(&mut self, frame: &Frame<'_>) -> u32 {
        let line = frame.line;
        let number = if self.by_compiler {
            self.number_of_name(&frame.function, line)
        } else {
            let place = (line, frame.column.unwrap_or(u32::MAX));
            self.number_of_item(self.innermost(place), line)
        };
        let found = &mut self.found[number as usize];
        // What the source says of its lines is known; all else reaches as far as it has code.
        if !self.by_compiler && !found.name.is_empty() {
            return number;
        }
        found.first = found.first.min(line);
        found.last = found.last.max(line);
        number
    }

    /// Returns the functions that have code, in the order of their numbers.
    pub(super) fn into_list(self) -> Vec<SourceFunction> {
        self.found
    }

    /// Returns the index of the innermost function at a place.
    fn innermost(&self, place: Place) -> Option<usize> {
        let after = self.items.partition_point(|item| item.first <= place);
        let mut index = after.checked_sub(1)?;
        // Without a column the whole last line is in it.
        let is_behind = |item: &FunctionItem| match place.1 {
            u32::MAX => item.last.0 < place.0,
            _ => item.last < place,
        };
        while is_behind(&self.items[index]) {
            index = self.items[index].parent?;
        }
        Some(index)
    }

    fn number_of_item(&mut self, index: Option<usize>, line: u32) -> u32 {
        let (items, found) = (&self.items, &mut self.found);
        *self.numbers.entry(index).or_insert_with(|| {
            found.push(match index.map(|index| &items[index]) {
                Some(item) => SourceFunction {
                    name: item.name.clone(),
                    first: item.first.0,
                    last: item.last.0,
                },
                None => SourceFunction {
                    name: String::new(),
                    first: line,
                    last: line,
                },
            });
            found.len() as u32 - 1
        })
    }

    fn number_of_name(&mut self, name: &str, line: u32) -> u32 {
        if let Some(number) = self.named.get(name) {
            return *number;
        }
        let number = self.found.len() as u32;
        self.found.push(SourceFunction {
            name: name.to_owned(),
            first: line,
            last: line,
        });
        self.named.insert(name.to_owned(), number);
        number
    }
}

/// The functions that were found so far.
#[derive(Default)]
struct FunctionItems {
    found: Vec<FunctionItem>,
    /// The functions that are open, the innermost last.
    open: Vec<usize>,
}

impl FunctionItems {
    /// Finds the functions among tokens, in `depth` blocks in each other at most. `path` is what stands before their names.
    fn visit(&mut self, tokens: TokenStream, path: &str, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut bodies: BTreeMap<usize, Body> = BTreeMap::new();
        for (place, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(word) => {
                    if let Some((at, body)) = body(&tokens, place, &word.to_string(), path) {
                        bodies.entry(at).or_insert(body);
                    }
                }
                TokenTree::Group(group) => match bodies.remove(&place) {
                    Some(Body::Function { name, first }) => {
                        let index = self.found.len();
                        self.found.push(FunctionItem {
                            name,
                            first,
                            last: end_of(group),
                            parent: self.open.last().copied(),
                        });
                        self.open.push(index);
                        self.visit(group.stream(), "", depth);
                        self.open.pop();
                    }
                    Some(Body::Path(path)) => self.visit(group.stream(), &path, depth),
                    None => self.visit(group.stream(), path, depth),
                },
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
}

/// A block whose beginning was read.
enum Body {
    /// The block of a function.
    Function { name: String, first: Place },
    /// The block of a type, a trait or a module, with what stands before the names of its functions.
    Path(String),
}

/// Returns the block that a word at a place begins, with the place of the block.
fn body(tokens: &[TokenTree], place: usize, word: &str, path: &str) -> Option<(usize, Body)> {
    let named = || match tokens.get(place + 1) {
        Some(TokenTree::Ident(name)) => Some(name.to_string()),
        _ => None,
    };
    match word {
        "fn" => {
            let name = joined(path, &named()?);
            let start = tokens[place].span().start();
            let first = (start.line as u32, start.column as u32 + 1);
            let at = block_after(tokens, place + 2)?;
            Some((at, Body::Function { name, first }))
        }
        "trait" | "mod" => {
            let path = joined(path, &named()?) + "::";
            Some((block_after(tokens, place + 2)?, Body::Path(path)))
        }
        "impl" => {
            let at = block_after(tokens, place + 1)?;
            let name = implemented(&tokens[place + 1..at]);
            Some((at, Body::Path(joined(path, &name) + "::")))
        }
        _ => None,
    }
}

/// Returns a path with a name behind it, unless that is too long to be read.
fn joined(path: &str, name: &str) -> String {
    let joined = format!("{path}{name}");
    let end = joined.floor_char_boundary(NAME_BYTES_MAX);
    joined[..end].to_owned()
}

/// Returns the place of the block in braces that ends what begins before this place.
fn block_after(tokens: &[TokenTree], from: usize) -> Option<usize> {
    let head = tokens.iter().enumerate().skip(from);
    for (place, token) in head.take(HEAD_TOKENS_MAX) {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ';' => return None,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                // A block among the arguments of a type is a number.
                let is_argument = matches!(tokens.get(place + 1),
                    Some(TokenTree::Punct(next)) if matches!(next.as_char(), '>' | ','));
                if !is_argument {
                    return Some(place);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the name of the type whose functions follow: the last one outside of angle brackets, behind `for` if there is
/// one.
fn implemented(tokens: &[TokenTree]) -> String {
    let mut depth = 0_i32;
    let mut name = None;
    let mut before = ' ';
    for token in tokens {
        let mut this = ' ';
        match token {
            TokenTree::Punct(punct) => {
                this = punct.as_char();
                match this {
                    '<' => depth += 1,
                    '>' if before != '-' => depth -= 1,
                    _ => {}
                }
            }
            TokenTree::Ident(word) if depth == 0 => match word.to_string() {
                word if word == "where" => break,
                word if word == "for" => name = None,
                word => name = Some(word),
            },
            TokenTree::Ident(_) | TokenTree::Group(_) | TokenTree::Literal(_) => {}
        }
        before = this;
    }
    name.unwrap_or_else(|| "impl".to_owned())
}

fn end_of(group: &Group) -> Place {
    let end = group.span_close().end();
    (end.line as u32, end.column as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    fn frame(line: u32, column: Option<u32>, function: &str) -> Frame<'_> {
        Frame {
            line,
            column,
            function: Cow::Borrowed(function),
        }
    }

    /// Returns the name of the function at each line that has one.
    fn names(text: &str) -> Vec<(u32, String)> {
        let functions = SourceFunctions::of_rust(text);
        let lines = 1..=text.lines().count() as u32;
        let named = lines.filter_map(|line| {
            let index = functions.innermost((line, u32::MAX))?;
            Some((line, functions.items[index].name.clone()))
        });
        named.collect()
    }

    #[test]
    fn functions_are_found_in_each_other_in_types_and_in_macros() {
        let text = "pub fn solve<const N: usize>(a: [u8; N]) -> impl Iterator<Item = u8>
where Of<{ N }>: Sized, {
    fn step(x: u8) -> u8 {
        x
    }
    a.map(|x| {
        step(x)
    })
}
impl<T: Fn(u8) -> u8> std::ops::Add<Grid<T>> for &Grid<T> where T: Copy {
    fn add(self) {
    }
}
impl Grid<u8> { fn new() -> Self {
    loop {}
} }
trait Way { fn none(&self); fn go(&self) {
    let f: fn(u8) -> u8 = step;
} }
mod inner { pub mod r#in { pub unsafe extern \"C\" fn f() {
} } }
macro_rules! make { ($n:ident) => { fn $n() {} fn made() {
} } }
const NONE: u8 = 0;
";
        let expected = [
            (1, "solve"),
            (2, "solve"),
            (3, "step"),
            (4, "step"),
            (5, "step"),
            (6, "solve"),
            (7, "solve"),
            (8, "solve"),
            (9, "solve"),
            (11, "Grid::add"),
            (12, "Grid::add"),
            (14, "Grid::new"),
            (15, "Grid::new"),
            (16, "Grid::new"),
            (17, "Way::go"),
            (18, "Way::go"),
            (19, "Way::go"),
            (20, "inner::r#in::f"),
            (21, "inner::r#in::f"),
            (22, "made"),
            (23, "made"),
        ];
        assert_eq!(
            names(text),
            expected.map(|(line, name)| (line, name.to_owned()))
        );
    }

    #[test]
    fn columns_tell_functions_of_one_line_apart() {
        let mut functions =
            SourceFunctions::of_rust("fn a() { b() } fn b() { 1 } const C: u8 = 2;");
        let names: Vec<u32> = [10, 25, 42, 12]
            .map(|column| functions.number_of(&frame(1, Some(column), "")))
            .to_vec();
        assert_eq!(names, [0, 1, 2, 0]);
        let list = functions.into_list();
        let names: Vec<&str> = list.iter().map(|one| &*one.name).collect();
        assert_eq!(names, ["a", "b", ""]);
    }

    #[test]
    fn the_compilers_functions_reach_as_far_as_they_have_code() {
        let mut functions = SourceFunctions::by_compiler();
        for (line, name) in [(7, "relax"), (3, "solve"), (9, "relax"), (4, "")] {
            functions.number_of(&frame(line, None, name));
        }
        let list = functions.into_list();
        let told: Vec<(&str, u32, u32)> = list
            .iter()
            .map(|one| (&*one.name, one.first, one.last))
            .collect();
        assert_eq!(told, [("relax", 7, 9), ("solve", 3, 3), ("", 4, 4)]);
    }

    #[test]
    fn what_is_no_rust_has_no_functions_and_deep_blocks_end_the_search() {
        assert!(names("fn a( {").is_empty());
        let deep = format!("fn a() {{ {}{} }}", "{".repeat(5_000), "}".repeat(5_000));
        assert_eq!(names(&deep), [(1, "a".to_owned())]);
        let many: String = (0..20_000)
            .map(|one| format!("fn f{one}() {{}}\n"))
            .collect();
        let found = names(&many);
        assert_eq!(found.len(), 20_000);
        assert_eq!(found[19_999].1, "f19999");
    }
}
