/**
 * The arrays of the sums of derivatives (gradient-sums.ts), side by side in one memory: WebAssembly adds them up.
 *
 * 1. WebAssembly gives the same bits as the JavaScript, which stands in for it: with few entries, where there is no
 *    WebAssembly, and for what is not in this memory.
 * 2. Memory does not grow: its arrays would be lost. There is room for so many nodes; further ones have arrays of their
 *    own.
 */
import type { TreeTable } from '../features/tree-table.js'
import { compiledWasm, wasmInstance, wasmMemory, wasmPageBytes } from '../../wasm/wasm-instance.js'
import { wasmModule } from '../../wasm/wasm-builder.js'
import { Cutter } from '../kernel/kernel.js'
import { sumUp } from './sum-code.js'

/** With fewer entries a memory of their own is not worth it. */
const entriesMin = 20_000
/** Address 0 is for nothing. */
const firstAddress = 64

/** The sums of one node, which owns them until it passes them on or releases them. */
export interface NodeSums {
  /** Sums of both derivatives, by slot. */
  readonly sums: Float64Array
  /** The columns of features with sums, `count` of them, in no order. All columns of numbers may have sums. */
  readonly features: Int32Array
  count: number
}

interface Loops {
  sumUp(...addresses: readonly number[]): number
}

/** What is asked of the memory. */
interface Sizes {
  readonly table: TreeTable
  /** The first slot of each column, and behind the last one. */
  readonly slots: Int32Array
  /** Nodes that have sums at the same time. */
  readonly nodes: number
}

/** Undefined until it is needed, null where it cannot be had. */
let compiled: object | null | undefined

function moduleOfThread(): object | null {
  if (compiled !== undefined) return compiled
  try {
    return (compiled = compiledWasm(wasmModule([sumUp])))
  } catch {
    return (compiled = null)
  }
}

export class SumMemory {
  /** The first and second derivatives, by row. */
  readonly gradients: Float64Array
  readonly hessians: Float64Array
  /** Room for the rows of a tree. Those of other arrays are summed up by JavaScript. */
  readonly rows: Int32Array
  /** By entry of the table: twice its slot. */
  readonly places: Int32Array
  readonly #starts: Int32Array
  readonly #loops: Loops
  readonly #firstFeature: number
  readonly #numberCount: number
  readonly #free: NodeSums[] = []

  private constructor({ table, slots, nodes }: Sizes, module: object) {
    const { rowCount, columns, columnCount, numberCount, starts } = table
    const slotCount = slots[columnCount] as number
    const sizes = [8 * rowCount, 8 * rowCount, 4 * rowCount, 4 * columns.length, 4 * starts.length]
    const ofNode = [16 * slotCount, 4 * (columnCount - numberCount)]
    const cutter = new Cutter(firstAddress)
    const addresses = [...sizes, ...Array.from({ length: nodes }, () => ofNode).flat()].map((bytes) =>
      cutter.take(bytes),
    )
    const pages = Math.ceil((firstAddress + cutter.bytesFrom(firstAddress)) / wasmPageBytes)
    const memory = wasmMemory({ initial: pages, maximum: pages })
    const { buffer } = memory
    const [gradients, hessians, rows, places, startsAt, ...further] = addresses as [
      number,
      number,
      number,
      number,
      number,
    ]
    this.gradients = new Float64Array(buffer, gradients, rowCount)
    this.hessians = new Float64Array(buffer, hessians, rowCount)
    this.rows = new Int32Array(buffer, rows, rowCount)
    this.places = new Int32Array(buffer, places, columns.length)
    this.#starts = new Int32Array(buffer, startsAt, starts.length)
    this.#starts.set(starts)
    this.#firstFeature = 2 * (slots[numberCount] as number)
    this.#numberCount = numberCount
    this.#loops = wasmInstance(module, memory) as Loops
    for (let node = 0; node < nodes; node++)
      this.#free.push({
        sums: new Float64Array(buffer, further[2 * node], 2 * slotCount),
        features: new Int32Array(buffer, further[2 * node + 1], columnCount - numberCount),
        count: 0,
      })
  }

  /** Null where JavaScript is to do without. */
  static of(sizes: Sizes): SumMemory | null {
    const module = sizes.table.columns.length < entriesMin ? null : moduleOfThread()
    if (module === null) return null
    try {
      return new SumMemory(sizes, module)
    } catch {
      return null
    }
  }

  /** Empty sums in this memory, or null. */
  take(): NodeSums | null {
    return this.#free.pop() ?? null
  }

  /** As GradientSums.sumUp. False where not all of it is in this memory. */
  sumUp(rows: Int32Array, start: number, end: number, node: NodeSums): boolean {
    const { buffer } = this.rows
    if (rows !== this.rows || node.sums.buffer !== buffer) return false
    const { features } = node
    const rowsAt = rows.byteOffset
    const listed = this.#loops.sumUp(
      rowsAt + 4 * start,
      rowsAt + 4 * end,
      this.#starts.byteOffset,
      this.places.byteOffset,
      this.gradients.byteOffset,
      this.hessians.byteOffset,
      node.sums.byteOffset,
      this.#firstFeature,
      features.byteOffset,
    )
    node.count = (listed - features.byteOffset) / 4
    // A feature has one slot.
    for (let i = 0; i < node.count; i++)
      features[i] = this.#numberCount + ((features[i] as number) - this.#firstFeature) / 2
    return true
  }
}
