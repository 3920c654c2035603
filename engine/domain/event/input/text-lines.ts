/**
 * The lines of a text that comes in pieces of bytes, whichever charset it is in (S38, S40).
 *
 * Owns: line ends, and the charset of a text that is no UTF-8. Leaves out: byte order marks and UTF-16 (text-bytes.ts),
 * what a line means.
 *
 * 1. A line ends with LF. Where the first line ends with CR alone, each CR ends one. A line keeps the CR before its LF.
 * 2. A text is UTF-8 while its bytes are. Where the first bytes beyond ASCII are not, it is Windows-1252, as programs
 *    of offices write it. A text in which UTF-8 was seen stays UTF-8: what is not valid becomes U+FFFD, and is counted.
 * 3. It holds no more than a piece and the line that it cuts off.
 */
import { exactTextOf, isUtf8, textOf } from './text-bytes.js'

const [LF, CR] = [0x0a, 0x0d]
const BEYOND_ASCII = /[^\0-\x7f]/

export class TextLines {
  #rest: Uint8Array = new Uint8Array(0)
  #endsWithReturn: boolean | null = null
  #hasReturnBefore = false
  #charset: 'ascii' | 'utf-8' | 'windows-1252' = 'ascii'
  /** Lines that are not valid UTF-8, and the first of them. */
  odd: { readonly count: number; readonly example: string } | null = null

  get isWindows1252(): boolean {
    return this.#charset === 'windows-1252'
  }

  /** Bytes of a line that has not ended. */
  get waiting(): number {
    return this.#rest.length
  }

  /** The lines that are complete; with the last piece, all that is left. */
  push(piece: Uint8Array, isLast: boolean): string[] {
    let bytes = joined(this.#rest, piece)
    this.#endsWithReturn ??= endsWithReturn(bytes, isLast)
    if (this.#hasReturnBefore && bytes[0] === LF) bytes = bytes.subarray(1)
    if (bytes.length > 0) this.#hasReturnBefore = false
    let end = bytes.length
    if (!isLast) {
      const last =
        this.#endsWithReturn === true ? Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) : bytes.lastIndexOf(LF)
      if (this.#endsWithReturn === null || last < 0) {
        this.#rest = bytes
        return []
      }
      end = last + 1
      this.#hasReturnBefore = bytes[last] === CR
    }
    this.#rest = bytes.slice(end)
    const lines = this.#textOf(bytes.subarray(0, end)).split(this.#endsWithReturn === true ? /\r\n|\r|\n/ : '\n')
    // What stands behind the last line end is no line.
    if (!isLast || lines.at(-1) === '') lines.pop()
    return lines
  }

  #textOf(bytes: Uint8Array): string {
    if (this.#charset === 'windows-1252') return this.#noted(exactTextOf(bytes), BEYOND_ASCII)
    if (isUtf8(bytes)) {
      const text = textOf(bytes)
      if (this.#charset === 'ascii' && BEYOND_ASCII.test(text)) this.#charset = 'utf-8'
      return text
    }
    if (this.#charset === 'ascii' && !looksLikeUtf8(bytes)) {
      this.#charset = 'windows-1252'
      return this.#noted(exactTextOf(bytes), BEYOND_ASCII)
    }
    this.#charset = 'utf-8'
    return this.#noted(textOf(bytes), /\ufffd/)
  }

  #noted(text: string, sign: RegExp): string {
    if (!sign.test(text)) return text
    const lines = text.split(/[\r\n]/).filter((line) => sign.test(line))
    this.odd = { count: (this.odd?.count ?? 0) + lines.length, example: this.odd?.example ?? (lines[0] as string) }
    return text
  }
}

/** More of what is beyond ASCII is UTF-8 than not. In Windows-1252 hardly any two characters look like one of UTF-8. */
function looksLikeUtf8(bytes: Uint8Array): boolean {
  let [valid, others] = [0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const first = bytes[at] as number
    if (first < 0x80) continue
    const more =
      first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xf0 && first < 0xf5 ? 3 : 0
    let n = 0
    while (n < more && ((bytes[at + n + 1] ?? 0) & 0xc0) === 0x80) n++
    if (more === 0 || n < more) others++
    else {
      valid++
      at += more
    }
  }
  return valid >= others
}

/** Whether the first line ends with CR alone; null if nobody knows yet. */
function endsWithReturn(bytes: Uint8Array, isLast: boolean): boolean | null {
  const at = bytes.findIndex((byte) => byte === LF || byte === CR)
  if (at < 0) return isLast ? false : null
  if (bytes[at] === LF) return false
  return at + 1 < bytes.length ? bytes[at + 1] !== LF : isLast ? true : null
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
