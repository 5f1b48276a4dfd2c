//! Sources in Zig: built behind the fence, checked and measured as those in Rust and C.

use super::{Files, TYPES_WIT, TYPES_WORKLOAD, has, sums};
use crate::support::run_bakeoff;
use bakeoff_domain::language::Language;
use std::fs;

const SUM: &str = "const c = @import(\"prototype\");
export fn exports_prototype_sum(values: *c.prototype_list_s64_t) i64 {
    var sum: i64 = 0;
    for (values.ptr[0..values.len]) |value| sum +%= value;
    return sum;
}";

#[test]
fn a_source_in_zig_is_checked_and_says_where_it_does_not_compile() {
    if !has(Language::Zig) {
        return;
    }
    let files = sums();
    let output = files.check("sum.zig", SUM, "sum");
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    for (source, why) in [
        (
            SUM.replace("return sum;", "return summ;"),
            "sum.zig:5:12: error: use of undeclared identifier 'summ'",
        ),
        (
            SUM.replace("_sum(", "_total("),
            "does not define what the interface asks for",
        ),
        (
            SUM.replace("return sum;", "if (sum != 0) @trap(); return sum;"),
            "unreachable",
        ),
        (
            SUM.replace("return sum;", "if (sum != 0) @panic(\"no\"); return sum;"),
            "unreachable",
        ),
        (SUM.replace("return sum;", "return sum + 1;"), "the sum is"),
    ] {
        let said = files.refused("sum.zig", &source);
        assert!(said.contains(why), "{why}: {said}");
    }
}

#[test]
fn empty_slices_of_zig_are_empty_lists_of_an_answer() {
    if !has(Language::Zig) {
        return;
    }
    let files = Files::new(
        "package a:b;
world prototype { export split: func(n: u32) -> list<tuple<string, list<u64>>>; }
world workload {
  export generate: func(size: u32, seed: u64) -> u32;
  export check: func(n: u32, answer: list<tuple<string, list<u64>>>) -> result<_, string>;
}",
        "pub fn generate(_size: u32, _seed: u64) -> u32 { 3 }
pub fn check(n: u32, answer: Vec<(String, Vec<u64>)>) -> Result<(), String> {
    let wanted: Vec<(String, Vec<u64>)> = (0..n).map(|i| (\"a\".repeat(i as usize), vec![7; i as usize])).collect();
    if answer == wanted { Ok(()) } else { Err(format!(\"{answer:?}\")) }
}",
    );
    let source = "const std = @import(\"std\");
const c = @import(\"prototype\");
const heap = std.heap.c_allocator;
export fn exports_prototype_split(n: u32, ret: *c.prototype_list_tuple2_string_list_u64_t) void {
    const all = heap.alloc(c.prototype_tuple2_string_list_u64_t, n) catch @panic(\"no memory\");
    for (all, 0..) |*one, i| {
        const text = heap.alloc(u8, i) catch @panic(\"no memory\");
        @memset(text, 'a');
        const numbers = heap.alloc(u64, i) catch @panic(\"no memory\");
        @memset(numbers, 7);
        one.* = .{ .f0 = .of(text), .f1 = .of(numbers) };
    }
    ret.* = .of(all);
}";
    let output = files.check("split.zig", source, "split");
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let none = source.replace("ret.* = .of(all)", "ret.* = .of(all[0..0])");
    let output = files.check("split.zig", &none, "split");
    let said = format!("{}{}", output.stdout, output.stderr);
    assert!(
        said.contains("[]") && !said.contains("out of bounds"),
        "{said}"
    );
}

#[test]
fn what_the_standard_library_of_zig_has_is_linked() {
    if !has(Language::Zig) {
        return;
    }
    let files = sums();
    let source = "const std = @import(\"std\");
const c = @import(\"prototype\");
const heap = std.heap.c_allocator;
fn total(values: []const i64) !i64 {
    const sorted = try heap.dupe(i64, values);
    defer heap.free(sorted);
    std.mem.sort(i64, sorted, {}, std.sort.asc(i64));
    var seen = std.AutoHashMap(i64, usize).init(heap);
    defer seen.deinit();
    for (sorted) |value| {
        const entry = try seen.getOrPut(value);
        entry.value_ptr.* = if (entry.found_existing) entry.value_ptr.* + 1 else 1;
    }
    var sum: i64 = 0;
    var entries = seen.iterator();
    while (entries.next()) |entry| {
        var text: [64]u8 = undefined;
        const shown = try std.fmt.bufPrint(&text, \"{d}\", .{entry.key_ptr.*});
        sum += try std.fmt.parseInt(i64, shown, 10) * @as(i64, @intCast(entry.value_ptr.*));
    }
    return sum;
}
export fn exports_prototype_sum(values: *c.prototype_list_s64_t) i64 {
    defer c.prototype_list_s64_free(values);
    return total(values.ptr[0..values.len]) catch @panic(\"no memory\");
}";
    let output = files.check("sum.zig", source, "sum");
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
}

#[test]
fn values_of_all_kinds_go_there_and_back_in_zig() {
    if !has(Language::Zig) {
        return;
    }
    let files = Files::new(TYPES_WIT, TYPES_WORKLOAD);
    let source = "const c = @import(\"prototype\");
export fn exports_prototype_turn(pt: *c.prototype_pt_t, side: c.prototype_side_t, shape: *c.prototype_shape_t, perms: c.prototype_perms_t,
    maybe: ?*u32, grid: *c.prototype_list_list_u8_t, ret: *c.prototype_tuple6_pt_side_shape_perms_option_char32_list_list_u8_t,
    err: *c.prototype_string_t) bool {
    _ = err;
    ret.f0 = pt.*;
    ret.f1 = side;
    ret.f2 = shape.*;
    ret.f3 = perms;
    ret.f4 = .{ .is_some = maybe != null, .val = if (maybe) |char| char.* else 0 };
    ret.f5 = grid.*;
    return true;
}";
    let output = files.check("turn.zig", source, "turn");
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
}

#[test]
fn the_module_that_a_source_in_zig_imports_is_printed() {
    let files = sums();
    let wit = files.0.path().join("p.wit").display().to_string();
    let output = run_bakeoff(&["header", &wit, "--call", "sum", "--zig"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(
        output
            .stdout
            .contains("pub extern fn exports_prototype_sum(values: *prototype_list_s64_t) i64;"),
        "{}",
        output.stdout
    );
}

#[test]
fn case_277_a_source_in_zig_reads_no_file_of_the_host_and_hurts_itself_alone() {
    if !has(Language::Zig) {
        return;
    }
    let files = sums();
    let secret = files.0.path().join("secret.zig");
    fs::write(&secret, "comptime { @compileError(\"s3cr3t\"); }\n").unwrap();
    let secret = secret.display().to_string();
    let outside = "outside package path";
    let cases = [
        (format!("comptime {{ @compileLog(@embedFile(\"/etc/passwd\")); }}\n{SUM}"), outside),
        (format!("comptime {{ @compileLog(@embedFile(\"../../../../../etc/passwd\")); }}\n{SUM}"), outside),
        (format!("comptime {{ @compileLog(@embedFile(\"/proc/self/environ\")); }}\n{SUM}"), outside),
        (format!("comptime {{ _ = @import(\"{secret}\"); }}\n{SUM}"), "error"),
        (format!("comptime {{ asm (\".incbin \\\"/etc/passwd\\\"\"); }}\n{SUM}"), "incbin"),
        (format!("const h = @cImport(@cInclude(\"/etc/passwd\"));\ncomptime {{ _ = h; }}\n{SUM}"), "@cImport"),
        // Names that a linker might take for more than names, and functions of a system.
        (format!("export const kept: i64 linksection(\"../../x\") = 5;\n{SUM}"), "a section that is named"),
        (
            format!("comptime {{ @export(&kept, .{{ .name = \"@/etc/passwd\" }}); }} const kept: i64 = 5;\n{SUM}"),
            "a symbol that is named",
        ),
        (format!("export fn cabi_realloc() void {{}}\n{SUM}"), "defines `cabi_realloc`, which the bindings define"),
        (
            format!(
                "extern \"wasi_snapshot_preview1\" fn path_open(i32) i32;\n{}",
                SUM.replace("return sum;", "return sum + path_open(1);")
            ),
            "need a system (path_open)",
        ),
        (
            SUM.replace("return sum;", "@import(\"std\").debug.print(\"{d}\", .{sum}); return sum;"),
            "std.debug.print",
        ),
        // While it is compiled, without a bound.
        (
            format!("fn deep(comptime n: usize) usize {{ return deep(n + 1); }}\ncomptime {{ _ = deep(0); }}\n{SUM}"),
            "backwards branches",
        ),
        (format!("export var big: [3_000_000_000]u8 = @splat(1);\n{SUM}"), "sum.zig"),
        // While it runs.
        (
            format!(
                "fn deep(n: i64) i64 {{
    var kept: [64]i64 = undefined;
    const place: *volatile [64]i64 = &kept;
    place[0] = n;
    return if (place[0] < 0) 0 else deep(n + 1) + place[0];
}}\n{}",
                SUM.replace("return sum;", "return deep(sum);")
            ),
            "stack-limit",
        ),
        (
            SUM.replace(
                "return sum;",
                "while (true) { _ = @import(\"std\").heap.c_allocator.alloc(u8, 1 << 20) catch @trap(); }",
            ),
            "memory-limit",
        ),
    ];
    for (source, why) in cases {
        let said = files.refused("sum.zig", &source);
        assert!(said.contains(why), "{why}: {said}");
        let leaks = ["root:", "s3cr3t", "PATH="];
        assert!(leaks.iter().all(|leak| !said.contains(leak)), "{said}");
    }
}
