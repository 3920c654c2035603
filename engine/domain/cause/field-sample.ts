/**
 * The first alerts of a job as a table of codes: what their fields tell without a name.
 *
 * Owns: which fields of a body are looked at, and the codes of their values. Leaves out: which field is which
 * (field-choice.ts), storing the sample (field-finder.ts).
 *
 * 1. A code is 0 for a missing value, a hash for a value, minus the milliseconds for a time, a list of hashes for a
 *    list. So the sample holds no value of an event, but for times.
 * 2. Everything is bounded: fields, depth, items.
 */
import { isTimeText } from '../event/event-time.js'
import type { ScalarValue } from '../event/point-value.js'
import { hashScalar } from '../learn/hash.js'
import { millisOf } from './alert-time.js'
import { isJsonObject } from '../event/json.js'

export type FieldCode = number | readonly number[]

export interface FieldSample {
  /** Dot paths, in the order in which they were first seen. */
  readonly paths: string[]
  /** By path: how many values were numbers. */
  readonly numbers: number[]
  /** By alert, then by path; short where later paths were not known yet. */
  readonly alerts: FieldCode[][]
}

export const sampleBounds = { fieldsMax: 48, depthMax: 5, itemsMax: 24 } as const

const timeFrom = Date.UTC(2000, 0, 1)
const timeTo = Date.UTC(2100, 0, 1)
const numeric = /^\d{10,19}(\.\d+)?$/

/** Milliseconds of a value that is surely a time; else 0. */
function timeOf(value: ScalarValue): number {
  const isWritten = typeof value === 'string' && ((value.includes(':') && isTimeText(value)) || numeric.test(value))
  if (!isWritten && !(typeof value === 'number' && value >= 9e8)) return 0
  const millis = millisOf(value)
  return millis !== null && millis >= timeFrom && millis < timeTo ? millis : 0
}

function isScalar(value: unknown): value is ScalarValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function hashOf(value: ScalarValue): number {
  // An id may be a number in one field and a text in another.
  return hashScalar(1, String(value)) >>> 0
}

function codeOf(value: unknown): FieldCode {
  if (isScalar(value)) {
    const time = timeOf(value)
    return time > 0 ? -time : hashOf(value)
  }
  if (!Array.isArray(value)) return 0
  const items = value.filter(isScalar).slice(0, sampleBounds.itemsMax)
  return items.length === 0 ? 0 : items.map(hashOf)
}

/** The code of a value that is no list and no time; 0 for none. */
export function scalarAt(alert: readonly FieldCode[], path: number): number {
  const code = path < 0 ? 0 : alert[path]
  return typeof code === 'number' && code > 0 ? code : 0
}

/** Adds an alert to the sample. */
export function sampleAlert(sample: FieldSample, body: Readonly<Record<string, unknown>>): void {
  const codes: FieldCode[] = sample.paths.map(() => 0)
  const walk = (object: Readonly<Record<string, unknown>>, prefix: string, depth: number): void => {
    for (const [name, value] of Object.entries(object)) {
      const path = prefix + name
      if (isJsonObject(value)) {
        if (depth < sampleBounds.depthMax) walk(value, `${path}.`, depth + 1)
        continue
      }
      const code = codeOf(value)
      if (code === 0) continue
      let at = sample.paths.indexOf(path)
      if (at < 0) {
        if (sample.paths.length >= sampleBounds.fieldsMax) continue
        at = sample.paths.push(path) - 1
        sample.numbers.push(0)
      }
      codes[at] = code
      if (typeof value === 'number') sample.numbers[at] = (sample.numbers[at] as number) + 1
    }
  }
  walk(body, '', 1)
  sample.alerts.push(Array.from(codes, (code) => code ?? 0))
}
