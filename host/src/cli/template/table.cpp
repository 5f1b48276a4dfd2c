// Put each number into the hash table of the standard library.

#include "prototype.h"
#include <unordered_set>

uint32_t exports_prototype_count_distinct(prototype_list_u32_t *values) {
  std::unordered_set<uint32_t> seen;
  seen.reserve(values->len);
  seen.insert(values->ptr, values->ptr + values->len);
  // The argument belongs to the function.
  prototype_list_u32_free(values);
  return static_cast<uint32_t>(seen.size());
}
