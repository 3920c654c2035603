/** Values that lists keep of fields, compared with the decoded events: keys with dots, lists, pairs, long numbers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJsonObject, parseJson, WrittenNumber } from '../../../../engine/domain/event/json.js'
import { Path, valuesAt } from '../../../../engine/domain/event/path.js'
import type { ScalarValue } from '../../../../engine/domain/event/point-value.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import { comparedNumber } from '../../../../engine/domain/query/scalar.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { ColumnStore } from '../../../../engine/services/lists/column-store.js'
import type { ListContext } from '../../../../engine/services/lists/list-walk.js'
import { runFacets } from '../../../../engine/services/lists/run-facets.js'
import { runList } from '../../../../engine/services/lists/run-list.js'
import { queriedJob } from '../../../../engine/services/query/selected-jobs.js'
import { CancelCell } from '../../../../engine/services/readers/task-frame.js'
import { BodyCodec } from '../../../../engine/store/body-codec.js'
import { randomPathText } from '../../../support/engine/json-text.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const NOW = Date.UTC(2026, 1, 2) * 1000
const EVENTS = 300
const paths = ['a', 'a.b', 'a.b.c', 'b.c', 'c', 'c.a', 'b.c.b', 'a.value', 'long']

/** As JSON texts, so that a number and its text are two; null where the path leads to nothing. */
function valuesOf(body: unknown, path: string): readonly string[] | null {
  const found = valuesAt(body, new Path(path))
  if (found.length === 0) return null
  const scalars = (found as unknown[])
    .flat(Number.POSITIVE_INFINITY)
    .filter((value) => value !== null && !isJsonObject(value))
    .map((value) => (typeof value === 'number' || value instanceof WrittenNumber ? comparedNumber(value) : value))
  return [...new Set(scalars.map((value) => JSON.stringify(value)))]
}

function contextOf({ environment }: TestShard, job: JobSettings, columns: ColumnStore): ListContext {
  const task = { jobs: [queriedJob(job)], serviceNames: ['service'], nowMicros: NOW, clockMicros: NOW }
  return {
    dataDir: '',
    task: task as unknown as ListContext['task'],
    stores: () => ({ environment, codec: new BodyCodec(environment) }),
    columns,
    clock: { nowMs: () => 0, deadlineMs: 1e9, cancelled: new CancelCell() },
  }
}

test('columns of fields have what the decoded events have at their paths', async () => {
  const random = new SeededRandom(21)
  const shard = new TestShard()
  const job = jobSettings({ decisionPoints: ['rule'] })
  const bodies: unknown[] = []
  for (let i = 0; i < EVENTS; i++) {
    const long = `${9007199254740990n + BigInt(random.below(8))}`
    const text = randomPathText(random).replace('{', `{"long":${random.below(2) === 0 ? long : `"${long}"`},`)
    bodies.push(parseJson(text))
    await shard.post({
      job,
      kind: 'ingest',
      eventId: `odd ${i}`,
      body: `{"job_id":${job.id},"raw_body":${text}}`,
    })
  }
  const columns = new ColumnStore()
  let values = 0
  for (const path of paths) {
    const expected = new Map<string, number>()
    let missing = 0
    for (const body of bodies) {
      const found = valuesOf(body, path)
      if (found === null) missing++
      for (const value of found ?? []) expected.set(value, (expected.get(value) ?? 0) + 1)
    }
    // The second answer is from memory.
    for (const way of ['read', 'kept']) {
      const answer = JSON.parse(runFacets(contextOf(shard, job, columns), { fields: [path], size: EVENTS }))
      const [facet] = answer.facets
      const counted = new Map(
        (facet.values as { value: ScalarValue; count: number }[]).map((one) => [JSON.stringify(one.value), one.count]),
      )
      assert.deepEqual(new Map([...counted].sort()), new Map([...expected].sort()), `${path}, ${way}`)
      assert.equal(facet.missing, missing, `${path}, ${way}`)
    }
    for (const value of [...expected.keys()].slice(0, 12)) {
      const parsed = JSON.parse(value)
      const filters = [{ field: path, operator: 'is', value: parsed }]
      const list = JSON.parse(runList(contextOf(shard, job, columns), { filters, count: true, size: 1 }))
      const equal = [...expected.keys()].filter((one) => sameValue(JSON.parse(one), parsed))
      const passing = bodies.filter((body) => valuesOf(body, path)?.some((one) => equal.includes(one)))
      assert.equal(list.total_count, passing.length, `${path} is ${value}`)
    }
    values += expected.size
  }
  assert.ok(values > 60, `${values} values`)
})

/** A number is the same as a text that spells it, and a boolean as its text. */
function sameValue(one: ScalarValue, wanted: ScalarValue): boolean {
  if (typeof one === typeof wanted) return one === wanted
  return String(one) === String(wanted)
}
