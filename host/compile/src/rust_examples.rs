//! Calls of a file's functions that its author wrote: in examples of its documentation, and in its tests.

use super::rust_function::nested_deeply;
use super::rust_tables::{split, table};
use super::rust_values::{Bindings, Fields, TokenBudget, Values};
use bakeoff_source::interface::{PublicFunction, written_call};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The most calls of one function that are kept.
const CALLS_MAX: usize = 32;

/// The most calls that are looked at, of all functions.
const LOOKED_AT_MAX: usize = 2_000;

/// The longest arguments of a call, in bytes of WAVE.
const ARGUMENTS_BYTES_MAX: usize = 4_096;

/// The most bytes of all calls that are kept.
const BYTES_MAX: usize = 128 << 10;

/// The most work of the search for calls, in tokens.
const TOKENS_MAX: usize = 4_000_000;

/// The most names that stand for a value at one place.
const BINDINGS_MAX: usize = 64;

/// The most tokens of a value that a name stands for.
const BOUND_TOKENS_MAX: usize = 256;

/// The most bytes of examples in documentation that are read, in all.
const DOCUMENTATION_BYTES_MAX: usize = 256 << 10;

/// The deepest brackets that are followed.
const DEPTH_MAX: usize = 200;

/// Finds the calls of public functions in a file that can be parsed, as far as their arguments are written out,
/// and adds them to the functions.
pub(super) fn add_examples(text: &str, functions: &mut [PublicFunction]) {
    // Macros may contain anything, and a parser of the file does not look into them.
    if nested_deeply(text) {
        return;
    }
    let (Ok(tokens), Ok(file)) = (text.parse::<TokenStream>(), syn::parse_file(text)) else {
        return;
    };
    let mut finder = Finder {
        fields: fields(&file),
        functions,
        left: LOOKED_AT_MAX,
        bytes_left: BYTES_MAX,
        budget: TokenBudget::new(TOKENS_MAX),
    };
    for block in documented(&file) {
        // A block that is no Rust is skipped.
        if !nested_deeply(&block)
            && let Ok(tokens) = block.parse::<TokenStream>()
        {
            finder.look(tokens, true, Bindings::new(), 0);
        }
    }
    finder.look(tokens, false, Bindings::new(), 0);
}

/// Returns the names of the fields of all structs.
fn fields(file: &syn::File) -> Fields {
    let structs = file.items.iter().filter_map(|item| match item {
        syn::Item::Struct(item) => Some(item),
        _ => None,
    });
    let named = structs.map(|item| {
        let fields = item.fields.iter();
        let fields = fields.filter_map(|field| Some(field.ident.as_ref()?.to_string()));
        (item.ident.to_string(), fields.collect())
    });
    named.collect()
}

/// Returns the blocks of code in the documentation of a file and its functions.
fn documented(file: &syn::File) -> Vec<String> {
    let functions = file.items.iter().filter_map(|item| match item {
        syn::Item::Fn(item) => Some(&item.attrs),
        _ => None,
    });
    let mut blocks = Vec::new();
    let mut left = DOCUMENTATION_BYTES_MAX;
    for attributes in std::iter::once(&file.attrs).chain(functions) {
        let mut block: Option<String> = None;
        let lines: Vec<String> = attributes.iter().filter_map(documentation).collect();
        for line in lines.iter().flat_map(|text| text.lines()) {
            if left < line.len() {
                return blocks;
            }
            left -= line.len();
            let line = line.trim();
            match (line.starts_with("```"), block.take()) {
                (true, Some(done)) => blocks.push(done),
                (true, None) => block = Some(String::new()),
                (false, Some(mut code)) => {
                    // A line that documentation does not show.
                    code.push_str(line.strip_prefix("# ").unwrap_or(line));
                    code.push('\n');
                    block = Some(code);
                }
                // An assertion beside the text.
                (false, None) if line.contains("assert") => {
                    blocks.push(line.trim_matches('`').to_owned());
                }
                (false, None) => {}
            }
        }
    }
    blocks
}

/// Returns the text of `/// …`, or of `#[doc = "…"]`.
fn documentation(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    match &pair.value {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) if pair.path.is_ident("doc") => Some(text.value()),
        _ => None,
    }
}

/// A search for calls.
struct Finder<'a> {
    functions: &'a mut [PublicFunction],
    fields: Fields,
    left: usize,
    bytes_left: usize,
    budget: TokenBudget,
}

impl Finder<'_> {
    /// Looks for calls in tokens: in tests only, or everywhere if `counts` is true.
    fn look(&mut self, tokens: TokenStream, counts: bool, mut bindings: Bindings, depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut is_test = false;
        for (place, token) in tokens.iter().enumerate() {
            // Names are copied for what stands in brackets.
            if !self.budget.spend(1 + bindings.len()) {
                return;
            }
            let before = place.checked_sub(1).and_then(|before| tokens.get(before));
            match token {
                TokenTree::Group(group) if is_attribute(before, group) => {
                    is_test |= is_of_tests(group);
                }
                TokenTree::Group(group) => {
                    let name = before.filter(|_| group.delimiter() == Delimiter::Parenthesis);
                    let caller = place.checked_sub(2).and_then(|place| tokens.get(place));
                    if counts && let Some(TokenTree::Ident(name)) = name {
                        self.call(&name.to_string(), caller, group, &bindings);
                    }
                    let counts = counts || is_test;
                    self.look(group.stream(), counts, bindings.clone(), depth + 1);
                    if group.delimiter() == Delimiter::Brace {
                        is_test = false;
                    }
                }
                TokenTree::Ident(word) if counts && word == "let" => {
                    let rest = &tokens[place + 1..];
                    let rest = &rest[..rest.len().min(BOUND_TOKENS_MAX)];
                    if bindings.len() < BINDINGS_MAX
                        && self.budget.spend(rest.len())
                        && let Some((name, value)) = binding(rest)
                    {
                        bindings.insert(name, value);
                    }
                }
                TokenTree::Ident(word) if counts && word == "for" => {
                    let rest = &tokens[place + 1..];
                    let rest = &rest[..rest.len().min(BOUND_TOKENS_MAX)];
                    if self.budget.spend(rest.len())
                        && let Some(table) = table(rest, &bindings)
                    {
                        for row in table.rows {
                            let mut bindings = bindings.clone();
                            bindings.extend(row);
                            self.look(table.body.clone(), true, bindings, depth + 1);
                        }
                    }
                }
                // `mod tests;` and the like.
                TokenTree::Punct(punct) if punct.as_char() == ';' => is_test = false,
                _ => {}
            }
        }
    }

    /// Keeps a call if a public function is called.
    fn call(
        &mut self,
        name: &str,
        before: Option<&TokenTree>,
        arguments: &Group,
        bindings: &Bindings,
    ) {
        let is_other = match before {
            Some(TokenTree::Punct(punct)) => punct.as_char() == '.',
            Some(TokenTree::Ident(word)) => word == "fn",
            _ => false,
        };
        let mut functions = self.functions.iter_mut();
        let Some(function) = functions.find(|function| function.name == name && !is_other) else {
            return;
        };
        let Ok(signature) = &function.signature else {
            return;
        };
        if function.examples.len() == CALLS_MAX || self.left == 0 {
            return;
        }
        self.left -= 1;
        let given = split(arguments.stream());
        if given.len() != signature.parameters.len() {
            return;
        }
        let mut values = Values::new(bindings, &self.fields, &mut self.budget);
        let given = given.into_iter().zip(&signature.parameters);
        let read = given.map(|(tokens, (_, shape))| values.read(tokens, shape));
        let Some(read) = read.collect::<Option<Vec<_>>>() else {
            return;
        };
        let call = written_call("", &read);
        let inner = call
            .strip_prefix('(')
            .and_then(|call| call.strip_suffix(')'));
        let Some(inner) = inner.filter(|inner| inner.len() <= ARGUMENTS_BYTES_MAX) else {
            return;
        };
        let is_new = !function.examples.iter().any(|known| known == inner);
        if is_new && inner.len() <= self.bytes_left {
            self.bytes_left -= inner.len();
            function.examples.push(inner.to_owned());
        }
    }
}

/// Returns true for the brackets in `#[…]` and `#![…]`.
fn is_attribute(before: Option<&TokenTree>, group: &Group) -> bool {
    let mark = matches!(before, Some(TokenTree::Punct(punct)) if "#!".contains(punct.as_char()));
    mark && group.delimiter() == Delimiter::Bracket
}

/// Returns true for `#[test]` and `#[cfg(test)]`.
fn is_of_tests(attribute: &Group) -> bool {
    let text: String = attribute.stream().to_string();
    let text: String = text.split_whitespace().collect();
    text == "test" || text == "cfg(test)"
}

/// Returns the name and the value from the tokens after `let`, if both are there.
fn binding(tokens: &[TokenTree]) -> Option<(String, TokenStream)> {
    let is_mutable = matches!(tokens.first()?, TokenTree::Ident(word) if word == "mut");
    let tokens = &tokens[usize::from(is_mutable)..];
    let TokenTree::Ident(name) = tokens.first()? else {
        return None;
    };
    let is = |mark: char| move |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark);
    let end = tokens.iter().position(is(';'))?;
    let equals = tokens[..end].iter().position(is('='))?;
    let value = tokens[equals + 1..end].iter().cloned();
    Some((name.to_string(), value.collect()))
}

#[cfg(test)]
mod tests {
    use super::super::rust_function::public_functions;
    use super::*;

    /// The examples of the first public function of a file.
    fn examples(text: &str) -> Vec<String> {
        let mut functions = public_functions(text).unwrap();
        add_examples(text, &mut functions);
        functions.swap_remove(0).examples
    }

    #[test]
    fn examples_of_documentation_and_tests_are_found() {
        let found = examples(
            r#"
            /// Counts.
            /// ```
            /// # use this::f;
            /// assert_eq!(f("a b", &[1, -2], Some(3)), 3);
            /// let text = String::from("é\n"); assert!(f(&text, &vec![7; 3][..], None) > 0);
            /// ```
            /// assert_eq!(f("beside", &[], None), 0)
            pub fn f(text: &str, items: &[i64], most: Option<usize>) -> usize { f("no example", &[], None) }
            #[cfg(test)]
            mod tests {
                use super::*;
                #[test]
                fn works() {
                    let mut items: Vec<i64> = (1..=3).collect();
                    let other = "x".to_string();
                    assert_eq!(super::f(&other, &items, None), 1);
                    assert_eq!(f("x", &[i64::MAX], Some(usize::MAX)), 1);
                    assert_eq!(f("x", &unknown, None), made().f("x", &[], None));
                }
            }"#,
        );
        assert_eq!(
            found,
            [
                r#""a b", [1, -2], some(3)"#,
                r#""é\n", [7, 7, 7], none"#,
                r#""beside", [], none"#,
                r#""x", [1, 2, 3], none"#,
                r#""x", [9223372036854775807], some(4294967295)"#,
            ]
        );
    }

    #[test]
    fn rows_of_tables_in_tests_are_examples() {
        let found = examples(
            r#"pub fn f(text: &str, most: u32) -> usize { 0 }
            #[test] fn t() {
                for (text, most, expected) in [("a", 1, 2), ("b", 2, 4)] { assert_eq!(f(text, most), expected); }
                let cases = vec![("c", 5), ("d", 6)];
                for &(text, most) in cases.iter() { f(text, most); }
                for most in &[7, 8] { f("e", *most); }
                for (a, b) in pairs() { f(a, b); }
                for text in text.split(' ') { f(text, 9); }
            }"#,
        );
        let expected = ["a", "b", "c", "d", "e", "e"]
            .into_iter()
            .zip([1, 2, 5, 6, 7, 8]);
        let expected: Vec<String> = expected
            .map(|(text, most)| format!("{text:?}, {most}"))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn structs_bytes_and_floats_are_read_by_their_shape() {
        let found = examples(
            r#"pub struct Point { pub x: f64, pub y: f64 }
            pub fn f(a: Point, b: &[u8], c: (char, bool)) -> usize { 0 }
            #[test] fn t() {
                f(Point { y: -2.5, x: f64::INFINITY }, b"ab", ('c', true));
                f(Point { x: 1., y: 2e300 }, "é".as_bytes(), ('\'', false));
                f(Point { x: 1.0, ..p }, &[], ('a', true));
            }"#,
        );
        assert_eq!(
            found,
            [
                "(inf, -2.5), [97, 98], ('c', true)",
                r"(1.0, 2e300), [195, 169], ('\'', false)",
            ]
        );
    }

    #[test]
    fn what_is_large_or_refers_to_itself_is_left_out() {
        let deep = format!(
            "/// ```\n/// f({}1{})\n/// ```",
            "(".repeat(100),
            ")".repeat(100)
        );
        let calls: String = (0..500).map(|item| format!("f(&[{item}]);")).collect();
        let text = format!(
            "{deep}\npub fn f(items: &[u32]) {{ }}
            pub fn g(items: &[Vec<Vec<u32>>]) -> u32 {{ 0 }}
            #[test] fn t() {{ let a = a; f(a); f(&[1; 1_000_000_000]); f(&(0..1_000_000_000).collect::<Vec<_>>());
                let b = [[1; 1_000]; 1_000]; let c = [b, b]; g(&[c, c]); {calls} }}"
        );
        let text = text.replace(
            "pub fn f(items: &[u32]) {",
            "pub fn f(items: &[u32]) -> u32 { 0 ",
        );
        let found = examples(&text);
        assert_eq!(found.len(), CALLS_MAX);
        assert_eq!(found[0], "[0]");
    }

    #[test]
    fn what_would_take_a_parser_long_or_its_stack_is_left_out() {
        let file = |body: &str| {
            format!(
                "pub fn f(items: &[u32]) -> u32 {{ 0 }} #[test] fn t() {{ m!{{ {body} f(&[7]); }} }}"
            )
        };
        // A macro holds what no parser of the file looks into.
        for within in [
            format!("f(x{});", ".a()".repeat(200_000)),
            format!("f({}0);", "return ".repeat(200_000)),
            format!("f({}0);", "|| ".repeat(200_000)),
            "let ".repeat(200_000),
            "let a = 1; (".repeat(190) + &")".repeat(190),
            format!("let a = [{}];", "b, ".repeat(60))
                + &format!("let b = [{}];", "a, ".repeat(60)),
            format!(
                "let a = [{}]; {}",
                "1, ".repeat(100),
                "f(&a); f([a, a, a]); ".repeat(20_000)
            ),
        ] {
            let found = examples(&file(&within));
            assert!(found.len() <= 2, "{found:?}");
        }
        assert_eq!(examples(&file("")), ["[7]"]);
        let deep = format!("f({}0{});", "[".repeat(1_000), "]".repeat(1_000));
        assert_eq!(
            examples(&format!(
                "pub fn f(items: &[u32]) -> u32 {{ 0 }} m!{{ {deep} }}"
            )),
            [""; 0]
        );
    }
}
