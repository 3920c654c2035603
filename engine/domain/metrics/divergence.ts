/**
 * How different two distributions are, and how much one variable tells about another. Logarithms have base 2: bits.
 *
 * | figure                            | is                                                                           |
 * |-----------------------------------|------------------------------------------------------------------------------|
 * | Jensen-Shannon divergence of p, q | (KL(p, m) + KL(q, m)) / 2 with m = (p + q) / 2; 0 the same, 1 nothing common |
 * | entropy H                         | -sum of p log p                                                              |
 * | mutual information of a table     | H(rows) + H(columns) - H(cells)                                              |
 *
 * Sources: Lin 1991, Divergence Measures Based on the Shannon Entropy; Cover & Thomas 2006.
 */

/** Jensen-Shannon divergence of two lists of counts, 0 to 1; null if either sums to 0. */
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

/** Entropy of a list of counts, bits. */
export function entropy(counts: Iterable<number>): number {
  const list = [...counts].filter((count) => count > 0)
  const all = sum(list)
  return all === 0 ? 0 : -list.reduce((bits, count) => bits + (count / all) * Math.log2(count / all), 0)
}

/** Mutual information of a table of counts, bits, 0 or more. Each list is a row. */
export function mutualInformation(rows: Iterable<readonly number[]>): number {
  const table = [...rows]
  const columns: number[] = []
  for (const row of table) row.forEach((count, j) => (columns[j] = (columns[j] ?? 0) + count))
  return Math.max(0, entropy(table.map(sum)) + entropy(columns) - entropy(table.flat()))
}

export function sum(counts: ArrayLike<number>): number {
  let all = 0
  for (let i = 0; i < counts.length; i++) all += counts[i] as number
  return all
}
