/** The values of each field of a sample: how many events have one, how many different ones there are, what they are. */
import { cutText } from '../../domain/event/input/cut-text.js'
import { limits } from '../../limits.js'
import { isTimeText } from '../../domain/query/instant.js'
import type { FieldKind } from '../../api/live/sample-service.js'
import type { EventBody } from '../../domain/event/input/event-text.js'

/** One field of the sample. */
export class FieldProfile {
  readonly name: string
  events = 0
  /** By value as a text: its number, and how many events have it. */
  readonly values = new Map<string, { readonly code: number; count: number }>()
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

  /** The value of an event; of several in one event, all together count as one value. */
  add(event: number, value: unknown): void {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (this.codes[event] !== -1) return
    this.events++
    if (typeof value === 'number') this.#numbers++
    if (typeof value === 'string' && isTimeText(value)) this.#dates++
    this.#chars += text.length
    if (/\s\S+\s/.test(text)) this.#blanks++
    let known = this.values.get(text)
    if (known === undefined) this.values.set(text, (known = { code: this.values.size, count: 0 }))
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

/** The fields of a sample in the order in which they are met, up to a bound. */
export function profilesOf(events: readonly EventBody[]): FieldProfile[] {
  const profiles = new Map<string, FieldProfile>()
  for (const [at, event] of events.entries()) {
    visit(event, '', 0, (name, value) => {
      let profile = profiles.get(name)
      if (profile === undefined) {
        if (profiles.size >= limits.sampleFieldsMax) return
        profiles.set(name, (profile = new FieldProfile(name, events.length)))
      }
      profile.add(at, value)
    })
  }
  return [...profiles.values()]
}

function visit(value: unknown, path: string, depth: number, note: (name: string, value: unknown) => void): void {
  if (value === null || value === undefined || depth > limits.eventDepthMax) return
  if (typeof value !== 'object')
    return void (path !== '' && path.length <= limits.decisionPointCharsMax && note(path, value))
  if (!Array.isArray(value)) {
    for (const [name, inner] of Object.entries(value))
      visit(inner, path === '' ? name : `${path}.${name}`, depth + 1, note)
    return
  }
  const scalars = value.filter((item) => item !== null && typeof item !== 'object')
  if (scalars.length > 0) note(path, scalars.length === 1 ? scalars[0] : [...new Set(scalars)].sort())
  for (const item of value) if (typeof item === 'object') visit(item, path, depth + 1, note)
}
