/**
 * How much each decision point tells about the consensus.
 *
 * Owns: for each point a table of its values by consensus. Leaves out: which subjects count (services/report/).
 *
 * 1. The figure is the mutual information with the consensus, in bits (divergence.ts). Its share of the consensus's
 *    entropy is 0 if the point tells nothing, and 1 if it determines the consensus alone. Missing is a value.
 * 2. A point with as many values as subjects, such as an id, seems to determine everything. So there is also a
 *    corrected figure, without the bias of counting (Miller and Madow). It is less by `(rows - 1) (columns - 1) / (2 n
 *    ln 2)` bits, and 0 at least.
 * 3. Above a bound, all further values count as one.
 */
import { cutText } from '../event/input/cut-text.js'
import type { PointValue } from '../event/point-value.js'
import { entropy, mutualInformation, sum } from './divergence.js'

const VALUES_MAX = 4_096
const VALUE_CHARS_MAX = 256

/** Figures of one decision point. */
export interface PointUsefulness {
  readonly name: string
  readonly mutualInformationBits: number
  readonly mutualInformationCorrectedBits: number
  /** The corrected figure as a share, 0 to 1. */
  readonly shareOfConsensusEntropy: number
  readonly missingShare: number
  /** Without missing; at most the bound. */
  readonly distinctValues: number
  readonly isCapped: boolean
}

export class PointTables {
  readonly #points: readonly string[]
  readonly #labels: number
  readonly #tables: Map<string, number[]>[]

  constructor(points: readonly string[], labelCount: number) {
    this.#points = points
    this.#labels = labelCount
    this.#tables = points.map(() => new Map())
  }

  /** Adds a subject whose consensus is `label`. */
  add(values: readonly PointValue[], label: number): void {
    this.#tables.forEach((table, at) => {
      const text = textOf(values[at] ?? null)
      const known = table.has(text) || table.size < VALUES_MAX
      const key = known ? text : 'more'
      let counts = table.get(key)
      if (counts === undefined) table.set(key, (counts = new Array<number>(this.#labels).fill(0)))
      counts[label] = (counts[label] ?? 0) + 1
    })
  }

  figures(): PointUsefulness[] {
    return this.#points.map((name, at) => this.#figuresOf(name, this.#tables[at] as Map<string, number[]>))
  }

  #figuresOf(name: string, table: Map<string, number[]>): PointUsefulness {
    const rows = [...table.values()]
    const all = sum(rows.map(sum))
    const byLabel = Array.from({ length: this.#labels }, (_, label) => sum(rows.map((row) => row[label] as number)))
    const bits = mutualInformation(rows)
    const columns = byLabel.filter((count) => count > 0).length
    const bias = all === 0 ? 0 : ((rows.length - 1) * (columns - 1)) / (2 * all * Math.LN2)
    const corrected = Math.max(0, bits - bias)
    const whole = entropy(byLabel)
    const missing = sum(table.get(textOf(null)) ?? [])
    return {
      name,
      mutualInformationBits: bits,
      mutualInformationCorrectedBits: corrected,
      shareOfConsensusEntropy: whole === 0 ? 0 : Math.min(1, corrected / whole),
      missingShare: all === 0 ? 0 : missing / all,
      distinctValues: table.size - Number(table.has(textOf(null))),
      isCapped: table.size >= VALUES_MAX,
    }
  }
}

/** Never `more`, which is not JSON. */
function textOf(value: PointValue): string {
  return cutText(JSON.stringify(value) ?? 'null', VALUE_CHARS_MAX, '')
}
