//! The interface's own no-op: a component of the same world whose functions do nothing.
//!
//! What a call of it costs is what any call of this interface costs before the guest does anything.
//! Every function answers zeros, which are a valid value of every type without handles: `false`,
//! `0`, the first case, `none`, the empty list.

use wasm_encoder::{
    CodeSection, ConstExpr, ExportKind, ExportSection, Function, FunctionSection, GlobalSection,
    GlobalType, MemorySection, MemoryType, Module, TypeSection, ValType,
};
use wit_parser::abi::WasmType;
use wit_parser::{
    LiftLowerAbi, ManglingAndAbi, Resolve, SizeAlign, WasmExport, WasmExportKind, WorldId,
    WorldItem, WorldKey,
};

/// Bytes of a page of memory.
const PAGE_BYTES: u32 = 1 << 16;

/// Where answers are read from: zeros that nothing ever writes. Not 0, which is where a null
/// pointer would point.
const ANSWER: u32 = 16;

/// How a function of this world is named by a core module.
const ABI: ManglingAndAbi = ManglingAndAbi::Legacy(LiftLowerAbi::Sync);

/// A core module that implements a world: each function takes its arguments, forgets them and
/// answers zeros. Memory for arguments is handed out from one end, and taken back at each call.
pub(super) fn module(resolve: &Resolve, world: WorldId) -> Vec<u8> {
    let functions = functions(resolve, world);
    let answer_bytes = functions
        .iter()
        .map(|function| function.answer_bytes)
        .max()
        .unwrap_or(0);
    let heap = (ANSWER + answer_bytes).next_multiple_of(16);
    let mut parts = Parts {
        heap,
        ..Parts::default()
    };
    for function in &functions {
        parts.add_function(function);
    }
    parts.add_realloc();
    parts.finish()
}

/// A function of the world, as a core module sees it.
struct Exported {
    name: String,
    params: Vec<ValType>,
    results: Vec<ValType>,
    /// Whether its result is a pointer to where the answer is.
    answers_by_pointer: bool,
    answer_bytes: u32,
}

fn functions(resolve: &Resolve, world: WorldId) -> Vec<Exported> {
    let mut sizes = SizeAlign::default();
    sizes.fill(resolve);
    let mut functions = Vec::new();
    for (key, item) in &resolve.worlds[world].exports {
        match item {
            WorldItem::Function(function) => {
                functions.push(exported(resolve, &sizes, None, function));
            }
            WorldItem::Interface { id, .. } => {
                for function in resolve.interfaces[*id].functions.values() {
                    functions.push(exported(resolve, &sizes, Some(key), function));
                }
            }
            WorldItem::Type { .. } => {}
        }
    }
    functions
}

fn exported(
    resolve: &Resolve,
    sizes: &SizeAlign,
    interface: Option<&WorldKey>,
    function: &wit_parser::Function,
) -> Exported {
    let signature = resolve.wasm_signature(ABI.export_variant(), function);
    let kind = WasmExportKind::Normal;
    let export = WasmExport::Func {
        interface,
        func: function,
        kind,
    };
    let answer = function.result.as_ref().filter(|_| signature.retptr);
    Exported {
        name: resolve.wasm_export_name(ABI, export),
        params: signature.params.iter().map(core_type).collect(),
        results: signature.results.iter().map(core_type).collect(),
        answers_by_pointer: signature.retptr,
        answer_bytes: answer.map_or(0, |ty| sizes.size(ty).size_wasm32() as u32),
    }
}

fn core_type(ty: &WasmType) -> ValType {
    match ty {
        WasmType::I32 | WasmType::Pointer | WasmType::Length => ValType::I32,
        WasmType::I64 | WasmType::PointerOrI64 => ValType::I64,
        WasmType::F32 => ValType::F32,
        WasmType::F64 => ValType::F64,
    }
}

/// The sections of the module, as they grow.
#[derive(Default)]
struct Parts {
    types: TypeSection,
    functions: FunctionSection,
    exports: ExportSection,
    code: CodeSection,
    count: u32,
    /// Where memory for arguments begins.
    heap: u32,
}

impl Parts {
    fn add(&mut self, name: &str, params: &[ValType], results: &[ValType], body: &Function) {
        self.types
            .ty()
            .function(params.iter().copied(), results.iter().copied());
        self.functions.function(self.count);
        self.exports.export(name, ExportKind::Func, self.count);
        self.code.function(body);
        self.count += 1;
    }

    fn add_function(&mut self, function: &Exported) {
        let mut body = Function::new([]);
        let mut code = body.instructions();
        // The arguments of this call are no longer needed: the next ones may lie where they lay.
        code.i32_const(self.heap as i32).global_set(0);
        for result in &function.results {
            match result {
                ValType::I32 if function.answers_by_pointer => code.i32_const(ANSWER as i32),
                ValType::I64 => code.i64_const(0),
                ValType::F32 => code.f32_const(0.0.into()),
                ValType::F64 => code.f64_const(0.0.into()),
                _ => code.i32_const(0),
            };
        }
        code.end();
        self.add(&function.name, &function.params, &function.results, &body);
    }

    /// `cabi_realloc(old_ptr, old_len, align, new_len)`: the next aligned place, and more memory
    /// where that lies beyond the end. What was there before is copied.
    fn add_realloc(&mut self) {
        let (old, old_len, align, len, place, end) = (0, 1, 2, 3, 4, 5);
        let mut body = Function::new([(2, ValType::I32)]);
        let mut code = body.instructions();
        // place = (top + align - 1) & -align; end = place + len
        code.global_get(0)
            .local_get(align)
            .i32_add()
            .i32_const(1)
            .i32_sub();
        code.i32_const(0)
            .local_get(align)
            .i32_sub()
            .i32_and()
            .local_tee(place);
        code.local_get(len).i32_add().local_set(end);
        // An end below its beginning went around the address space.
        code.local_get(end).local_get(place).i32_lt_u();
        code.if_(wasm_encoder::BlockType::Empty).unreachable().end();
        // if end > pages * PAGE_BYTES, in 64 bits, as 65,536 pages do not fit into 32
        code.local_get(end).i64_extend_i32_u();
        code.memory_size(0)
            .i64_extend_i32_u()
            .i64_const(PAGE_BYTES.into())
            .i64_mul();
        code.i64_gt_u().if_(wasm_encoder::BlockType::Empty);
        // grow by as many pages as are lacking
        code.local_get(end)
            .i32_const(PAGE_BYTES as i32 - 1)
            .i32_add();
        code.i32_const(16)
            .i32_shr_u()
            .memory_size(0)
            .i32_sub()
            .memory_grow(0);
        code.i32_const(-1).i32_eq();
        code.if_(wasm_encoder::BlockType::Empty).unreachable().end();
        code.end();
        code.local_get(place)
            .local_get(old)
            .local_get(old_len)
            .memory_copy(0, 0);
        code.local_get(end).global_set(0);
        code.local_get(place).end();
        self.add("cabi_realloc", &[ValType::I32; 4], &[ValType::I32], &body);
    }

    fn finish(mut self) -> Vec<u8> {
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: u64::from(self.heap.div_ceil(PAGE_BYTES)),
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        self.exports.export("memory", ExportKind::Memory, 0);
        let mut globals = GlobalSection::new();
        let top = GlobalType {
            val_type: ValType::I32,
            mutable: true,
            shared: false,
        };
        globals.global(top, &ConstExpr::i32_const(self.heap as i32));
        let mut module = Module::new();
        module
            .section(&self.types)
            .section(&self.functions)
            .section(&memories);
        module
            .section(&globals)
            .section(&self.exports)
            .section(&self.code);
        module.finish()
    }
}
