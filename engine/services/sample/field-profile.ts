/**
 * The values of each field of a sample: how many events have one, how many different ones there are, what they are.
 * Paths and values are those of decision points (event/field-reader.ts), so buckets are those that will be (S45).
 */
import { cutText } from '../../domain/event/input/cut-text.js'
import { FieldReader } from '../../domain/event/field-reader.js'
import type { PointValue } from '../../domain/event/point-value.js'
import { limits } from '../../limits.js'
import { isTimeText } from '../../domain/query/instant.js'
import type { FieldKind } from '../../api/live/sample-service.js'
import type { EventBody } from '../../domain/event/input/event-file.js'

/** One field of the sample. */
export class FieldProfile {
  readonly name: string
  events = 0
  /** By value as a text: its number, and how many events have it. */
  readonly values = new Map<string, { readonly code: number; count: number; readonly type: string }>()
  /** By event: the number of its value, -1 without one. */
  readonly codes: Int32Array
  #numbers = 0
  #dates = 0
  #chars = 0
  #blanks = 0

  constructor(name: string, events: number) {
    this.name = name
    this.codes = new Int32Array(events).fill(-1)
  }

  /** The value of an event. */
  add(event: number, value: Exclude<PointValue, null>): void {
    if (this.codes[event] !== -1) return
    const type = Array.isArray(value) ? 'array' : typeof value
    const plain = typeof value === 'string' ? value : JSON.stringify(value)
    // The text `true` is another value than the boolean.
    const text = (this.values.get(plain)?.type ?? type) === type ? plain : `${plain} (${type})`
    this.events++
    if (typeof value === 'number') this.#numbers++
    if (typeof value === 'string' && isTimeText(value)) this.#dates++
    this.#chars += text.length
    if (/\s\S+\s/.test(text)) this.#blanks++
    let known = this.values.get(text)
    if (known === undefined) this.values.set(text, (known = { code: this.values.size, count: 0, type }))
    known.count++
    this.codes[event] = known.code
  }

  get kind(): FieldKind {
    const { events } = this
    const distinct = this.values.size
    if (this.#dates > 0.9 * events || this.#isEpoch()) return 'time'
    const isNew = events >= FEW && distinct > NEW_SHARE * events
    if (this.#blanks > 0.5 * events && this.#chars > LONG * events && distinct > 0.2 * events) return 'text'
    if (this.#numbers > 0.95 * events && distinct > MANY_NUMBERS) return isNew && this.#isIdName() ? 'id' : 'number'
    return isNew ? 'id' : 'category'
  }

  #isIdName(): boolean {
    return /(^|[._-])(id|uuid|guid|hash|seq|number|nr)$/i.test(this.name)
  }

  #isEpoch(): boolean {
    if (this.#numbers < 0.9 * this.events || !/time|date|_at$|ts$|stamp/i.test(this.name)) return false
    return [...this.values.keys()].slice(0, 20).every((text) => Number(text) > 1e9)
  }

  examples(count: number): string[] {
    const sorted = [...this.values].sort((a, b) => b[1].count - a[1].count)
    return sorted.slice(0, count).map(([text]) => cutText(text, EXAMPLE_CHARS))
  }

  /** Bits that the value says about an event. */
  get entropy(): number {
    let bits = 0
    for (const { count } of this.values.values()) bits -= (count / this.events) * Math.log2(count / this.events)
    return bits
  }
}

const FEW = 20
const NEW_SHARE = 0.8
const LONG = 30
const MANY_NUMBERS = 20
const EXAMPLE_CHARS = 80

/** The fields of a sample in the order in which they are met, up to a bound, and those that are wanted. */
export function profilesOf(events: readonly EventBody[], wanted: readonly string[] = []): FieldProfile[] {
  const reader = new FieldReader()
  const profiles = new Map<string, FieldProfile>()
  for (const [at, event] of events.entries()) {
    reader.each(event, (name, value) => {
      let profile = profiles.get(name)
      if (profile === undefined) {
        if (profiles.size >= limits.sampleFieldsMax) return
        profiles.set(name, (profile = new FieldProfile(name, events.length)))
      }
      profile.add(at, value)
    })
  }
  const met = [...profiles.values()]
  for (const name of wanted) {
    const profile = profiles.get(name) ?? new FieldProfile(name, events.length)
    if (!profiles.has(name)) met.push(profile)
    for (const [at, event] of events.entries()) {
      const value = reader.valueAt(event, name)
      if (value !== null) profile.add(at, value)
    }
  }
  return met
}
