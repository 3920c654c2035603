/**
 * How far two distributions lie apart, and what one variable tells of another. Logarithms are to base 2: bits.
 *
 * - Jensen-Shannon divergence of p and q: (KL(p || m) + KL(q || m)) / 2 with m = (p + q) / 2; 0 the same, 1 nothing in
 *   common (Lin 1991, Divergence Measures Based on the Shannon Entropy).
 * - Entropy H = -sum of p log p. Mutual information of a table: H(rows) + H(columns) - H(cells) (Cover & Thomas 2006).
 */

/** Of two lists of counts, the same places; 0 to 1, null where either is empty. */
export function divergence(a: ArrayLike<number>, b: ArrayLike<number>): number | null {
  const [sumA, sumB] = [sum(a), sum(b)]
  if (sumA === 0 || sumB === 0) return null
  let bits = 0
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [p, q] = [(a[i] ?? 0) / sumA, (b[i] ?? 0) / sumB]
    const m = (p + q) / 2
    if (p > 0) bits += (p * Math.log2(p / m)) / 2
    if (q > 0) bits += (q * Math.log2(q / m)) / 2
  }
  return Math.min(1, Math.max(0, bits))
}

/** Of a list of counts, bits. */
export function entropy(counts: Iterable<number>): number {
  const list = [...counts].filter((count) => count > 0)
  const all = sum(list)
  return all === 0 ? 0 : -list.reduce((bits, count) => bits + (count / all) * Math.log2(count / all), 0)
}

/** Of a table of counts, one list a row: what a row tells of the column, bits; 0 or more. */
export function mutualInformation(rows: Iterable<readonly number[]>): number {
  const table = [...rows]
  const columns: number[] = []
  for (const row of table) row.forEach((count, j) => (columns[j] = (columns[j] ?? 0) + count))
  return Math.max(0, entropy(table.map(sum)) + entropy(columns) - entropy(table.flat()))
}

/** Of counts. */
export function sum(counts: ArrayLike<number>): number {
  let all = 0
  for (let i = 0; i < counts.length; i++) all += counts[i] as number
  return all
}
