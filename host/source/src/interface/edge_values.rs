//! Edge values of numbers: the smallest and largest, their neighbours, and those around 0.

use super::literal::{Literal, wholes};
use super::shape::Shape;

/// Number of edge values of a type.
pub const EDGE_VALUES: usize = 7;

/// Returns the edge values of the type of a number; `None` for any other type.
pub fn edge_values(shape: &Shape) -> Option<[Literal; EDGE_VALUES]> {
    match shape {
        Shape::Plain(name) if name == "f32" => Some(floats("3.4028235e+38")),
        Shape::Plain(name) if name == "f64" => Some(floats("1.7976931348623157e+308")),
        Shape::Plain(name) => {
            let (low, high) = wholes(name)?.into_inner();
            let middle = high / 2;
            let numbers = if low < 0 {
                [low, low + 1, -1, 0, 1, high - 1, high]
            } else {
                [0, 1, 2, middle, middle + 1, high - 1, high]
            };
            Some(numbers.map(Literal::Whole))
        }
        Shape::Any(_) => edge_values(&Shape::plain("s64")),
        Shape::Wide(is_signed) => Some(wide(*is_signed)),
        _ => None,
    }
}

fn floats(largest: &str) -> [Literal; EDGE_VALUES] {
    ["-inf", "-1", "0", "1", largest, "inf", "nan"].map(|text| Literal::Float(text.to_owned()))
}

/// Returns those of a number of 128 bits, by its halves.
fn wide(is_signed: bool) -> [Literal; EDGE_VALUES] {
    let (low, high) = (i128::from(i64::MIN), i128::from(i64::MAX));
    let all = i128::from(u64::MAX);
    let halves = if is_signed {
        [
            (low, 0),
            (low, 1),
            (-1, all),
            (0, 0),
            (0, 1),
            (high, all - 1),
            (high, all),
        ]
    } else {
        [
            (0, 0),
            (0, 1),
            (0, all),
            (1, 0),
            (high, all),
            (all, all - 1),
            (all, all),
        ]
    };
    halves
        .map(|(higher, lower)| Literal::Tuple(vec![Literal::Whole(higher), Literal::Whole(lower)]))
}

#[cfg(test)]
mod tests {
    use super::super::literal::{read_literals, written_call};
    use super::*;

    #[test]
    fn numbers_have_edge_values_that_are_of_their_types() {
        let written = |shape: &Shape| {
            let values = edge_values(shape).unwrap();
            let written = written_call("", &values);
            let text = written.trim_start_matches('(').trim_end_matches(')');
            let shapes = [shape; EDGE_VALUES];
            let read = read_literals(&written[1..written.len() - 1], &shapes);
            assert_eq!(read.as_deref(), Some(&values[..]), "{written}");
            text.to_owned()
        };
        assert_eq!(
            written(&Shape::plain("s8")),
            "-128, -127, -1, 0, 1, 126, 127"
        );
        assert_eq!(written(&Shape::plain("u8")), "0, 1, 2, 127, 128, 254, 255");
        let all = ["u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"].map(Shape::plain);
        let more = [
            Shape::Any("T".to_owned()),
            Shape::Wide(true),
            Shape::Wide(false),
        ];
        for shape in all.iter().chain(&more) {
            written(shape);
        }
        for other in ["bool", "char", "string"] {
            assert_eq!(edge_values(&Shape::plain(other)), None, "{other}");
        }
        assert_eq!(edge_values(&Shape::list(Shape::plain("u8"))), None);
    }
}
