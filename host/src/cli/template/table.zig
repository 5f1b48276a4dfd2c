// Put each number into the hash table of the standard library.

const std = @import("std");
const prototype = @import("prototype");

export fn exports_prototype_count_distinct(list: *prototype.prototype_list_u32_t) u32 {
    var seen = std.AutoHashMap(u32, void).init(std.heap.c_allocator);
    seen.ensureTotalCapacity(list.len) catch @panic("no memory is left");
    for (list.ptr[0..list.len]) |value| seen.putAssumeCapacity(value, {});
    const distinct = seen.count();
    seen.deinit();
    // The argument belongs to the function.
    prototype.prototype_list_u32_free(list);
    return distinct;
}
