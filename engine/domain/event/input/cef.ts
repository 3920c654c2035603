/**
 * Lines in the Common Event Format (revision 27): `CEF:0|vendor|product|version|class id|name|severity|extension`,
 * alone or after a syslog header.
 *
 * 1. The fields are those of the decoder of Filebeat, with the full names of the extension (cef-names.ts).
 * 2. In the header `\|` and `\\` are escaped, in the extension `\=`, `\\`, `\n` and `\r`. Values may hold blanks: a
 *    value ends where the next key begins.
 */
import { cefNames } from './cef-names.js'

const START = /CEF: ?(\d+)\|/
const HEADER_FIELDS = 6
/** A key and its equals sign, at the beginning or after a blank. */
const KEY = /(?:^|\s)([\w.[\]-]{1,128})=/g

export function isCef(line: unknown): line is string {
  return typeof line === 'string' && START.test(line)
}

/** The header's fields after the version, and the rest of the line. Null if there are too few. */
function headerOf(line: string): { readonly fields: string[]; readonly rest: string } | null {
  const fields: string[] = []
  let field = ''
  for (let i = 0; i < line.length; i++) {
    const character = line[i]!
    if (character === '\\' && (line[i + 1] === '|' || line[i + 1] === '\\')) field += line[++i]
    else if (character !== '|') field += character
    else {
      fields.push(field)
      field = ''
      if (fields.length === HEADER_FIELDS) return { fields, rest: line.slice(i + 1) }
    }
  }
  // Without an extension the last bar may be missing.
  fields.push(field)
  return fields.length === HEADER_FIELDS ? { fields, rest: '' } : null
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', '=': '=', '\\': '\\', '|': '|' }

function unescaped(value: string): string {
  return value.replace(/\\(.)/gs, (whole, character: string) => escapes[character] ?? whole)
}

/** The fields of an extension, by their full names. */
function extensionOf(rest: string): Record<string, unknown> {
  const keys = [...rest.matchAll(KEY)]
  const fields: Record<string, unknown> = {}
  for (const [n, found] of keys.entries()) {
    const [whole, key] = found as unknown as [string, string]
    const value = unescaped(rest.slice(found.index + whole.length, keys[n + 1]?.index ?? rest.length).trim())
    const { name, isNumber } = cefNames.get(key) ?? { name: key, isNumber: false }
    if (name !== '__proto__') fields[name] = isNumber && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  }
  return fields
}

/** The fields of a line in the format. */
export interface CefFields {
  readonly version: string | undefined
  readonly device: object
  readonly name: string | undefined
  readonly severity: string | undefined
  readonly extensions: Readonly<Record<string, unknown>>
}

/** The fields of a line; null if it is not in the format. */
export function cefFieldsOf(line: string): CefFields | null {
  const start = START.exec(line)
  if (start === null) return null
  const head = headerOf(line.slice(start.index + start[0].length))
  if (head === null) return null
  const [vendor, product, version, event_class_id, name, severity] = head.fields.map((field) => field.trim())
  const device = { vendor, product, version, event_class_id }
  return { version: start[1], device, name, severity, extensions: extensionOf(head.rest) }
}

/** The document of a line. */
export function cefDocument({ extensions, ...fields }: CefFields, line: string): Record<string, unknown> {
  return { cef: { ...fields, ...(Object.keys(extensions).length === 0 ? {} : { extensions }) }, message: line }
}
