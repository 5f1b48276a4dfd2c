// Keep the k largest seen so far in a min-heap: its root is the one to beat.

const std = @import("std");
const prototype = @import("prototype");

/// Moves the value at a place down to where both below it are larger.
fn siftDown(heap: []i64, start: usize, count: usize) void {
    const value = heap[start];
    var place = start;
    while (2 * place + 1 < count) {
        var below = 2 * place + 1;
        if (below + 1 < count and heap[below + 1] < heap[below]) below += 1;
        if (value <= heap[below]) break;
        heap[place] = heap[below];
        place = below;
    }
    heap[place] = value;
}

export fn exports_prototype_top_k(
    list: *prototype.prototype_list_s64_t,
    k: u32,
    ret: *prototype.prototype_list_s64_t,
) void {
    const values = list.ptr[0..list.len];
    const count = @min(values.len, k);
    const heap = std.heap.c_allocator.dupe(i64, values[0..count]) catch @panic("no memory is left");
    var place = count / 2;
    while (place > 0) {
        place -= 1;
        siftDown(heap, place, count);
    }
    if (count > 0) {
        for (values[count..]) |value| {
            if (value > heap[0]) {
                heap[0] = value;
                siftDown(heap, 0, count);
            }
        }
    }
    // The smallest goes to the end, again and again: what is left is in descending order.
    var end = count;
    while (end > 1) {
        end -= 1;
        const smallest = heap[0];
        heap[0] = heap[end];
        heap[end] = smallest;
        siftDown(heap, 0, end);
    }
    prototype.prototype_list_s64_free(list);
    ret.* = .of(heap);
}
