export function total(values) {
  let sum = 0n;
  for (const value of values) sum += value;
  return sum;
}
