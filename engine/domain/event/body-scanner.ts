/**
 * The fast way from the JSON text of a request to the bytes of the body, for bodies of known shapes. It makes no
 * JavaScript string or object.
 *
 * Leaves out: everything unusual, for which it returns false. The body is then parsed and written (body-writer.ts).
 * Unusual is an unknown shape, and text that is not UTF-8. So is an escape in a name, or of half a surrogate pair. So
 * is a field of the request other than job_id, event_id and raw_body, a body of unusual size, and any error. So is a
 * body in which a decision point may lead elsewhere than its plain path (point-tree.ts).
 *
 * 1. It accepts only valid JSON (RFC 8259) and gives the same bytes as the writer. The test compares the two on random
 *    and on damaged texts (test/engine/domain/event/body-scanner.test.ts).
 * 2. It adds no shapes. It may add words, as the writer does.
 */
import { limits } from '../../limits.js'
import { TAG_ARRAY, TAG_OBJECT } from './body-format.js'
import { BACKSLASH, QUOTE } from './json-text.js'
import type { PointNode, PointTree } from './point-tree.js'
import { QuickScanner } from './quick-scanner.js'
import type { ShapeNode, ShapeTree } from './shape-tree.js'
import type { Words } from './words.js'

/** Larger bodies are rare, and the output needs three times their bytes. */
const TEXT_BYTES_MAX = 1024 * 1024
/** Few enough for counts of two bytes. */
const FIELDS_MAX = 10_000

const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

const keys = {
  jobId: Buffer.from('job_id"'),
  eventId: Buffer.from('event_id"'),
  rawBody: Buffer.from('raw_body"'),
} as const

export class BodyScanner extends QuickScanner {
  readonly #shapes: ShapeTree
  #points: PointTree | null = null
  #fieldsLeft = 0
  /** Position of the request's `event_id`, or 0 and 0. */
  #idStart = 0
  #idEnd = 0

  /** With `kernel` null it does without WebAssembly. */
  constructor(shapes: ShapeTree, words: Words, kernel?: null) {
    super(shapes, words, kernel)
    this.#shapes = shapes
  }

  /** Scans a request body in `memory`. If true, `out`, `length`, `eventId` and `points` hold the result. */
  scan(memory: Buffer, start: number, end: number, points: PointTree): boolean {
    if (end - start > TEXT_BYTES_MAX || !points.isUsable) return false
    this.begin(memory, start, end)
    this.#fieldsLeft = FIELDS_MAX
    this.#points = points
    this.#idStart = 0
    this.#idEnd = 0
    points.reset()
    return this.#request() && this.length > 0 && points.isSure(this.out)
  }

  /** The `event_id` of the request, or null. */
  get eventId(): string | null {
    return this.#idEnd === 0 ? null : this.input.toString('utf8', this.#idStart, this.#idEnd)
  }

  /**
   * `{"job_id": ..., "event_id": ..., "raw_body": {...}}` in any order, each field once at most, and nothing after it.
   */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one pass over the bytes of a request
  #request(): boolean {
    if (this.skipSpace() !== OPEN_BRACE) return false
    let seen = 0
    let next: number
    do {
      this.pos++
      if (this.skipSpace() !== QUOTE) return false
      this.pos++
      let field = 0
      if (this.takes(keys.jobId)) field = 1
      else if (this.takes(keys.rawBody)) field = 2
      else if (this.takes(keys.eventId)) field = 4
      if (field === 0 || (seen & field) !== 0) return false
      seen |= field
      if (this.skipSpace() !== COLON) return false
      this.pos++
      const first = this.skipSpace()
      if (field === 2) {
        if (first !== OPEN_BRACE || !this.#body()) return false
        this.length = this.at
      } else if (field === 1 ? !this.#skipScalar(first) : !this.#takeEventId(first)) return false
      next = this.skipSpace()
    } while (next === COMMA)
    if (next !== CLOSE_BRACE) return false
    this.pos++
    return this.skipSpace() === -1
  }

  #body(): boolean {
    const points = this.#points as PointTree
    if (this.scanQuickly(points)) return true
    this.writeToOwn()
    return this.#value(this.#shapes.root, points.root, 0)
  }

  /** The job id has already routed the request, so it only has to be JSON. What it leaves in `out` is overwritten. */
  #skipScalar(first: number): boolean {
    if (first === OPEN_BRACE || first === OPEN_BRACKET) return false
    const at = this.at
    const known = this.scalar(first)
    this.at = at
    return known
  }

  #takeEventId(first: number): boolean {
    if (first !== QUOTE) return false
    const start = this.pos + 1
    if (!this.#skipScalar(first) || this.pos - 1 === start) return false
    this.#idStart = start
    this.#idEnd = this.pos - 1
    for (let i = start; i < this.#idEnd; i++) if (this.input[i] === BACKSLASH) return false
    return true
  }

  /** Scans the value of the field `holder`, or an item of the array in it. */
  #value(holder: ShapeNode, path: PointNode | null, depth: number): boolean {
    const first = this.skipSpace()
    if (first === OPEN_BRACE) return this.#object(holder, path, depth)
    if (first === OPEN_BRACKET) return this.#array(holder, depth)
    return this.scalar(first)
  }

  #object(holder: ShapeNode, path: PointNode | null, depth: number): boolean {
    if (depth >= limits.eventDepthMax) return false
    const points = this.#points as PointTree
    const { out } = this
    const start = this.at
    out[start] = TAG_OBJECT
    this.at = start + 3
    const { root } = this.#shapes
    let node = root
    this.pos++
    let next = this.skipSpace()
    while (next !== CLOSE_BRACE) {
      if (next !== QUOTE) return false
      const isFirst = node === root
      const field = this.#field(node, isFirst ? holder.inside : node.likely) ?? this.#spacedField(node)
      if (field === null || --this.#fieldsLeft < 0) return false
      if (isFirst) holder.inside = field
      else node.likely = field
      const step = path === null ? null : path.step(field)
      const valueAt = this.at
      if (!this.#value(field, step, depth + 1)) return false
      if (step !== null) {
        if (step.isDotted) return false
        points.mark(step, out, valueAt, this.at)
      }
      node = field
      next = this.#nextField()
    }
    this.pos++
    if (node.shape < 0) return false
    out[start + 1] = node.shape >>> 8
    out[start + 2] = node.shape & 0xff
    return true
  }

  /** Moves to the quote of the next field or to the closing brace, and returns it; -1 for anything else. */
  #nextField(): number {
    const next = this.skipSpace()
    if (next !== COMMA) return next === CLOSE_BRACE ? next : -1
    this.pos++
    return this.skipSpace() === QUOTE ? QUOTE : -1
  }

  /** The child of the node whose quoted name and colon are here, or null. Moves behind them. */
  #field(node: ShapeNode, likely: ShapeNode | null): ShapeNode | null {
    if (likely !== null && this.#takesKey(likely)) return likely
    for (let child = node.firstChild; child !== null; child = child.nextSibling) if (this.#takesKey(child)) return child
    return null
  }

  #takesKey({ keyBytes, keyStart, keyEnd, keyWords }: ShapeNode): boolean {
    const pos = this.pos
    const view = this.view
    const behind = pos + keyBytes
    if (behind > this.end || view.getInt32(pos, true) !== keyStart || view.getInt32(behind - 4, true) !== keyEnd)
      return false
    if (keyBytes > 8) {
      for (let i = 1; i < keyWords.length; i++) if (view.getInt32(pos + 4 * i, true) !== keyWords[i]) return false
    }
    this.pos = behind
    return true
  }

  /** The same for a name with white space before the colon. */
  #spacedField(node: ShapeNode): ShapeNode | null {
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      if (!this.takes(child.key, child.key.length - 1)) continue
      if (this.skipSpace() !== COLON) return null
      this.pos++
      return child
    }
    return null
  }

  #array(holder: ShapeNode, depth: number): boolean {
    if (depth >= limits.eventDepthMax) return false
    const { out } = this
    const start = this.at
    out[start] = TAG_ARRAY
    this.at = start + 3
    this.pos++
    let count = 0
    let next = this.skipSpace()
    while (next !== CLOSE_BRACKET) {
      if (--this.#fieldsLeft < 0 || !this.#value(holder, null, depth + 1)) return false
      count++
      next = this.skipSpace()
      if (next === COMMA) {
        this.pos++
        next = this.skipSpace()
        if (next === CLOSE_BRACKET) return false
      } else if (next !== CLOSE_BRACKET) return false
    }
    this.pos++
    out[start + 1] = count >>> 8
    out[start + 2] = count & 0xff
    return true
  }
}
