/**
 * Collects events in an aggregation: collectors, their plans, buckets, and the budget that they share.
 *
 * Leaves out: each kind (metrics.ts, buckets.ts, histograms.ts), reading aggregations (aggregation.ts).
 *
 * 1. A query that would exceed the budget is refused before memory is allocated.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { ScalarValue } from '../event/point-value.js'
import type { ClauseContext } from './clause-context.js'
import type { EventFields } from './condition.js'
import type { JsonReader } from './json-reader.js'
import type { SortValues } from './sort.js'
import type { SourceFilter } from './source-filter.js'

export type AggregationJson = Record<string, unknown>

/** Takes events, and results in a figure or buckets. */
export interface Collector {
  collect(event: EventFields): void
  result(): AggregationJson
}

/** Makes a new collector, for each bucket that holds one. */
export type CollectorPlan = () => Collector

/** An event that may be shown. */
export interface EventRef {
  readonly jobId: number
  readonly micros: number
}

/** The events behind `top_hits`. */
export interface HitSource {
  /** The event being collected. */
  current(): EventRef
  hit(event: EventRef, source: SourceFilter, sort: SortValues | null): AggregationJson
}

export interface AggregationContext extends ClauseContext {
  readonly hits: HitSource
  readonly budget: Budget
}

export type KindCompiler = (json: JsonReader, context: AggregationContext, inner: InnerPlans) => CollectorPlan

/** What all aggregations of one query may use together. */
export class Budget {
  #terms = 0
  #termChars = 0
  #collectors = 0
  #buckets = 0
  #documentChars = 0

  /** Adds a distinct value. @throws Refusal query_too_large. */
  term(value: ScalarValue): void {
    if (typeof value === 'string') this.#termChars += value.length
    if (++this.#terms > limits.queryTermsMax || this.#termChars > limits.queryTermCharsMax) {
      const most = `${limits.queryTermsMax} distinct values, with ${limits.queryTermCharsMax} characters together`
      throw new Refusal('query_too_large', `the aggregations of a query have at most ${most}; narrow the query`)
    }
  }

  /** Adds buckets, figures and events that are kept during the scan. @throws Refusal query_too_large. */
  collectors(count: number): void {
    this.#collectors += count
    if (this.#collectors > limits.queryCollectorsMax) {
      throw new Refusal(
        'query_too_large',
        `the aggregations of a query have at most ${limits.queryCollectorsMax} buckets and figures; ask for fewer`,
      )
    }
  }

  /** Adds an event that is shown in a bucket. @throws Refusal query_too_large. */
  document(document: AggregationJson): AggregationJson {
    this.#documentChars += JSON.stringify(document).length
    if (this.#documentChars > limits.queryResultBytesMax) {
      throw new Refusal(
        'query_too_large',
        `an answer has at most ${limits.queryResultBytesMax} bytes; ask for fewer events, or for less of each`,
      )
    }
    return document
  }

  /** Adds buckets in the answer. @throws Refusal query_too_large. */
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

/** The aggregations inside another. */
export class InnerPlans {
  readonly #plans: readonly (readonly [name: string, plan: CollectorPlan])[]
  readonly #budget: Budget

  constructor(plans: readonly (readonly [string, CollectorPlan])[], budget: Budget) {
    this.#plans = plans
    this.#budget = budget
  }

  get isEmpty(): boolean {
    return this.#plans.length === 0
  }

  /** A new bucket with these aggregations. @throws Refusal query_too_large. */
  bucket(): GroupCollector {
    this.#budget.collectors(1 + this.#plans.length)
    return new GroupCollector(this.#plans.map(([name, plan]) => [name, plan()]))
  }
}

/** A group of events: their number, and the aggregations inside. */
export class GroupCollector implements Collector {
  count = 0
  readonly #inner: readonly (readonly [name: string, collector: Collector])[]

  constructor(inner: readonly (readonly [string, Collector])[]) {
    this.#inner = inner
  }

  collect(event: EventFields): void {
    this.count++
    for (let i = 0; i < this.#inner.length; i++) (this.#inner[i] as readonly [string, Collector])[1].collect(event)
  }

  /** Results of the inner aggregations. */
  inner(): AggregationJson {
    return Object.fromEntries(this.#inner.map(([name, collector]) => [name, collector.result()]))
  }

  /** Result of one of them. */
  innerOf(name: string): AggregationJson | undefined {
    return this.#inner.find(([own]) => own === name)?.[1].result()
  }

  result(): AggregationJson {
    return { doc_count: this.count, ...this.inner() }
  }
}
