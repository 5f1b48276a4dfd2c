/* A hash table with linear probing, at most half full. */

#include "prototype.h"
#include <stdbool.h>
#include <stdlib.h>

struct slot {
  bool is_taken;
  uint32_t value;
};

uint32_t exports_prototype_count_distinct(prototype_list_u32_t *values) {
  size_t slots = 2;
  uint32_t shift = 31;
  while (slots < values->len * 2) slots *= 2, shift -= 1;
  struct slot *table = calloc(slots, sizeof *table);
  if (table == NULL) abort();
  uint32_t distinct = 0;
  for (size_t i = 0; i < values->len; i++) {
    /* The upper bits of the product are the well mixed ones. */
    size_t slot = (values->ptr[i] * UINT32_C(0x85ebca6b)) >> shift;
    while (table[slot].is_taken && table[slot].value != values->ptr[i]) slot = (slot + 1) % slots;
    distinct += !table[slot].is_taken;
    table[slot] = (struct slot){true, values->ptr[i]};
  }
  free(table);
  /* The argument belongs to the function. */
  prototype_list_u32_free(values);
  return distinct;
}
