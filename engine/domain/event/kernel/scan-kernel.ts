/**
 * The scanner's inner loops in WebAssembly: from the JSON text of a body of known shapes to its bytes.
 *
 * Owns: the memory, and what the loops know of shapes and words. Leaves out: the loops (scan-code.ts, text-code.ts,
 * number-code.ts), the request around the body (body-scanner.ts), which texts become words (words.ts).
 *
 * 1. It gives the same bytes as body-scanner.ts, or leaves the text to that: where there is no WebAssembly, where a
 *    text is long, has many fields, or a name that does not fit in the memory.
 * 2. Shapes and words are only added, so what the loops know stays true. Words that find no slot are asked for again.
 * 3. The memory does not grow, so views of it stay valid.
 */
import { putNumeral } from '../body-format.js'
import { hashBytes, viewOfBytes } from '../byte-table.js'
import type { PointNode, PointTree } from '../point-tree.js'
import type { ShapeNode, ShapeTree } from '../shape-tree.js'
import type { Words } from '../words.js'
import { wasmModule } from '../../wasm/wasm-builder.js'
import { compiledWasm, wasmInstance, wasmMemory } from '../../wasm/wasm-instance.js'
import { child, key, space, whole } from './number-code.js'
import { imports, variableCount, type ScanHelp } from './scan-calls.js'
import { array, begin, object, value } from './scan-code.js'
import { cells, endBytes, nodeAt, places, scanPages, slotCount, textBytesMax, wordAt } from './scan-memory.js'
import { ScanPaths } from './scan-paths.js'
import { putText, text, varint } from './text-code.js'

/** What the kernel cannot do alone, for the text that it is given. */
export type TextHelp = Pick<ScanHelp, 'utf8' | 'escaped'>

interface Loops {
  /** Scans the object at `pos`. Returns the length of the output, or 0. */
  begin(pos: number, paths: number, path: number): number
}

let compiled: object | undefined

/** The kernel's functions, in the order of scan-calls.ts; `begin` is only called from here. */
function loopsModule(): object {
  const functions = [varint, putText, text, whole, space, key, child, object, array, value, begin]
  return (compiled ??= compiledWasm(wasmModule(functions, imports, variableCount)))
}

export class ScanKernel {
  readonly #loops: Loops
  /** The whole memory. */
  readonly bytes: Buffer
  readonly #ints: Int32Array
  readonly #view: DataView
  /** The output of the latest scan, from its beginning. */
  readonly out: Buffer
  readonly outView: DataView
  /** The fields of the latest scan outside of arrays, as described in scan-memory.ts. */
  readonly trace: Int32Array
  readonly #shapes: ShapeTree
  readonly #words: Words
  readonly #paths: ScanPaths
  /** What leads from a position in the text to its address in the input. */
  #shift = 0
  /** The address of each node by its id; 0 where it did not fit. */
  readonly #nodes: number[] = []
  #ends = 0
  #nextNode: number = places.nodes
  #nextWord: number = places.words

  /** @throws Error where this machine or this process runs no WebAssembly. */
  constructor(shapes: ShapeTree, words: Words, help: TextHelp) {
    const memory = wasmMemory({ initial: scanPages, maximum: scanPages })
    this.bytes = Buffer.from(memory.buffer)
    this.#ints = new Int32Array(memory.buffer)
    this.#view = viewOfBytes(this.bytes)
    this.out = this.bytes.subarray(places.output, places.paths)
    this.outView = viewOfBytes(this.out)
    this.trace = this.#ints.subarray(places.trace >> 2, places.input >> 2)
    this.#shapes = shapes
    this.#words = words
    this.#paths = new ScanPaths(this.bytes, places.paths, places.nodes)
    const scanHelp: ScanHelp = {
      ...help,
      see: (start, length, hash) => this.#see(start, length, hash),
      number: (start, end, at) => this.#putNumber(start, end, at),
      step: (path, id) => this.#paths.step(path, shapes.nodes[id] as ShapeNode),
    }
    this.#loops = wasmInstance(loopsModule(), memory, { ...scanHelp }) as Loops
    this.#setNode(places.none, { keyBytes: wordAt, shape: 0xff, id: 0 })
    this.bytes.fill(0xff, places.none + nodeAt.mask, places.none + nodeAt.key)
    this.bytes.fill(0xff, places.masks, places.masks + 16)
    this.#setNode(places.root, { keyBytes: wordAt, shape: -1, id: 0 })
    this.#nodes.push(places.root)
  }

  /** Scans the object at `start` in a text. Returns the length of the output, or 0 where the text is left alone. */
  scan(memory: Uint8Array, start: number, end: number, points: PointTree): number {
    if (end - start > textBytesMax) return 0
    const { nodes, ends } = this.#shapes
    if (this.#nodes.length < nodes.length || this.#ends < ends.length) this.#learn()
    const { base, root, steps } = this.#paths.of(points, nodes.length)
    if (base === 0) return 0
    this.steps = steps
    return this.#loops.begin(this.#take(memory, start, end), base, root)
  }

  /**
   * Copies a text into the input, as far from a multiple of 8 as it is in its memory: so the library, which copies
   * shared memory byte by byte, does so word by word. Returns where it begins there.
   */
  #take(memory: Uint8Array, start: number, end: number): number {
    const from = memory.byteOffset + start
    const pos = places.input + (from & 7)
    const behind = pos + end - start
    const ints = this.#ints
    const zeros = behind >> 2
    for (let i = 0; i <= endBytes >> 2; i++) ints[zeros + i] = 0
    this.bytes.set(new Uint8Array(memory.buffer, from, end - start), pos)
    this.#shift = pos - start
    return pos
  }

  /** The step of an entry of the trace. */
  steps: readonly PointNode[] = []

  /** Where in the text the latest scan has ended. */
  get pos(): number {
    return (this.#ints[cells.pos >> 2] as number) - this.#shift
  }

  /** What leads from an address in the input to a position in the text. */
  get shift(): number {
    return -this.#shift
  }

  /** How many words of the trace the latest scan has written. */
  get traceWords(): number {
    return ((this.#ints[cells.trace >> 2] as number) - places.trace) >> 2
  }

  /** Where the loops put the next byte of the output, while they call. */
  get at(): number {
    return (this.#ints[cells.at >> 2] as number) - places.output
  }

  set at(at: number) {
    this.#ints[cells.at >> 2] = at + places.output
  }

  #see(start: number, length: number, hash: number): number {
    const word = this.#words.see(this.#view, start, start + length, hashBytes(this.#view, start, start + length))
    if (word >= 0) this.#keep(start, length, hash, word)
    return word
  }

  /** Keeps a word where the loops find it, if it has room. */
  #keep(start: number, length: number, hash: number, word: number): void {
    const ints = this.#ints
    let slot = (places.slots >> 2) + (hash & (slotCount - 1))
    if (ints[slot] !== 0 && ints[++slot] !== 0) return
    const entry = this.#nextWord
    const next = entry + wordAt + ((length + 16) & ~15)
    if (next > places.end) return
    this.#nextWord = next
    ints[entry >> 2] = hash
    ints[(entry >> 2) + 1] = length | (word << 8)
    this.bytes.copyWithin(entry + wordAt, start, start + length)
    ints[slot] = entry
  }

  #putNumber(start: number, end: number, at: number): number {
    return putNumeral(this.bytes, at, this.bytes.toString('latin1', start, end))
  }

  /** Takes over the nodes and the shapes that were added to the tree. */
  #learn(): void {
    const { nodes, ends } = this.#shapes
    for (let id = this.#nodes.length; id < nodes.length; id++) this.#nodes.push(this.#addNode(nodes[id] as ShapeNode))
    for (; this.#ends < ends.length; this.#ends++) {
      const { id, shape } = ends[this.#ends] as ShapeNode
      const node = this.#nodes[id] as number
      if (node !== 0) this.#ints[(node + nodeAt.shape) >> 2] = shape
    }
  }

  /** The address of a new child of its parent; 0 where one of the two has no room. */
  #addNode({ id, key, parent }: ShapeNode): number {
    const above = parent === null ? 0 : (this.#nodes[parent.id] as number)
    const node = this.#nextNode
    const next = node + nodeAt.key + ((key.length + 15) & ~15)
    if (above === 0 || next > places.words) return 0
    this.#nextNode = next
    const ints = this.#ints
    this.#setNode(node, { keyBytes: key.length, shape: -1, id })
    this.bytes.set(key, node + nodeAt.key)
    const lastBytes = ((key.length - 1) & 15) + 1
    this.bytes.fill(0xff, node + nodeAt.mask, node + nodeAt.mask + lastBytes)
    ints[(node + nodeAt.nextSibling) >> 2] = ints[(above + nodeAt.firstChild) >> 2] as number
    ints[(above + nodeAt.firstChild) >> 2] = node
    return node
  }

  #setNode(node: number, fields: { readonly keyBytes: number; readonly shape: number; readonly id: number }): void {
    const ints = this.#ints
    ints[(node + nodeAt.keyBytes) >> 2] = fields.keyBytes
    ints[(node + nodeAt.shape) >> 2] = fields.shape
    ints[(node + nodeAt.id) >> 2] = fields.id
  }
}
