/**
 * Changes of the catalog as records of its log.
 *
 * Owns: the layout of these records. Leaves out: who appends (catalog-writer.ts), who applies (catalog-follower.ts).
 *
 * | 0 format u8 | MessagePack: kind, writer, entries as [table, key, value or null] |
 *
 * 1. A record of the catalog is one commit: its rows as they are stored. Applying it needs no code of a service.
 * 2. Rows of the ledger of integrations are in the same log. They come after their own commit, not before it.
 * 3. Keys and passwords are in rows as hashes, and secrets are sealed. So a record has none in plain text.
 */
import { assert } from '../../../assert.js'
import { pack, unpack } from '../../../store/pack.js'
import { WriteBatch } from '../../../store/environment.js'

const FORMAT = 1

/** A put, or a delete where the value is null. */
export type LoggedEntry = readonly [table: string, key: Uint8Array, value: Uint8Array | null]

export interface CatalogRecord {
  /** `begin`: a writer begins. */
  readonly kind: 'begin' | 'catalog' | 'ledger'
  /** 8 bytes in hexadecimal, of one writer alone. */
  readonly writer: string
  readonly entries: readonly LoggedEntry[]
}

export function encodeCatalogRecord({ kind, writer, entries }: CatalogRecord): Buffer {
  const bytes = pack([kind, writer, entries], 1)
  bytes[0] = FORMAT
  return bytes
}

/** @throws Error where the record is of a newer format. */
export function decodeCatalogRecord(bytes: Uint8Array): CatalogRecord {
  if (bytes[0] !== FORMAT)
    throw new Error(`a record of the catalog has format ${bytes[0]}, and this version of the service reads ${FORMAT}`)
  const [kind, writer, entries] = unpack(bytes.subarray(1)) as [CatalogRecord['kind'], string, LoggedEntry[]]
  assert(kind === 'begin' || kind === 'catalog' || kind === 'ledger', 'a record of the catalog is of a known kind')
  return { kind, writer, entries }
}

/** Copies what a batch changes. */
export function entriesOf(batch: WriteBatch): LoggedEntry[] {
  return batch.tables.map((table, at) => {
    const value = batch.value(at)
    return [table, Buffer.from(batch.key(at)), value === undefined ? null : Buffer.from(value)]
  })
}

export function batchOf(entries: readonly LoggedEntry[]): WriteBatch {
  const batch = new WriteBatch()
  for (const [table, key, value] of entries)
    if (value === null) batch.delete(table, key)
    else batch.put(table, key, value)
  return batch
}
