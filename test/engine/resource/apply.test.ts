import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../engine/limits.js'
import { SeededRandom } from '../../../engine/rng.js'
import { planApply } from '../../../engine/resource/apply.js'
import { builtInKinds } from '../../../engine/resource/registry/registry-entries.js'
import { Sealer, SEALING_KEY_BYTES } from '../../../engine/resource/access/sealing.js'
import { parseDocument } from '../../../engine/resource/shapes.js'
import { ResourceState } from '../../../engine/resource/state.js'
import { ManualClock } from '../../../engine/clock.js'
import type { JobSettings } from '../../../engine/domain/job/job.js'
import { apiKey, dump, job, openResourceStore, restApi, smallSet } from '../../support/resource-store.js'
import { assertRefused } from '../../support/engine/refusal.js'
import { testAuthor } from '../../support/author.js'

test('without overwrite one resource that exists refuses the whole set', () => {
  const { resources, environment } = openResourceStore()
  resources.apply(smallSet(), false, testAuthor)
  const before = dump(environment)
  const existing: [string, Record<string, unknown>][] = [
    ['api_key "key"', apiKey('key')],
    ['integration "rest"', restApi('rest', 'new')],
    ['job "job"', job('job')],
  ]
  for (const [what, resource] of existing) {
    const set = { new: apiKey('new'), other: job('other'), resource }
    const refusal = assertRefused('resource_exists', () => resources.apply(set, false, testAuthor))
    assert.equal(refusal.message, `${what} already exists`)
    assert.deepEqual(dump(environment), before)
  }
  assert.equal(resources.apply({ new: apiKey('new') }, false, testAuthor).created.length, 1)
})

test('the same title twice in one type is refused, in two types not', () => {
  const { resources } = openResourceStore()
  const { context } = assertRefused('invalid_resources', () =>
    resources.apply({ a: job('x'), b: job('x') }, true, testAuthor),
  )
  assert.deepEqual(
    context.issues?.map((issue) => issue.loc),
    [['b', 'properties']],
  )
  assert.equal(
    resources.apply({ a: job('x'), k: apiKey('x'), i: restApi('x', 'x') }, true, testAuthor).created.length,
    3,
  )
})

test('a circle of depends_on and references is named', () => {
  const { resources } = openResourceStore()
  const set = { k: apiKey('k', { depends_on: ['j'] }), i: restApi('i', 'k'), j: { ...job('j'), depends_on: ['i'] } }
  assert.match(
    assertRefused('dependency_cycle', () => resources.apply(set, true, testAuthor)).message,
    /k -> j -> i -> k$/,
  )
})

test('everything is made in an order that references allow, however it is written', () => {
  const { resources } = openResourceStore()
  const pipeline_integrations = [{ resource: 'i', integration_type: 'input' }]
  const set = { j: job('j', { pipeline_integrations }), i: restApi('i', 'k'), k: apiKey('k') }
  const { created } = resources.apply(set, true, testAuthor)
  assert.deepEqual(
    created.map((ref) => ref.resourceName),
    ['k', 'i', 'j'],
  )
})

test('an empty document is a success that changes nothing', () => {
  const { resources, environment } = openResourceStore()
  const before = dump(environment)
  const nothing = { created: [], updated: [], warnings: [] }
  assert.deepEqual(resources.apply({ resources: {} }, true, testAuthor), nothing)
  assert.deepEqual(dump(environment), before)
})

test('more jobs than there may be are refused, changes of those there are are not', () => {
  const state = new ResourceState(builtInKinds)
  const bench = openResourceStore()
  bench.resources.apply({ a: job('a') }, true, testAuthor)
  const { integrations } = ResourceState.load(bench.environment, builtInKinds)
  for (const record of integrations.values()) state.integrations.set(record.id, record)
  const settings = bench.resources.jobByTitle('a') as JobSettings
  for (let id = 1; id <= limits.jobsMax; id++) state.jobs.set(id, settings)
  state.jobsByTitle.set('a', settings)
  const random = new SeededRandom(1)
  const sealer = new Sealer(new Uint8Array(SEALING_KEY_BYTES), random)
  const maker = { clock: new ManualClock(), stamp: () => 0, random, shards: 8, sealer }
  const plan = (title: string): unknown => planApply(state, parseDocument({ j: job(title) }), true, maker)
  plan('a')
  assertRefused('limit_exceeded', () => plan('b'))
})
