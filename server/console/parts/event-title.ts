/** What an event is called in lists and above its page, and texts of strangers without signs that deceive. */

const TITLE_VALUES = 3
/** Last names of paths that hold words for people. */
const TELLING = /(^|[._])(title|name|message|msg|description|summary|signature|rule|alert)$/i

/** Characters that turn or hide the text after them: a name such as `exe.png` could be `gnp.exe`. */
const DECEIVING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** The text with characters that deceive shown by their number. */
export function plainText(text: string): string {
  return text.replace(DECEIVING, (sign) => `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)
}

/** A value of an event on one line. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '—'
  return plainText(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** What a title is made from. */
export interface Titled {
  readonly event_id: string
  readonly title?: unknown
  readonly decision_points: Readonly<Record<string, unknown>>
}

/**
 * The title; else the words of a rule or a message among the decision points, and the first other values; else the
 * first values; else the id.
 */
export function titleOf({ title, decision_points: points, event_id: id }: Titled): string {
  if (typeof title === 'string' && title.trim() !== '') return plainText(title)
  const given = Object.entries(points).filter(([, value]) => value != null)
  const telling = given.find(
    ([path, value]) => TELLING.test(path) && typeof value === 'string' && /\S\s+\S/.test(value),
  )
  const others = given.filter((one) => one !== telling).slice(0, telling === undefined ? TITLE_VALUES : 1)
  const values = [...(telling === undefined ? [] : [telling]), ...others].map(([, value]) => valueText(value))
  return values.length === 0 ? plainText(id) : values.join(' · ')
}
