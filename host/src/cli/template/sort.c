/* Sort the numbers: equal ones become neighbours. */

#include "prototype.h"
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return (left > right) - (left < right);
}

uint32_t exports_prototype_count_distinct(prototype_list_u32_t *values) {
  qsort(values->ptr, values->len, sizeof *values->ptr, compare);
  uint32_t distinct = 0;
  for (size_t i = 0; i < values->len; i++) distinct += i == 0 || values->ptr[i] != values->ptr[i - 1];
  /* The argument belongs to the function. */
  prototype_list_u32_free(values);
  return distinct;
}
