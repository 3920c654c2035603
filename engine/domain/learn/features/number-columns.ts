/**
 * The numbers of an event as trees see them: for each column a code from 0 to 255, by bins between quantiles.
 *
 * Owns: which numbers there are. A point with numbers has one column, a point with times the hour and the weekday, a
 * point with arrays the length. A point without numbers or times has the count: how often its value was seen, labelled
 * or not. So trees tell frequent values from rare ones without labels. The count of a number would only be its place on
 * the scale once more, in disorder.
 *
 * 1. 0 is missing. Other codes are 1 or more and ascend with the number.
 */
import type { PointValue, PointValues } from '../classifier.js'
import type { ModelReader, ModelWriter } from '../model-bytes.js'
import type { PointProfile } from './point-profile.js'
import { AS_NUMBER, AS_TEXT, AS_TIME, hourOf, numberIn, timeIn, weekdayOf, type Reading } from './written-values.js'

/** What a column measures of its point. */
const VALUE = 0
const LENGTH = 1
const COUNT = 2
const WRITTEN = 3
const HOUR = 4
const WEEKDAY = 5
const ITEMS = 6
/** A coordinate of the event's texts (text-factors.ts); `point` is its number. */
export const FACTOR = 7

/** The measures of a point with lists; a list of one may come as a plain value. */
const listMeasures = [VALUE, ITEMS, COUNT]
/** The measures of a point by how its texts are read. */
const measuresOf: Readonly<Record<Reading, readonly number[]>> = {
  [AS_TEXT]: [VALUE, LENGTH, COUNT],
  [AS_NUMBER]: [WRITTEN, LENGTH, COUNT],
  [AS_TIME]: [HOUR, WEEKDAY, LENGTH],
}

export interface NumberColumn {
  readonly point: number
  readonly what: number
  /** Ascending, distinct bounds between bins. */
  readonly edges: Float64Array
  /** Each known number has its own bin. */
  readonly exact: boolean
}

/** As many as one byte can tell apart. Few bins would merge the rare numbers of the tails with common ones. */
const binsMax = 255

/** A count on a logarithmic scale; once is the same as never. */
export function countLevel(count: number): number {
  return count <= 1 ? 0 : Math.log2(count)
}

/** The number that a measure has in this value; NaN for none. `count` is how often the value was seen. */
function measure(what: number, value: PointValue, count: number): number {
  if (what === VALUE) return typeof value === 'number' ? value : NaN
  if (what === LENGTH) return Array.isArray(value) ? value.length : NaN
  if (what === ITEMS) return value === null ? NaN : Array.isArray(value) ? value.length : 1
  if (what === WRITTEN) return numberIn(value, AS_NUMBER)
  if (what === HOUR) return hourOf(timeIn(value, AS_TIME))
  if (what === WEEKDAY) return weekdayOf(timeIn(value, AS_TIME))
  return value === null ? NaN : countLevel(count)
}

/** Bounds of bins with about equally many numbers, each half-way between two neighbouring numbers. */
export function edgesOf(numbers: readonly number[]): { edges: Float64Array; exact: boolean } {
  const sorted = Float64Array.from(numbers).sort()
  const distinct = sorted.filter((x, i) => i === 0 || x !== sorted[i - 1])
  if (distinct.length <= binsMax)
    return { edges: distinct.subarray(1).map((x, i) => middle(distinct[i] as number, x)), exact: true }
  const edges: number[] = []
  for (let i = 1; i < binsMax; i++) {
    const x = sorted[Math.floor((i * sorted.length) / binsMax)] as number
    const place = lowerBound(distinct, x)
    if (place === 0) continue
    const edge = middle(distinct[place - 1] as number, x)
    if (edge > (edges.at(-1) ?? -Infinity)) edges.push(edge)
  }
  return { edges: Float64Array.from(edges), exact: false }
}

function middle(low: number, high: number): number {
  const between = low + (high - low) / 2
  return Number.isFinite(between) && between > low ? between : high
}

/** How many numbers of an ascending list are below x. */
function lowerBound(sorted: Float64Array, x: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const at = (low + high) >> 1
    if ((sorted[at] as number) < x) low = at + 1
    else high = at
  }
  return low
}

/** What number columns are made from. */
interface MeasuredRows {
  readonly rows: readonly PointValues[]
  readonly pointCount: number
  /** At row * pointCount + point: how often that value was seen. */
  readonly counts: Int32Array
}

/** The finite numbers that a measure has at a point. */
function measureRows({ rows, pointCount, counts }: MeasuredRows, point: number, what: number): number[] {
  const numbers: number[] = []
  for (let row = 0; row < rows.length; row++) {
    const value = (rows[row] as PointValues)[point] ?? null
    const number = measure(what, value, counts[row * pointCount + point] as number)
    if (Number.isFinite(number)) numbers.push(number)
  }
  return numbers
}

/** The columns of a point. */
function columnsOf(input: MeasuredRows, point: number, measures: readonly number[]): NumberColumn[] {
  const columns: NumberColumn[] = []
  let isNumeric = false
  for (const what of measures) {
    if (what === COUNT && isNumeric) continue
    const numbers = measureRows(input, point, what)
    if (what === VALUE || what === WRITTEN) isNumeric = numbers.length > 0
    if (numbers.length === 0) continue
    const { edges, exact } = edgesOf(numbers)
    // One number that is never missing says nothing.
    if (edges.length > 0 || (what !== COUNT && numbers.length < input.rows.length))
      columns.push({ point, what, edges, exact })
  }
  return columns
}

/** Columns for these rows; `counts[row * pointCount + point]` is how often that value was seen. */
export function chooseNumberColumns(
  rows: readonly PointValues[],
  profiles: readonly Pick<PointProfile, 'reading' | 'listed'>[],
  counts: Int32Array,
): NumberColumn[] {
  const input: MeasuredRows = { rows, pointCount: profiles.length, counts }
  return profiles.flatMap(({ reading, listed }, point) =>
    columnsOf(input, point, listed ? listMeasures : measuresOf[reading]),
  )
}

/** True for a column whose known numbers each have their own bin. */
export function resolves({ what, exact }: NumberColumn): boolean {
  return (what === VALUE || what === WRITTEN) && exact
}

/** The code of a column for the value at its point; `count` is how often the value was seen. */
export function numberCode({ what, edges }: NumberColumn, value: PointValue, count: number): number {
  const number = measure(what, value, count)
  return Number.isNaN(number) ? 0 : codeOf(edges, number)
}

/** The bin of a number, from 1 on. */
export function codeOf(edges: Float64Array, number: number): number {
  let low = 0
  let high = edges.length
  while (low < high) {
    const at = (low + high) >> 1
    if (number >= (edges[at] as number)) low = at + 1
    else high = at
  }
  return low + 1
}

export function writeNumberColumns(columns: readonly NumberColumn[], to: ModelWriter): void {
  to.u32(columns.length)
  for (const { point, what, edges, exact } of columns) {
    to.u32(point)
    to.u8(what)
    to.u8(exact ? 1 : 0)
    to.f64s(edges)
  }
}

export function readNumberColumns(from: ModelReader): NumberColumn[] {
  const columns: NumberColumn[] = []
  for (let left = from.u32(); left > 0; left--) {
    columns.push({ point: from.u32(), what: from.u8(), exact: from.u8() === 1, edges: from.f64s() })
  }
  return columns
}
