/**
 * Aggregations: figures and buckets over the events that a question asks for.
 *
 * Owns: the tree of them, buckets and what is counted in them, the bounds. Leaves out: each kind (metrics.ts, buckets.ts,
 * histograms.ts).
 *
 * 1. Everything is exact: no sampling, no sketches. What would not fit the bounds is refused, before there is memory taken for it.
 * 2. A kind that is not spoken is refused by its name and its place.
 */
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import type { ScalarValue } from '../event/point-value.js'
import type { Asked } from './asked.js'
import type { ClauseContext } from './clause-context.js'
import type { EventFields } from './condition.js'
import { bucketKinds } from './buckets.js'
import { histogramKinds } from './histograms.js'
import { metricKinds } from './metrics.js'
import type { SourceFilter } from './source-filter.js'
import type { SortValues } from './sort.js'

export type Json = Record<string, unknown>

/** Takes events, gives a figure or buckets. */
export interface Collector {
  collect(event: EventFields): void
  result(): Json
}

/** A fresh collector, for each bucket it is in. */
export type Plan = () => Collector

/** An event that may be shown. */
export interface EventRef {
  readonly jobId: number
  readonly micros: number
}

/** The events behind `top_hits`. */
export interface HitSource {
  /** The event that is being collected. */
  current(): EventRef
  hit(event: EventRef, source: SourceFilter, sort: SortValues | null): Json
}

export interface AggregationContext extends ClauseContext {
  readonly hits: HitSource
  readonly budget: Budget
}

export type KindCompiler = (asked: Asked, context: AggregationContext, inner: InnerPlans) => Plan

/** What all aggregations of one question may take together. */
export class Budget {
  #terms = 0
  #termChars = 0
  #collectors = 0
  #buckets = 0
  #documentChars = 0

  /** One more value that is told apart. @throws Refusal query_too_large. */
  term(value: ScalarValue): void {
    if (typeof value === 'string') this.#termChars += value.length
    if (++this.#terms > limits.queryTermsMax || this.#termChars > limits.queryTermCharsMax) {
      const most = `${limits.queryTermsMax} values apart, of ${limits.queryTermCharsMax} characters together`
      throw new Refusal('query_too_large', `the aggregations of a query tell at most ${most}; narrow the query`)
    }
  }

  /** So many more buckets, figures and events that are kept while the events are gone through. @throws Refusal query_too_large. */
  collectors(count: number): void {
    this.#collectors += count
    if (this.#collectors > limits.queryCollectorsMax) {
      throw new Refusal(
        'query_too_large',
        `the aggregations of a query keep at most ${limits.queryCollectorsMax} buckets and figures; ask for less in each`,
      )
    }
  }

  /** One more event that is shown in a bucket. @throws Refusal query_too_large. */
  document(document: Json): Json {
    this.#documentChars += JSON.stringify(document).length
    if (this.#documentChars > limits.queryResultBytesMax) {
      throw new Refusal(
        'query_too_large',
        `an answer has at most ${limits.queryResultBytesMax} bytes; ask for fewer events, or for less of each`,
      )
    }
    return document
  }

  /** So many more buckets in the answer. @throws Refusal query_too_large. */
  buckets(count: number): void {
    this.#buckets += count
    if (this.#buckets > limits.queryBucketsMax) {
      throw new Refusal(
        'query_too_large',
        `the aggregations of a query answer with at most ${limits.queryBucketsMax} buckets`,
      )
    }
  }
}

/** The aggregations inside of one. */
export class InnerPlans {
  readonly #plans: readonly (readonly [name: string, plan: Plan])[]
  readonly #budget: Budget

  constructor(plans: readonly (readonly [string, Plan])[], budget: Budget) {
    this.#plans = plans
    this.#budget = budget
  }

  get isEmpty(): boolean {
    return this.#plans.length === 0
  }

  /** A fresh one. @throws Refusal query_too_large. */
  bucket(): Bucket {
    this.#budget.collectors(1 + this.#plans.length)
    return new Bucket(this.#plans.map(([name, plan]) => [name, plan()]))
  }
}

/** Events that belong together, and what is found out about them. */
export class Bucket implements Collector {
  count = 0
  readonly #inner: readonly (readonly [name: string, collector: Collector])[]

  constructor(inner: readonly (readonly [string, Collector])[]) {
    this.#inner = inner
  }

  collect(event: EventFields): void {
    this.count++
    for (let i = 0; i < this.#inner.length; i++) (this.#inner[i] as readonly [string, Collector])[1].collect(event)
  }

  /** What the aggregations inside have found. */
  inner(): Json {
    return Object.fromEntries(this.#inner.map(([name, collector]) => [name, collector.result()]))
  }

  /** What one of them has found. */
  innerOf(name: string): Json | undefined {
    return this.#inner.find(([own]) => own === name)?.[1].result()
  }

  result(): Json {
    return { doc_count: this.count, ...this.inner() }
  }
}

const kinds: Readonly<Record<string, KindCompiler>> = { ...bucketKinds, ...histogramKinds, ...metricKinds }

/** The names of all kinds. */
export const aggregationNames = Object.keys(kinds)

const innerNames = ['aggs', 'aggregations'] as const

/** The plans of `{<name>: {<kind>: {...}, aggs?}}`. @throws Refusal invalid_body, query_too_large. */
export function compileAggregations(asked: Asked | undefined, context: AggregationContext, depth = 0): InnerPlans {
  if (asked === undefined) return new InnerPlans([], context.budget)
  return new InnerPlans(
    asked.entries().map(([name, one]) => [name, compileAggregation(one, context, depth)]),
    context.budget,
  )
}

function compileAggregation(asked: Asked, context: AggregationContext, depth: number): Plan {
  if (depth >= limits.queryDepthMax || ++context.spent.clauses > limits.queryClausesMax) {
    throw new Refusal(
      'query_too_large',
      `a query has at most ${limits.queryClausesMax} aggregations, ${limits.queryDepthMax} inside each other`,
    )
  }
  const entries = asked.entries()
  const inner = entries.filter(([name]) => (innerNames as readonly string[]).includes(name))
  const meta = entries.find(([name]) => name === 'meta')?.[1].value
  const own = entries.filter(([name]) => name !== 'meta' && !(innerNames as readonly string[]).includes(name))
  const [first] = own
  if (first === undefined || own.length !== 1)
    return asked.fail('Input should name exactly one kind of aggregation', 'object_type')
  const [kind, body] = first
  const compile = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (compile === undefined) return body.unsupported(aggregationNames)
  const innerPlans = compileAggregations(inner[0]?.[1], context, depth + 1)
  if (!innerPlans.isEmpty && Object.hasOwn(metricKinds, kind))
    inner[0]?.[1].fail(`${kind} has no aggregations inside of it`)
  const plan = compile(body, context, innerPlans)
  if (meta === undefined) return plan
  return () => {
    const collector = plan()
    return { collect: (event) => collector.collect(event), result: () => ({ meta, ...collector.result() }) }
  }
}
