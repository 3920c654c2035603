/**
 * What is in events is data. On a terminal a control character could move the cursor, rename the window or hide text;
 * a mark of writing direction could show a text in another order.
 */

/** Control characters of ASCII and of Latin 1, line and paragraph separators, marks of writing direction. */
const HOSTILE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g
/** The same without line feed and tab. */
const HOSTILE_IN_TEXT =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** The text in one line, with each control character as its escape. */
export function cleanLine(text: string): string {
  return text.replace(HOSTILE, escaped)
}

/** The text with its lines. */
export function cleanText(text: string): string {
  return text.replace(HOSTILE_IN_TEXT, escaped)
}

/** JSON in which the characters that JSON may leave as they are, but a terminal obeys, are escaped. */
export function cleanJson(value: unknown, indent?: number): string {
  return cleanText(JSON.stringify(value, null, indent) ?? 'null')
}
