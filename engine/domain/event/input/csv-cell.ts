/**
 * A value as a cell of CSV that people open in a spreadsheet. Every CSV that the service writes is made of these cells.
 *
 * 1. A text that a spreadsheet would take for a formula begins with `'`. Spreadsheets skip blanks, marks without a
 *    width and control characters before the sign, and some read the full-width signs of East Asia as the plain ones.
 * 2. A number stays a number, with its sign.
 * 3. The mark can be taken away again: a text that begins with marks before a formula gets one more.
 */
import { cutText } from './cut-text.js'
import { writeJson } from '../json.js'

/** A spreadsheet continues a longer text in the next row. */
const CELL_UNITS_MAX = 32_767

/** Blanks, control characters, and marks that have no width. */
const SKIPPED = '\\s\\0-\\x1f\\x7f-\\x9f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f'
const MORE_SKIPPED = '\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb'
/** `=`, `+`, `-`, `@`, in full width and small as well. */
const SIGNS = '=+\\-@\\uff1d\\uff0b\\uff0d\\uff20\\ufe66\\ufe62\\ufe63\\ufe6b'
const FORMULA = new RegExp(`^'*(?:[\\t\\r\\n]|[${SKIPPED}${MORE_SKIPPED}]*[${SIGNS}])`, 'u')
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** The cell, with its quotes where it needs them. */
export function csvCell(value: unknown): string {
  const text = cutText(textOf(value), CELL_UNITS_MAX)
  const safe = isFormula(text) ? `'${text}` : text
  return /[",;\n\r\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The text of a cell that csvCell wrote, without quotes. */
export function withoutGuard(cell: string): string {
  return cell.startsWith("'") && isFormula(cell.slice(1)) ? cell.slice(1) : cell
}

function isFormula(text: string): boolean {
  return FORMULA.test(text) && !NUMBER.test(text)
}

/** The cells as a line, with its end. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? writeJson(value) : String(value)
}
