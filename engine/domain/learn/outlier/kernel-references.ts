/**
 * The references of the outlier check in the kernel's memory: their distances by WebAssembly, with the same bits as
 * those of outlier-references.ts.
 */
import { Cutter, type Block, type Kernel } from '../kernel/kernel.js'
import { comparedTogether, entryBytes, knownTokenBytes } from '../kernel/nearest-code.js'
import type { ReferenceParts } from './further-references.js'
import { tokensMax, type OutlierView } from './outlier-view.js'

/** The most distances that are listed. */
const nearestMax = 64

/** What distances are made of. */
export interface Compared {
  readonly parts: ReferenceParts
  /** The factor of the distances of each reference that is compared. */
  readonly scales: Float32Array
  /** The weights of the mean and of the largest difference of numbers. */
  readonly weights: { readonly mean: number; readonly most: number }
}

/** Addresses of references, and of scratch memory for one event. */
interface Places {
  readonly numbers: number
  readonly scales: number
  readonly entries: number
  readonly tokens: number
  readonly mine: number
  readonly likeness: number
  readonly plain: number
  readonly far: number
  readonly nearest: number
}

export class KernelReferences {
  /** The result of the last comparison: the nearest reference, or -1, and its distance. */
  nearestPlace = -1
  nearestDistance = Infinity
  readonly #kernel: Kernel
  readonly #block: Block
  readonly #places: Places
  /** Where the entries of each token begin; and behind the last one. */
  readonly #starts: Int32Array
  readonly #count: number
  readonly #padded: number
  readonly #numberCount: number
  readonly #weights: Compared['weights']

  private constructor(kernel: Kernel, block: Block, { parts, scales, weights }: Compared) {
    this.#kernel = kernel
    this.#block = block
    this.#count = scales.length
    this.#padded = paddedCount(scales.length)
    this.#numberCount = parts.numberCount
    this.#weights = weights
    const held = new Cutter(block.start)
    const scratch = new Cutter(kernel.scratch)
    this.#places = {
      numbers: held.take(4 * this.#padded * parts.numberCount),
      scales: held.take(4 * this.#padded),
      entries: held.take(entryBytes * parts.holders.length),
      tokens: scratch.take(knownTokenBytes * tokensMax),
      mine: scratch.take(8 * parts.numberCount),
      likeness: scratch.take(4 * this.#padded),
      plain: scratch.take(8 * this.#padded),
      far: scratch.take(8 * this.#padded),
      nearest: scratch.take(8 * nearestMax),
    }
    this.#copyNumbers(parts)
    kernel.floats.fill(1, this.#places.scales / 4, this.#places.scales / 4 + this.#padded)
    kernel.floats.set(scales, this.#places.scales / 4)
    this.#starts = this.#copyEntries(parts)
  }

  /** Copies the first references into the kernel's memory, as many as there are scales; null where they do not fit. */
  static of(kernel: Kernel, compared: Compared): KernelReferences | null {
    const { parts, scales } = compared
    const sizes = new Cutter(0)
    const padded = paddedCount(scales.length)
    sizes.take(4 * padded * parts.numberCount)
    sizes.take(4 * padded)
    sizes.take(entryBytes * parts.holders.length)
    const block = kernel.hold(sizes.bytesFrom(0))
    return block === null ? null : new KernelReferences(kernel, block, compared)
  }

  /** They are still in the kernel's memory. */
  get isHeld(): boolean {
    return this.#block.isHeld
  }

  #copyNumbers({ numbers, numberCount }: ReferenceParts): void {
    const { floats } = this.#kernel
    const first = this.#places.numbers / 4
    floats.fill(0, first, first + this.#padded * numberCount)
    for (let i = 0; i < this.#count; i++) {
      const column = i % comparedTogether
      const at = first + (i - column) * numberCount + column
      for (let j = 0; j < numberCount; j++) floats[at + j * comparedTogether] = numbers[i * numberCount + j] as number
    }
  }

  #copyEntries({ tokens, starts, holders, weights }: ReferenceParts): Int32Array {
    const { ints, floats } = this.#kernel
    let at = this.#places.entries
    const own = new Int32Array(tokens.length + 1)
    for (let token = 0; token < tokens.length; token++) {
      own[token] = at
      for (let k = starts[token] as number; k < (starts[token + 1] as number); k++) {
        const holder = holders[k] as number
        if (holder >= this.#count) break
        ints[at / 4] = 4 * holder
        floats[at / 4 + 1] = weights[k] as number
        at += entryBytes
      }
    }
    own[tokens.length] = at
    return own
  }

  /**
   * Compares the references with the event in the view, all but `except`. Fills `nearest` with the least distances of
   * the outlier check, and returns how many there are. `found` are the numbers of the view's tokens; unknown ones have
   * -1.
   */
  compare(view: OutlierView, found: Int32Array, except: number, nearest: Float64Array): number {
    const { loops, doubles } = this.#kernel
    const places = this.#places
    const { mean, most } = this.#weights
    const count = this.#numberCount
    loops.likeness(places.tokens, this.#setTokens(view, found), places.likeness)
    this.#leaveOut(except)
    for (let j = 0; j < count; j++) doubles[places.mine / 8 + j] = view.numbers[j] as number
    const share = count > 0 ? 1 / count : 0
    const { likeness, plain, far } = places
    loops.compare(
      ...[likeness, likeness + 4 * this.#padded, places.numbers, places.scales, places.mine, places.mine + 8 * count],
      ...[share, mean, most, plain, far],
    )
    const last = places.nearest + 8 * (nearest.length - 1)
    const closest = loops.pick(plain, far, far + 8 * this.#padded, places.nearest, last)
    this.nearestPlace = closest === 0 ? -1 : (closest - plain) / 8
    this.nearestDistance = closest === 0 ? Infinity : (doubles[closest / 8] as number)
    for (let i = 0; i < nearest.length; i++) nearest[i] = doubles[places.nearest / 8 + i] as number
    const isLeftOut = except >= 0 && except < this.#count
    return Math.min(this.#count - (isLeftOut ? 1 : 0), nearest.length)
  }

  /** Writes the known tokens of the event; returns where they end. */
  #setTokens(view: OutlierView, found: Int32Array): number {
    const { ints, floats, doubles } = this.#kernel
    const { tokens, likeness } = this.#places
    floats.fill(view.count === 0 ? 1 : 0, likeness / 4, likeness / 4 + this.#padded)
    let end = tokens
    for (let j = 0; j < view.count; j++) {
      const token = found[j] as number
      if (token < 0) continue
      ints[end / 4] = this.#starts[token] as number
      ints[end / 4 + 1] = this.#starts[token + 1] as number
      doubles[end / 8 + 1] = view.weights[j] as number
      end += knownTokenBytes
    }
    return end
  }

  /** What does not count is infinitely far away. */
  #leaveOut(except: number): void {
    const { floats } = this.#kernel
    const first = this.#places.likeness / 4
    for (let i = this.#count; i < this.#padded; i++) floats[first + i] = -Infinity
    if (except >= 0 && except < this.#count) floats[first + except] = -Infinity
  }
}

function paddedCount(count: number): number {
  return Math.ceil(count / comparedTogether) * comparedTogether
}
