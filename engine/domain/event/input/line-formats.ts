/**
 * Files of lines in a format of logs: CEF, LEEF or syslog. The first lines say which: each of them must be in it.
 */
import { cefDocument, cefFieldsOf } from './cef.js'
import { parseLeef } from './leef.js'
import { parseSyslog } from './syslog.js'

type Document = Readonly<Record<string, unknown>>

export const lineFormats = ['cef', 'leef', 'syslog'] as const
export type LineFormat = (typeof lineFormats)[number]

/** How people call them. */
export const formatNames: Readonly<Record<LineFormat, string>> = { cef: 'CEF', leef: 'LEEF', syslog: 'syslog' }

/** What a line says. */
export interface ReadLine {
  readonly document: Document
  /** Its title and severity, as webhooks of the format have them. */
  readonly beside: Document
}

/** What a line says; null if it is not in the format. CEF and LEEF may stand after a header of syslog. */
export const lineParsers: Readonly<Record<LineFormat, (line: string) => ReadLine | null>> = {
  cef(line) {
    const fields = cefFieldsOf(line)
    if (fields === null) return null
    return { document: cefDocument(fields, line), beside: besideOf(fields.name, fields.severity) }
  },
  leef(line) {
    const document = parseLeef(line)
    if (document === null) return null
    const { sev } = document.attributes as Document
    return { document, beside: besideOf(document.event_class_id, sev) }
  },
  syslog(line) {
    const document = parseSyslog(line)
    return document === null ? null : { document, beside: {} }
  },
}

function besideOf(title: unknown, severity: unknown): Document {
  return {
    ...(typeof title === 'string' && title !== '' ? { title } : {}),
    ...(typeof severity === 'string' && severity !== '' ? { severity } : {}),
  }
}

/**
 * The format that all lines of the beginning of a file are in, or null. The last line counts if it `isWhole`, or the
 * only one: the header of a line is at its beginning.
 */
export function lineFormatOf(text: string, isWhole: boolean): LineFormat | null {
  const lines = text.split(/\r\n|\r|\n/)
  if (!isWhole && lines.length > 1) lines.pop()
  const some = lines.filter((line) => line.trim() !== '')
  if (some.length === 0) return null
  return lineFormats.find((format) => some.every((line) => lineParsers[format](line) !== null)) ?? null
}
