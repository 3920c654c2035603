/** The options of lmdb-js for reads: a range of keys (environment.ts), and entries read in place. */
import type { KeyRange } from '../environment.js'
import type { ScanMemory } from './scan-memory.js'

/** Before all keys. */
const LEAST_KEY = Buffer.of(0)

/**
 * The library begins a reverse walk at `start`, included. So the walker skips keys from `to` on, and stops before
 * `from`.
 */
export function rangeOptions({ from, to, reverse = false }: KeyRange): Record<string, unknown> {
  const options: Record<string, unknown> = { reverse, snapshot: true }
  // A missing bound is given, too: tables whose keys are read in place would begin elsewhere.
  if (!reverse) options.start = from ?? LEAST_KEY
  else if (to !== undefined) options.start = to
  if (reverse) options.end = LEAST_KEY
  else if (to !== undefined) options.end = to
  return options
}

/**
 * Options that make the library leave values where they are and show keys in `keys`. Copying every entry would cost
 * more than all the rest of a walk.
 */
export function inPlace(keys: ScanMemory) {
  return {
    keyEncoder: {
      writeKey(key: Uint8Array, target: Uint8Array, start: number): number {
        target.set(key, start)
        return start + key.length
      },
      readKey: (source: Uint8Array, start: number, end: number): Buffer => keys.show(source, start, end - start),
    },
    encoder: { encode: (value: Buffer): Buffer => value, decode: (bytes: Buffer): Buffer => bytes },
  }
}
