/**
 * Shapes: the lists of field names that objects have in common, written once instead of in every record.
 *
 * Owns: finding a shape by its names, and, field by field, by the bytes of a JSON text. Leaves out: where shapes are kept
 * (store/), how objects become bytes (body-writer.ts, body-scanner.ts).
 *
 * 1. Shapes are only ever added; a number means the same list for ever.
 * 2. The tree holds only names that stand in JSON text as they are (no escapes, not empty). A shape with another name, or with one
 *    that this service writes into exported events, is not in the tree: the scanner does not know it.
 */
import { must } from '../../assert.js'

/** Objects with more fields are rare and their lists long: they carry their names themselves. */
const FIELDS_MAX = 64
const NAME_CHARS_MAX = 128
const SHAPES_MAX = 4096
/** Only an event that was exported by this service has a field of this name (event/envelope.ts). */
const EXPORTED_FIELD = 'inference_status'

/** A list of names, up to here. The children are tried in order. */
export interface ShapeNode {
  /** Different for every node of a tree. */
  readonly id: number
  readonly name: string
  /** As it stands in front of a value where there is no white space: the name in quotes, and the colon. */
  readonly key: Uint8Array
  readonly keyBytes: number
  /** Its first four bytes and its last four, and all of them by fours: what differs mostly does so in the first two. */
  readonly keyStart: number
  readonly keyEnd: number
  readonly keyWords: Int32Array
  /** The child that was found last, and the first field of the object that was last found as this field's value. */
  likely: ShapeNode | null
  inside: ShapeNode | null
  /** The shape that ends here, or -1. */
  shape: number
  firstChild: ShapeNode | null
  nextSibling: ShapeNode | null
}

/**
 * The shapes that were last seen at one place (the root, or one field of one shape): most objects look like another one,
 * and comparing a few lists of interned names is far cheaper than finding a list by its names.
 */
export type RecentShapes = Shape[]
const RECENT_MAX = 8

export interface Shape {
  readonly number: number
  readonly names: readonly string[]
  /** By field: the shapes that were last seen there. */
  readonly recent: (RecentShapes | undefined)[]
}

export class ShapeTree {
  readonly root: ShapeNode
  readonly #shapes: Shape[] = []
  readonly #byNames = new Map<string, Shape>()
  #nodes = 0

  constructor() {
    this.root = this.#node('')
  }

  /** How many shapes there are; numbers run from 0 to size - 1. */
  get size(): number {
    return this.#shapes.length
  }

  /** The field names of a shape. */
  names(shape: number): readonly string[] {
    return must(this.#shapes[shape], 'shape', shape).names
  }

  /** Adds the shape that a stored table has at number `size`. */
  restore(names: readonly string[]): void {
    this.#add(JSON.stringify(names), names)
  }

  /** The shape of the first `count` names, made where there is room; null where the object has to carry them itself. */
  find(names: readonly string[], count: number, recent: RecentShapes): Shape | null {
    for (let i = 0; i < recent.length; i++) {
      const shape = recent[i] as Shape
      if (sameNames(shape.names, names, count)) return shape
    }
    if (count > FIELDS_MAX) return null
    const list = names.slice(0, count)
    if (list.some((name) => name.length > NAME_CHARS_MAX || !name.isWellFormed())) return null
    const key = JSON.stringify(list)
    const shape = this.#byNames.get(key) ?? (this.#shapes.length < SHAPES_MAX ? this.#add(key, list) : null)
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
    if (names.every(standsInText) && !names.includes(EXPORTED_FIELD)) this.#grow(shape)
    return shape
  }

  #grow({ names, number }: Shape): void {
    let node = this.root
    for (const name of names) {
      let child = node.firstChild
      while (child !== null && child.name !== name) child = child.nextSibling
      if (child === null) {
        child = this.#node(name)
        child.nextSibling = node.firstChild
        node.firstChild = child
      }
      node = child
    }
    node.shape = number
  }

  #node(name: string): ShapeNode {
    const key = Buffer.from(`"${name}":`, 'utf8')
    const keyWords = Int32Array.from({ length: key.length >> 2 }, (_, i) => key.readInt32LE(4 * i))
    const [keyStart, keyEnd] = name === '' ? [0, 0] : [key.readInt32LE(0), key.readInt32LE(key.length - 4)]
    return {
      id: this.#nodes++,
      name,
      key,
      keyBytes: key.length,
      keyStart,
      keyEnd,
      keyWords,
      likely: null,
      inside: null,
      shape: -1,
      firstChild: null,
      nextSibling: null,
    }
  }
}

/** True where JSON.stringify leaves the name as it is. The empty one is too short to be looked for four bytes at a time. */
function standsInText(name: string): boolean {
  return name !== '' && JSON.stringify(name) === `"${name}"`
}

/** Names that JSON.parse made are interned, so equal ones are mostly the same object. */
function sameNames(known: readonly string[], names: readonly string[], count: number): boolean {
  if (known.length !== count) return false
  for (let i = 0; i < count; i++) if (known[i] !== names[i]) return false
  return true
}
