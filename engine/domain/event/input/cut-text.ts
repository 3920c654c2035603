/**
 * Texts that are too long for their place, cut so that what is left is valid: the one way to cut a text that people or
 * other systems read. It stands alone, so that browsers and the command line cut alike.
 *
 * 1. A cut is between two characters as people see them: no half surrogate pair, no letter without its accent, no half
 *    emoji or flag. A character of more than CHARACTER_UNITS_MAX units is cut between code points.
 * 2. A cut is never inside an entity such as `&amp;`: a reader that decodes them would show its rest.
 * 3. What is left is well formed: a lone surrogate becomes U+FFFD.
 */

/** Stands where a text was cut. */
export const ELLIPSIS = '…'

/** Looked at around a cut: longer characters exist as jokes only. */
const CHARACTER_UNITS_MAX = 64
/** `&CounterClockwiseContourIntegral;` is the longest entity of HTML. */
const ENTITY_UNITS_MAX = 34

let segmenter: Intl.Segmenter | undefined

/**
 * The text, or its beginning and `ellipsis`: at most `unitsMax` UTF-16 units together. An ellipsis that has no room is
 * left out.
 */
export function cutText(text: string, unitsMax: number, ellipsis: string = ELLIPSIS): string {
  if (text.length <= unitsMax) return text.isWellFormed() ? text : text.toWellFormed()
  const room = unitsMax - ellipsis.length
  if (room <= 0) return text.slice(0, cutBefore(text, unitsMax)).toWellFormed()
  return `${text.slice(0, cutBefore(text, room)).toWellFormed()}${ellipsis}`
}

/** The same, by the bytes that the text has in UTF-8. */
export function cutUtf8(text: string, bytesMax: number, ellipsis: string = ELLIPSIS): string {
  // A unit has at most three bytes.
  if (text.length * 3 <= bytesMax) return text.isWellFormed() ? text : text.toWellFormed()
  const whole = unitsWithin(text, bytesMax)
  if (whole === text.length) return text.toWellFormed()
  const room = bytesMax - bytesOf(ellipsis)
  if (room <= 0) return text.slice(0, cutBefore(text, whole)).toWellFormed()
  return `${text.slice(0, cutBefore(text, unitsWithin(text, room))).toWellFormed()}${ellipsis}`
}

/** The last place, not after `at`, at which the text may be cut. */
export function cutBefore(text: string, at: number): number {
  if (at >= text.length) return text.length
  if (at <= 0) return 0
  const place = characterBefore(text, at)
  const from = Math.max(0, place - ENTITY_UNITS_MAX)
  const entity = /&#?[A-Za-z0-9]*$/.exec(text.slice(from, place))
  if (entity === null) return place
  const begin = from + entity.index
  const isCut = /^&(#\d{1,7}|#[xX][\dA-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});/.test(
    text.slice(begin, begin + ENTITY_UNITS_MAX),
  )
  return isCut ? begin : place
}

/** The last place, not after `at`, that is between two characters. */
function characterBefore(text: string, at: number): number {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  if (before < 0x80 && after < 0x80 && !(before === 0x0d && after === 0x0a)) return at
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  const from = codePointBefore(text, Math.max(0, at - CHARACTER_UNITS_MAX))
  const to = at + CHARACTER_UNITS_MAX
  let place = from
  for (const { index, segment } of segmenter.segment(text.slice(from, to))) {
    const end = from + index + segment.length
    if (end > at) break
    place = end
  }
  return place > from || from === 0 ? place : codePointBefore(text, at)
}

function codePointBefore(text: string, at: number): number {
  const isInPair = isSurrogate(text.charCodeAt(at), 0xdc00) && isSurrogate(text.charCodeAt(at - 1), 0xd800)
  return isInPair ? at - 1 : at
}

function isSurrogate(unit: number, half: number): boolean {
  return (unit & 0xfc00) === half
}

/** How many units of the text have at most so many bytes together. A lone surrogate has three, as U+FFFD. */
function unitsWithin(text: string, bytesMax: number): number {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const isPair = isSurrogate(text.charCodeAt(at), 0xd800) && isSurrogate(text.charCodeAt(at + 1), 0xdc00)
    bytes += isPair ? 4 : bytesOfUnit(text.charCodeAt(at))
    if (bytes > bytesMax) return at
    if (isPair) at++
  }
  return text.length
}

function bytesOfUnit(unit: number): number {
  return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
}

function bytesOf(text: string): number {
  let bytes = 0
  for (const character of text) bytes += character.length === 2 ? 4 : bytesOfUnit(character.charCodeAt(0))
  return bytes
}
