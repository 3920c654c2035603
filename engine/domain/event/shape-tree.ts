/**
 * Shapes: lists of field names, each stored once for all objects that have them.
 *
 * Owns: finding a shape by its names, and by the bytes of a JSON text, field by field. Leaves out: storing shapes
 * (body-codec.ts), writing objects (body-writer.ts, body-scanner.ts).
 *
 * 1. Shapes are never changed or deleted: a number always means the same list.
 * 2. The tree holds only names that JSON text spells without escapes, and no empty ones. A shape with another name is
 *    not in the tree, and neither is one with a name that this service writes into exports: the scanner does not know
 *    them.
 */
import { must } from '../../assert.js'

/** Objects with more fields are rare and their lists are long. They are stored with their names. */
const FIELDS_MAX = 64
const NAME_CHARS_MAX = 128
const SHAPES_MAX = 4096
/** One body must not fill the table: each of its further lists of names is stored with its object. */
const NEW_SHAPES_PER_BODY_MAX = 128
/** Only an event exported by this service has a field of this name (event/envelope.ts). */
const EXPORTED_FIELD = 'inference_status'

/** One name in a list of names. Its children may follow it, and are tried in order. */
export interface ShapeNode {
  /** Different for every node of a tree. */
  readonly id: number
  readonly name: string
  /** The bytes before a value if there is no white space: the name in quotes and the colon. */
  readonly key: Uint8Array
  readonly keyBytes: number
  /** The first and the last four bytes of the key, and the whole key by fours: most keys differ in the first two. */
  readonly keyStart: number
  readonly keyEnd: number
  readonly keyWords: Int32Array
  /** The child that was found last. */
  likely: ShapeNode | null
  /** The first field of the object that was last found as this field's value. */
  inside: ShapeNode | null
  /** The shape that ends here, or -1. */
  shape: number
  readonly parent: ShapeNode | null
  firstChild: ShapeNode | null
  nextSibling: ShapeNode | null
}

/**
 * The latest shapes at one place: the root, or one field of one shape. Most objects look like an earlier one, and
 * comparing a few lists of interned names is far cheaper than finding a list by its names.
 */
export type RecentShapes = Shape[]
const RECENT_MAX = 8

export interface Shape {
  readonly number: number
  readonly names: readonly string[]
  /** By field: the latest shapes there. */
  readonly recent: (RecentShapes | undefined)[]
}

export class ShapeTree {
  readonly root: ShapeNode
  /** By id, the root first: parents before their children. */
  readonly nodes: ShapeNode[] = []
  /** Nodes at which shapes end, in the order of the shapes. */
  readonly ends: ShapeNode[] = []
  readonly #shapes: Shape[] = []
  readonly #byNames = new Map<string, Shape>()
  /** Number of shapes when the latest body began. */
  #sizeBefore = 0

  constructor() {
    this.root = this.#node('', null)
  }

  /** Number of shapes; they are numbered from 0. */
  get size(): number {
    return this.#shapes.length
  }

  /** The field names of a shape. */
  names(shape: number): readonly string[] {
    return must(this.#shapes[shape], 'shape', shape).names
  }

  /** Adds a stored shape, whose number is `size`. */
  restore(names: readonly string[]): void {
    this.#add(JSON.stringify(names), names)
  }

  /** Call before the objects of another body are looked for. */
  beginBody(): void {
    this.#sizeBefore = this.size
  }

  /** The shape of the first `count` names, a new one if there is room. Null if the object is stored with its names. */
  find(names: readonly string[], count: number, recent: RecentShapes): Shape | null {
    for (let i = 0; i < recent.length; i++) {
      const shape = recent[i] as Shape
      if (sameNames(shape.names, names, count)) return shape
    }
    if (count > FIELDS_MAX) return null
    const list = names.slice(0, count)
    if (list.some((name) => name.length > NAME_CHARS_MAX || !name.isWellFormed())) return null
    const key = JSON.stringify(list)
    const mayAdd = this.size < Math.min(SHAPES_MAX, this.#sizeBefore + NEW_SHAPES_PER_BODY_MAX)
    const shape = this.#byNames.get(key) ?? (mayAdd ? this.#add(key, list) : null)
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
    if (names.every(isPlain) && !names.includes(EXPORTED_FIELD)) this.#grow(shape)
    return shape
  }

  #grow({ names, number }: Shape): void {
    let node = this.root
    for (const name of names) {
      let child = node.firstChild
      while (child !== null && child.name !== name) child = child.nextSibling
      if (child === null) {
        child = this.#node(name, node)
        child.nextSibling = node.firstChild
        node.firstChild = child
      }
      node = child
    }
    node.shape = number
    this.ends.push(node)
  }

  #node(name: string, parent: ShapeNode | null): ShapeNode {
    const key = Buffer.from(`"${name}":`, 'utf8')
    const keyWords = Int32Array.from({ length: key.length >> 2 }, (_, i) => key.readInt32LE(4 * i))
    const [keyStart, keyEnd] = name === '' ? [0, 0] : [key.readInt32LE(0), key.readInt32LE(key.length - 4)]
    const node: ShapeNode = {
      id: this.nodes.length,
      name,
      key,
      keyBytes: key.length,
      keyStart,
      keyEnd,
      keyWords,
      likely: null,
      inside: null,
      shape: -1,
      parent,
      firstChild: null,
      nextSibling: null,
    }
    this.nodes.push(node)
    return node
  }
}

/** True for a name without escapes in JSON. The empty one is too short to be compared four bytes at a time. */
function isPlain(name: string): boolean {
  return name !== '' && JSON.stringify(name) === `"${name}"`
}

/** JSON.parse interns names, so equal ones are mostly the same object. */
function sameNames(known: readonly string[], names: readonly string[], count: number): boolean {
  if (known.length !== count) return false
  for (let i = 0; i < count; i++) if (known[i] !== names[i]) return false
  return true
}
