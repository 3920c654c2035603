/**
 * Bytes from outside as UTF-8, whichever charset they are in (S38).
 *
 * Owns: which charset bytes are in, and what is not valid in it. Leaves out: documents in a text (documents.ts,
 * csv.ts).
 *
 * 1. A byte order mark goes before what a sender says, and what a sender says before what the bytes look like. Bytes
 *    without both are UTF-8, or UTF-16 if every other one of the first four is zero (RFC 4627, section 3).
 * 2. The mark is not part of the text.
 * 3. A byte that is not valid becomes U+FFFD, as every decoder of the Encoding Standard does it.
 * 4. Browsers run this, too.
 */

type Decoder = InstanceType<typeof TextDecoder>

/**
 * Characters of windows-1252 at 0x80 to 0x9f, where it is not latin1. Node.js 20 to 23 decode both as latin1, so these
 * are put right afterwards.
 */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

function decoded(decoder: Decoder, bytes: Uint8Array, isStream = false): string {
  const text = decoder.decode(bytes, { stream: isStream })
  if (decoder.encoding !== 'windows-1252') return text
  return text.replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80] as string)
}

const decoders = new Map<string, Decoder | null>()
const DECODERS_MAX = 64
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const strictUtf8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
const encoder = new TextEncoder()

/** Names that say nothing more than that a text is one: it is then looked at. */
const meansUtf8: ReadonlySet<string> = new Set(['', 'utf-8', 'utf8', 'us-ascii', 'ascii', 'unicode-1-1-utf-8'])

/** A charset that is not read. */
export class UnknownCharset extends Error {
  readonly charset: string

  constructor(charset: string) {
    super(`the charset ${charset} is not read`)
    this.name = 'UnknownCharset'
    this.charset = charset
  }
}

/** The name of a charset as it is compared; '' for UTF-8. */
export function charsetName(said: string): string {
  const name = said
    .trim()
    .replace(/^["']|["']$/g, '')
    .toLowerCase()
    .replaceAll('_', '-')
  return meansUtf8.has(name) ? '' : name
}

/** True for a charset that can be read. `name` as charsetName gives it. */
export function canRead(name: string): boolean {
  return name === '' || decoderOf(name) !== null
}

function decoderOf(name: string): Decoder | null {
  const known = decoders.get(name)
  if (known !== undefined) return known
  let decoder: Decoder | null = null
  try {
    decoder = new TextDecoder(name, { ignoreBOM: true })
  } catch {
    // Not a charset of the Encoding Standard.
  }
  if (decoders.size < DECODERS_MAX) decoders.set(name, decoder)
  return decoder
}

/**
 * The charset that bytes are in, and where their text begins. `said`: what the sender says, as charsetName gives it.
 */
export function charsetOf(bytes: Uint8Array, said = ''): { readonly charset: string; readonly start: number } {
  const [a, b, c, d] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return { charset: '', start: 3 }
  if (a === 0xff && b === 0xfe)
    return c === 0 && d === 0 ? { charset: 'utf-32', start: 4 } : { charset: 'utf-16le', start: 2 }
  if (a === 0xfe && b === 0xff) return { charset: 'utf-16be', start: 2 }
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return { charset: 'utf-32', start: 4 }
  if (said !== '' && said !== 'utf-16') return { charset: said, start: 0 }
  if (a === 0 && b !== 0 && c === 0 && d !== 0 && d !== undefined) return { charset: 'utf-16be', start: 0 }
  if (a !== 0 && b === 0 && c !== 0 && d === 0) return { charset: 'utf-16le', start: 0 }
  return { charset: said, start: 0 }
}

export interface Utf8Bytes {
  /** Without a byte order mark. Bytes that were UTF-8 are as they came, also where they are not valid. */
  readonly bytes: Uint8Array
  /** The charset that they came in; '' for UTF-8. */
  readonly charset: string
  /** Some of them are not valid in that charset. */
  readonly isOdd: boolean
}

/** Bytes as UTF-8. @throws UnknownCharset. */
export function utf8Of(given: Uint8Array, said = ''): Utf8Bytes {
  const { charset, start } = charsetOf(given, said)
  const bytes = start === 0 ? given : given.subarray(start)
  if (charset === '') return { bytes, charset, isOdd: !isUtf8(bytes) }
  const decoder = decoderOf(charset)
  if (decoder === null) throw new UnknownCharset(charset)
  const text = decoded(decoder, bytes)
  return { bytes: encoder.encode(text), charset, isOdd: text.includes('\ufffd') }
}

/** The same without a look at what is not valid. @throws UnknownCharset. */
export function toUtf8(given: Uint8Array, said = ''): Uint8Array {
  const { charset, start } = charsetOf(given, said)
  const bytes = start === 0 ? given : given.subarray(start)
  if (charset === '') return bytes
  const decoder = decoderOf(charset)
  if (decoder === null) throw new UnknownCharset(charset)
  return encoder.encode(decoded(decoder, bytes))
}

/** True for bytes that toUtf8 may change, if their sender says nothing of them: a look at the first two. */
export function mayBeOther(bytes: Uint8Array): boolean {
  const [first, second] = bytes
  return first === 0xef || first === 0xff || first === 0xfe || first === 0 || second === 0
}

/** A stream of bytes in a charset as UTF-8. */
export class Utf8Stream {
  readonly #decoder: Decoder

  /** @throws UnknownCharset. */
  constructor(charset: string) {
    if (!canRead(charset)) throw new UnknownCharset(charset)
    // The mark is removed, and one of another order is obeyed by none.
    this.#decoder = new TextDecoder(charset === '' ? 'utf-8' : charset)
  }

  /** What is complete of the bytes so far. After `isLast` nothing more comes. */
  push(bytes: Uint8Array, isLast: boolean): Uint8Array {
    return encoder.encode(decoded(this.#decoder, bytes, !isLast))
  }
}

/** True for valid UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    strictUtf8.decode(bytes)
    return true
  } catch {
    return false
  }
}

/** The text of UTF-8, with U+FFFD for what is not valid. */
export function textOf(bytes: Uint8Array): string {
  return utf8.decode(bytes)
}

/** A text in which each byte beyond ASCII is a character of its own: of different bytes it is different. */
export function exactTextOf(bytes: Uint8Array): string {
  return decoded(decoderOf('windows-1252') as Decoder, bytes)
}

const AROUND = 40

/** The text around the first character that stands for bytes that are not valid. */
export function oddPlaceOf(text: string): string {
  const at = Math.max(0, text.indexOf('\ufffd'))
  return text.slice(Math.max(0, at - AROUND), at + AROUND).toWellFormed()
}
