#include <stdint.h>
#include <stddef.h>

/* The canonical ABI of `total: func(values: list<u64>) -> u64`: the list is its address and its length. */
__attribute__((export_name("total")))
uint64_t total(const uint64_t *values, size_t length) {
  uint64_t sum = 0;
  for (size_t i = 0; i < length; i++) sum += values[i];
  return sum;
}

extern unsigned char __heap_base;
static unsigned char *next = &__heap_base;

/* The host asks for memory here, for each argument that is a list or a string. */
__attribute__((export_name("cabi_realloc")))
void *cabi_realloc(void *old, size_t old_size, size_t align, size_t size) {
  size_t at = ((size_t)next + align - 1) & ~(align - 1);
  size_t end = at + size;
  size_t pages = __builtin_wasm_memory_size(0);
  if (end > pages * 65536 &&
      __builtin_wasm_memory_grow(0, (end - pages * 65536 + 65535) / 65536) == (size_t)-1)
    __builtin_trap();
  for (size_t i = 0; i < old_size && i < size; i++)
    ((unsigned char *)at)[i] = ((unsigned char *)old)[i];
  next = (unsigned char *)end;
  return (void *)at;
}
