/**
 * The numbers of an event as trees see them: a code 0 to 255 a column, by bins between quantiles.
 *
 * Owns: which numbers there are. A point with numbers has one, a point with times the hour and the weekday, a point with arrays its
 * length, and a point without either how often its value was seen, labelled or not: what is frequent is told apart from what is rare
 * before anybody says so. How often a number was seen would only be its place on the scale once more, in disorder.
 *
 * 1. 0 is missing; what is there has a code of 1 or more, greater numbers greater codes.
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

/** What is measured of lists: those of one come without a list. */
const listMeasures = [VALUE, ITEMS, COUNT]
/** What is measured where texts are read so. */
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
  /** Each number that was seen has a bin of its own. */
  readonly exact: boolean
}

/** As many as a code of one byte tells apart: what is rare lies in the tails, where few bins between quantiles leave it one with what is common. */
const binsMax = 255

/** How often a value was seen, on a scale that does not tell once from never. */
export function countLevel(count: number): number {
  return count <= 1 ? 0 : Math.log2(count)
}

/** The number that a column of `what` has in this value; NaN for none. `count` is how often the value was seen. */
function measure(what: number, value: PointValue, count: number): number {
  if (what === VALUE) return typeof value === 'number' ? value : NaN
  if (what === LENGTH) return Array.isArray(value) ? value.length : NaN
  if (what === ITEMS) return value === null ? NaN : Array.isArray(value) ? value.length : 1
  if (what === WRITTEN) return numberIn(value, AS_NUMBER)
  if (what === HOUR) return hourOf(timeIn(value, AS_TIME))
  if (what === WEEKDAY) return weekdayOf(timeIn(value, AS_TIME))
  return value === null ? NaN : countLevel(count)
}

/** Bounds so that about as many numbers fall into each bin; between two numbers that are next to each other. */
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

/** True for a column of numbers that all have a bin of their own. */
export function resolves({ what, exact }: NumberColumn): boolean {
  return (what === VALUE || what === WRITTEN) && exact
}

/** The code of a column for this value at its point. */
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
