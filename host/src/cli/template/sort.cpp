// Sort the numbers: equal ones become neighbours.

#include "prototype.h"
#include <algorithm>

uint32_t exports_prototype_count_distinct(prototype_list_u32_t *values) {
  uint32_t *const end = values->ptr + values->len;
  std::sort(values->ptr, end);
  const auto distinct = std::unique(values->ptr, end) - values->ptr;
  // The argument belongs to the function.
  prototype_list_u32_free(values);
  return static_cast<uint32_t>(distinct);
}
