export function total(values) {
  let sum = 0;
  for (const value of values) sum += Number(value);
  return sum;
}
