/** Formats rows as a table for people. */
import type { Row } from './result.js'

/** Two or three significant digits. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const size = Math.abs(value)
  if (size >= 1000) return Math.round(value).toLocaleString('en-US')
  if (size >= 100) return value.toFixed(0)
  if (size >= 10) return value.toFixed(1)
  return size >= 1 || size === 0 ? value.toFixed(2) : String(Number(value.toPrecision(2)))
}

function optional(value: number | undefined): string {
  return value === undefined ? '' : figure(value)
}

/** Columns of equal width; the numbered notes follow. */
export function rowsText(rows: readonly Row[]): string {
  const notes: string[] = []
  const head = ['what', 'ours', 'floor or peer', 'ratio', 'p50 ms', 'p99 ms', 'bar', '']
  const cells = rows.map((row) => {
    if (row.note !== undefined) notes.push(row.note)
    const mark = row.note === undefined ? '' : ` [${notes.length}]`
    const ours = row.ours === null ? '–' : `${figure(row.ours)} ${row.unit}`
    const against = row.against === undefined ? '' : `${row.against.name} ${figure(row.against.value)}`
    const met = row.met === null ? '' : row.met ? 'met' : 'NOT MET'
    return [row.what + mark, ours, against, optional(row.ratio), optional(row.p50Ms), optional(row.p99Ms), row.bar, met]
  })
  const all = [head, ...cells]
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  const numbers = new Set([1, 3, 4, 5])
  const line = (row: readonly string[]): string => {
    const padded = row.map((cell, i) => (numbers.has(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
    return padded.join('  ').trimEnd()
  }
  const ruler = widths.map((width) => '─'.repeat(width)).join('  ')
  const text = [line(head), ruler, ...cells.map(line)].join('\n')
  return notes.length === 0 ? text : `${text}\n\n${notes.map((note, i) => `[${i + 1}] ${note}`).join('\n')}`
}
