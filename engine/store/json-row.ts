/** Rows that are JSON: | 0 version | 1 JSON | */
import { assert } from '../assert.js'
import { writeJson } from '../domain/event/json.js'

const VERSION = 1

export function encodeJsonRow(row: object): Buffer {
  const text = writeJson(row)
  const bytes = Buffer.allocUnsafe(1 + Buffer.byteLength(text))
  bytes[0] = VERSION
  bytes.write(text, 1, 'utf8')
  return bytes
}

export function decodeJsonRow(value: Uint8Array): unknown {
  return JSON.parse(jsonOfRow(value))
}

/** The JSON text of a row. */
export function jsonOfRow(value: Uint8Array): string {
  assert(value[0] === VERSION, 'the row has a version that this code knows')
  // Most values are buffers: another one for each row would cost as much as a short row.
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return bytes.toString('utf8', 1)
}
