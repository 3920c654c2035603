/** MessagePack, for small values inside rows: the one file that imports `msgpackr`. */
import { Packr, RESERVE_START_SPACE } from 'msgpackr'

const packr = new Packr({ useRecords: false, mapsAsObjects: true, moreTypes: false, variableMapSize: true })

/** Packs any plain value. The first `reserved` bytes (0 to 255) are left to the caller. */
export function pack(value: unknown, reserved = 0): Buffer {
  return reserved === 0 ? packr.pack(value) : packr.pack(value, RESERVE_START_SPACE + reserved)
}

/** The value of packed bytes. */
export function unpack(bytes: Uint8Array): unknown {
  return packr.unpack(bytes)
}
