use super::*;
use wasmparser::Validator;

fn counted(functions: &str) -> (Vec<u8>, FuelMap) {
    let text = format!(
        "(component
          (core module $m (memory (export \"memory\") 1) {functions})
          (core instance $i (instantiate $m)))"
    );
    let component = wat::parse_str(text).unwrap();
    let (counted, map) = with_counters(&component, &[], SourceFunctions::by_compiler()).unwrap();
    Validator::new().validate_all(&counted).unwrap();
    assert!(map.functions.is_empty());
    (counted, map)
}

/// Returns the units of fuel at each point.
fn units_by_point(map: &FuelMap) -> Vec<u32> {
    let mut units = vec![0; map.points as usize];
    for piece in &map.pieces {
        units[piece.point as usize] += piece.units;
    }
    units
}

#[test]
fn a_loop_has_a_counter_of_its_own_with_the_fuel_of_a_turn() {
    let (_, map) = counted(
        "(func (export \"f\") (param i32) (result i32) (local i32)
          loop
            local.get 1 local.get 0 i32.add local.set 1
            local.get 0 i32.const 1 i32.sub local.tee 0
            br_if 0
          end
          local.get 1)",
    );
    // The beginning of the function, a turn, and what follows.
    assert_eq!(units_by_point(&map), [1, 9, 1]);
    assert_eq!(map.by_function(&[1, 1_000, 1]).fuel, 9_002);
}

#[test]
fn each_way_has_its_own_fuel_and_what_is_never_reached_is_in_no_other_piece() {
    let (_, map) = counted(
        "(func (export \"f\") (param i32) (result i32)
          local.get 0
          if (result i32) i32.const 1 else i32.const 2 i32.const 3 i32.add end
          local.get 0 br_if 0
          return
          i32.const 9 drop)
         (func (export \"empty\"))",
    );
    // With the beginning of the function: two for the condition, one way of one, one of three, and two behind them;
    // then a return that is free, what is behind it, and an empty function.
    assert_eq!(units_by_point(&map), [3, 1, 3, 2, 1, 1]);
}

#[test]
fn work_by_length_is_counted_by_its_length() {
    let (_, map) = counted(
        "(func (export \"f\") (param i32)
          i32.const 0 i32.const 8 local.get 0 memory.copy
          i32.const 0 i32.const 0 local.get 0 memory.fill)",
    );
    // The three operands and the operator itself, a unit for each byte, and the same again.
    assert_eq!(units_by_point(&map), [5, 1, 4, 1]);
    assert_eq!(map.by_function(&[1, 300, 1, 70]).fuel, 379);
}

#[test]
fn a_component_without_code_that_can_be_counted_is_refused_with_the_reason() {
    let bare = wat::parse_str("(component (core module (func)))").unwrap();
    let why = with_counters(&bare, &[], SourceFunctions::by_compiler());
    assert!(why.err().unwrap().contains("no code"));
}
