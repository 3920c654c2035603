/** The order of buckets: by `_count`, by `_key`, or by a figure of an inner aggregation (`avg_score`, `stats.max`). */
import type { ScalarValue } from '../event/point-value.js'
import type { GroupCollector } from './collector.js'
import type { JsonReader } from './json-reader.js'
import { compareScalars } from './scalar.js'

export interface KeyedBucket {
  readonly key: ScalarValue
  readonly bucket: GroupCollector
}

interface OrderKey {
  readonly by: string
  readonly descending: boolean
}

const ORDER_KEYS_MAX = 16

/** Sorts buckets. Among equal ones the smaller key comes first. */
export function orderOf(
  json: JsonReader | undefined,
  fallback: OrderKey,
): (buckets: readonly KeyedBucket[]) => KeyedBucket[] {
  const keys =
    json === undefined
      ? [fallback]
      : json.list(ORDER_KEYS_MAX).map((one) => {
          const [by, direction] = one.only()
          return {
            by: by === '_term' || by === '_time' ? '_key' : by,
            descending: direction.oneOf(['asc', 'desc']) === 'desc',
          }
        })
  return (buckets) => {
    const figures = buckets.map((bucket) => ({ bucket, values: keys.map(({ by }) => figureBy(bucket, by)) }))
    figures.sort((a, b) => {
      for (const [i, { descending }] of keys.entries()) {
        const order = compareFigures(a.values[i] ?? null, b.values[i] ?? null, descending)
        if (order !== 0) return order
      }
      return compareScalars(a.bucket.key, b.bucket.key)
    })
    return figures.map(({ bucket }) => bucket)
  }
}

/** Buckets without the figure come last. */
function compareFigures(a: ScalarValue | null, b: ScalarValue | null, descending: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  return descending ? compareScalars(b, a) : compareScalars(a, b)
}

function figureBy({ key, bucket }: KeyedBucket, by: string): ScalarValue | null {
  if (by === '_count') return bucket.count
  if (by === '_key') return key
  const [name, property = 'value'] = by.split(/[.>]/) as [string, string?]
  const found = bucket.innerOf(name)
  const figure = found?.[property] ?? (property === 'value' ? found?.doc_count : undefined)
  return typeof figure === 'number' ? figure : null
}
