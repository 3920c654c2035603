/**
 * Fields that tell the labels of a mixed bucket apart: what a further decision point would bring.
 *
 * The label of each voted event is predicted twice from the other voted events of its bucket. First by their shares,
 * then by the shares of those with the same value at the field, drawn to the first by one event. The gain of a field
 * is the mean difference of the log-likelihoods, in nats an event. This is leave-one-out cross-validation (Stone 1974).
 * A field whose values are all different gains nothing: no other event has the value.
 *
 * Owns: the ranking. Leaves out: reading events (services/consensus/).
 */

/** A voted event of a bucket. */
export interface SeparatedEvent {
  readonly bucket: string
  /** Index of the label. */
  readonly label: number
  /** By path: the value as text. A path that is absent counts as a value of its own. */
  readonly values: ReadonlyMap<string, string>
}

export interface SeparatingField {
  readonly field: string
  /** Nats an event, above 0. */
  readonly gain: number
  /** Different values among the events, the missing one included. */
  readonly values: number
  /** How many buckets the voted events would be in. */
  readonly buckets: number
}

const smoothing = 1
/** A field has to gain this much in all, in nats: less is chance among so many fields. */
const gainMin = 2

function bump(counts: Map<string, number[]>, key: string, label: number, labelCount: number): void {
  const row = counts.get(key) ?? new Array<number>(labelCount).fill(0)
  row[label] = (row[label] as number) + 1
  counts.set(key, row)
}

/** The share of the label among the others: `prior` is the share where there are none. */
function shareWithout(row: readonly number[], label: number, prior: number): number {
  const all = row.reduce((sum, count) => sum + count, 0) - 1
  return ((row[label] as number) - 1 + smoothing * prior) / (all + smoothing)
}

/** The fields that gain most, best first. */
export function separatingFields(
  events: readonly SeparatedEvent[],
  labelCount: number,
  most: number,
): SeparatingField[] {
  const buckets = new Map<string, number[]>()
  const fields = new Set<string>()
  for (const { bucket, label, values } of events) {
    bump(buckets, bucket, label, labelCount)
    for (const field of values.keys()) fields.add(field)
  }
  const found: SeparatingField[] = []
  for (const field of [...fields].sort()) {
    const cells = new Map<string, number[]>()
    const different = new Set<string>()
    const cellOf = ({ bucket, values }: SeparatedEvent): string => `${bucket} ${values.get(field) ?? ''}`
    for (const event of events) {
      different.add(event.values.get(field) ?? '')
      bump(cells, cellOf(event), event.label, labelCount)
    }
    if (different.size < 2) continue
    let gain = 0
    for (const event of events) {
      const plain = shareWithout(buckets.get(event.bucket) as number[], event.label, 1 / labelCount)
      gain += Math.log(shareWithout(cells.get(cellOf(event)) as number[], event.label, plain) / plain)
    }
    if (gain >= gainMin) found.push({ field, gain: gain / events.length, values: different.size, buckets: cells.size })
  }
  return found.sort((a, b) => b.gain - a.gain || a.buckets - b.buckets).slice(0, most)
}
