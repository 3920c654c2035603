/**
 * Aggregations that give figures: `min`, `max`, `avg`, `sum`, `stats`, `value_count`, `cardinality`; and `top_hits`.
 *
 * Figures are computed over numbers, texts that spell numbers, booleans (0 and 1) and dates (milliseconds since 1970).
 * All values of an event count. For `cardinality`, values of different types are different.
 */
import { limits } from '../../limits.js'
import type { ScalarValue } from '../event/point-value.js'
import type { AggregationContext, Collector, EventRef, KindCompiler } from './collector.js'
import type { EventFields } from './condition.js'
import type { Field } from './field.js'
import { instantOf, instantText } from './instant.js'
import type { JsonReader } from './json-reader.js'
import { numberOf } from './scalar.js'
import { FirstEvents, parseSort, type SortValues } from './sort.js'
import { parseSource } from './source-filter.js'

const TOP_HITS_DEFAULT = 3
const TOP_HITS_MAX = 100

export const metricKinds: Readonly<Record<string, KindCompiler>> = {
  min: figure((all) => ({ value: all.count === 0 ? null : all.min })),
  max: figure((all) => ({ value: all.count === 0 ? null : all.max })),
  avg: figure((all) => ({ value: all.count === 0 ? null : all.sum / all.count })),
  sum: figure((all) => ({ value: all.sum })),
  stats: figure(({ count, min, max, sum }) => {
    return count === 0 ? { count, min: null, max: null, avg: null, sum: 0 } : { count, min, max, avg: sum / count, sum }
  }),
  value_count: (json, context) => {
    const { field, missing } = fieldOf(json, context, [])
    return () => {
      let value = 0
      return { collect: (event) => void (value += valuesOr(event, field, missing).length), result: () => ({ value }) }
    }
  },
  cardinality: (json, context) => {
    const { field, missing } = fieldOf(json, context, ['precision_threshold', 'rehash', 'execution_hint'])
    return () => {
      const seen = new Set<ScalarValue>()
      return {
        collect(event) {
          for (const value of valuesOr(event, field, missing)) {
            if (seen.has(value)) continue
            context.budget.term(value)
            seen.add(value)
          }
        },
        result: () => ({ value: seen.size }),
      }
    }
  },
  top_hits: topHits,
}

interface Figures {
  count: number
  sum: number
  min: number
  max: number
}

function figure(shown: (all: Figures) => Record<string, number | null>): KindCompiler {
  return (json, context) => {
    const { field, missing } = fieldOf(json, context, ['format'])
    return () => {
      const all: Figures = { count: 0, sum: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY }
      return {
        collect(event) {
          for (const value of valuesOr(event, field, missing)) {
            const number = figureOf(field, value)
            if (number === null) continue
            all.count++
            all.sum += number
            if (number < all.min) all.min = number
            if (number > all.max) all.max = number
          }
        },
        result() {
          const figures = shown(all)
          return field.kind === 'time' ? withTexts(figures) : figures
        },
      }
    }
  }
}

function withTexts(figures: Record<string, number | null>): Record<string, unknown> {
  const texts = Object.entries(figures).filter(([name, value]) => value !== null && name !== 'count')
  return {
    ...figures,
    ...Object.fromEntries(
      texts.map(([name, value]) => [`${name}_as_string`, instantText(Math.round((value as number) * 1000))]),
    ),
  }
}

/** The number that a value counts as, or null. */
export function figureOf(field: Field, value: ScalarValue): number | null {
  if (field.kind === 'time') return (value as number) / 1000
  if (typeof value === 'boolean') return value ? 1 : 0
  const number = numberOf(value)
  if (number !== null) return number
  const instant = instantOf(value)
  return instant === null ? null : instant / 1000
}

/** The values of an event, or `missing` if there are none. */
export function valuesOr(event: EventFields, field: Field, missing: ScalarValue | null): readonly ScalarValue[] {
  const values = event.values(field)
  return values.length === 0 && missing !== null ? [missing] : values
}

/** The field of an aggregation, the value that counts for events without one, and the other options. */
export function fieldOf<N extends string>(
  json: JsonReader,
  context: AggregationContext,
  names: readonly N[],
): {
  readonly field: Field
  readonly missing: ScalarValue | null
  readonly options: Partial<Record<N, JsonReader>>
} {
  const options = json.object<N | 'field' | 'missing'>(['field', 'missing', ...names]) as Partial<
    Record<N | 'field' | 'missing', JsonReader>
  >
  const { field, missing } = options
  if (field === undefined) return json.fail('field: Field required', 'missing')
  return { field: context.fields.field(field.name()), missing: missing?.scalar() ?? null, options }
}

interface Ref extends EventRef {
  readonly values: SortValues
}

function topHits(json: JsonReader, context: AggregationContext): () => Collector {
  const options = json.object([
    'from',
    'size',
    'sort',
    '_source',
    'track_scores',
    'version',
    'seq_no_primary_term',
    'explain',
  ])
  const from = options.from?.integer(0, TOP_HITS_MAX) ?? 0
  const size = options.size?.integer(0, TOP_HITS_MAX) ?? TOP_HITS_DEFAULT
  const order = parseSort(options.sort, context.fields)
  const source = parseSource(options._source, context.textBudget)
  const isSorted = options.sort !== undefined
  return () => {
    const first = new FirstEvents<Ref>(order, Math.min(from + size, limits.queryWindowMax))
    let total = 0
    return {
      collect(event) {
        total++
        const ref = { ...context.hits.current(), values: order.valuesOf(event) }
        if (!first.takes(ref)) return
        if (!first.isFull) context.budget.collectors(1)
        first.add(ref)
      },
      result() {
        const hits = first
          .sorted()
          .slice(from)
          .map((ref) => {
            return context.budget.document(context.hits.hit(ref, source, isSorted ? order.shown(ref) : null))
          })
        return {
          hits: { total: { value: total, relation: 'eq' }, max_score: isSorted || hits.length === 0 ? null : 1, hits },
        }
      },
    }
  }
}
