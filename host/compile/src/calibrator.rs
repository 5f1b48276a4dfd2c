//! The calibrator: a component of the interface's world whose functions do nothing.
//!
//! A call of the calibrator costs as much as any call of this interface before the guest does
//! anything. Every function returns zeros, which are a valid value of every type without handles:
//! `false`, `0`, the first case, `none`, the empty list; a function that makes a resource makes an
//! empty one.

use super::export_names::{self, Kind};
use wasm_encoder::{
    CodeSection, ConstExpr, EntityType, ExportKind, ExportSection, Function, FunctionSection,
    GlobalSection, GlobalType, ImportSection, MemorySection, MemoryType, Module, TypeSection,
    ValType,
};
use wit_parser::abi::WasmType;
use wit_parser::{
    Handle, InterfaceId, LiftLowerAbi, ManglingAndAbi, Resolve, ResourceIntrinsic, SizeAlign, Type,
    TypeDefKind, TypeId, TypeOwner, WasmImport, WorldId, WorldItem, WorldKey,
};

/// Size of a page of memory, in bytes.
const PAGE_BYTES: u32 = 1 << 16;

/// The address of results: zeros that are never written. It is not 0, the address of a null pointer.
const ANSWER: u32 = 16;

/// The naming scheme of functions in a core module.
const ABI: ManglingAndAbi = ManglingAndAbi::Legacy(LiftLowerAbi::Sync);

/// Returns a core module that implements a world: each function ignores its arguments and returns
/// zeros. Memory for arguments is a bump allocation, which each call frees.
pub(super) fn module(resolve: &Resolve, world: WorldId) -> Vec<u8> {
    let functions = functions(resolve, world);
    let answer_bytes = functions
        .iter()
        .map(|function| function.answer_bytes)
        .max()
        .unwrap_or(0);
    let heap = (ANSWER + answer_bytes).next_multiple_of(16);
    let mut parts = ModuleSections {
        heap,
        ..ModuleSections::default()
    };
    parts.add_imports(&functions);
    for function in &functions {
        parts.add_function(function);
    }
    parts.add_realloc();
    parts.finish()
}

/// A function of the world, in terms of a core module.
struct Exported {
    name: String,
    params: Vec<ValType>,
    results: Vec<ValType>,
    /// True if the result is a pointer to the answer.
    answers_by_pointer: bool,
    answer_bytes: u32,
    /// The import that makes the result, if that is a resource.
    makes: Option<(String, String)>,
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
                    functions.push(exported(resolve, &sizes, Some((key, *id)), function));
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
    of_interface: Option<(&WorldKey, InterfaceId)>,
    function: &wit_parser::Function,
) -> Exported {
    let interface = of_interface.map(|(key, _)| key);
    let signature = resolve.wasm_signature(ABI.export_variant(), function);
    let answer = function.result.as_ref().filter(|_| signature.retptr);
    Exported {
        name: export_names::of_function(resolve, interface, function, Kind::Function),
        params: signature.params.iter().map(core_type).collect(),
        results: signature.results.iter().map(core_type).collect(),
        answers_by_pointer: signature.retptr,
        answer_bytes: answer.map_or(0, |ty| sizes.size(ty).size_wasm32() as u32),
        makes: function.result.and_then(|ty| {
            let resource = exported_resource(resolve, &ty, of_interface?.1)?;
            let intrinsic = ResourceIntrinsic::ExportedNew;
            let import = WasmImport::ResourceIntrinsic {
                interface,
                resource,
                intrinsic,
            };
            Some(resolve.wasm_import_name(ABI, import))
        }),
    }
}

/// Returns the resource of a type that is an owning handle, if the interface defines that resource.
fn exported_resource(resolve: &Resolve, ty: &Type, interface: InterfaceId) -> Option<TypeId> {
    let Type::Id(mut id) = *ty else { return None };
    loop {
        id = match &resolve.types[id].kind {
            TypeDefKind::Handle(Handle::Own(resource)) => *resource,
            TypeDefKind::Type(Type::Id(named)) => *named,
            TypeDefKind::Resource => break,
            _ => return None,
        };
    }
    (resolve.types[id].owner == TypeOwner::Interface(interface)).then_some(id)
}

fn core_type(ty: &WasmType) -> ValType {
    match ty {
        WasmType::I32 | WasmType::Pointer | WasmType::Length => ValType::I32,
        WasmType::I64 | WasmType::PointerOrI64 => ValType::I64,
        WasmType::F32 => ValType::F32,
        WasmType::F64 => ValType::F64,
    }
}

/// The sections of the module that is being built.
#[derive(Default)]
struct ModuleSections {
    types: TypeSection,
    functions: FunctionSection,
    imports: ImportSection,
    exports: ExportSection,
    code: CodeSection,
    count: u32,
    /// The imported functions that make resources, in their order.
    makers: Vec<(String, String)>,
    /// The address where memory for arguments begins.
    heap: u32,
}

impl ModuleSections {
    fn add(&mut self, name: &str, params: &[ValType], results: &[ValType], body: &Function) {
        self.types
            .ty()
            .function(params.iter().copied(), results.iter().copied());
        self.functions.function(self.count);
        self.exports.export(name, ExportKind::Func, self.count);
        self.code.function(body);
        self.count += 1;
    }

    /// Imports the functions that make the resources that are results.
    fn add_imports(&mut self, functions: &[Exported]) {
        for maker in functions.iter().filter_map(|one| one.makes.as_ref()) {
            if self.makers.contains(maker) {
                continue;
            }
            self.types.ty().function([ValType::I32], [ValType::I32]);
            let ty = EntityType::Function(self.count);
            self.imports.import(&maker.0, &maker.1, ty);
            self.makers.push(maker.clone());
            self.count += 1;
        }
    }

    fn add_function(&mut self, function: &Exported) {
        let mut body = Function::new([]);
        let mut code = body.instructions();
        // Frees the arguments of this call.
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
        let maker = |makes| self.makers.iter().position(|maker| maker == makes);
        if let Some(maker) = function.makes.as_ref().and_then(maker) {
            code.call(maker as u32);
        }
        code.end();
        self.add(&function.name, &function.params, &function.results, &body);
    }

    /// `cabi_realloc(old_ptr, old_len, align, new_len)`: returns the next aligned address, growing
    /// the memory if needed, and copies the old bytes there.
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
        // An end below its beginning means overflow.
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
            .section(&self.imports)
            .section(&self.functions)
            .section(&memories);
        module
            .section(&globals)
            .section(&self.exports)
            .section(&self.code);
        module.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::component::componentise_as;
    use crate::engine::{self, Profile};
    use bakeoff_source::interface::{Interface, WitFile, World};
    use proptest::prelude::*;
    use wasmtime::Store;
    use wasmtime::component::{Component, Linker, Val};

    fn calibrator(wit: &str, call: &str) -> Vec<u8> {
        let file = WitFile {
            name: "test.wit".into(),
            text: wit.into(),
        };
        let interface = Interface::parse(vec![file], call).unwrap_or_else(|e| panic!("{e}\n{wit}"));
        let (resolve, world) = interface.resolved(World::Prototype).unwrap();
        componentise_as(super::module(resolve, world), resolve, world).unwrap()
    }

    /// A value of a type, which needs memory wherever the type allows it.
    fn value(ty: &wasmtime::component::Type) -> Val {
        use wasmtime::component::Type;
        match ty {
            Type::Bool => Val::Bool(true),
            Type::U8 => Val::U8(1),
            Type::U32 => Val::U32(1),
            Type::U64 => Val::U64(1),
            Type::S64 => Val::S64(-1),
            Type::Float32 => Val::Float32(1.0),
            Type::Float64 => Val::Float64(1.0),
            Type::Char => Val::Char('c'),
            Type::String => Val::String("a string".into()),
            Type::List(list) => Val::List(vec![value(&list.ty()); 3]),
            Type::Tuple(tuple) => Val::Tuple(tuple.types().map(|ty| value(&ty)).collect()),
            Type::Option(option) => Val::Option(Some(Box::new(value(&option.ty())))),
            Type::Result(result) => Val::Result(Err(result.err().map(|ty| Box::new(value(&ty))))),
            Type::Record(record) => {
                let field =
                    |f: wasmtime::component::types::Field<'_>| (f.name.into(), value(&f.ty));
                Val::Record(record.fields().map(field).collect())
            }
            Type::Variant(variant) => {
                let case = variant.cases().last().unwrap();
                Val::Variant(case.name.into(), case.ty.map(|ty| Box::new(value(&ty))))
            }
            Type::Enum(cases) => Val::Enum(cases.names().last().unwrap().into()),
            Type::Flags(flags) => Val::Flags(flags.names().map(Into::into).collect()),
            other => panic!("no value for {other:?}"),
        }
    }

    /// Calls the function `call` of a calibrator many times, in one instance.
    fn call(bytes: &[u8], times: usize) -> Vec<Val> {
        let engine = engine::new(Profile::Timed).unwrap();
        let component = Component::from_binary(&engine, bytes).unwrap();
        let mut store = Store::new(&engine, ());
        let instance = Linker::new(&engine)
            .instantiate(&mut store, &component)
            .unwrap();
        let function = instance.get_func(&mut store, "call").unwrap();
        let ty = function.ty(&store);
        let arguments: Vec<Val> = ty.params().map(|(_, ty)| value(&ty)).collect();
        let mut answers = vec![Val::Bool(false); ty.results().len()];
        for _ in 0..times {
            function.call(&mut store, &arguments, &mut answers).unwrap();
        }
        answers
    }

    fn world(signature: &str) -> String {
        format!("package a:b; world prototype {{ {TYPES} export call: {signature}; }}")
    }

    const TYPES: &str = "record point { x: f64, name: string, tags: list<u8> }
        variant shape { none, circle(f32), path(list<point>) }
        enum colour { red, green }
        flags sides { top, left, right }";

    #[test]
    fn zeros_are_an_answer_of_every_type() {
        for (signature, answer) in [
            ("func()", None),
            ("func(a: u32) -> u32", Some(Val::U32(0))),
            ("func() -> f64", Some(Val::Float64(0.0))),
            ("func(a: u64) -> s64", Some(Val::S64(0))),
            (
                "func(values: list<s64>, k: u32) -> list<s64>",
                Some(Val::List(vec![])),
            ),
            (
                "func(a: string) -> string",
                Some(Val::String(String::new())),
            ),
            ("func(a: colour) -> colour", Some(Val::Enum("red".into()))),
            ("func(a: sides) -> sides", Some(Val::Flags(vec![]))),
            (
                "func(a: shape) -> shape",
                Some(Val::Variant("none".into(), None)),
            ),
            (
                "func(a: option<point>) -> option<point>",
                Some(Val::Option(None)),
            ),
            (
                "func(a: result<_, string>) -> result<_, string>",
                Some(Val::Result(Ok(None))),
            ),
            ("func(a: char) -> char", Some(Val::Char('\0'))),
        ] {
            let answers = call(&calibrator(&world(signature), "call"), 2);
            assert_eq!(answers.first(), answer.as_ref(), "{signature}");
        }
    }

    #[test]
    fn memory_for_arguments_is_taken_back_at_each_call() {
        // 100,000 calls with three megabytes each would need 300 GB.
        let bytes = calibrator(&world("func(a: list<u8>) -> u32"), "call");
        let engine = engine::new(Profile::Timed).unwrap();
        let component = Component::from_binary(&engine, &bytes).unwrap();
        let mut store = Store::new(&engine, ());
        let instance = Linker::new(&engine)
            .instantiate(&mut store, &component)
            .unwrap();
        let function = instance
            .get_typed_func::<(&[u8],), (u32,)>(&mut store, "call")
            .unwrap();
        let argument = vec![1_u8; 3 << 20];
        for _ in 0..3_000 {
            assert_eq!(function.call(&mut store, (&argument,)).unwrap(), (0,));
        }
    }

    #[test]
    fn an_exported_interface_is_implemented_as_well() {
        let wit = "package a:b@1.2.3; interface i { use t.{p}; f: func(a: list<p>) -> p; }
            interface t { record p { x: s8, y: string } }
            world prototype { export i; export g: func() -> string; }";
        let bytes = calibrator(wit, "i.f");
        engine::precompile(Profile::Checked, &bytes).unwrap();
    }

    fn types() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "bool", "u8", "u32", "u64", "s64", "f32", "f64", "char", "string", "point", "shape",
            "colour", "sides",
        ]);
        leaf.prop_map(str::to_owned)
            .prop_recursive(3, 12, 4, |inner| {
                prop_oneof![
                    inner.clone().prop_map(|ty| format!("list<{ty}>")),
                    inner.clone().prop_map(|ty| format!("option<{ty}>")),
                    (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("result<{a}, {b}>")),
                    prop::collection::vec(inner, 1..4)
                        .prop_map(|t| format!("tuple<{}>", t.join(", "))),
                ]
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn any_signature_has_a_calibrator(
            params in prop::collection::vec(types(), 0..20),
            result in prop::option::of(types()),
        ) {
            let params: Vec<String> =
                params.iter().enumerate().map(|(i, ty)| format!("p{i}: {ty}")).collect();
            let result = result.map_or(String::new(), |ty| format!(" -> {ty}"));
            let signature = format!("func({}){result}", params.join(", "));
            call(&calibrator(&world(&signature), "call"), 3);
        }
    }
}
