/**
 * Aggregations that sort events into steps of equal size: `histogram` over numbers, `date_histogram` over dates.
 *
 * Empty buckets between the first and the last are shown, unless `min_doc_count` is 1 or more.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { ScalarValue } from '../event/point-value.js'
import { orderOf } from './bucket-order.js'
import type {
  AggregationContext,
  GroupCollector,
  Collector,
  InnerPlans,
  AggregationJson,
  KindCompiler,
} from './collector.js'
import type { EventFields } from './condition.js'
import { dateKeyText } from './date-format.js'
import { zoneOf } from './field-clauses.js'
import { floorTo, instantOf, moved, spanOf, type DateUnit } from './instant.js'
import type { JsonReader } from './json-reader.js'
import { fieldOf, valuesOr } from './metrics.js'
import { numberOf } from './scalar.js'

const calendarUnits: Readonly<Record<string, DateUnit>> = {
  minute: 'm',
  '1m': 'm',
  hour: 'h',
  '1h': 'h',
  day: 'd',
  '1d': 'd',
  week: 'w',
  '1w': 'w',
  month: 'M',
  '1M': 'M',
  quarter: 'q',
  '1q': 'q',
  year: 'y',
  '1y': 'y',
}
const fixedMicros: Readonly<Record<string, number>> = { ms: 1e3, s: 1e6, m: 60e6, h: 3600e6, d: 86_400e6 }

/** The steps of a histogram. */
interface Steps {
  /** The start of the step that holds a value. */
  floor(value: number): number
  /** The start of the following step. */
  next(start: number): number
  /** A step's key in an answer. */
  named(start: number): AggregationJson & { readonly key: number }
  keyText(start: number): string
}

export const histogramKinds: Readonly<Record<string, KindCompiler>> = {
  histogram: (json, context, inner) => {
    const { field, missing, options } = fieldOf(json, context, [
      'interval',
      'offset',
      'min_doc_count',
      'extended_bounds',
      'hard_bounds',
      'keyed',
      'order',
    ])
    const { interval: step, offset: shift } = options
    if (step === undefined) return json.fail('interval: Field required', 'missing')
    const interval = step.number()
    if (interval <= 0) step.fail('Input should be above 0')
    const offset = shift?.number() ?? 0
    const steps: Steps = {
      floor: (value) => Math.floor((value - offset) / interval) * interval + offset,
      // Computed as in floor: adding steps up would drift.
      next: (start) => (Math.round((start - offset) / interval) + 1) * interval + offset,
      named: (start) => ({ key: start }),
      keyText: (start) => (Number.isInteger(start) ? `${start}.0` : String(start)),
    }
    const readBound = (bound: JsonReader): number => bound.number()
    const valuesOf = (event: EventFields): (number | null)[] => {
      return valuesOr(event, field, missing).map((value) =>
        typeof value === 'boolean' ? Number(value) : numberOf(value),
      )
    }
    return collect({ steps, options, readBound, valuesOf }, context, inner)
  },
  date_histogram: (json, context, inner) => {
    const { field, missing, options } = fieldOf(json, context, [
      'calendar_interval',
      'fixed_interval',
      'interval',
      'time_zone',
      'offset',
      'format',
      'min_doc_count',
      'extended_bounds',
      'hard_bounds',
      'keyed',
      'order',
    ])
    const offsetMinutes = zoneOf(options.time_zone)
    const zone = { nowMicros: context.nowMicros, offsetMinutes }
    const readBound = (bound: JsonReader): number =>
      spanOf(bound.scalar(), zone)?.first ?? bound.fail('Input should be a date')
    const substitute =
      missing === null ? null : (spanOf(missing, zone)?.first ?? json.fail('missing: Input should be a date'))
    // Refuses a wrong pattern at once, not when there is something to print.
    dateKeyText(0, offsetMinutes, options.format)
    const steps = dateSteps(json, options, offsetMinutes)
    const valuesOf = (event: EventFields): readonly (number | null)[] => {
      const values = event.values(field)
      if (values.length === 0) return [substitute]
      return field.kind === 'time' ? (values as readonly number[]) : values.map(instantOf)
    }
    return collect({ steps, options, readBound, valuesOf }, context, inner)
  },
}

type DateOptions = Partial<
  Record<'calendar_interval' | 'fixed_interval' | 'interval' | 'offset' | 'format', JsonReader>
>

function dateSteps(json: JsonReader, options: DateOptions, offsetMinutes: number): Steps {
  const step = options.calendar_interval ?? options.fixed_interval ?? options.interval
  if (step === undefined) return json.fail('calendar_interval or fixed_interval: Field required', 'missing')
  const shift = options.offset === undefined ? 0 : durationOf(options.offset)
  const texts = {
    named: (start: number) => ({ key_as_string: dateKeyText(start, offsetMinutes, options.format), key: start / 1000 }),
    keyText: (start: number) => dateKeyText(start, offsetMinutes, options.format),
  }
  const unit =
    step === options.fixed_interval || !Object.hasOwn(calendarUnits, step.text())
      ? undefined
      : calendarUnits[step.text()]
  if (unit !== undefined) {
    return {
      floor: (value) => floorTo(value - shift, unit, offsetMinutes) + shift,
      next: (start) => moved(start - shift, unit, 1, offsetMinutes) + shift,
      ...texts,
    }
  }
  if (step === options.calendar_interval)
    step.fail(`Input should be one of: ${Object.keys(calendarUnits).join(', ')}`, 'enum')
  const length = durationOf(step)
  if (length <= 0) step.fail('Input should be above 0')
  const origin = shift - offsetMinutes * 60e6
  return {
    floor: (value) => Math.floor((value - origin) / length) * length + origin,
    next: (start) => start + length,
    ...texts,
  }
}

/** Microseconds of `90m`, `-1d`, `500ms`. */
function durationOf(json: JsonReader): number {
  const parts = /^([+-]?\d{1,9})(ms|s|m|h|d)$/.exec(json.text())
  return parts === null
    ? json.fail('Input should be a duration such as 30m, 12h or 1d')
    : Number(parts[1]) * (fixedMicros[parts[2] as string] as number)
}

type CommonOptions = Partial<
  Record<'min_doc_count' | 'extended_bounds' | 'hard_bounds' | 'keyed' | 'order', JsonReader>
>

/** One of the two kinds of histograms. */
interface Kind {
  readonly steps: Steps
  readonly options: CommonOptions
  /** A bound of `extended_bounds` or `hard_bounds`. */
  readBound(json: JsonReader): number
  /** An event's values; null for one that does not count. */
  valuesOf(event: EventFields): readonly (number | null)[]
}

function collect(kind: Kind, context: AggregationContext, inner: InnerPlans): () => Collector {
  const { steps, options, readBound, valuesOf } = kind
  const least = options.min_doc_count?.integer(0, Number.MAX_SAFE_INTEGER) ?? 0
  const bounds = (json: JsonReader | undefined): (number | null)[] => {
    if (json === undefined) return [null, null]
    const { min, max } = json.object(['min', 'max'])
    return [min, max].map((one) => (one === undefined ? null : readBound(one)))
  }
  const [low, high] = bounds(options.extended_bounds) as [number | null, number | null]
  const [hardLow, hardHigh] = bounds(options.hard_bounds) as [number | null, number | null]
  const keyed = options.keyed?.boolean() === true
  const order = options.order === undefined ? null : orderOf(options.order, { by: '_key', descending: false })
  return () => {
    const found = new Map<number, GroupCollector>()
    return {
      collect(event) {
        const starts = new Set<number>()
        for (const value of valuesOf(event)) {
          if (value === null || (hardLow !== null && value < hardLow) || (hardHigh !== null && value > hardHigh))
            continue
          starts.add(steps.floor(value))
        }
        for (const start of starts) {
          let bucket = found.get(start)
          if (bucket === undefined) {
            context.budget.term(start)
            found.set(start, (bucket = inner.bucket()))
          }
          bucket.collect(event)
        }
      },
      result() {
        if (least === 0) fill(found, steps, [low, high], inner)
        const kept = [...found]
          .filter(([, bucket]) => bucket.count >= least)
          .sort(([a], [b]) => a - b)
          .map(([key, bucket]) => ({ key, bucket }))
        context.budget.buckets(kept.length)
        const sorted: readonly { key: ScalarValue; bucket: GroupCollector }[] = order === null ? kept : order(kept)
        const results = sorted.map(({ key, bucket }) => ({
          start: key as number,
          shown: { ...steps.named(key as number), ...bucket.result() },
        }))
        return {
          buckets: keyed
            ? Object.fromEntries(results.map(({ start, shown }) => [steps.keyText(start), shown]))
            : results.map(({ shown }) => shown),
        }
      },
    }
  }
}

/** Adds the empty buckets between all that are found, and up to the bounds. @throws Refusal query_too_large. */
function fill(
  found: Map<number, GroupCollector>,
  steps: Steps,
  bounds: readonly (number | null)[],
  inner: InnerPlans,
): void {
  const starts = [...found.keys()]
  for (const bound of bounds) if (bound !== null) starts.push(steps.floor(bound))
  if (starts.length === 0) return
  const end = starts.reduce((a, b) => Math.max(a, b))
  let start = starts.reduce((a, b) => Math.min(a, b))
  for (let count = 0; start <= end; count++) {
    if (count > limits.queryBucketsMax) {
      throw new Refusal(
        'query_too_large',
        `a histogram has at most ${limits.queryBucketsMax} buckets; use larger steps, or min_doc_count 1`,
      )
    }
    if (!found.has(start)) found.set(start, inner.bucket())
    const next = steps.next(start)
    if (next <= start) break
    start = next
  }
}
