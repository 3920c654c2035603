/**
 * Shapes: the lists of field names that events have in common, written once instead of in every record.
 *
 * Owns: the change from a JSON value to its shaped form and back, and the checks of what an event may look like, since
 * both walk the same fields. Leaves out: bytes (store/body-codec.ts) and where shapes are kept (store/).
 *
 * Shaped form: a scalar is itself; an array is [-1, ...items]; an object is [shape number, ...values], or, where its
 * field names are too many or the table is full, [-2, name, value, name, value, ...].
 *
 * 1. Shapes are only ever added; a number means the same list for ever.
 * 2. Depth, fields and names are checked before they cost anything: the walk stops at the first bound it meets.
 */
import { limits } from '../limits.js'
import { Refusal } from '../errors.js'
import { must } from '../assert.js'

const ARRAY = -1
const WIDE = -2
/** Objects with more fields are rare and their lists long: they carry their names themselves. */
const SHAPE_FIELDS_MAX = 64
const SHAPE_NAME_CHARS_MAX = 128
const SHAPES_MAX = 4096

/**
 * The shapes that were last seen at one place (the root, or one field of one shape): most events look like another one,
 * and comparing a few lists of interned names is far cheaper than finding a list by its names.
 */
type Recent = Shape[]
const RECENT_MAX = 8

interface Shape {
  readonly number: number
  readonly names: readonly string[]
  /** By field: the shapes that were last seen there. */
  readonly recent: (Recent | undefined)[]
}

/** The shapes of one shard. */
export class ShapeTable {
  readonly #shapes: Shape[] = []
  readonly #byNames = new Map<string, Shape>()
  readonly #root: Recent = []
  readonly #items: Recent = []
  /** By depth: the names of the object that is looked at there. */
  readonly #namesAt: string[][] = []
  #fieldsLeft = 0

  /** How many shapes there are; numbers run from 0 to size - 1. */
  get size(): number {
    return this.#shapes.length
  }

  /** The field names of a shape. */
  names(shape: number): readonly string[] {
    return must(this.#shapes[shape], `shape ${shape}`).names
  }

  /** Adds the shape that a stored table has at number `size`. */
  restore(names: readonly string[]): void {
    this.#add(JSON.stringify(names), names)
  }

  /**
   * The shaped form of a parsed JSON value.
   * @throws Refusal event_too_deep, event_too_wide, forbidden_field.
   */
  shape(value: unknown): unknown {
    this.#fieldsLeft = limits.eventFieldsMax
    return this.#shapeValue(value, 0, this.#root)
  }

  /** The JSON value of a shaped form. */
  unshape(shaped: unknown): unknown {
    if (!Array.isArray(shaped)) return shaped
    const kind = shaped[0] as number
    if (kind === ARRAY) return shaped.slice(1).map((item) => this.unshape(item))
    const object: Record<string, unknown> = {}
    if (kind === WIDE) {
      for (let i = 1; i + 1 < shaped.length; i += 2) object[shaped[i] as string] = this.unshape(shaped[i + 1])
    } else {
      const names = this.names(kind)
      for (let i = 0; i < names.length; i++) object[names[i] as string] = this.unshape(shaped[i + 1])
    }
    return object
  }

  #shapeValue(value: unknown, depth: number, recent: Recent): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (depth >= limits.eventDepthMax) {
      throw new Refusal('event_too_deep', `the event is nested deeper than ${limits.eventDepthMax} levels`)
    }
    return Array.isArray(value) ? this.#shapeArray(value, depth) : this.#shapeObject(value, depth, recent)
  }

  #shapeArray(items: readonly unknown[], depth: number): unknown[] {
    this.#spend(items.length)
    const shaped: unknown[] = [ARRAY]
    for (let i = 0; i < items.length; i++) shaped.push(this.#shapeValue(items[i], depth + 1, this.#items))
    return shaped
  }

  #shapeObject(object: object, depth: number, recent: Recent): unknown[] {
    const fields = object as Record<string, unknown>
    // Twice over the names: for-in and the read inside it are several times faster than Object.keys and values. The
    // names come from JSON.parse: all own and enumerable, so for-in misses none and adds none.
    const names = (this.#namesAt[depth] ??= [])
    let count = 0
    for (const name in fields) names[count++] = name
    this.#spend(count)
    const shape = this.#shapeOf(names, count, recent)
    if (shape === null) return this.#wide(fields, depth)
    const shaped: unknown[] = [shape.number]
    let i = 0
    for (const name in fields) {
      const value = fields[name]
      if (typeof value !== 'object' || value === null) shaped.push(value)
      else shaped.push(this.#shapeValue(value, depth + 1, (shape.recent[i] ??= [])))
      i++
    }
    return shaped
  }

  /** The shape of the first `count` names, made where there is room; null where the object has to carry them itself. */
  #shapeOf(names: readonly string[], count: number, recent: Recent): Shape | null {
    for (let i = 0; i < recent.length; i++) {
      const shape = recent[i] as Shape
      if (sameNames(shape.names, names, count)) return shape
    }
    return this.#findShape(names.slice(0, count), recent)
  }

  #findShape(names: readonly string[], recent: Recent): Shape | null {
    if (names.includes('__proto__')) throw new Refusal('forbidden_field', "the event has a field named '__proto__'")
    if (names.length > SHAPE_FIELDS_MAX || names.some((name) => name.length > SHAPE_NAME_CHARS_MAX)) return null
    const key = JSON.stringify(names)
    const shape = this.#byNames.get(key) ?? (this.#shapes.length < SHAPES_MAX ? this.#add(key, names) : null)
    if (shape !== null) {
      if (recent.length >= RECENT_MAX) recent.shift()
      recent.push(shape)
    }
    return shape
  }

  #add(key: string, names: readonly string[]): Shape {
    const shape: Shape = { number: this.#shapes.length, names, recent: [] }
    this.#shapes.push(shape)
    this.#byNames.set(key, shape)
    return shape
  }

  #wide(fields: Record<string, unknown>, depth: number): unknown[] {
    const wide: unknown[] = [WIDE]
    for (const name in fields) wide.push(name, this.#shapeValue(fields[name], depth + 1, this.#items))
    return wide
  }

  #spend(fields: number): void {
    this.#fieldsLeft -= fields
    if (this.#fieldsLeft < 0) {
      throw new Refusal('event_too_wide', `the event has more than ${limits.eventFieldsMax} fields and items`)
    }
  }
}

/** Names that JSON.parse made are interned, so equal ones are mostly the same object. */
function sameNames(known: readonly string[], names: readonly string[], count: number): boolean {
  if (known.length !== count) return false
  for (let i = 0; i < count; i++) if (known[i] !== names[i]) return false
  return true
}
