// Keep the k largest seen so far in a min-heap: its root is the one to beat.

#include "prototype.h"
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <queue>
#include <vector>

void exports_prototype_top_k(prototype_list_s64_t *values, uint32_t k, prototype_list_s64_t *ret) {
  std::vector<int64_t> storage;
  storage.reserve(k);
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> best(std::greater<>{}, std::move(storage));
  for (size_t i = 0; i < values->len; i++) {
    const int64_t value = values->ptr[i];
    if (best.size() < k) {
      best.push(value);
    } else if (k > 0 && value > best.top()) {
      best.pop();
      best.push(value);
    }
  }
  prototype_list_s64_free(values);
  // The answer is freed by the bindings, so it comes from `malloc`.
  ret->len = best.size();
  ret->ptr = static_cast<int64_t *>(std::malloc(ret->len * sizeof(int64_t)));
  if (ret->len > 0 && ret->ptr == nullptr) std::abort();
  for (size_t i = ret->len; i-- > 0; best.pop()) ret->ptr[i] = best.top();
}
