/** Samples: rows drawn at random, and items taken evenly. */
import type { TreeRows } from '../features/tree-table.js'
import { hashPair } from '../hash.js'
import type { Sfc32 } from '../sfc32.js'

/**
 * A draw with replacement (bootstrap; Breiman 1996) of as many events as the rows stand for, at most `max`. A row that
 * stands for many events is in nearly every draw. The weights say how often each row was drawn.
 */
export function drawRows(from: TreeRows, max: number, rowCount: number, random: Sfc32): TreeRows {
  const sums = new Float64Array(from.rows.length)
  let total = 0
  for (let i = 0; i < sums.length; i++) {
    total += from.weights[from.rows[i] as number] as number
    sums[i] = total
  }
  const draws = Math.max(1, Math.min(max, Math.max(from.rows.length, Math.round(total))))
  const weights = new Float64Array(rowCount)
  const rows: number[] = []
  for (let i = 0; i < draws; i++) {
    const place = (random.next() / 0x1_0000_0000) * total
    let low = 0
    let high = sums.length - 1
    while (low < high) {
      const at = (low + high) >> 1
      if ((sums[at] as number) > place) high = at
      else low = at + 1
    }
    const row = from.rows[low] as number
    if (weights[row] === 0) rows.push(row)
    weights[row] = (weights[row] as number) + 1
  }
  return { rows: Int32Array.from(rows), weights }
}

/** `count` rows without replacement; reorders `rows`. */
export function pickRows(rows: Int32Array, count: number, random: Sfc32): Int32Array {
  for (let i = 0; i < count; i++) {
    const other = i + random.below(rows.length - i)
    const row = rows[i] as number
    rows[i] = rows[other] as number
    rows[other] = row
  }
  return rows.slice(0, count)
}

/** True with the probability `share`, which follows from the draw and the key alone. */
export function isDrawn(draw: number, key: number, share: number): boolean {
  return hashPair(draw, key) >>> 0 < share * 0x1_0000_0000
}

/** Splits the rows by their keys: those drawn with the probability `share`, and the others, both in order. */
export function partByKeys(rows: Int32Array, keys: Int32Array, draw: number, share: number): [Int32Array, Int32Array] {
  const parted = [new Int32Array(rows.length), new Int32Array(rows.length)] as const
  let drawn = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    if (isDrawn(draw, keys[row] as number, share)) parted[0][drawn++] = row
    else parted[1][i - drawn] = row
  }
  return [parted[0].subarray(0, drawn), parted[1].subarray(0, rows.length - drawn)]
}

/** Every n-th item of a list, at most `max` items. */
export function evenly<T>(list: readonly T[], max: number): readonly T[] {
  const step = Math.ceil(list.length / max)
  return step <= 1 ? list : list.filter((_, i) => i % step === 0)
}
