/**
 * The texts of the items of a list in a JSON object, as they are spelled.
 *
 * Leaves out: whether the text is JSON, which its caller has found out before.
 */
import { QUOTE } from './json-size.js'
import { endOfText } from './json.js'

const COMMA = 0x2c
const COLON = 0x3a
const [BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x5b, 0x5d, 0x7b, 0x7d] as const

/** The items of the list that the object has under that name: the last one, where the name is there more than once. */
export function itemsOf(text: string, name: string): string[] {
  let items: string[] = []
  let [depth, begun, key] = [0, 0, '']
  /** The key before the value is the name; the text is inside of the list that has it. */
  let [isName, isInside] = [false, false]
  const begin = (at: number): void => {
    isInside = isName
    if (isInside) [items, begun] = [[], at + 1]
  }
  const end = (at: number): void => {
    if (!isInside) return
    const item = text.slice(begun, at).trim()
    if (item !== '') items.push(item)
    begun = at + 1
  }
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const close = endOfText(text, at + 1)
        if (depth === 1) key = text.slice(at, close + 1)
        at = close
        break
      }
      case COLON:
        if (depth === 1) isName = JSON.parse(key) === name
        break
      case COMMA:
        if (depth === 2) end(at)
        break
      case BRACE:
        depth++
        break
      case BRACKET:
        if (++depth === 2) begin(at)
        break
      case BRACKET_END:
      case BRACE_END:
        if (depth-- === 2) end(at)
        if (depth === 1) isInside = false
    }
  }
  return items
}
