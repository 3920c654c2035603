/**
 * Aggregations: figures and buckets over the events of a query.
 *
 * Owns: reading the tree of aggregations. Leaves out: collecting (collector.ts), each kind (metrics.ts, buckets.ts,
 * histograms.ts).
 *
 * 1. Results are exact: no sampling, no sketches.
 * 2. An unsupported kind is refused with its name and place.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { bucketKinds } from './buckets.js'
import { InnerPlans, type AggregationContext, type KindCompiler, type CollectorPlan } from './collector.js'
import { histogramKinds } from './histograms.js'
import type { JsonReader } from './json-reader.js'
import { metricKinds } from './metrics.js'

const kinds: Readonly<Record<string, KindCompiler>> = { ...bucketKinds, ...histogramKinds, ...metricKinds }

/** The names of all kinds. */
export const aggregationNames = Object.keys(kinds)

const innerNames = ['aggs', 'aggregations'] as const

/** The plans of `{<name>: {<kind>: {...}, aggs?}}`. @throws Refusal invalid_body, query_too_large. */
export function compileAggregations(json: JsonReader | undefined, context: AggregationContext, depth = 0): InnerPlans {
  if (json === undefined) return new InnerPlans([], context.budget)
  return new InnerPlans(
    json.entries().map(([name, one]) => [name, compileAggregation(one, context, depth)]),
    context.budget,
  )
}

function compileAggregation(json: JsonReader, context: AggregationContext, depth: number): CollectorPlan {
  if (depth >= limits.queryDepthMax || ++context.spent.clauses > limits.queryClausesMax) {
    throw new Refusal(
      'query_too_large',
      `a query has at most ${limits.queryClausesMax} aggregations, ${limits.queryDepthMax} inside each other`,
    )
  }
  const entries = json.entries()
  const inner = entries.filter(([name]) => (innerNames as readonly string[]).includes(name))
  const meta = entries.find(([name]) => name === 'meta')?.[1].value
  const own = entries.filter(([name]) => name !== 'meta' && !(innerNames as readonly string[]).includes(name))
  const [first] = own
  if (first === undefined || own.length !== 1)
    return json.fail('Input should name exactly one kind of aggregation', 'object_type')
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
