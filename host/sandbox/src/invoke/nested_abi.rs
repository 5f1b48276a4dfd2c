//! Nested values on their way into the memory of a component and out of it, by the canonical ABI.
//!
//! Memory is asked for in its order: for a list first, then for what its elements hold, one after the
//! other. What lies between the fields is left as it is.

use super::layout::{Cases, Kind, Layout};
use super::nested::{Nested, number, piece, push_piece, put_flags};
use super::scalar::Scalar;
use std::sync::Arc;
use wasmtime::component::__internal::wasmtime_environ::component::StringEncoding;
use wasmtime::component::__internal::{InterfaceType, LiftContext, LowerContext};
use wasmtime::component::{Lift, Lower};
use wasmtime::{Result, ValRaw, bail};

/// The most bytes of a string.
const TEXT_BYTES_MAX: usize = (1 << 31) - 1;

/// Lowers a value of this layout to core values, of which it makes as many as the layout says.
pub(super) fn lower_flat<T>(
    value: &Nested,
    cx: &mut LowerContext<'_, T>,
    flat: &mut [ValRaw],
) -> Result<()> {
    let utf8 = cx.options().string_encoding == StringEncoding::Utf8;
    let image = value.image.as_slice();
    let mut lowering = Lowering { cx, image, utf8 };
    lowering.flat(&value.layout, 0, flat)
}

struct Lowering<'a, 'b, T: 'static> {
    cx: &'a mut LowerContext<'b, T>,
    image: &'a [u8],
    utf8: bool,
}

impl<T> Lowering<'_, '_, T> {
    fn flat(&mut self, layout: &Layout, at: usize, flat: &mut [ValRaw]) -> Result<()> {
        let flat = &mut flat[..layout.flat_count];
        match &layout.kind {
            Kind::Scalar(scalar) => flat[0] = flat_scalar(*scalar, self.image, at),
            Kind::Text | Kind::List(_) => {
                let pair = self.piece(layout, at, None)?;
                flat.copy_from_slice(&pair.map(|word| ValRaw::u32(word as u32)));
            }
            Kind::Fields(fields) => {
                let mut used = 0;
                for field in fields {
                    self.flat(&field.layout, at + field.at, &mut flat[used..])?;
                    used += field.layout.flat_count;
                }
            }
            Kind::Cases(cases) => {
                // What the case leaves unused is 0; all others extend what they hold with zeros.
                flat.fill(ValRaw::u64(0));
                flat[0] = ValRaw::u32(number(self.image, at, cases.tag_bytes) as u32);
                if let Some(payload) = cases.present(self.image, at) {
                    self.flat(payload, at + cases.payload_at, &mut flat[1..])?;
                }
            }
            Kind::Flags(_) => {
                let bytes = layout.bytes as usize;
                flat[0] = ValRaw::u32(number(self.image, at, bytes) as u32);
            }
        }
        Ok(())
    }

    /// Lowers a string or list, and returns its address and the number of its elements. They are
    /// written to `to` as well, if that is given.
    fn piece(&mut self, layout: &Layout, at: usize, to: Option<usize>) -> Result<[usize; 2]> {
        let (begin, elements) = piece(self.image, at);
        match &layout.kind {
            Kind::List(element) if element.has_pieces => {
                let size = element.bytes as usize;
                let pointer = self.cx.realloc(0, 0, element.align, elements * size)?;
                for index in 0..elements {
                    self.store(element, begin + index * size, pointer + index * size)?;
                }
                let pair = [pointer, elements];
                put_pair(pair, to, self.cx.as_slice_mut());
                Ok(pair)
            }
            Kind::List(element) => {
                let size = element.bytes as usize;
                let bytes = elements * size;
                let pointer = self.cx.realloc(0, 0, element.align, bytes)?;
                let memory = self.cx.as_slice_mut();
                if element.is_solid {
                    let items = &self.image[begin..begin + bytes];
                    memory[pointer..pointer + bytes].copy_from_slice(items);
                } else {
                    for index in (0..elements).map(|index| index * size) {
                        copy(element, self.image, begin + index, memory, pointer + index);
                    }
                }
                let pair = [pointer, elements];
                put_pair(pair, to, memory);
                Ok(pair)
            }
            _ => self.text(&self.image[begin..begin + elements], to),
        }
    }

    fn text(&mut self, text: &[u8], to: Option<usize>) -> Result<[usize; 2]> {
        if !self.utf8 {
            return self.recoded(text, to);
        }
        let bytes = text.len();
        if bytes > TEXT_BYTES_MAX {
            bail!("string length of {bytes} too large to copy into wasm");
        }
        let pointer = self.cx.realloc(0, 0, 1, bytes)?;
        let memory = self.cx.as_slice_mut();
        memory[pointer..pointer + bytes].copy_from_slice(text);
        put_pair([pointer, bytes], to, memory);
        Ok([pointer, bytes])
    }

    /// Lowers a string in another encoding.
    fn recoded(&mut self, text: &[u8], to: Option<usize>) -> Result<[usize; 2]> {
        let mut pair = std::mem::MaybeUninit::uninit();
        str::from_utf8(text)?.linear_lower_to_flat(self.cx, InterfaceType::String, &mut pair)?;
        // SAFETY: `linear_lower_to_flat` initialises its destination when it returns `Ok`.
        let pair: [ValRaw; 2] = unsafe { pair.assume_init() };
        let pair = pair.map(|raw| raw.get_u32() as usize);
        put_pair(pair, to, self.cx.as_slice_mut());
        Ok(pair)
    }

    /// Writes a value with strings or lists in it to memory.
    fn store(&mut self, layout: &Layout, at: usize, to: usize) -> Result<()> {
        if !layout.has_pieces {
            copy(layout, self.image, at, self.cx.as_slice_mut(), to);
            return Ok(());
        }
        match &layout.kind {
            Kind::Text | Kind::List(_) => {
                self.piece(layout, at, Some(to))?;
            }
            Kind::Fields(fields) => {
                for field in fields {
                    self.store(&field.layout, at + field.at, to + field.at)?;
                }
            }
            Kind::Cases(cases) => {
                copy_tag(cases, self.image, at, self.cx.as_slice_mut(), to);
                if let Some(payload) = cases.present(self.image, at) {
                    self.store(payload, at + cases.payload_at, to + cases.payload_at)?;
                }
            }
            Kind::Scalar(_) | Kind::Flags(_) => {}
        }
        Ok(())
    }
}

/// Writes an address and a number of elements to memory, if there is a place for them.
#[inline]
fn put_pair(pair: [usize; 2], to: Option<usize>, memory: &mut [u8]) {
    if let Some(to) = to {
        for (word, to) in pair.into_iter().zip([to, to + 4]) {
            memory[to..to + 4].copy_from_slice(&(word as u32).to_le_bytes());
        }
    }
}

/// Writes a value without strings and lists to memory.
fn copy(layout: &Layout, image: &[u8], at: usize, memory: &mut [u8], to: usize) {
    match &layout.kind {
        Kind::Fields(fields) if !layout.is_solid => {
            for field in fields {
                copy(&field.layout, image, at + field.at, memory, to + field.at);
            }
        }
        Kind::Cases(cases) => {
            copy_tag(cases, image, at, memory, to);
            if let Some(payload) = cases.present(image, at) {
                copy(
                    payload,
                    image,
                    at + cases.payload_at,
                    memory,
                    to + cases.payload_at,
                );
            }
        }
        _ => {
            let bytes = layout.bytes as usize;
            memory[to..to + bytes].copy_from_slice(&image[at..at + bytes]);
        }
    }
}

fn copy_tag(cases: &Cases, image: &[u8], at: usize, memory: &mut [u8], to: usize) {
    let bytes = cases.tag_bytes;
    memory[to..to + bytes].copy_from_slice(&image[at..at + bytes]);
}

fn flat_scalar(scalar: Scalar, image: &[u8], at: usize) -> ValRaw {
    let bits = number(image, at, scalar.bytes() as usize);
    match scalar {
        Scalar::S8 => ValRaw::i32(i32::from(bits as i8)),
        Scalar::S16 => ValRaw::i32(i32::from(bits as i16)),
        _ => ValRaw::u64(bits),
    }
}

/// Lifts a value that lies in memory from `from` on, which is aligned and within the memory.
pub(super) fn lift(cx: &mut LiftContext<'_>, layout: &Arc<Layout>, from: usize) -> Result<Nested> {
    let utf8 = cx.options().string_encoding == StringEncoding::Utf8;
    let image = vec![0; layout.bytes as usize];
    let memory = cx.memory();
    let mut lifting = Lifting {
        cx,
        memory,
        image,
        utf8,
    };
    lifting.load(layout, from, 0)?;
    let image = lifting.image;
    let layout = Arc::clone(layout);
    Ok(Nested { layout, image })
}

/// Lifts a value of one core value.
pub(super) fn lift_flat(layout: &Arc<Layout>, flat: &ValRaw) -> Result<Nested> {
    let mut image = vec![0; layout.bytes as usize];
    load_flat(layout, flat.get_u64(), &mut image)?;
    let layout = Arc::clone(layout);
    Ok(Nested { layout, image })
}

/// Writes the one core value of a type, which lies at its beginning.
fn load_flat(layout: &Layout, bits: u64, image: &mut [u8]) -> Result<()> {
    let bytes = layout.bytes as usize;
    match &layout.kind {
        Kind::Scalar(Scalar::Bool) => image[0] = u8::from(bits as u32 != 0),
        Kind::Scalar(scalar) => {
            if *scalar == Scalar::Char {
                char::try_from(bits as u32)?;
            }
            image[..bytes].copy_from_slice(&bits.to_le_bytes()[..bytes]);
        }
        Kind::Fields(fields) => {
            for field in fields {
                load_flat(&field.layout, bits, image)?;
            }
        }
        Kind::Cases(cases) => {
            check_tag(cases, u64::from(bits as u32))?;
            let tag_bytes = cases.tag_bytes;
            image[..tag_bytes].copy_from_slice(&bits.to_le_bytes()[..tag_bytes]);
        }
        Kind::Flags(names) => put_flags(names.len(), &bits.to_le_bytes()[..bytes], image),
        Kind::Text | Kind::List(_) => bail!("a type that is more than one core value"),
    }
    Ok(())
}

fn check_tag(cases: &Cases, tag: u64) -> Result<()> {
    let len = cases.all.len();
    match usize::try_from(tag) {
        Ok(tag) if tag < len => Ok(()),
        _ => bail!("discriminant {tag} out of range [0..{len})"),
    }
}

struct Lifting<'a, 'b> {
    cx: &'a mut LiftContext<'b>,
    memory: &'b [u8],
    image: Vec<u8>,
    utf8: bool,
}

impl Lifting<'_, '_> {
    /// Loads a value from memory to its place in the image, and its strings and lists to the end.
    fn load(&mut self, layout: &Layout, from: usize, to: usize) -> Result<()> {
        let bytes = layout.bytes as usize;
        match &layout.kind {
            Kind::Text => self.text(from, to)?,
            Kind::List(element) => self.list(element, from, to)?,
            Kind::Fields(fields) if !layout.is_solid => {
                for field in fields {
                    self.load(&field.layout, from + field.at, to + field.at)?;
                }
            }
            Kind::Cases(cases) => {
                let tag = number(self.memory, from, cases.tag_bytes);
                check_tag(cases, tag)?;
                let tag_bytes = cases.tag_bytes;
                self.image[to..to + tag_bytes].copy_from_slice(&tag.to_le_bytes()[..tag_bytes]);
                if let Some(payload) = &cases.all[tag as usize].1 {
                    self.load(payload, from + cases.payload_at, to + cases.payload_at)?;
                }
            }
            Kind::Flags(names) => {
                let flags = &self.memory[from..from + bytes];
                put_flags(names.len(), flags, &mut self.image[to..to + bytes]);
            }
            Kind::Scalar(Scalar::Bool) => self.image[to] = u8::from(self.memory[from] != 0),
            Kind::Scalar(_) | Kind::Fields(_) => {
                let value = &self.memory[from..from + bytes];
                if matches!(layout.kind, Kind::Scalar(Scalar::Char)) {
                    char::try_from(number(value, 0, bytes) as u32)?;
                }
                self.image[to..to + bytes].copy_from_slice(value);
            }
        }
        Ok(())
    }

    fn list(&mut self, element: &Layout, from: usize, to: usize) -> Result<()> {
        let (pointer, elements) = piece(self.memory, from);
        let size = element.bytes as usize;
        let bytes = elements.checked_mul(size);
        match bytes.and_then(|bytes| pointer.checked_add(bytes)) {
            Some(end) if end <= self.memory.len() => self.cx.consume_fuel_array(elements, size)?,
            _ => bail!("list pointer/length out of bounds of memory"),
        }
        if !pointer.is_multiple_of(element.align as usize) {
            bail!("list pointer is not aligned");
        }
        let begin = self.push(to, elements, elements * size)?;
        if element.is_solid {
            let list = &self.memory[pointer..pointer + elements * size];
            self.image[begin..].copy_from_slice(list);
            return Ok(());
        }
        for index in 0..elements {
            self.load(element, pointer + index * size, begin + index * size)?;
        }
        Ok(())
    }

    fn text(&mut self, from: usize, to: usize) -> Result<()> {
        if !self.utf8 {
            let pair = &self.memory[from..from + 8];
            let text = String::linear_lift_from_memory(self.cx, InterfaceType::String, pair)?;
            let begin = self.push(to, text.len(), text.len())?;
            self.image[begin..].copy_from_slice(text.as_bytes());
            return Ok(());
        }
        let (pointer, bytes) = piece(self.memory, from);
        match pointer.checked_add(bytes) {
            Some(end) if end <= self.memory.len() => self.cx.consume_fuel(bytes)?,
            _ => bail!("string pointer/length out of bounds of memory"),
        }
        let text = &self.memory[pointer..pointer + bytes];
        str::from_utf8(text)?;
        let begin = self.push(to, bytes, bytes)?;
        self.image[begin..].copy_from_slice(text);
        Ok(())
    }

    fn push(&mut self, at: usize, elements: usize, bytes: usize) -> Result<usize> {
        match push_piece(&mut self.image, at, elements, bytes) {
            Some(begin) => Ok(begin),
            None => bail!("a value of more than 4 GiB"),
        }
    }
}
