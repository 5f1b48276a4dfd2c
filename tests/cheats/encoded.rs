//! Components that no source of ours compiles to: the same work at the wrong place.

use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, DataCountSection, DataSection, ElementSection, Elements,
    EntityType, ExportKind, ExportSection, Function, FunctionSection, GlobalSection, GlobalType,
    ImportSection, InstructionSink, MemArg, MemorySection, MemoryType, Module, RefType,
    StartSection, TableSection, TableType, TypeSection, ValType,
};
use wit_component::{ComponentEncoder, StringEncoding};
use wit_parser::Resolve;

/// Where the table is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// In every call, as it should be.
    Call,
    /// Once, in the start function.
    Start,
    /// After each call, for the next one.
    PostReturn,
    /// While memory is asked for to hold the argument.
    Realloc,
    /// In the first call of an instance, which leaves a mark for the later ones.
    Once(Mark),
}

/// Where a call looks for a sign that an earlier one has made the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A global.
    Global,
    /// An entry of a table of functions.
    Table,
    /// Memory that nobody else uses.
    UnusedMemory,
    /// The size of the memory, which the first call grows.
    GrownMemory,
    /// A global; the first call also uses up a segment of data and one of functions. Whoever reset the
    /// one without the other would make it trap.
    DroppedSegments,
}

/// What it does besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Besides {
    /// Nothing.
    Nothing,
    /// After each call it fills the caches with something else.
    Pollutes,
    /// It asks for a clock.
    ReadsClock,
    /// It makes more of its table than is of use.
    DoesMore,
    /// It carries a note, so that its bytes are not another's.
    CarriesNote,
}

/// Entries of the table that are of use.
const ENTRIES: i32 = 1 << 16;
/// Where things lie: whether the table is made, the answer, the table, the argument, and what the
/// caches are filled with.
const READY: i32 = 8;
const ANSWER: i32 = 16;
const SUM: i32 = 32;
const TABLE: i32 = 1 << 16;
const ARGUMENT: i32 = 6 << 16;
const LITTER: i32 = 16 << 16;
const LITTER_BYTES: i32 = 16 << 20;
const UNUSED: i32 = LITTER + LITTER_BYTES - 64;
const PAGE: i32 = 1 << 16;
const PAGES: i32 = (LITTER + LITTER_BYTES) / PAGE;

const AT: MemArg = MemArg {
    offset: 0,
    align: 0,
    memory_index: 0,
};

/// The interface, as the sources beside this file see it, with the clock that one of them wants.
fn wit(besides: Besides) -> String {
    let wit = include_str!("mix.wit");
    match besides {
        Besides::ReadsClock => {
            wit.replace(
                "world prototype {",
                "world prototype {\n  import wasi:clocks/monotonic-clock@0.2.0;",
            ) + "\npackage wasi:clocks@0.2.0 { interface monotonic-clock { now: func() -> u64; } }\n"
        }
        _ => wit.to_owned(),
    }
}

/// The component.
pub(crate) fn component(work: Work, besides: Besides) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("mix.wit", &wit(besides)).unwrap();
    let world = resolve.select_world(&[package], Some("prototype")).unwrap();
    let mut module = module(work, besides);
    wit_component::embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)
        .unwrap();
    let mut encoder = ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .unwrap();
    let mut component = encoder.encode().unwrap();
    if besides == Besides::CarriesNote {
        // A custom section: its id, its size, the size of its name, its name.
        component.extend_from_slice(b"\0\x05\x04note");
    }
    component
}

/// The functions of the module, in their order.
struct Parts {
    types: TypeSection,
    functions: FunctionSection,
    code: CodeSection,
    count: u32,
}

impl Parts {
    fn add(
        &mut self,
        params: usize,
        results: usize,
        locals: u32,
        body: impl Fn(&mut InstructionSink<'_>),
    ) -> u32 {
        let of = |count| vec![ValType::I32; count];
        self.types.ty().function(of(params), of(results));
        let index = self.count;
        self.functions.function(index);
        let mut function = Function::new([(locals, ValType::I32)]);
        let mut code = function.instructions();
        body(&mut code);
        code.end();
        self.code.function(&function);
        self.count += 1;
        index
    }
}

fn module(work: Work, besides: Besides) -> Vec<u8> {
    let mut parts = Parts {
        types: TypeSection::new(),
        functions: FunctionSection::new(),
        code: CodeSection::new(),
        count: 0,
    };
    let mut imports = ImportSection::new();
    if besides == Besides::ReadsClock {
        parts.types.ty().function([], [ValType::I64]);
        imports.import(
            "wasi:clocks/monotonic-clock@0.2.0",
            "now",
            EntityType::Function(0),
        );
        parts.count = 1;
    }
    // Whoever does the work at the wrong place does more of it: it is slower if it is seen.
    let entries = if work == Work::Call && besides != Besides::DoesMore {
        ENTRIES
    } else {
        ENTRIES / 4 * 5
    };
    let make = parts.add(0, 0, 2, |code| make_table(code, entries));
    let realloc = parts.add(4, 1, 0, |code| {
        if work == Work::Realloc {
            code.call(make);
        }
        code.i32_const(ARGUMENT);
    });
    let mixed = parts.add(2, 1, 1, |code| {
        if besides == Besides::ReadsClock {
            code.call(0).drop();
        }
        match work {
            Work::Call => {
                code.call(make);
            }
            Work::PostReturn => {
                code.i32_const(READY).i32_load(AT).i32_eqz();
                code.if_(BlockType::Empty).call(make).end();
            }
            Work::Once(mark) => {
                is_unmarked(code, mark);
                code.if_(BlockType::Empty).call(make);
                leave_mark(code, mark, make);
                code.end();
            }
            Work::Start | Work::Realloc => {}
        }
        answer(code);
    });
    let post = parts.add(1, 0, 1, |code| {
        if work == Work::PostReturn {
            code.call(make).i32_const(READY).i32_const(1).i32_store(AT);
        }
        if besides == Besides::Pollutes {
            litter(code);
        }
    });
    let mut exports = ExportSection::new();
    exports
        .export("memory", ExportKind::Memory, 0)
        .export("cabi_realloc", ExportKind::Func, realloc)
        .export("mixed", ExportKind::Func, mixed)
        .export("cabi_post_mixed", ExportKind::Func, post);
    assemble(
        parts,
        &imports,
        &exports,
        (work == Work::Start).then_some(make),
    )
}

fn assemble(
    parts: Parts,
    imports: &ImportSection,
    exports: &ExportSection,
    start: Option<u32>,
) -> Vec<u8> {
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: PAGES as u64,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut tables = TableSection::new();
    tables.table(TableType {
        element_type: RefType::FUNCREF,
        minimum: 1,
        maximum: Some(1),
        table64: false,
        shared: false,
    });
    let mut globals = GlobalSection::new();
    let marks = GlobalType {
        val_type: ValType::I32,
        mutable: true,
        shared: false,
    };
    globals.global(marks, &ConstExpr::i32_const(0));
    let mut elements = ElementSection::new();
    elements.passive(Elements::Functions((&[parts.count - 1][..]).into()));
    elements.declared(Elements::Functions(
        (0..parts.count).collect::<Vec<_>>().into(),
    ));
    let mut data = DataSection::new();
    data.passive(*b"mark");
    let mut module = Module::new();
    module.section(&parts.types);
    module.section(imports);
    module.section(&parts.functions);
    module.section(&tables);
    module.section(&memories);
    module.section(&globals);
    module.section(exports);
    if let Some(function_index) = start {
        module.section(&StartSection { function_index });
    }
    module.section(&elements);
    module.section(&DataCountSection { count: 1 });
    module.section(&parts.code);
    module.section(&data);
    module.finish()
}

/// Asks for 1 if no call has left its mark.
fn is_unmarked(code: &mut InstructionSink<'_>, mark: Mark) {
    match mark {
        Mark::Global | Mark::DroppedSegments => code.global_get(0).i32_eqz(),
        Mark::Table => code.i32_const(0).table_get(0).ref_is_null(),
        Mark::UnusedMemory => code.i32_const(UNUSED).i32_load(AT).i32_eqz(),
        Mark::GrownMemory => code.memory_size(0).i32_const(PAGES).i32_eq(),
    };
}

fn leave_mark(code: &mut InstructionSink<'_>, mark: Mark, function: u32) {
    match mark {
        Mark::Global => code.i32_const(1).global_set(0),
        Mark::Table => code.i32_const(0).ref_func(function).table_set(0),
        Mark::UnusedMemory => code.i32_const(UNUSED).i32_const(1).i32_store(AT),
        Mark::GrownMemory => code.i32_const(1).memory_grow(0).drop(),
        Mark::DroppedSegments => {
            code.i32_const(UNUSED).i32_const(0).i32_const(4);
            code.memory_init(0, 0).data_drop(0);
            code.i32_const(0).i32_const(0).i32_const(1);
            code.table_init(0, 0).elem_drop(0);
            code.i32_const(1).global_set(0)
        }
    };
}

/// `while local 0 < end { body; local 0 += step }`
fn count_up(
    code: &mut InstructionSink<'_>,
    counter: u32,
    end: impl Fn(&mut InstructionSink<'_>),
    step: i32,
    body: impl Fn(&mut InstructionSink<'_>),
) {
    code.block(BlockType::Empty).loop_(BlockType::Empty);
    code.local_get(counter);
    end(code);
    code.i32_ge_u().br_if(1);
    body(code);
    code.local_get(counter)
        .i32_const(step)
        .i32_add()
        .local_set(counter);
    code.br(0).end().end();
}

/// Fills the table: local 0 counts, local 1 is mixed.
fn make_table(code: &mut InstructionSink<'_>, entries: i32) {
    let end = |code: &mut InstructionSink<'_>| {
        code.i32_const(entries);
    };
    count_up(code, 0, end, 1, |code| {
        code.local_get(0).local_set(1);
        for _ in 0..8 {
            code.local_get(1)
                .local_get(1)
                .i32_const(16)
                .i32_shr_u()
                .i32_xor();
            code.i32_const(0x45d9_f3b1).i32_mul().local_set(1);
        }
        code.local_get(0)
            .i32_const(2)
            .i32_shl()
            .i32_const(TABLE)
            .i32_add();
        code.local_get(1).i32_store(AT);
    });
}

/// Adds up what stands for the numbers: local 0 is where they are, 1 their count and then their
/// end, 2 the sum.
fn answer(code: &mut InstructionSink<'_>) {
    code.local_get(1)
        .i32_const(2)
        .i32_shl()
        .local_get(0)
        .i32_add()
        .local_set(1);
    let end = |code: &mut InstructionSink<'_>| {
        code.local_get(1);
    };
    count_up(code, 0, end, 4, |code| {
        code.local_get(0)
            .i32_load(AT)
            .i32_const(2)
            .i32_shl()
            .i32_const(TABLE)
            .i32_add();
        code.i32_load(AT).local_get(2).i32_add().local_set(2);
    });
    code.i32_const(SUM).local_get(2).i32_store(AT);
    code.i32_const(ANSWER).i32_const(SUM).i32_store(AT);
    code.i32_const(ANSWER + 4).i32_const(1).i32_store(AT);
    code.i32_const(ANSWER);
}

/// Writes to each cache line of much memory: local 1 counts.
fn litter(code: &mut InstructionSink<'_>) {
    code.i32_const(LITTER).local_set(1);
    let end = |code: &mut InstructionSink<'_>| {
        code.i32_const(LITTER + LITTER_BYTES);
    };
    count_up(code, 1, end, 64, |code| {
        code.local_get(1).i32_const(1).i32_store8(AT);
    });
}
