/** Lists and facets of random conditions, compared with a reading of every event, while the events change. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ListQuery } from '../../../../engine/api/live/list-service.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import { matches } from '../../../../engine/domain/query/condition.js'
import { FieldSet } from '../../../../engine/domain/query/field.js'
import { compileFilters } from '../../../../engine/domain/query/filter.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { ColumnStore } from '../../../../engine/services/lists/column-store.js'
import type { ListContext } from '../../../../engine/services/lists/list-walk.js'
import { runFacets } from '../../../../engine/services/lists/run-facets.js'
import { cursorAt, eventList } from '../../../../engine/services/query/cursors.js'
import { runList } from '../../../../engine/services/lists/run-list.js'
import { RecordFields } from '../../../../engine/services/query/record-fields.js'
import { queriedJob } from '../../../../engine/services/query/selected-jobs.js'
import { CancelCell } from '../../../../engine/services/readers/task-frame.js'
import { BodyCodec } from '../../../../engine/store/body-codec.js'
import { jobRange, timeOfKey } from '../../../../engine/store/tables.js'
import { assertRefused } from '../../../support/engine/refusal.js'
import { fieldNames, queryWorld, randomEvent, rounds, type QueryWorld } from '../../../support/query/query-events.js'

const NOW = Date.UTC(2026, 1, 2) * 1000

const conditions = [
  ...fieldNames.flatMap((name) => [`${name}:5`, `${name}:*`, `${name}:"Alpha*"`, `${name}:(alpha OR true OR "")`]),
  'label:Drop',
  'label:*',
  'outlier:true',
  'confidence>50',
  'confidence:[10 TO 60]',
  'consensus:Drop',
  'consensus:*',
  'state:new',
  'voter:ann',
  'voter:*',
  'voted:Escalate',
  'assigned:ann',
  'assigned:*',
  'note:looked*',
  'note:*',
  'service.voter:ann',
  'service.voted:Escalate',
  'service.note:looked*',
  '"service.assigned":*',
  'result_label:Drop',
  'bucket_state:new',
  'confidence_score>50',
  'title:beta',
  'severity>2',
  'storage_tag:cold',
  'a.b:5',
  'a.b.c:*',
  'c.host:failed*',
  'wide69:69',
  'failed',
  '"login for"',
  'alp*beta',
  '*:10.0.0.7',
  '@timestamp>2026-01-01',
  '@timestamp:2026-01-31',
  '@timestamp<now-1d',
  'timestamp_inference>1970-01-02',
  'event_id:"event 3","event 9"',
  'event_id:event*',
  'model:*',
  'bucket:a*',
  'job_id:1',
]

/** A query, and its parts that must all hold, each with the field whose values it chooses. */
interface Random {
  readonly text: string
  readonly parts: readonly { readonly text: string; readonly choiceOf: string | null }[]
}

const shortFields: Readonly<Record<string, string>> = {
  label: 'service.result_label',
  state: 'service.bucket_state',
  consensus: 'service.consensus',
}

/** The field whose values a condition chooses. Patterns and what is excluded choose none. */
function choiceOf(text: string): string | null {
  const [, not, name = '', value = ''] = /^(-?)([\w.@]+):(.*)$/.exec(text) ?? []
  const isChoice = not === '-' ? value === '*' : value !== '*' && !value.endsWith('*"') && !value.startsWith('[')
  return isChoice ? (shortFields[name] ?? name) : null
}

function leaf(text: string): Random {
  return { text, parts: [{ text, choiceOf: choiceOf(text) }] }
}

function randomQuery(random: SeededRandom, depth = 2): Random {
  const kind = random.below(depth === 0 ? 2 : 6)
  if (kind === 0) return leaf(`-${random.pick(conditions)}`)
  if (kind <= 2) return leaf(random.pick(conditions))
  const inner = Array.from({ length: 2 + random.below(2) }, () => randomQuery(random, depth - 1))
  const texts = inner.map(({ text }) => text)
  if (kind === 5) return { text: texts.join(' '), parts: inner.flatMap(({ parts }) => parts) }
  const text = kind === 3 ? `(${texts.join(' OR ')})` : `-(${texts.join(' ')})`
  const fields = inner.map(({ parts }) => (parts.length === 1 ? parts[0]!.choiceOf : null))
  const isOneField = kind === 3 && fields.every((field) => field === fields[0])
  return { text, parts: [{ text, choiceOf: isOneField ? fields[0]! : null }] }
}

const assigned = new Map([
  ['event 3', 'ann'],
  ['event 12', 'bob'],
  ['event 30', 'ann'],
])

class Lists {
  readonly #world: QueryWorld
  readonly #columns = new ColumnStore()

  constructor(world: QueryWorld) {
    this.#world = world
  }

  /** A clock that is over after so many looks. */
  context(job: JobSettings, looks = Number.POSITIVE_INFINITY): ListContext {
    const { environment } = this.#world.shard
    let left = looks
    const task = { jobs: [queriedJob(job)], serviceNames: ['service'], nowMicros: NOW, clockMicros: NOW }
    return {
      dataDir: '',
      task: task as unknown as ListContext['task'],
      stores: () => ({ environment, codec: new BodyCodec(environment), assignees: () => assigned }),
      columns: this.#columns,
      clock: { nowMs: () => (left-- > 0 ? 0 : 1e6), deadlineMs: 1e9, cancelled: new CancelCell() },
    }
  }

  /** The ids of all pages, and the number that was counted. */
  all(
    job: JobSettings,
    query: string,
    random: SeededRandom,
    newestBy: ListQuery['newestBy'] = 'timestamp_inference',
  ): { ids: string[]; count: number } {
    const ids: string[] = []
    const filters = [{ query }]
    let after: string | undefined
    do {
      const context = this.context(job, random.below(3) === 0 ? 2 + random.below(6) : undefined)
      const size = 1 + random.below(40)
      const page = JSON.parse(runList(context, { newestBy, filters, size, ...(after && { after }) }))
      ids.push(...page.events.map(({ event_id: id }: { event_id: string }) => id))
      after = page.next ?? undefined
    } while (after !== undefined)
    const counted = JSON.parse(runList(this.context(job), { newestBy, filters, count: true, size: 1 }))
    assert.equal(counted.total_count_is_exact, true)
    return { ids, count: counted.total_count }
  }

  facet(job: JobSettings, query: string, field: string, counted: number): Record<string, number> {
    const answer = JSON.parse(runFacets(this.context(job), { filters: [{ query }], fields: [field], size: 200 }))
    assert.equal(answer.partial, false)
    assert.equal(answer.counted, counted)
    const [facet] = answer.facets
    const counts: Record<string, number> = { '': facet.missing }
    for (const { value, count } of facet.values) counts[String(value)] = (counts[String(value)] ?? 0) + count
    return counts
  }
}

/** By reading every event: the ids, newest first, by arrival and by their own times; how often each value is there. */
function naive(world: QueryWorld, job: JobSettings, query: string, field: string) {
  const { environment } = world.shard
  const fields = new FieldSet(['service'])
  const terms = { nowMicros: NOW, offsetMinutes: 0, labels: [job.labels] }
  const condition = compileFilters([{ query }], fields, terms)
  const [counted, id, time] = [fields.field(field), fields.field('_id'), fields.field('@timestamp')]
  const event = new RecordFields(environment, new BodyCodec(environment), fields, () => assigned)
  event.ofJob(job)
  const ids: string[] = []
  const own: { readonly id: string; readonly micros: number }[] = []
  const counts: Record<string, number> = { '': 0 }
  for (const { key, value } of [...environment.range('events', jobRange(job.id))].reverse()) {
    event.event(timeOfKey(key), value)
    if (!matches(condition, event)) continue
    ids.push(String(event.values(id)[0]))
    own.push({ id: String(event.values(id)[0]), micros: Number(event.values(time)[0]) })
    if (!event.has(counted)) {
      counts['']!++
      continue
    }
    const values = new Set(event.values(counted).map(String))
    for (const one of values) counts[one] = (counts[one] ?? 0) + 1
  }
  // What came last is first already, and stays so where the times are equal.
  const byOwnTime = own.sort((a, b) => b.micros - a.micros).map((one) => one.id)
  return { ids, byOwnTime, counts }
}

describe('lists', () => {
  it('find what a reading of every event finds, and facets count it, while events come, change and go', async () => {
    for (let seed = 1; seed <= Math.max(2, Math.round(rounds / 30)); seed++) {
      const random = new SeededRandom(seed)
      const world = await queryWorld(seed, 160)
      const { shard, jobs } = world
      const lists = new Lists(world)
      for (let round = 0; round < 24; round++) {
        const job = random.pick(jobs)
        const query = randomQuery(random)
        const field = random.pick([
          'a',
          'host',
          'a.b',
          'service.result_label',
          'service.bucket_state',
          'service.voter',
          'service.note',
          'service.assigned',
          'voter',
          'severity',
        ])
        const { ids, byOwnTime } = naive(world, job, query.text, field)
        const found = lists.all(job, query.text, random)
        const place = `seed ${seed}, round ${round}, job ${job.id}: ${query.text}`
        assert.deepEqual(found.ids, ids, place)
        assert.equal(found.count, ids.length, place)
        if (round % 3 === 0) {
          const ordered = lists.all(job, query.text, random, '@timestamp')
          assert.deepEqual(ordered, { ids: byOwnTime, count: ids.length }, place)
        }
        // Values that are chosen of the field leave its others in sight.
        const others = query.parts.filter((part) => part.choiceOf !== field).map(({ text }) => text)
        const { counts } = naive(world, job, others.join(' '), field)
        assert.deepEqual(lists.facet(job, query.text, field, ids.length), counts, `${place}, ${field}`)
        if (round % 4 !== 3) continue
        const body = JSON.stringify({ job_id: job.id, raw_body: randomEvent(random) })
        await shard.post({ job, kind: 'ingest', eventId: `more ${round}`, body })
        const some = random.pick(naive(world, job, '', 'a').ids)
        await shard.feedback(job, some, random.pick(['ann', 'bob']), random.pick(job.labels).name)
        if (random.below(2) === 0) await shard.post({ job, kind: 'reprocess', eventId: some })
      }
    }
  })

  it('go on from their cursor, and show nothing twice, where the columns are read anew and time is short', async () => {
    const world = await queryWorld(1, 1_500)
    const [job] = world.jobs as [JobSettings]
    const { ids, byOwnTime } = naive(world, job, '', 'a')
    for (const [newestBy, all] of [
      ['timestamp_inference', ids],
      ['@timestamp', byOwnTime],
    ] as const) {
      const shown: string[] = []
      const show = (lists: Lists, after?: string, looks?: number): string | undefined => {
        const query = { newestBy, filters: [], size: 400, ...(after && { after }) }
        const page = JSON.parse(runList(lists.context(job, looks), query))
        shown.push(...page.events.map(({ event_id: id }: { event_id: string }) => id))
        return page.next ?? undefined
      }
      let after = show(new Lists(world))
      // As after a restart: a page far back begins with the columns of all newer events.
      const lists = new Lists(world)
      for (let page = 0; after !== undefined && page < 100; page++) after = show(lists, after, 2)
      assert.deepEqual(shown, all)
    }
  })

  it('by the own times of events take no cursor of another order', async () => {
    const world = await queryWorld(1, 160)
    const [job] = world.jobs as [JobSettings]
    const lists = new Lists(world)
    const forged = ['', '1', '1 2 3', 'NaN 1', '-1 -1'].map((place) => {
      return cursorAt(eventList({}, true), place)
    })
    for (const after of ['', '1', '1 2', ...forged])
      assertRefused('invalid_cursor', () => runList(lists.context(job), { newestBy: '@timestamp', filters: [], after }))
  })
})
