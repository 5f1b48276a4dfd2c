// Sort the numbers: equal ones become neighbours.

const std = @import("std");
const prototype = @import("prototype");

export fn exports_prototype_count_distinct(list: *prototype.prototype_list_u32_t) u32 {
    const values = list.ptr[0..list.len];
    std.mem.sortUnstable(u32, values, {}, std.sort.asc(u32));
    var distinct: u32 = 0;
    for (values, 0..) |value, i| {
        if (i == 0 or value != values[i - 1]) distinct += 1;
    }
    // The argument belongs to the function.
    prototype.prototype_list_u32_free(list);
    return distinct;
}
