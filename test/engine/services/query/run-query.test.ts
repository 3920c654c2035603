import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { isRefusal } from '../../../../engine/errors.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { cursorAt, jobsNamed } from '../../../../engine/services/query/cursors.js'
import { queryText } from '../../../../engine/services/query/run-query.js'
import type { EventQuery } from '../../../../engine/services/query/query-protocol.js'
import { BodyCodec } from '../../../../engine/store/body-codec.js'
import { assertRefused } from '../../../support/engine/refusal.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'
import { dates, queryWorld, rounds, texts, type QueryWorld } from '../../../support/query/query-events.js'
import { originalTime, passes, valuesOf, type OracleDocument } from '../../../support/query/query-oracle.js'
import { aggregate, holds, plain } from '../../../support/query/search-oracle.js'
import { CancelCell } from '../../../../engine/services/readers/task-frame.js'

type Json = Record<string, any>
const fields = [
  'a',
  'b',
  'a.b',
  'a.b.c',
  'b.a',
  'c.host',
  'host',
  'user',
  'user.keyword',
  'nowhere',
  'service.result_label',
  'service.bucket_state',
  'service.consensus',
]
/** Of an answer of events: what the service says, where no body has a field of that name. */
const columns = ['confidence_score', 'result_label', 'bucket_state']
const numbers = [0, 5, -3, 2.5, 100]

function leaf(random: SeededRandom): Json {
  const field = random.pick(fields)
  const text = random.pick(texts)
  const value = random.pick<unknown>([text, text, random.pick(numbers), true, 'Drop', 'new'])
  switch (random.below(12)) {
    case 0:
      return { term: { [field]: value } }
    case 1:
      return { term: { [field]: { value } } }
    case 2:
      return { terms: { [field]: [value, random.pick(texts)] } }
    case 3:
      return { exists: { field } }
    case 4:
      return { prefix: { [field]: text.slice(0, 1 + random.below(4)) } }
    case 5:
      return { wildcard: { [field]: random.pick(['*l*', 'a?pha', '*', '5*', 'Fail*5', 'alpha']) } }
    case 6:
      return { range: { [field]: { gte: random.pick(numbers), lt: random.pick([7, 101, 3]) } } }
    case 7:
      return {
        range: {
          [random.pick(['@timestamp', 'a', 'timestamp_inference'])]: {
            gt: random.pick(dates.slice(0, 1)),
            lte: random.pick(dates),
          },
        },
      }
    case 8:
      return { match: { [field]: random.pick(['alpha', 'LOGIN root', '5', 'beta failed', '10.0.0.7', 'Drop']) } }
    case 9:
      return { match: { [field]: { query: random.pick(['alpha beta', 'login failed', 'failed 5']), operator: 'and' } } }
    case 10:
      return { match_phrase: { [field]: random.pick(['login for', 'alpha beta', 'beta alpha', '5']) } }
    default:
      return { match_all: {} }
  }
}

function clause(random: SeededRandom, depth: number): Json {
  const kind = random.below(10)
  if (depth === 0 || kind > 5) return leaf(random)
  const list = (): Json[] => Array.from({ length: random.below(3) }, () => clause(random, depth - 1))
  if (kind === 0) return { constant_score: { filter: clause(random, depth - 1) } }
  if (kind === 1) return { dis_max: { queries: [leaf(random), leaf(random)] } }
  const should = list()
  const least =
    random.below(3) === 0 && should.length > 0 ? { minimum_should_match: 1 + random.below(should.length) } : {}
  return {
    bool: {
      must: list(),
      filter: leaf(random),
      should,
      must_not: random.below(2) === 0 ? list() : leaf(random),
      ...least,
    },
  }
}

function aggregation(random: SeededRandom, depth: number): Json {
  const field = random.pick([...fields, 'a', 'b'])
  const aggs = depth > 0 && random.below(2) === 0 ? { aggs: { inside: aggregation(random, depth - 1) } } : {}
  switch (random.below(depth > 0 ? 13 : 7)) {
    case 0:
      return { min: { field } }
    case 1:
      return { max: { field } }
    case 2:
      return { avg: { field } }
    case 3:
      return { sum: { field } }
    case 4:
      return { stats: { field } }
    case 5:
      return { value_count: { field } }
    case 6:
      return { cardinality: { field } }
    case 7:
      return { filter: leaf(random), ...aggs }
    case 8:
      return { missing: { field }, ...aggs }
    case 9:
      return { filters: { filters: { one: leaf(random), two: leaf(random) } }, ...aggs }
    case 10:
      return {
        range: {
          field,
          ranges: [
            { key: 'low', to: 5 },
            { key: 'middle', from: 0, to: 101 },
            { key: 'up', from: 5 },
          ].sort((x, y) => (x.from ?? -1e9) - (y.from ?? -1e9)),
        },
        ...aggs,
      }
    case 11:
      return random.below(2) === 0
        ? {
            histogram: {
              field: random.pick(['a', 'host', 'service.confidence_score']),
              interval: 2.5,
              min_doc_count: 1,
            },
            ...aggs,
          }
        : {
            date_histogram: {
              field: random.pick(['@timestamp', 'timestamp_inference', 'a']),
              calendar_interval: 'day',
              min_doc_count: 1,
            },
            ...aggs,
          }
    default:
      return { terms: { field, size: 1 + random.below(12) }, ...aggs }
  }
}

interface Store {
  readonly environment: TestShard['environment']
  readonly codec: BodyCodec
}

const stores = new Map<TestShard, Store>()

/** A shard's store with what reads its bodies, which is kept from one question to the next, as a thread does. */
function storeOf(shard: TestShard): Store {
  const { environment } = shard
  const known = stores.get(shard)
  if (known !== undefined) return known
  const store = { environment, codec: new BodyCodec(environment) }
  stores.set(shard, store)
  return store
}

describe('queries', () => {
  let world: QueryWorld
  let newest: readonly OracleDocument[]
  before(async () => {
    world = await queryWorld(3, 160)
    newest = [...world.documents].sort((x, y) => y.micros - x.micros)
  })

  function ask(query: EventQuery, jobs = world.jobs, nowMs = (): number => 0, shard = world.shard): Json {
    const store = storeOf(shard)
    const cancelled = new CancelCell()
    const task = {
      serviceNames: ['tester', 'service'],
      jobs,
      query,
      nowMicros: 1_769_850_300_123_000,
      clockMicros: 1_769_850_300_123_000,
      deadlineMs: 1e9,
      cancelled: cancelled.memory,
    }
    return JSON.parse(queryText({ task, stores: () => store, clock: { nowMs, deadlineMs: 1e9, cancelled } })) as Json
  }
  const search = (queryBody: Json, jobs = world.jobs): Json => ask({ kind: 'search', query: { queryBody } }, jobs)
  const events = (query: Json): Json => ask({ kind: 'events', query })
  const idsOf = (answer: Json): string[] => answer.hits.hits.map((hit: Json) => hit._id)

  it('find what a naive reading of the clauses finds, newest first, and count it', () => {
    const random = new SeededRandom(5)
    let found = 0
    for (let round = 0; round < rounds; round++) {
      const query = clause(random, 2)
      const answer = search({ query, size: 1000 })
      const expected = newest.filter((document) => holds(document, query)).map(({ id }) => id)
      assert.deepEqual(idsOf(answer), expected, JSON.stringify(query))
      assert.deepEqual(answer.hits.total, { value: expected.length, relation: 'eq' })
      found += expected.length
    }
    assert.ok(found > 8 * rounds)
  })

  it('aggregate to what plain arithmetic comes to', () => {
    const random = new SeededRandom(9)
    for (let round = 0; round < rounds; round++) {
      const [query, one] = [clause(random, 1), aggregation(random, 2)]
      const answer = search({ query, size: 0, aggs: { one } })
      const expected = aggregate(
        newest.filter((document) => holds(document, query)),
        one,
      )
      assert.deepEqual(plain(answer.aggregations.one), plain(expected), JSON.stringify({ query, one }))
    }
  })

  it('page, sort and count as filters and dates say', () => {
    const random = new SeededRandom(13)
    for (let round = 0; round < rounds; round++) {
      const filters = [{ field: random.pick(fields), operator: random.pick(['exists', 'not exists']) }]
      const sortBy = random.pick([
        undefined,
        'timestamp_inference',
        '@timestamp',
        'a',
        'service.confidence_score',
        ...columns,
      ])
      const sortOrder = random.pick(['asc', 'desc'] as const)
      const [size, page] = [random.below(8), random.below(5)]
      const dated = random.below(2) === 0
      const answer = events({
        filters,
        size,
        page,
        sortOrder,
        ...(sortBy === undefined ? {} : { sortBy }),
        ...(dated ? { startDate: '2026-01-31', endDate: '2026-01-31' } : {}),
      })
      const passing = newest
        .filter((document) => passes(document, filters[0] as { field: string; operator: string }))
        .filter(
          (document) =>
            !dated ||
            (originalTime(document) >= Date.UTC(2026, 0, 31) * 1e3 &&
              originalTime(document) < Date.UTC(2026, 1, 1) * 1e3),
        )
      assert.equal(answer.total_count, passing.length)
      assert.deepEqual(
        answer.events.map((event: Json) => event.event_id),
        sorted(passing, sortBy, sortOrder)
          .slice(page * size, (page + 1) * size)
          .map(({ id }) => id),
      )
    }
  })

  it('follow one another by a cursor in every order, without a gap or a repeat, to the last that matches', () => {
    for (const sortBy of [undefined, '@timestamp', 'a', 'service.confidence_score', ...columns]) {
      for (const sortOrder of ['asc', 'desc'] as const) {
        const query = { size: 23, sortOrder, ...(sortBy === undefined ? {} : { sortBy }) }
        const found: string[] = []
        let after: string | null | undefined
        while (after !== null) {
          const page: Json = events({ ...query, ...(after === undefined ? {} : { after }) })
          assert.equal(page.total_count, newest.length)
          found.push(...page.events.map((event: Json) => event.event_id))
          after = page.next
        }
        assert.deepEqual(
          found,
          sorted(newest, sortBy, sortOrder).map(({ id }) => id),
          `${sortBy} ${sortOrder}`,
        )
      }
    }
  })

  it('refuse a cursor that is forged, of another order, or beside the number of a page', () => {
    const forgedFor = (sortBy: string, parts: unknown): string => {
      const place = Buffer.from(JSON.stringify(parts) ?? '').toString('base64url')
      return cursorAt(['events/query', jobsNamed({}), sortBy, 'desc'], place)
    }
    const forged = (parts: unknown): string => forgedFor('a', parts)
    const { next }: Json = events({ size: 1 })
    const own: Json = events({ size: 1, sortBy: 'a' }).next
    const ascending: Json = events({ size: 1, sortBy: 'a', sortOrder: 'asc' }).next
    for (const after of [
      ...['x', '', next, ascending, `${own}A`, own.slice(1), own.slice(8), forgedFor('b', [1, 2])],
      ...[[1], [{}, 1], [[], 1], [1, 2, 3], null, undefined, [1, '1'], [1, 1.5], [1, null]].map(forged),
    ])
      assert.throws(
        () => events({ size: 1, sortBy: 'a', after }),
        (error) => isRefusal(error, 'invalid_cursor'),
        after,
      )
    assert.throws(() => events({ size: 1, page: 1, after: next }), /either `page` or `after`/)
    // A place that no event has is a place, too.
    assert.deepEqual(events({ size: 1, sortBy: 'a', after: forged([null, 0]) }).events.length, 0)
  })

  function sorted(
    documents: readonly OracleDocument[],
    sortBy: string | undefined,
    order: 'asc' | 'desc',
  ): OracleDocument[] {
    const sign = order === 'asc' ? 1 : -1
    const best = (document: OracleDocument): unknown => {
      const values =
        sortBy === undefined
          ? [document.micros]
          : valuesOf(document, columns.includes(sortBy) ? `service.${sortBy}` : sortBy)
      return [...values].sort((x, y) => sign * compare(x, y))[0]
    }
    return [...documents].sort((x, y) => {
      const [left, right] = [best(x), best(y)]
      if (left === undefined || right === undefined)
        return left === right ? y.micros - x.micros : left === undefined ? 1 : -1
      return sign * compare(left, right) || y.micros - x.micros
    })
  }

  function compare(x: unknown, y: unknown): number {
    if (typeof x === 'number' || typeof y === 'number')
      return typeof x === typeof y ? (x as number) - (y as number) : typeof x === 'number' ? -1 : 1
    return String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0
  }

  it('go on behind the last hit with search_after, without a gap or a repeat', () => {
    for (const sort of [[{ a: 'desc' }], [{ '@timestamp': 'asc' }, 'host'], ['_doc']]) {
      const seen: string[] = []
      for (let after: unknown; ; ) {
        const answer = search({ size: 17, sort, ...(after === undefined ? {} : { search_after: after }) })
        if (answer.hits.hits.length === 0) break
        seen.push(...idsOf(answer))
        after = answer.hits.hits.at(-1).sort
      }
      assert.equal(seen.length, newest.length)
      assert.deepEqual(seen, idsOf(search({ size: 1000, sort })))
    }
  })

  it('know the count of all without looking at all, stop counting where they were told to, and may not count', () => {
    assert.deepEqual(search({ size: 1 }).hits.total, { value: newest.length, relation: 'eq' })
    assert.deepEqual(
      search({ size: 1, query: { exists: { field: 'service.event_id' } }, track_total_hits: 20 }).hits.total,
      { value: 20, relation: 'gte' },
    )
    assert.equal(search({ size: 1, track_total_hits: false }).hits.total, undefined)
    assert.deepEqual(events({ countOnly: true }), { events: [], total_count: newest.length })
  })

  it('show the parts of a document that were asked for', () => {
    const [hit] = search({ size: 1, _source: ['service.*', 'tester.res*'] }).hits.hits
    assert.deepEqual(Object.keys(hit._source), ['tester'])
    assert.deepEqual(Object.keys(hit._source.tester), ['result', 'result_label'])
    assert.equal(search({ size: 1, _source: false }).hits.hits[0]._source, undefined)
    const [{ _id, _source }] = search({ size: 1, _source: { excludes: ['tester.log_messages'] } }).hits.hits
    assert.equal(_id, newest[0]?.id)
    assert.ok(
      _source.tester.log_messages === undefined &&
        _source.tester.result !== undefined &&
        _source.job_id === newest[0]?.jobId,
    )
  })

  it('see the jobs that they are given and no others', () => {
    const [first] = world.jobs
    const answer = search({ size: 1000 }, world.jobs.slice(0, 1))
    assert.deepEqual(
      idsOf(answer),
      newest.filter(({ jobId }) => jobId === first?.id).map(({ id }) => id),
    )
    assert.deepEqual(idsOf(search({}, [])), [])
  })

  it('answer a search that is over its time with what was found, and refuse a page', () => {
    const late = (): number => 2e9
    const answer = ask({ kind: 'search', query: { queryBody: { query: { match_all: {} } } } }, world.jobs, late)
    assert.deepEqual([answer.timed_out, answer.hits.total.relation], [true, 'gte'])
    assertRefused('query_timeout', () => ask({ kind: 'events', query: {} }, world.jobs, late))
  })

  it('end in their time inside of one large event, too', async () => {
    const [shard, job] = [new TestShard(), jobSettings()]
    await shard.ingest(job, { text: 'a'.repeat(500_000), words: 'a '.repeat(250_000) })
    const clauses = [
      { wildcard: { text: `*${'a'.repeat(1_000)}b` } },
      { match_phrase: { words: `${'a '.repeat(20)} b` } },
      { match: { words: 'b' } },
    ]
    for (const one of clauses) {
      let looks = 0
      const query = { bool: { should: Array.from({ length: 20 }, () => one) } }
      assertRefused('query_timeout', () =>
        ask({ kind: 'search', query: { queryBody: { query } } }, [job], () => looks++ * 3e8, shard),
      )
    }
  })

  it('refuse what they do not speak by its name and its place', () => {
    const places: [Json, string][] = [
      [{ query: { bool: { must: [{ match_all: {} }, { geo_shape: {} }] } } }, 'query.bool.must.1.geo_shape'],
      [{ query: { match: { a: { query: 'x', fuzziness: 'AUTO' } } } }, 'query.match.a.fuzziness'],
      [{ aggs: { x: { percentiles: { field: 'a' } } } }, 'aggs.x.percentiles'],
      [
        { aggs: { x: { terms: { field: 'a' }, aggs: { y: { avg: { field: 'a', script: 'x' } } } } } },
        'aggs.x.aggs.y.avg.script',
      ],
      [
        { aggs: { x: { date_histogram: { field: '@timestamp', calendar_interval: 'constructor' } } } },
        'aggs.x.date_histogram.calendar_interval',
      ],
      [{ query: { match: { a: { operator: 'and' } } } }, 'query.match.a'],
      [{ query: { wildcard: { a: { value: null, case_insensitive: true } } } }, 'query.wildcard.a'],
      [{ query: { multi_match: { fields: ['a'] } } }, 'query.multi_match'],
      [{ suggest: {} }, 'suggest'],
      [{ query: { range: { '@timestamp': { gte: 'soon' } } } }, 'query.range.@timestamp.gte'],
      [
        { query: { range: { '@timestamp': { gte: 'now', time_zone: 'Europe/Bucharest' } } } },
        'query.range.@timestamp.time_zone',
      ],
      [{ query: { query_string: { query: 'a:/x/' } } }, 'query.query_string.query'],
      [{ sort: [{ a: 'up' }] }, 'sort.0.a'],
      [{ from: 9_999, size: 2 }, ''],
    ]
    for (const [body, place] of places) {
      const refusal = assertRefused('invalid_body', () => search(body))
      assert.equal(
        refusal.context.issues?.[0]?.loc.join('.'),
        ['body.query_body', place].filter(Boolean).join('.'),
        JSON.stringify(body),
      )
    }
  })

  it('order buckets by a figure in them without asking for what else is in those that are not shown', async () => {
    const [shard, job] = [new TestShard(), jobSettings()]
    for (let i = 0; i < 150; i++)
      await shard.ingest(job, { key: `k${i}`, n: i, many: Array.from({ length: 100 }, (_, at) => `m${at}`) })
    const aggs = { most: { max: { field: 'n' } }, many: { terms: { field: 'many', size: 100 } } }
    const queryBody = { size: 0, aggs: { keys: { terms: { field: 'key', size: 2, order: { most: 'desc' } }, aggs } } }
    const answer = ask({ kind: 'search', query: { queryBody } }, [job], undefined, shard)
    assert.deepEqual(
      answer.aggregations.keys.buckets.map((bucket: Json) => [bucket.key, bucket.many.buckets.length]),
      [
        ['k149', 100],
        ['k148', 100],
      ],
    )
  })

  it('refuse what is too large', () => {
    let deep: Json = { match_all: {} }
    for (let i = 0; i < 40; i++) deep = { bool: { must: deep } }
    assertRefused('query_too_large', () => search({ query: deep }))
    assertRefused('query_too_large', () => search({ aggs: { x: { histogram: { field: 'a', interval: 1e-6 } } } }))
    const filters = (aggs: Json): Json => ({
      filters: { filters: Array.from({ length: 300 }, () => ({ match_all: {} })) },
      aggs,
    })
    const refusal = assertRefused('query_too_large', () =>
      search({ aggs: { x: filters({ y: filters({ z: filters({}) }) }) } }),
    )
    assert.match(refusal.message, /have at most \d+ buckets and figures/)
    assertRefused('query_too_large', () => events({ page: 200, size: 100 }))
    assertRefused('query_too_large', () =>
      events({
        filters: Array.from({ length: 255 }, (_, i) => ({ field: `f${i}`, operator: 'exists' })),
        dateField: 'x',
        startDate: 'now',
        sortBy: 'y',
      }),
    )
  })
})
