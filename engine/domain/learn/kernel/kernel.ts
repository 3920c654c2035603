/**
 * The inner loops of a decision in WebAssembly, and the memory that they work on. There is one kernel in each thread.
 *
 * Owns: the memory. Leaves out: the loops (tree-code.ts, nearest-code.ts), and what is put into the memory
 * (trees/kernel-trees.ts, outlier/kernel-references.ts).
 *
 * 1. A kernel computes the same bits as the JavaScript that it stands in for. That is used where there is no
 *    WebAssembly, and where the kernel's memory holds something else.
 * 2. The memory behind `scratchBytes` is a ring: what is put there overwrites what has been there longest. So nothing
 *    needs to be given back, and memory is bounded.
 * 3. Scratch memory is valid until anybody uses the kernel again.
 */
import { limits } from '../../../limits.js'
import { wasmExports, wasmMemory, wasmPageBytes as pageBytes, type WasmMemory } from '../../wasm/wasm-instance.js'
import { compare, likeness, pick } from './nearest-code.js'
import { sum, walk } from './tree-code.js'

const cacheLine = 64

/** The functions of the module, as described where they are built. */
interface Loops {
  walk(nodes: number, roots: number, rootsEnd: number, codes: number, leaves: number): void
  sum(leaves: number, end: number, step: number, values: number): number
  likeness(tokens: number, tokensEnd: number, into: number): void
  compare(...addressesAndWeights: readonly number[]): void
  pick(plain: number, far: number, farEnd: number, nearest: number, last: number): number
}

/** A part of the memory. */
export interface Block {
  /** The address of its first byte, a multiple of 64. */
  readonly start: number
  readonly end: number
  /** False once something else was written over it. */
  readonly isHeld: boolean
  /** Who has nothing but this block to read from; not kept alive by it. */
  tenant: WeakRef<Tenant> | null
}

/** Who reads from a block in JavaScript too. */
export interface Tenant {
  /** The memory has another buffer: views of the old one are empty. */
  moved(): void
  /** The block is about to be overwritten. */
  leave(): void
}

interface HeldBlock extends Block {
  isHeld: boolean
}

/** Scratch memory begins here: 0 means "none" to the loops, and a walk may read the byte before the codes. */
const scratchStart = cacheLine
/** Scratch memory, which several uses share one after the other. Half of it has room for a code of any feature. */
export const scratchBytes = 4 * pageBytes

export class Kernel {
  readonly loops: Loops
  /** The whole memory, as numbers. Valid until the next `hold`. */
  bytes: Uint8Array
  ints: Int32Array
  floats: Float32Array
  doubles: Float64Array
  readonly #memory: WasmMemory
  readonly #bytesMax: number
  /** In the order of their addresses. */
  #blocks: HeldBlock[] = []
  /** Where the next block begins, if there is room. */
  #next = scratchBytes

  /** @throws Error where this machine or this process runs no WebAssembly. */
  constructor(bytesMax = limits.kernelBytesMax) {
    this.#bytesMax = bytesMax - (bytesMax % pageBytes)
    this.#memory = wasmMemory({ initial: scratchBytes / pageBytes, maximum: this.#bytesMax / pageBytes })
    this.loops = wasmExports([walk, sum, likeness, compare, pick], this.#memory) as Loops
    const { buffer } = this.#memory
    this.bytes = new Uint8Array(buffer)
    this.ints = new Int32Array(buffer)
    this.floats = new Float32Array(buffer)
    this.doubles = new Float64Array(buffer)
  }

  /** The address of scratch memory. */
  get scratch(): number {
    return scratchStart
  }

  /** A block of memory for the caller to fill; null where it can never fit. */
  hold(bytes: number): Block | null {
    const size = Math.ceil(bytes / cacheLine) * cacheLine
    if (scratchBytes + size > this.#bytesMax) return null
    if (this.#next + size > this.#bytesMax) this.#next = scratchBytes
    const block = { start: this.#next, end: this.#next + size, isHeld: true, tenant: null }
    if (!this.#reach(block.end)) return null
    for (const other of this.#blocks) {
      if (other.start >= block.end || block.start >= other.end) continue
      other.tenant?.deref()?.leave()
      other.isHeld = false
    }
    this.#blocks = [...this.#blocks.filter(({ isHeld }) => isHeld), block]
    this.#next = block.end
    return block
  }

  /** Makes the memory reach to an address; false where the system has no more. */
  #reach(end: number): boolean {
    const { length } = this.bytes
    if (end <= length) return true
    // At least twice as much: each growth makes new views, and the collector counts the memory.
    // Pages that are not used cost nothing.
    const reach = Math.min(this.#bytesMax, Math.max(end, 2 * length))
    try {
      this.#memory.grow(Math.ceil((reach - length) / pageBytes))
    } catch {
      return false
    }
    const { buffer } = this.#memory
    this.bytes = new Uint8Array(buffer)
    this.ints = new Int32Array(buffer)
    this.floats = new Float32Array(buffer)
    this.doubles = new Float64Array(buffer)
    for (const { tenant } of this.#blocks) tenant?.deref()?.moved()
    return true
  }
}

/** Cuts a block into parts that are each at the start of a cache line. */
export class Cutter {
  #at: number

  constructor(start: number) {
    this.#at = start
  }

  take(bytes: number): number {
    const at = this.#at
    this.#at += Math.ceil(bytes / cacheLine) * cacheLine
    return at
  }

  /** The bytes that were taken from `start` on. */
  bytesFrom(start: number): number {
    return this.#at - start
  }
}

/** undefined: not tried yet. */
let ofThread: Kernel | null | undefined

/** The kernel of this thread; null where there is none. */
export function kernelOfThread(): Kernel | null {
  if (ofThread !== undefined) return ofThread
  try {
    return (ofThread = new Kernel())
  } catch {
    return (ofThread = null)
  }
}

/** Uses of something before it is put into the kernel: the gain has to pay for the copy. */
const usesBeforeCopy = 128

/**
 * Something in the kernel's memory that is put there once it has been used often. What was overwritten has to be used
 * as often again.
 */
export class InKernel<T extends Pick<Block, 'isHeld'>> {
  readonly #copy: (kernel: Kernel) => T | null
  #held: T | null = null
  #uses = 0

  constructor(copy: (kernel: Kernel) => T | null) {
    this.#copy = copy
  }

  /** Null where it is not in the memory: then JavaScript does the work. */
  get(): T | null {
    if (this.#held?.isHeld === true) return this.#held
    if (++this.#uses < usesBeforeCopy) return null
    this.#uses = 0
    const kernel = kernelOfThread()
    return (this.#held = kernel === null ? null : this.#copy(kernel))
  }

  /** What it was copied from has changed. */
  forget(): void {
    this.#held = null
  }
}
