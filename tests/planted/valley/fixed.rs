pub fn place(turn: u32) -> (i32, i32) {
    let x = 40;
    let y = 71 + turn as i32 - 1;
    (x, y)
}
