/**
 * How far analysts agree beyond chance, on events that several of them voted on.
 *
 * | figure             | what it compares                                                                            |
 * |--------------------|---------------------------------------------------------------------------------------------|
 * | Cohen's κ          | two analysts, on the events that both answered (Cohen 1960)                                 |
 * | Fleiss' κ          | all analysts, by the pairs of votes on each event (Fleiss 1971)                             |
 * | Krippendorff's α   | the same for any number of votes on an event, corrected for few (Krippendorff 1970), nominal |
 *
 * All are 1 for perfect agreement and 0 for that of chance. They are null where chance alone agrees always.
 */

/** One analyst's label for an event. */
export interface Rating {
  /** Index of the analyst. */
  readonly analyst: number
  /** Index of the label. */
  readonly label: number
}

/** The votes on one event, one of each analyst. */
export type RatedItem = readonly Rating[]

export interface PairAgreement {
  readonly analysts: readonly [number, number]
  readonly events: number
  /** The share of events with the same label. */
  readonly agreement: number
  readonly kappa: number | null
}

function beyondChance(observed: number, expected: number): number | null {
  return expected < 1 ? (observed - expected) / (1 - expected) : null
}

/** Cohen's κ of each pair that answered an event together, the pair with most events first. */
export function cohenPairs(items: readonly RatedItem[], labelCount: number): PairAgreement[] {
  const tables = new Map<string, { readonly pair: [number, number]; readonly counts: Float64Array }>()
  for (const item of items)
    for (const [at, one] of item.entries())
      for (const two of item.slice(at + 1)) {
        const [first, second] = one.analyst < two.analyst ? [one, two] : [two, one]
        const key = `${first.analyst} ${second.analyst}`
        let table = tables.get(key)
        if (table === undefined) {
          table = { pair: [first.analyst, second.analyst], counts: new Float64Array(labelCount * labelCount) }
          tables.set(key, table)
        }
        const cell = first.label * labelCount + second.label
        table.counts[cell] = (table.counts[cell] as number) + 1
      }
  const pairs = [...tables.values()].map(({ pair, counts }) => ({ analysts: pair, ...cohen(counts, labelCount) }))
  return pairs.sort((a, b) => b.events - a.events || a.analysts[0] - b.analysts[0] || a.analysts[1] - b.analysts[1])
}

function cohen(counts: Float64Array, labelCount: number): Omit<PairAgreement, 'analysts'> {
  const events = counts.reduce((sum, count) => sum + count, 0)
  let [same, expected] = [0, 0]
  for (let k = 0; k < labelCount; k++) {
    same += counts[k * labelCount + k] as number
    let [row, column] = [0, 0]
    for (let other = 0; other < labelCount; other++) {
      row += counts[k * labelCount + other] as number
      column += counts[other * labelCount + k] as number
    }
    expected += (row / events) * (column / events)
  }
  return { events, agreement: same / events, kappa: beyondChance(same / events, expected) }
}

function countsOf(item: RatedItem, labelCount: number): Float64Array {
  const counts = new Float64Array(labelCount)
  for (const { label } of item) counts[label] = (counts[label] as number) + 1
  return counts
}

/** Null without an event that two analysts answered. */
export function fleissKappa(items: readonly RatedItem[], labelCount: number): number | null {
  const shared = items.filter((item) => item.length >= 2)
  if (shared.length === 0) return null
  const totals = new Float64Array(labelCount)
  let [observed, votes] = [0, 0]
  for (const item of shared) {
    const counts = countsOf(item, labelCount)
    let pairs = 0
    for (const [k, count] of counts.entries()) {
      totals[k] = (totals[k] as number) + count
      pairs += count * (count - 1)
    }
    observed += pairs / (item.length * (item.length - 1))
    votes += item.length
  }
  const expected = totals.reduce((sum, total) => sum + (total / votes) ** 2, 0)
  return beyondChance(observed / shared.length, expected)
}

/** Null without an event that two analysts answered. */
export function krippendorffAlpha(items: readonly RatedItem[], labelCount: number): number | null {
  const totals = new Float64Array(labelCount)
  let [disagreeing, votes] = [0, 0]
  for (const item of items) {
    if (item.length < 2) continue
    const counts = countsOf(item, labelCount)
    votes += item.length
    for (const [k, count] of counts.entries()) {
      totals[k] = (totals[k] as number) + count
      disagreeing += (count * (item.length - count)) / (item.length - 1)
    }
  }
  const expected = totals.reduce((sum, total) => sum + total * (votes - total), 0)
  return expected > 0 ? 1 - ((votes - 1) * disagreeing) / expected : null
}
