use super::*;
use wasmparser::Validator;

/// A component with a function that takes one of two ways, beside a part of its own that has no memory.
fn component() -> Vec<u8> {
    let text = "(component
        (core module $no-memory (func (export \"g\")))
        (core module $m
          (memory (export \"memory\") 1)
          (func $unused (drop (i32.const 1)))
          (func (export \"f\") (param i32) (result i32)
            local.get 0
            if (result i32) i32.const 1 else i32.const 2 end
            block local.get 0 br_if 0 nop end))
        (core instance (instantiate $no-memory))
        (core instance $i (instantiate $m))
        (type $t (func (param \"a\" u32) (result u32)))
        (alias core export $i \"f\" (core func $f))
        (func $lifted (type $t) (canon lift (core func $f)))
        (export \"f\" (func $lifted)))";
    wat::parse_str(text).unwrap()
}

#[test]
fn each_way_has_a_point_and_the_component_stays_valid() {
    let (component, map) = with_marks(&component(), &[]).unwrap();
    // Two functions, two ways, and the piece that a jump may leave out. Behind the last `end` there is nothing.
    assert_eq!(map.points, 6);
    assert!(map.lines.is_empty());
    Validator::new().validate_all(&component).unwrap();
}

#[test]
fn a_component_without_code_that_can_be_marked_is_refused_with_the_reason() {
    let bare = wat::parse_str("(component (core module (func)))").unwrap();
    let why = with_marks(&bare, &[]).err().unwrap();
    assert!(why.contains("no code"), "{why}");
    assert!(with_marks(b"no component", &[]).is_err());
}
