/**
 * Lines in the Log Event Extended Format of IBM: `LEEF:1.0|vendor|product|version|event id|attributes`, in version 2.0
 * with the delimiter of the attributes as one more field, alone or after a syslog header.
 *
 * 1. The fields are those that the parser of Tenzir makes: `attributes` has the attributes.
 * 2. The delimiter of 2.0 is a character, or its code as `x09` or `0x09`. Without one it is a tab, as in 1.0.
 */

const START = /LEEF:([12](?:\.0)?)\|/
const HEADER_FIELDS = 4

export function isLeef(line: unknown): line is string {
  return typeof line === 'string' && START.test(line)
}

/** The delimiter at the beginning of the rest of a line of version 2.0, and what follows it. */
function delimiterOf(rest: string): { readonly delimiter: string; readonly rest: string } {
  const found = /^(?:(?:0?x)([0-9a-f]{1,4})|([^|]))?\|/i.exec(rest)
  if (found === null) return { delimiter: '\t', rest }
  const [whole, code, character = '\t'] = found
  const delimiter = code === undefined ? character : String.fromCharCode(Number.parseInt(code, 16))
  return { delimiter, rest: rest.slice(whole.length) }
}

function attributesOf(text: string, delimiter: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const pair of text.split(delimiter)) {
    const end = pair.indexOf('=')
    const name = pair.slice(0, Math.max(end, 0)).trim()
    if (name !== '' && name !== '__proto__') fields[name] = pair.slice(end + 1).trim()
  }
  return fields
}

/** A line as a document; null if it is not in the format. */
export function parseLeef(line: string): Readonly<Record<string, unknown>> | null {
  const start = START.exec(line)
  if (start === null) return null
  const fields = line.slice(start.index + start[0].length).split('|')
  if (fields.length < HEADER_FIELDS) return null
  const [vendor, product_name, product_version, event_class_id] = fields.map((field) => field.trim())
  const after = fields.slice(HEADER_FIELDS).join('|')
  const { delimiter, rest } = start[1]!.startsWith('2') ? delimiterOf(after) : { delimiter: '\t', rest: after }
  const attributes = attributesOf(rest, delimiter)
  return { leef_version: start[1], vendor, product_name, product_version, event_class_id, attributes, message: line }
}
