/**
 * Reads a piece of a client's query. It knows the place of the piece, and refusals name it.
 *
 * Owns: checking the types of untrusted JSON. Leaves out: what the pieces mean.
 */
import { cutText } from '../event/input/cut-text.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { ScalarValue } from '../event/point-value.js'

export type QueryPlace = readonly (string | number)[]

export class JsonReader {
  readonly value: unknown
  readonly place: QueryPlace

  constructor(value: unknown, place: QueryPlace) {
    this.value = value
    this.place = place
  }

  /** Refuses the piece with its place (`bool.must.0.range`). */
  fail(message: string, type = 'value_error'): never {
    const issue = { loc: this.place, msg: message, type }
    throw new Refusal('invalid_body', `${this.place.join('.')}: ${message}`, { issues: [issue] })
  }

  /** Refuses the construct at this place as unsupported. */
  unsupported(supported: readonly string[]): never {
    const name = cutText(String(this.place.at(-1)), limits.nameCharsMax)
    return this.fail(`${name} is not supported here; supported: ${supported.join(', ')}`, 'unsupported')
  }

  at(name: string | number, value: unknown): JsonReader {
    return new JsonReader(value, [...this.place, name])
  }

  get isObject(): boolean {
    return typeof this.value === 'object' && this.value !== null && !Array.isArray(this.value)
  }

  /** The fields of an object, without nulls. */
  entries(): [string, JsonReader][] {
    if (!this.isObject) return this.fail('Input should be an object', 'object_type')
    return Object.entries(this.value as object)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, this.at(name, value)])
  }

  /** The fields by name. A name that is not in the list is refused. */
  object<N extends string>(names: readonly N[]): Partial<Record<N, JsonReader>> {
    const found: Partial<Record<N, JsonReader>> = {}
    for (const [name, json] of this.entries()) {
      if (!(names as readonly string[]).includes(name)) json.unsupported(names)
      found[name as N] = json
    }
    return found
  }

  /** The only field of an object. */
  only(): [string, JsonReader] {
    const entries = this.entries()
    const [first] = entries
    if (entries.length !== 1 || first === undefined)
      return this.fail('Input should be an object with exactly one field', 'object_type')
    return first
  }

  /** The items of a list. A single value counts as a list of one. */
  list(max: number = limits.queryValuesMax): JsonReader[] {
    const list = Array.isArray(this.value) ? this.value : [this.value]
    if (list.length > max) this.fail(`List should have at most ${max} items`, 'too_long')
    return list.map((value, at) => (list === this.value ? this.at(at, value) : this))
  }

  scalar(): ScalarValue {
    const { value } = this
    if (
      typeof value === 'string' ||
      typeof value === 'boolean' ||
      (typeof value === 'number' && Number.isFinite(value))
    )
      return value
    return this.fail('Input should be a text, a number or a boolean', 'value_type')
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.fail('Input should be a text', 'string_type')
  }

  /** The name of a field. */
  name(): string {
    const text = this.text()
    const { decisionPointCharsMax } = limits
    return text !== '' && text.length <= decisionPointCharsMax
      ? text
      : this.fail(`Input should be the name of a field, at most ${decisionPointCharsMax} characters`)
  }

  boolean(): boolean {
    if (typeof this.value === 'boolean') return this.value
    if (this.value === 'true') return true
    return this.value === 'false' ? false : this.fail('Input should be a boolean', 'bool_type')
  }

  number(): number {
    const number = typeof this.value === 'string' && this.value.trim() !== '' ? Number(this.value) : this.value
    return typeof number === 'number' && Number.isFinite(number)
      ? number
      : this.fail('Input should be a number', 'number_type')
  }

  integer(min: number, max: number): number {
    const number = this.number()
    return Number.isInteger(number) && number >= min && number <= max
      ? number
      : this.fail(`Input should be a whole number from ${min} to ${max}`, 'int_range')
  }

  oneOf<T extends string>(words: readonly T[]): T {
    const word = words.find((one) => one === String(this.value).toLowerCase())
    return word ?? this.fail(`Input should be one of: ${words.join(', ')}`, 'enum')
  }
}
