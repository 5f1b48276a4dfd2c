//! Each window is searched.

pub fn maxima(values: Vec<i32>, width: u32) -> Vec<i32> {
    let windows = values.windows(width as usize);
    windows.filter_map(|window| window.iter().copied().reduce(i32::max)).collect()
}
