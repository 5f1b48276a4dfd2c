pub fn bubble_sort(items: &mut [i32]) {
    for end in (1..items.len()).rev() {
        let mut swapped = false;
        for i in 0..end {
            if items[i] > items[i + 1] {
                items.swap(i, i + 1);
                swapped = true;
            }
        }
        if !swapped {
            return;
        }
    }
}

pub fn insertion_sort(items: &mut [i64]) {
    for i in 1..items.len() {
        let mut at = i;
        while at > 0 && items[at - 1] > items[at] {
            items.swap(at - 1, at);
            at -= 1;
        }
    }
}

pub fn merge(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (mut i, mut j, mut all) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if a[i] <= b[j] {
            all.push(a[i]);
            i += 1;
        } else {
            all.push(b[j]);
            j += 1;
        }
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    all
}

pub fn largest_sum_of_part(items: &[i32]) -> i64 {
    let (mut best, mut here) = (0i64, 0i64);
    for item in items {
        here = (here + i64::from(*item)).max(0);
        best = best.max(here);
    }
    best
}

pub fn two_sum(items: &[i32], target: i32) -> Option<(usize, usize)> {
    for i in 0..items.len() {
        for j in i + 1..items.len() {
            if items[i].checked_add(items[j]) == Some(target) {
                return Some((i, j));
            }
        }
    }
    None
}

pub fn rotated(items: &[u8], by: usize) -> Vec<u8> {
    if items.is_empty() {
        return Vec::new();
    }
    let by = by % items.len();
    [&items[by..], &items[..by]].concat()
}

pub fn majority(items: &[u16]) -> Option<u16> {
    let (mut candidate, mut count) = (0, 0);
    for item in items {
        if count == 0 {
            candidate = *item;
        }
        if *item == candidate {
            count += 1;
        } else {
            count -= 1;
        }
    }
    let votes = items.iter().filter(|item| **item == candidate).count();
    (votes * 2 > items.len()).then_some(candidate)
}

pub fn longest_run(items: &[i8]) -> usize {
    let (mut best, mut run) = (0, 0);
    for i in 0..items.len() {
        if i > 0 && items[i] == items[i - 1] {
            run += 1;
        } else {
            run = 1;
        }
        best = best.max(run);
    }
    best
}

pub fn partition(items: &[i32], pivot: i32) -> (Vec<i32>, Vec<i32>) {
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for item in items {
        if *item < pivot {
            low.push(*item);
        } else {
            high.push(*item);
        }
    }
    (low, high)
}

pub fn second_largest(items: &[i64]) -> Option<i64> {
    let (mut first, mut second) = (None, None);
    for item in items {
        if Some(*item) > first {
            second = first;
            first = Some(*item);
        } else if Some(*item) > second && Some(*item) != first {
            second = Some(*item);
        }
    }
    second
}

pub fn inversions(items: &[i16]) -> u32 {
    let mut count = 0;
    for i in 0..items.len() {
        for j in i + 1..items.len() {
            if items[i] > items[j] {
                count += 1;
            }
        }
    }
    count
}

pub fn longest_increasing(items: &[i32]) -> usize {
    let mut tails: Vec<i32> = Vec::new();
    for item in items {
        let at = tails.partition_point(|tail| tail < item);
        if at == tails.len() {
            tails.push(*item);
        } else {
            tails[at] = *item;
        }
    }
    tails.len()
}

pub fn coins(values: &[u8], amount: u8) -> Option<u32> {
    let amount = usize::from(amount);
    let mut least = vec![None; amount + 1];
    least[0] = Some(0);
    for sum in 1..=amount {
        for value in values {
            let value = usize::from(*value);
            if value == 0 || value > sum {
                continue;
            }
            if let Some(count) = least[sum - value] {
                if least[sum].is_none_or(|known| count + 1 < known) {
                    least[sum] = Some(count + 1);
                }
            }
        }
    }
    least[amount]
}

pub fn knapsack(items: &[(u8, u16)], room: u8) -> u32 {
    let room = usize::from(room);
    let mut best = vec![0u32; room + 1];
    for (weight, value) in items {
        let weight = usize::from(*weight);
        for left in (weight..=room).rev() {
            best[left] = best[left].max(best[left - weight] + u32::from(*value));
        }
    }
    best[room]
}

pub fn median(items: &[i32]) -> Option<f64> {
    if items.is_empty() {
        return None;
    }
    let mut sorted = items.to_vec();
    sorted.sort_unstable();
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        return Some(f64::from(sorted[middle]));
    }
    Some((f64::from(sorted[middle - 1]) + f64::from(sorted[middle])) / 2.0)
}

pub fn missing(items: &[u16]) -> u16 {
    let mut seen = vec![false; items.len() + 1];
    for item in items {
        if usize::from(*item) < seen.len() {
            seen[usize::from(*item)] = true;
        }
    }
    seen.iter().position(|is_seen| !is_seen).unwrap_or(0) as u16
}

pub fn water(heights: &[u16]) -> u32 {
    let (mut left, mut right) = (0, heights.len());
    let (mut most_left, mut most_right, mut sum) = (0, 0, 0);
    while left < right {
        if heights[left] < heights[right - 1] {
            most_left = most_left.max(heights[left]);
            sum += u32::from(most_left - heights[left]);
            left += 1;
        } else {
            most_right = most_right.max(heights[right - 1]);
            sum += u32::from(most_right - heights[right - 1]);
            right -= 1;
        }
    }
    sum
}

pub fn merged_intervals(intervals: &[(u16, u16)]) -> Vec<(u16, u16)> {
    let mut sorted: Vec<(u16, u16)> = intervals.iter().copied().filter(|(a, b)| a <= b).collect();
    sorted.sort_unstable();
    let mut merged: Vec<(u16, u16)> = Vec::new();
    for (start, end) in sorted {
        match merged.last_mut() {
            Some((_, last)) if start <= *last => *last = (*last).max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

pub fn dedup(items: &[u32]) -> Vec<u32> {
    let mut kept: Vec<u32> = Vec::new();
    for item in items {
        if kept.last() != Some(item) {
            kept.push(*item);
        }
    }
    kept
}

pub fn prefix_sums(items: &[i32]) -> Vec<i64> {
    let (mut sum, mut sums) = (0i64, vec![0i64]);
    for item in items {
        sum += i64::from(*item);
        sums.push(sum);
    }
    sums
}

pub fn best_trade(prices: &[u32]) -> u32 {
    let (mut least, mut best) = (u32::MAX, 0);
    for price in prices {
        if *price < least {
            least = *price;
        }
        best = best.max(*price - least);
    }
    best
}

pub fn next_permutation(items: &mut Vec<u8>) -> bool {
    if items.len() < 2 {
        return false;
    }
    let mut i = items.len() - 1;
    while i > 0 && items[i - 1] >= items[i] {
        i -= 1;
    }
    if i == 0 {
        items.reverse();
        return false;
    }
    let mut j = items.len() - 1;
    while items[j] <= items[i - 1] {
        j -= 1;
    }
    items.swap(i - 1, j);
    items[i..].reverse();
    true
}

pub fn transposed(grid: &[Vec<i32>]) -> Vec<Vec<i32>> {
    let width = grid.iter().map(Vec::len).min().unwrap_or(0);
    let mut columns = Vec::new();
    for x in 0..width {
        columns.push(grid.iter().map(|row| row[x]).collect());
    }
    columns
}

pub fn islands(grid: &[Vec<bool>]) -> u32 {
    let mut seen: Vec<Vec<bool>> = grid.iter().map(|row| vec![false; row.len()]).collect();
    let mut count = 0;
    for y in 0..grid.len() {
        for x in 0..grid[y].len() {
            if !grid[y][x] || seen[y][x] {
                continue;
            }
            count += 1;
            let mut stack = vec![(y, x)];
            while let Some((y, x)) = stack.pop() {
                if y >= grid.len() || x >= grid[y].len() || seen[y][x] || !grid[y][x] {
                    continue;
                }
                seen[y][x] = true;
                stack.extend([(y + 1, x), (y, x + 1)]);
                if y > 0 {
                    stack.push((y - 1, x));
                }
                if x > 0 {
                    stack.push((y, x - 1));
                }
            }
        }
    }
    count
}

pub fn least_path(grid: &[Vec<u8>]) -> Option<u32> {
    let width = grid.iter().map(Vec::len).min().unwrap_or(0);
    if width == 0 {
        return None;
    }
    let mut least = vec![u32::MAX; width];
    least[0] = 0;
    for row in grid {
        least[0] = least[0].saturating_add(u32::from(row[0]));
        for x in 1..width {
            least[x] = least[x].min(least[x - 1]).saturating_add(u32::from(row[x]));
        }
    }
    least.last().copied()
}
