/* Keep the k largest seen so far in a min-heap: its root is the one to beat. */

#include "prototype.h"
#include <stdlib.h>

/* Moves the value at a place down to where both below it are larger. */
static void sift_down(int64_t *heap, size_t place, size_t count) {
  int64_t value = heap[place];
  size_t below;
  while ((below = 2 * place + 1) < count) {
    if (below + 1 < count && heap[below + 1] < heap[below]) below += 1;
    if (value <= heap[below]) break;
    heap[place] = heap[below];
    place = below;
  }
  heap[place] = value;
}

void exports_prototype_top_k(prototype_list_s64_t *values, uint32_t k, prototype_list_s64_t *ret) {
  size_t count = values->len < k ? values->len : k;
  int64_t *heap = malloc(count * sizeof *heap);
  if (count > 0 && heap == NULL) abort();
  for (size_t i = 0; i < count; i++) heap[i] = values->ptr[i];
  for (size_t i = count / 2; i-- > 0;) sift_down(heap, i, count);
  for (size_t i = count; i < values->len; i++) {
    if (count > 0 && values->ptr[i] > heap[0]) {
      heap[0] = values->ptr[i];
      sift_down(heap, 0, count);
    }
  }
  /* The smallest goes to the end, again and again: what is left is in descending order. */
  for (size_t end = count; end-- > 1;) {
    int64_t smallest = heap[0];
    heap[0] = heap[end];
    heap[end] = smallest;
    sift_down(heap, 0, end);
  }
  prototype_list_s64_free(values);
  ret->ptr = heap;
  ret->len = count;
}
