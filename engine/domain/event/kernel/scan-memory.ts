/**
 * Where things lie in the memory of the scanning kernel (scan-kernel.ts), for its loops (scan-code.ts, text-code.ts,
 * number-code.ts).
 *
 * | part   | what                                                                                    |
 * |--------|-----------------------------------------------------------------------------------------|
 * | none   | at 0, stands for a node or a word that there is not: like no name and no text           |
 * | cells  | what a scan tells beside its result                                                     |
 * | masks  | 16 bytes that count, then 16 that do not                                                |
 * | root   | the node before all names                                                               |
 * | slots  | by hash, two tries: the address of a word, or 0                                         |
 * | trace  | of each value on the way to a decision point: step, start and end, and a spare word     |
 * | input  | the text, then zeros, which end everything                                              |
 * | output | the bytes of the body                                                                   |
 * | paths  | where names lead to on the way to decision points (scan-paths.ts)                       |
 * | nodes  | names of the shape tree                                                                 |
 * | words  | hash u32, length and 256 × number u32, at 16 the bytes, zeros up to the next 16         |
 */
import { wasmPageBytes } from '../../wasm/wasm-instance.js'

const KIB = 1024

/** The longest text that the kernel scans: nearly all are shorter. */
export const textBytesMax = 32 * KIB
/** Fields and items of one body. */
export const fieldsMax = 4_096
/** Zeros behind the text: what reads ahead finds no end of a name and no digit there. */
export const endBytes = 32
export const slotCount = 1 << 14
export const traceEntryBytes = 16

/** A node: its fields, then the bytes of its key with zeros up to a multiple of 16. */
export const nodeAt = {
  keyBytes: 0,
  shape: 4,
  likely: 8,
  inside: 12,
  firstChild: 16,
  nextSibling: 20,
  id: 24,
  /** Of the last sixteen bytes of the key, those that count. */
  mask: 32,
  key: 48,
} as const
/** Where the bytes of a word begin. */
export const wordAt = 16

const none = 0
const cellsStart = 64
const masks = cellsStart + 32
const root = masks + 32
const slots = root + 64
const trace = slots + 4 * (slotCount + 16)
const input = trace + traceEntryBytes * (fieldsMax + 2)
const output = input + textBytesMax + 64
/** No value takes more than three times the bytes of its text; copies may write past their end. */
const paths = output + 3 * textBytesMax + 128
const nodes = paths + 128 * KIB
const words = nodes + 512 * KIB
const end = words + 512 * KIB

export const places = { none, masks, root, slots, trace, input, output, paths, nodes, words, end } as const

/** Cells: where the text was left, and the end of the trace; the end of the output, for what is called. */
export const cells = { pos: cellsStart, trace: cellsStart + 4, at: cellsStart + 8 } as const

export const scanPages = Math.ceil(end / wasmPageBytes)
