//! Components that no compiler makes, encoded here.

use super::batch::{WIT, World};
use std::fs;
use wasm_encoder::{
    Alias, CodeSection, Component, ComponentAliasSection, ComponentExportKind,
    ComponentExportSection, ComponentInstanceSection, ComponentSectionId, ConstExpr, ExportKind,
    ExportSection, Function, FunctionSection, GlobalSection, GlobalType, InstanceSection,
    InstructionSink, MemorySection, MemoryType, Module, ModuleArg, ModuleSection,
    NestedComponentSection, RawSection, RefType, StartSection, TableSection, TableType,
    TypeSection, ValType,
};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// Bytes of a page of memory.
const PAGE_BYTES: u64 = 1 << 16;

/// A core module that answers every list with an empty one, and what else it does.
#[derive(Default)]
pub(super) struct Answerer {
    /// Before anything is called.
    pub(super) start: Option<fn(&mut InstructionSink<'_>)>,
    /// Where memory for arguments is asked for.
    pub(super) realloc: Option<fn(&mut InstructionSink<'_>)>,
    /// At each call, before the answer.
    pub(super) call: Option<fn(&mut InstructionSink<'_>)>,
    /// After the answer has been read.
    pub(super) post_return: Option<fn(&mut InstructionSink<'_>)>,
    /// A table of so many elements, without a largest size.
    pub(super) table: Option<u64>,
}

impl Answerer {
    /// As a component of the batches' interface.
    pub(super) fn component(&self) -> Vec<u8> {
        of_module(self.module(), WIT)
    }

    fn module(&self) -> Vec<u8> {
        let mut types = TypeSection::new();
        let i32s = |count: usize| vec![ValType::I32; count];
        types.ty().function(i32s(4), i32s(1));
        types.ty().function(i32s(3), i32s(1));
        types.ty().function([], []);
        types.ty().function(i32s(1), []);
        let mut functions = FunctionSection::new();
        functions.function(0).function(1).function(2).function(3);
        let mut tables = TableSection::new();
        if let Some(minimum) = self.table {
            tables.table(TableType {
                element_type: RefType::FUNCREF,
                table64: false,
                minimum,
                maximum: None,
                shared: false,
            });
        }
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: 64,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let mut exports = ExportSection::new();
        exports.export("memory", ExportKind::Memory, 0);
        exports.export("cabi_realloc", ExportKind::Func, 0);
        exports.export("top-k", ExportKind::Func, 1);
        if self.post_return.is_some() {
            exports.export("cabi_post_top-k", ExportKind::Func, 3);
        }
        let mut code = CodeSection::new();
        // Every argument is put at the same place; the answer's pointer and length are zeros.
        for (act, result) in [
            (self.realloc, Some(1024)),
            (self.call, Some(16)),
            (self.start, None),
            (self.post_return, None),
        ] {
            code.function(&body(|sink| {
                if let Some(act) = act {
                    act(sink);
                }
                if let Some(result) = result {
                    sink.i32_const(result);
                }
            }));
        }
        let mut module = Module::new();
        module.section(&types).section(&functions);
        if self.table.is_some() {
            module.section(&tables);
        }
        module.section(&memories).section(&exports);
        if self.start.is_some() {
            module.section(&StartSection { function_index: 2 });
        }
        module.section(&code);
        module.finish()
    }
}

fn body(write: impl FnOnce(&mut InstructionSink<'_>)) -> Function {
    let mut body = Function::new([]);
    let mut sink = body.instructions();
    write(&mut sink);
    sink.end();
    body
}

/// Goes round for ever.
pub(super) fn looping(sink: &mut InstructionSink<'_>) {
    sink.loop_(wasm_encoder::BlockType::Empty).br(0).end();
}

/// Counts up to a number in unused memory.
pub(super) fn counting(sink: &mut InstructionSink<'_>, end: i32) {
    let counter = wasm_encoder::MemArg {
        offset: 0,
        align: 2,
        memory_index: 0,
    };
    sink.loop_(wasm_encoder::BlockType::Empty)
        .i32_const(2048)
        .i32_const(2048)
        .i32_load(counter)
        .i32_const(1)
        .i32_add()
        .i32_store(counter)
        .i32_const(2048)
        .i32_load(counter)
        .i32_const(end)
        .i32_lt_u()
        .br_if(0)
        .end();
}

/// Grows the table by a million elements until it is refused, and dies of that.
pub(super) fn growing_table(sink: &mut InstructionSink<'_>) {
    sink.loop_(wasm_encoder::BlockType::Empty)
        .ref_null(wasm_encoder::HeapType::FUNC)
        .i32_const(1_000_000)
        .table_grow(0)
        .i32_const(-1)
        .i32_ne()
        .br_if(0)
        .end()
        .unreachable();
}

/// A component of a world `prototype`, made of a module that implements it.
pub(super) fn of_module(mut module: Vec<u8>, wit: &str) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let package = resolve.push_source("main.wit", wit).unwrap();
    let world = resolve.packages[package].worlds["prototype"];
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    let mut encoder = ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .unwrap();
    encoder.encode().unwrap()
}

/// A component of two others, one of which answers by calling the other, and passes it a string.
pub(super) fn composed() -> Vec<u8> {
    let inner = built(
        "pub fn largest(mut values: Vec<i64>, k: u32, order: String) -> Vec<i64> {
            assert_eq!(order, \"größte zuerst\");
            // Slow enough for its verdicts to be soon known.
            for _ in 0..8 {
                values.sort_unstable();
                values = std::hint::black_box(values);
                values.reverse();
            }
            values.truncate(k as usize);
            values
        }",
        "package a:b;
        world prototype {
          export largest: func(values: list<s64>, k: u32, order: string) -> list<s64>;
        }",
        "largest",
    );
    let outer = wat::parse_str(CALLS_LARGEST).unwrap();
    let nested = |data| RawSection {
        id: ComponentSectionId::Component.into(),
        data,
    };
    let function = |instance, name| {
        let mut alias = ComponentAliasSection::new();
        alias.alias(Alias::InstanceExport {
            instance,
            kind: ComponentExportKind::Func,
            name,
        });
        alias
    };
    let instance = |component, arguments: &[(&str, ComponentExportKind, u32)]| {
        let mut instances = ComponentInstanceSection::new();
        instances.instantiate(component, arguments.iter().copied());
        instances
    };
    let mut exports = ComponentExportSection::new();
    exports.export("top-k", ComponentExportKind::Func, 1, None);
    let mut component = Component::new();
    component
        .section(&nested(&inner))
        .section(&nested(&outer))
        .section(&instance(0, &[]))
        .section(&function(0, "largest"))
        .section(&instance(1, &[("largest", ComponentExportKind::Func, 0)]))
        .section(&function(1, "top-k"))
        .section(&exports);
    component.finish()
}

/// A component that answers by `largest`, which it imports.
const CALLS_LARGEST: &str = r#"
(component
  (import "largest" (func $largest
    (param "values" (list s64)) (param "k" u32) (param "order" string) (result (list s64))))
  (core module $memory
    (memory (export "memory") 64)
    (global $top (mut i32) (i32.const 64))
    (data (i32.const 16) "größte zuerst")
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (local $place i32)
      (local.set $place (i32.and
        (i32.add (global.get $top) (i32.const 7)) (i32.const -8)))
      (global.set $top (i32.add (local.get $place) (local.get 3)))
      (local.get $place))
    (func (export "free") (param i32) (global.set $top (i32.const 64))))
  (core instance $memory (instantiate $memory))
  (alias core export $memory "memory" (core memory $bytes))
  (alias core export $memory "realloc" (core func $realloc))
  (alias core export $memory "free" (core func $free))
  (core func $lowered (canon lower (func $largest) (memory $bytes) (realloc $realloc)))
  (core module $calls
    (import "" "largest" (func $largest (param i32 i32 i32 i32 i32 i32)))
    (func (export "top-k") (param i32 i32 i32) (result i32)
      (call $largest (local.get 0) (local.get 1) (local.get 2)
        (i32.const 16) (i32.const 15) (i32.const 8))
      (i32.const 8)))
  (core instance $calls (instantiate $calls
    (with "" (instance (export "largest" (func $lowered))))))
  (func (export "top-k") (param "values" (list s64)) (param "k" u32) (result (list s64))
    (canon lift (core func $calls "top-k") (memory $bytes) (realloc $realloc)
      (post-return (core func $free)))))
"#;

/// A component that imports one function of an interface, and exports what is wanted.
pub(super) fn importing(package: &str, interface: &str) -> Vec<u8> {
    let (package, version) = package.split_once('@').unwrap();
    let wit = format!(
        "package example:top-k;
world prototype {{
  import {package}/{interface}@{version};
  export top-k: func(values: list<s64>, k: u32) -> list<s64>;
}}
package {package}@{version} {{ interface {interface} {{ reach: func(); }} }}"
    );
    let import = format!("{package}/{interface}@{version}");
    let mut module = Module::new();
    let mut types = TypeSection::new();
    types.ty().function([], []);
    types.ty().function([ValType::I32; 3], [ValType::I32]);
    types.ty().function([ValType::I32; 4], [ValType::I32]);
    let mut imports = wasm_encoder::ImportSection::new();
    imports.import(&import, "reach", wasm_encoder::EntityType::Function(0));
    let mut functions = FunctionSection::new();
    functions.function(1).function(2);
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut exports = ExportSection::new();
    exports.export("memory", ExportKind::Memory, 0);
    exports.export("top-k", ExportKind::Func, 1);
    exports.export("cabi_realloc", ExportKind::Func, 2);
    let mut code = CodeSection::new();
    code.function(&body(|sink| {
        sink.call(0).i32_const(16);
    }));
    code.function(&body(|sink| {
        sink.i32_const(1024);
    }));
    module
        .section(&types)
        .section(&imports)
        .section(&functions)
        .section(&memories)
        .section(&exports)
        .section(&code);
    of_module(module.finish(), &wit)
}

/// A component around one module of `count` functions, each with these locals and so many
/// instructions.
pub(super) fn functions(count: u32, locals: u32, instructions: usize) -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([], []);
    let mut functions = FunctionSection::new();
    let mut code = CodeSection::new();
    for _ in 0..count {
        functions.function(0);
        let mut body = Function::new([(locals, ValType::I32)]);
        let mut sink = body.instructions();
        for _ in 0..instructions {
            sink.nop();
        }
        sink.end();
        code.function(&body);
    }
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&code);
    let mut component = Component::new();
    component.section(&ModuleSection(&module));
    component.finish()
}

/// A component whose `levels` definitions each instantiate the one before them twice.
pub(super) fn doubling(levels: u32) -> Vec<u8> {
    let none: [(&str, ComponentExportKind, u32); 0] = [];
    let mut outer = Component::new();
    outer.section(&NestedComponentSection(&Component::new()));
    for level in 0..levels {
        let mut definition = Component::new();
        let mut alias = ComponentAliasSection::new();
        alias.alias(Alias::Outer {
            kind: wasm_encoder::ComponentOuterAliasKind::Component,
            count: 1,
            index: level,
        });
        definition.section(&alias);
        let mut instances = ComponentInstanceSection::new();
        instances.instantiate(0, none).instantiate(0, none);
        definition.section(&instances);
        outer.section(&NestedComponentSection(&definition));
    }
    let mut instances = ComponentInstanceSection::new();
    instances.instantiate(levels, none);
    outer.section(&instances);
    outer.finish()
}

/// A good component with `count` instances of a module around it, each with a memory of `mib`, if it is
/// not 0, and a table of `elements`, if they are not 0.
pub(super) fn crowded(good: &[u8], count: u32, mib: u64, elements: u64) -> Vec<u8> {
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: (mib << 20) / PAGE_BYTES,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut tables = TableSection::new();
    tables.table(TableType {
        element_type: RefType::FUNCREF,
        table64: false,
        minimum: elements,
        maximum: None,
        shared: false,
    });
    let mut globals = GlobalSection::new();
    let global = GlobalType {
        val_type: ValType::I32,
        mutable: true,
        shared: false,
    };
    globals.global(global, &ConstExpr::i32_const(0));
    let mut module = Module::new();
    if elements > 0 {
        module.section(&tables);
    }
    if mib > 0 {
        module.section(&memories);
    }
    module.section(&globals);

    let mut outer = Component::new();
    outer.section(&ModuleSection(&module));
    let mut crowd = InstanceSection::new();
    for _ in 0..count {
        let none: [(&str, ModuleArg); 0] = [];
        crowd.instantiate(0, none);
    }
    outer.section(&crowd);
    outer.section(&RawSection {
        id: ComponentSectionId::Component.into(),
        data: good,
    });
    let mut instances = ComponentInstanceSection::new();
    let none: [(&str, ComponentExportKind, u32); 0] = [];
    instances.instantiate(0, none);
    outer.section(&instances);
    let mut aliases = ComponentAliasSection::new();
    aliases.alias(Alias::InstanceExport {
        instance: 0,
        kind: ComponentExportKind::Func,
        name: "top-k",
    });
    outer.section(&aliases);
    let mut exports = ComponentExportSection::new();
    exports.export("top-k", ComponentExportKind::Func, 0, None);
    outer.section(&exports);
    outer.finish()
}

/// A component that `bakeoff build` made of a source, for an interface.
pub(super) fn built(text: &str, wit: &str, call: &str) -> Vec<u8> {
    let world = World::new();
    world.write("experiment/wit/main.wit", wit);
    world.write("experiment/made.rs", text);
    let said = world.run(&[
        "build",
        "made.rs",
        "--wit",
        "wit",
        "--call",
        call,
        "-o",
        "made.wasm",
    ]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    fs::read(world.path("experiment/made.wasm")).unwrap()
}
