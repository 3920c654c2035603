/**
 * The kernel beside the scanner: bodies go through it first, and come back where it leaves them
 * (kernel/scan-kernel.ts).
 *
 * Owns: the kernel, which is made with the first body, since most threads that have a scanner never use it. Leaves out:
 * the walk in JavaScript (body-scanner.ts).
 */
import { ScanKernel } from './kernel/scan-kernel.js'
import type { PointNode, PointTree } from './point-tree.js'
import { ScalarScanner } from './scalar-scanner.js'
import type { ShapeTree } from './shape-tree.js'
import type { Words } from './words.js'

export class QuickScanner extends ScalarScanner {
  readonly #shapes: ShapeTree
  readonly #words: Words
  /** Undefined until the first body comes; null where there is none. */
  #kernel: ScanKernel | null | undefined

  constructor(shapes: ShapeTree, words: Words, kernel: null | undefined) {
    super(words)
    this.#shapes = shapes
    this.#words = words
    this.#kernel = kernel
  }

  /** Scans the body that begins here. False where the kernel leaves it, or there is none. */
  protected scanQuickly(points: PointTree): boolean {
    this.#kernel ??= this.#kernel === undefined ? this.#makeKernel() : null
    const kernel = this.#kernel
    if (kernel === null) return false
    const length = kernel.scan(this.input, this.pos, this.end, points)
    if (length === 0 || !this.#markPoints(kernel, points)) return false
    this.writeTo(kernel.out, kernel.outView)
    this.at = length
    this.pos = kernel.pos
    return true
  }

  #makeKernel(): ScanKernel | null {
    try {
      const kernel: ScanKernel = new ScanKernel(this.#shapes, this.#words, {
        utf8: () => (this.isUtf8() ? 1 : 0),
        escaped: (start, first) => this.#escapedFor(kernel, start, first),
      })
      return kernel
    } catch {
      return null
    }
  }

  /** Puts a text with escapes, which begins in the kernel's input, into its output. Returns where the input goes on. */
  #escapedFor(kernel: ScanKernel, start: number, first: number): number {
    const { shift } = kernel
    const { pos, at } = this
    this.writeTo(kernel.out, kernel.outView)
    this.at = kernel.at
    const isText = this.escapedText(start + shift, first + shift)
    kernel.at = this.at
    const behind = this.pos - shift
    this.pos = pos
    this.at = at
    return isText ? behind : -1
  }

  /** Notes what leads to decision points among the fields that the kernel has walked through. */
  #markPoints({ trace, traceWords, out, steps }: ScanKernel, points: PointTree): boolean {
    for (let i = 0; i < traceWords; i += 4) {
      const step = steps[trace[i] as number] as PointNode
      if (step.isDotted) return false
      points.mark(step, out, trace[i + 1] as number, trace[i + 2] as number)
    }
    return true
  }
}
