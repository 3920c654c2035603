import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  cohenPairs,
  fleissKappa,
  krippendorffAlpha,
  type RatedItem,
} from '../../../../../engine/domain/metrics/analysts/rater-agreement.js'

const near = (value: number | null | undefined, expected: number) =>
  assert.ok(Math.abs((value ?? NaN) - expected) < 0.0005, `${value} is not ${expected}`)
const rated = (...labels: (number | null)[]): RatedItem =>
  labels.flatMap((label, analyst) => (label === null ? [] : [{ analyst, label }]))
const times = (count: number, item: RatedItem): RatedItem[] => Array.from({ length: count }, () => item)

test("Cohen's kappa is that of the textbook table 20, 5, 10, 15", () => {
  const items = [
    ...times(20, rated(0, 0)),
    ...times(5, rated(0, 1)),
    ...times(10, rated(1, 0)),
    ...times(15, rated(1, 1)),
  ]
  const [pair] = cohenPairs(items, 2)
  assert.deepEqual([pair?.analysts, pair?.events, pair?.agreement], [[0, 1], 50, 0.7])
  near(pair?.kappa, 0.4)
})

test("Fleiss' kappa is that of the example with ten subjects, fourteen raters and five categories", () => {
  const table = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
  ]
  const items = table.map((row) => rated(...row.flatMap((count, label) => Array.from({ length: count }, () => label))))
  near(fleissKappa(items, 5), 0.2099)
})

test("Krippendorff's alpha is that of his example with missing votes, nominal", () => {
  const observers: (number | null)[][] = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, null, null, null],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, null, 3],
    [null, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, null],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, null],
  ]
  const items = observers[0]!.map((_, unit) =>
    rated(...observers.map((row) => (row[unit] === null ? null : row[unit]! - 1))),
  )
  near(krippendorffAlpha(items, 5), 0.743)
})

test('without events that two answered there is no figure', () => {
  assert.deepEqual(
    [cohenPairs([rated(0)], 2), fleissKappa([rated(0)], 2), krippendorffAlpha([rated(0)], 2)],
    [[], null, null],
  )
})
