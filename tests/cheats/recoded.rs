//! A component that has the host count characters for it, by asking for its strings in another encoding
//! than UTF-8.

use super::experiment::{Prototype, assert_wins, component, notes, run, wins};
use crate::support::variant;
use wasm_encoder::{
    BlockType, CodeSection, ExportKind, ExportSection, Function, FunctionSection, InstructionSink,
    MemArg, MemorySection, MemoryType, Module, TypeSection, ValType,
};
use wit_component::{ComponentEncoder, StringEncoding};
use wit_parser::Resolve;

const WIT: &str = "package recoded:text;
world prototype { export letters: func(text: string) -> u32; }
world workload {
  export generate: func(size: u32, seed: u64) -> string;
  export check: func(text: string, answer: u32) -> result<_, string>;
}
";

const WORKLOAD: &str = "use crate::bakeoff::Rng;
pub fn generate(size: u32, seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let letters = ['a', 'b', 'c', 'ä', 'é', 'ø'];
    (0..size).map(|_| letters[rng.below(6) as usize]).collect()
}
pub fn check(text: String, answer: u32) -> Result<(), String> {
    if text.chars().count() == answer as usize { return Ok(()); }
    Err(format!(\"not {answer} letters\"))
}
";

const EXPERIMENT: &str = "name = \"letters\"
problem = \"Count the letters.\"
interface = { wit = \"text.wit\", call = \"letters\" }
workload = { source = \"workload.rs\", sizes = [60_000] }
measure = { confidence = 0.999 }
";

/// Where the text is put, and for how many pages there is room.
const TEXT: i32 = 1 << 16;
const PAGES: u64 = 64;

const AT: MemArg = MemArg {
    offset: 0,
    align: 0,
    memory_index: 0,
};

/// How the letters are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    /// Bytes that begin a letter.
    Bytes,
    /// The same twice.
    Twice,
    /// By what the host says of the text: the number of its units.
    Nothing,
}

/// `while local counter < local 4 { body; counter += 1 }`
fn count_up(code: &mut InstructionSink<'_>, counter: u32, body: impl Fn(&mut InstructionSink<'_>)) {
    code.block(BlockType::Empty).loop_(BlockType::Empty);
    code.local_get(counter).local_get(4).i32_ge_u().br_if(1);
    body(code);
    code.local_get(counter)
        .i32_const(1)
        .i32_add()
        .local_set(counter);
    code.br(0).end().end();
}

/// Local 0 is the text, 1 its length, 2 the letters, 3 a counter, 4 its end.
fn counting(code: &mut InstructionSink<'_>) {
    code.i32_const(0).local_set(2);
    code.i32_const(TEXT).local_set(3);
    code.i32_const(TEXT).local_get(1).i32_add().local_set(4);
    count_up(code, 3, |code| {
        // A byte within a letter is 10xxxxxx.
        code.local_get(3).i32_load8_u(AT).i32_const(0xC0).i32_and();
        code.i32_const(0x80).i32_ne();
        code.local_get(2).i32_add().local_set(2);
    });
}

/// What all of them do, so that none is too quick for the clock.
fn passing_time(code: &mut InstructionSink<'_>) {
    code.i32_const(0).local_set(3);
    code.i32_const(50_000).local_set(4);
    count_up(code, 3, |_| {});
}

fn letters(encoding: StringEncoding, counts: Counts) -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([ValType::I32; 4], [ValType::I32]);
    types.ty().function([ValType::I32; 2], [ValType::I32]);
    let mut functions = FunctionSection::new();
    functions.function(0).function(1);
    let mut code = CodeSection::new();
    let mut realloc = Function::new([]);
    realloc.instructions().i32_const(TEXT).end();
    code.function(&realloc);
    let mut body = Function::new([(3, ValType::I32)]);
    let mut sink = body.instructions();
    passing_time(&mut sink);
    for _ in 0..match counts {
        Counts::Nothing => 0,
        Counts::Bytes => 1,
        Counts::Twice => 2,
    } {
        counting(&mut sink);
    }
    match counts {
        // The highest bit says that the units are not those of Latin-1.
        Counts::Nothing => sink.local_get(1).i32_const(i32::MAX).i32_and(),
        Counts::Bytes | Counts::Twice => sink.local_get(2),
    };
    sink.end();
    code.function(&body);
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: PAGES,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut exports = ExportSection::new();
    exports
        .export("memory", ExportKind::Memory, 0)
        .export("cabi_realloc", ExportKind::Func, 0)
        .export("letters", ExportKind::Func, 1);
    let mut module = Module::new();
    module
        .section(&types)
        .section(&functions)
        .section(&memories)
        .section(&exports)
        .section(&code);
    let mut module = module.finish();
    let mut resolve = Resolve::default();
    let package = resolve.push_str("text.wit", WIT).unwrap();
    let world = resolve.select_world(&[package], Some("prototype")).unwrap();
    wit_component::embed_component_metadata(&mut module, &resolve, world, encoding).unwrap();
    let encoder = ComponentEncoder::default().validate(true);
    encoder.module(&module).unwrap().encode().unwrap()
}

#[test]
fn case_66_transcoding_for_free() {
    let files = [("text.wit", WIT), ("workload.rs", WORKLOAD)];
    let of = |name, encoding, counts| component(name, letters(encoding, counts));
    let prototypes: [Prototype; 4] = [
        of("counts", StringEncoding::UTF8, Counts::Bytes),
        of("counts-twice", StringEncoding::UTF8, Counts::Twice),
        of("latin1", StringEncoding::CompactUTF16, Counts::Nothing),
        of("utf16", StringEncoding::UTF16, Counts::Nothing),
    ];
    let (_, report) = run(EXPERIMENT, &files, &prototypes, &["--budget", "20s"]);
    for id in ["counts", "counts-twice", "latin1", "utf16"] {
        assert!(variant(&report, id)["failure"].is_null(), "{report:#}");
    }
    for cheat in ["latin1", "utf16"] {
        let won = wins(&report, cheat, "counts");
        assert!(won.is_empty(), "{won:#?}");
        assert_wins(&report, "counts", cheat);
    }
    assert_wins(&report, "counts", "counts-twice");
    let notes = notes(&report);
    assert!(
        notes.contains("Strings in another encoding than UTF-8: latin1 and utf16")
            || notes.contains("Strings in another encoding than UTF-8: latin1, utf16"),
        "{notes}"
    );
}
