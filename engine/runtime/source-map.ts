/**
 * Finds places of a source in a source map (ECMA-426).
 *
 * The class of Node.js makes an object of each segment: half a second of processor time for a bundle of 9 MB, where a
 * trace asks for a few places. Here each line's begin is noted once, and a line is read when it is asked for.
 */

/** A place in a source. Line and column begin with 0. */
export interface SourcePlace {
  readonly source: string
  readonly line: number
  readonly column: number
}

/** The parts of a source map that say where what comes from. */
export interface SourceMapText {
  readonly sources: readonly string[]
  readonly mappings: string
}

/** The value of each digit in base 64, by its character code. */
const digits = new Uint8Array(128)
for (const [value, char] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  digits[char.charCodeAt(0)] = value
const [COMMA, SEMICOLON] = [','.charCodeAt(0), ';'.charCodeAt(0)]

export class SourceMap {
  readonly #sources: readonly string[]
  readonly #mappings: string
  /** Of each line: where its segments begin, and the source, line and column that its first one is relative to. */
  readonly #lines: number[] = []
  /** The segment that was read last: column in the built file, source, line and column in it; the last is a name. */
  readonly #segment = new Int32Array(5)
  /** How many of these the segment has. */
  #fields = 0

  constructor({ sources, mappings }: SourceMapText) {
    this.#sources = sources
    this.#mappings = mappings
    let at = 0
    while (at <= mappings.length) {
      this.#lines.push(at, this.#segment[1] as number, this.#segment[2] as number, this.#segment[3] as number)
      this.#segment[0] = 0
      while (at < mappings.length && mappings.charCodeAt(at) !== SEMICOLON) at = this.#read(at)
      at++
    }
  }

  /** The place of the last segment at or before that column of the built line; null where there is none. */
  placeOf(line: number, column: number): SourcePlace | null {
    if (line * 4 >= this.#lines.length) return null
    const [begin = 0, ...relativeTo] = this.#lines.slice(line * 4, line * 4 + 4)
    this.#segment.set([0, ...relativeTo])
    let found: SourcePlace | null = null
    for (let at = begin; at < this.#mappings.length && this.#mappings.charCodeAt(at) !== SEMICOLON; ) {
      at = this.#read(at)
      const [own = 0, source = 0, sourceLine = 0, sourceColumn = 0] = this.#segment
      if (own > column) break
      if (this.#fields === 0) continue
      const name = this.#fields === 1 ? undefined : this.#sources[source]
      found = name === undefined ? null : { source: name, line: sourceLine, column: sourceColumn }
    }
    return found
  }

  /** Reads the segment at that place of the mappings; returns the place behind it and its comma. */
  #read(from: number): number {
    const [mappings, segment] = [this.#mappings, this.#segment]
    let [at, field, value, shift] = [from, 0, 0, 0]
    for (; at < mappings.length; at++) {
      const char = mappings.charCodeAt(at)
      if (char === COMMA || char === SEMICOLON) break
      const digit = digits[char] as number
      value |= (digit & 31) << shift
      shift += 5
      if (digit >= 32) continue
      segment[field] = (segment[field] as number) + (value & 1 ? -(value >>> 1) : value >>> 1)
      field++
      value = shift = 0
    }
    this.#fields = field
    return mappings.charCodeAt(at) === COMMA ? at + 1 : at
  }
}
