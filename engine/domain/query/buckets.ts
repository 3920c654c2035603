/** Aggregations that sort events into buckets: `terms`, `filter`, `filters`, `missing`, `range`, `date_range`. */
import { limits } from '../../limits.js'
import type { ScalarValue } from '../event/point-value.js'
import { orderOf } from './bucket-order.js'
import { compileClause } from './clause.js'
import type {
  AggregationContext,
  GroupCollector,
  Collector,
  InnerPlans,
  AggregationJson,
  KindCompiler,
} from './collector.js'
import { matches, not, type Condition } from './condition.js'
import { dateKeyText } from './date-format.js'
import { zoneOf } from './field-clauses.js'
import { instantOf, spanOf, type DateContext } from './instant.js'
import type { JsonReader } from './json-reader.js'
import { fieldOf, figureOf, valuesOr } from './metrics.js'
import { equalToOneOf } from './scalar.js'

const TERMS_DEFAULT = 10

export const bucketKinds: Readonly<Record<string, KindCompiler>> = {
  terms,
  filter: (json, context, inner) => conditional(compileClause(json, context), inner),
  missing: (json, context, inner) => {
    const { field } = json.object(['field'])
    if (field === undefined) return json.fail('field: Field required', 'missing')
    return conditional(not({ kind: 'has', field: context.fields.field(field.name()) }), inner)
  },
  filters,
  range: (json, context, inner) => ranges(json, context, inner, false),
  date_range: (json, context, inner) => ranges(json, context, inner, true),
}

function conditional(condition: Condition, inner: InnerPlans): () => Collector {
  return () => {
    const bucket = inner.bucket()
    return {
      collect: (event) => void (matches(condition, event) && bucket.collect(event)),
      result: () => bucket.result(),
    }
  }
}

function terms(json: JsonReader, context: AggregationContext, inner: InnerPlans): () => Collector {
  const { field, missing, options } = fieldOf(json, context, [
    'size',
    'order',
    'min_doc_count',
    'include',
    'exclude',
    'shard_size',
    'show_term_doc_count_error',
    'execution_hint',
    'collect_mode',
    'value_type',
  ])
  const size = options.size?.integer(1, limits.queryBucketsMax) ?? TERMS_DEFAULT
  const least = options.min_doc_count?.integer(1, Number.MAX_SAFE_INTEGER) ?? 1
  const order = orderOf(options.order, { by: '_count', descending: true })
  const [included, excluded] = [listed(options.include), listed(options.exclude)]
  const wanted = (value: ScalarValue): boolean => (included?.(value) ?? true) && !(excluded?.(value) ?? false)
  return () => {
    const found = new Map<ScalarValue, GroupCollector>()
    return {
      collect(event) {
        const values = valuesOr(event, field, missing)
        for (let i = 0; i < values.length; i++) {
          const value = values[i] as ScalarValue
          // An event counts once in a bucket, even if it has the value more than once.
          if (!wanted(value) || (i > 0 && values.indexOf(value) < i)) continue
          let bucket = found.get(value)
          if (bucket === undefined) {
            context.budget.term(value)
            found.set(value, (bucket = inner.bucket()))
          }
          bucket.collect(event)
        }
      },
      result() {
        const entries = [...found].filter(([, bucket]) => bucket.count >= least)
        const buckets = order(entries.map(([value, bucket]) => ({ key: value, bucket }))).slice(0, size)
        context.budget.buckets(buckets.length)
        const shown = buckets.reduce((sum, { bucket }) => sum + bucket.count, 0)
        const all = entries.reduce((sum, [, bucket]) => sum + bucket.count, 0)
        return {
          doc_count_error_upper_bound: 0,
          sum_other_doc_count: all - shown,
          buckets: buckets.map(({ key, bucket }) => ({ ...termKey(key, field.kind === 'time'), ...bucket.result() })),
        }
      },
    }
  }
}

function termKey(key: ScalarValue, isTime: boolean): AggregationJson {
  if (isTime) return { key: (key as number) / 1000, key_as_string: dateKeyText(key as number, 0) }
  return typeof key === 'boolean' ? { key: key ? 1 : 0, key_as_string: String(key) } : { key }
}

function listed(json: JsonReader | undefined): ((value: ScalarValue) => boolean) | undefined {
  if (json === undefined) return undefined
  if (!Array.isArray(json.value))
    json.fail('a pattern is not supported here; supported: a list of values', 'unsupported')
  return equalToOneOf(json.list().map((value) => value.scalar()))
}

function filters(json: JsonReader, context: AggregationContext, inner: InnerPlans): () => Collector {
  const options = json.object(['filters', 'other_bucket', 'other_bucket_key', 'keyed'])
  const list = options.filters
  if (list === undefined) return json.fail('filters: Field required', 'missing')
  const isNamed = list.isObject
  const named: [string, Condition][] = isNamed
    ? list.entries().map(([name, clause]) => [name, compileClause(clause, context)])
    : list.list(limits.queryClausesMax).map((clause, at) => [String(at), compileClause(clause, context)])
  const otherKey = options.other_bucket_key?.text()
  const hasOther = otherKey !== undefined || options.other_bucket?.boolean() === true
  return () => {
    const buckets = named.map(() => inner.bucket())
    const other = inner.bucket()
    return {
      collect(event) {
        let any = false
        for (const [at, [, condition]] of named.entries()) {
          if (!matches(condition, event)) continue
          any = true
          buckets[at]?.collect(event)
        }
        if (!any && hasOther) other.collect(event)
      },
      result() {
        context.budget.buckets(named.length)
        const results: [string, AggregationJson][] = named.map(([name], at) => [
          name,
          (buckets[at] as GroupCollector).result(),
        ])
        if (hasOther) results.push([otherKey ?? '_other_', other.result()])
        return { buckets: isNamed ? Object.fromEntries(results) : results.map(([, result]) => result) }
      },
    }
  }
}

interface Range {
  readonly key: string
  readonly from: number
  readonly to: number
  readonly shown: AggregationJson
}

function ranges(json: JsonReader, context: AggregationContext, inner: InnerPlans, ofDates: boolean): () => Collector {
  const { field, missing, options } = fieldOf(json, context, ['ranges', 'keyed', 'time_zone', 'format'])
  const list = options.ranges
  if (list === undefined) return json.fail('ranges: Field required', 'missing')
  if (options.format !== undefined && !ofDates) options.format.unsupported(['field', 'ranges', 'keyed', 'missing'])
  const zone = { nowMicros: context.nowMicros, offsetMinutes: zoneOf(options.time_zone) }
  const wanted = list
    .list(limits.queryClausesMax)
    .map((range) => (ofDates ? dateRange(range, zone, options.format) : numberRange(range)))
  wanted.sort((a, b) => a.from - b.from || a.to - b.to)
  const keyed = options.keyed?.boolean() === true
  return () => {
    const buckets = wanted.map(() => inner.bucket())
    return {
      collect(event) {
        const values = valuesOr(event, field, missing).map((value) =>
          ofDates ? dateFigure(field.kind === 'time', value) : figureOf(field, value),
        )
        for (const [at, { from, to }] of wanted.entries()) {
          if (values.some((value) => value !== null && value >= from && value < to)) buckets[at]?.collect(event)
        }
      },
      result() {
        context.budget.buckets(wanted.length)
        const results = wanted.map(({ key, shown }, at) => ({
          key,
          ...shown,
          ...(buckets[at] as GroupCollector).result(),
        }))
        return { buckets: keyed ? Object.fromEntries(results.map(({ key, ...rest }) => [key, rest])) : results }
      },
    }
  }
}

/** Milliseconds. */
function dateFigure(isTime: boolean, value: ScalarValue): number | null {
  const instant = isTime ? (value as number) : instantOf(value)
  return instant === null ? null : instant / 1000
}

function numberRange(json: JsonReader): Range {
  const { key, from, to } = json.object(['key', 'from', 'to'])
  const [low, high] = [from?.number() ?? Number.NEGATIVE_INFINITY, to?.number() ?? Number.POSITIVE_INFINITY]
  const text = (number: number): string => {
    if (!Number.isFinite(number)) return '*'
    return Number.isInteger(number) ? `${number}.0` : String(number)
  }
  const shown = { ...(Number.isFinite(low) ? { from: low } : {}), ...(Number.isFinite(high) ? { to: high } : {}) }
  return { key: key?.text() ?? `${text(low)}-${text(high)}`, from: low, to: high, shown }
}

function dateRange(json: JsonReader, zone: DateContext, format: JsonReader | undefined): Range {
  const { key, from, to } = json.object(['key', 'from', 'to'])
  const end = (one: JsonReader): number =>
    (spanOf(one.scalar(), zone) ?? one.fail('Input should be a date')).first / 1000
  const low = from === undefined ? Number.NEGATIVE_INFINITY : end(from)
  const high = to === undefined ? Number.POSITIVE_INFINITY : end(to)
  const text = (number: number): string =>
    Number.isFinite(number) ? dateKeyText(number * 1000, zone.offsetMinutes, format) : '*'
  const shown = {
    ...(Number.isFinite(low) ? { from: low, from_as_string: text(low) } : {}),
    ...(Number.isFinite(high) ? { to: high, to_as_string: text(high) } : {}),
  }
  return { key: key?.text() ?? `${text(low)}-${text(high)}`, from: low, to: high, shown }
}
