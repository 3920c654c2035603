/** Limits the fields of an enrichment: number, text, bytes, depth, and only plain JSON values. */
import { cutText } from '../../domain/event/input/cut-text.js'
import { bounds } from '../bounds.js'
import type { EnrichmentFields } from '../contract.js'

/** Depth of the fields below `enrichment.<name>`. */
const DEPTH_MAX = 8
/** Names with a special meaning in JavaScript. */
const forbidden: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

interface Room {
  fields: number
  bytes: number
}

/** The fields within the limits; the first ones are kept. */
export function boundedFields(fields: EnrichmentFields): EnrichmentFields {
  return (plain(fields, { fields: bounds.enrichmentFieldsMax, bytes: bounds.enrichmentBytesMax }, 0) ??
    {}) as EnrichmentFields
}

function plain(value: unknown, room: Room, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return scalar(value, room)
  if (depth >= DEPTH_MAX) return undefined
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const item of value) {
      const kept = room.fields <= 0 ? undefined : plain(item, room, depth + 1)
      if (kept !== undefined) items.push(kept)
    }
    return items
  }
  const object: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) {
    if (room.fields <= 0) break
    if (forbidden.has(name)) continue
    const kept = plain(item, room, depth + 1)
    if (kept === undefined) continue
    room.bytes -= name.length
    object[name] = kept
  }
  return object
}

function scalar(value: unknown, room: Room): unknown {
  const isNumber = typeof value === 'number' && Number.isFinite(value)
  if (typeof value !== 'string' && typeof value !== 'boolean' && !isNumber) return undefined
  const kept = typeof value === 'string' ? cutText(value, bounds.enrichmentTextCharsMax, '') : value
  const bytes = typeof kept === 'string' ? Buffer.byteLength(kept) : 8
  if (room.fields <= 0 || room.bytes < bytes) return undefined
  room.fields--
  room.bytes -= bytes
  return kept
}
