import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import type { ResourceStore } from '../../../../engine/resource/resource-store.js'
import { input, job, openResourceStore, restApi, keyOf } from '../../../support/resource-store.js'
import { testAuthor } from '../../../support/author.js'
import type { Principal } from '../../../../engine/api/principal.js'

function principalOf(resources: ResourceStore, secret: string): Principal {
  const principal = resources.authenticate(secret)
  assert.ok(principal !== null)
  return principal
}

test('an input key sees the jobs with an input that is bound to it, a management key all', () => {
  const { resources } = openResourceStore()
  const managementKey = 'a-management-key-of-tests'
  resources.bootstrap({ adminPassword: 'long enough', managementKey })
  const one = principalOf(resources, keyOf(resources, 'one'))
  const two = principalOf(resources, keyOf(resources, 'two'))
  resources.apply(
    {
      i1: restApi('i1', 'one'),
      i2: restApi('i2', 'two'),
      a: job('a', { pipeline_integrations: [input('i1')] }),
      b: job('b', { pipeline_integrations: [input('i1'), input('i2')] }),
      c: job('c', { pipeline_integrations: [input('i2', { enabled: false })] }),
      d: job('d', { pipeline_integrations: [{ resource: 'Internal storage' }] }),
    },
    true,
    testAuthor,
  )
  const id = (title: string): number => (resources.jobByTitle(title) as JobSettings).id
  const seen = (principal: Principal): string[] => {
    return ['a', 'b', 'c', 'd'].filter((title) => resources.canSee(principal, id(title)))
  }
  const open = (principal: Principal): string[] => {
    return ['a', 'b', 'c', 'd'].filter((title) => resources.canPost(principal, id(title)))
  }
  assert.deepEqual(
    [seen(one), seen(two)],
    [
      ['a', 'b'],
      ['b', 'c'],
    ],
  )
  assert.deepEqual([open(one), open(two)], [['a', 'b'], ['b']], 'a disabled input takes no events')
  const management = principalOf(resources, managementKey)
  assert.deepEqual(seen(management), ['a', 'b', 'c', 'd'])
  assert.equal(resources.canSee(management, 999), false)
  assert.deepEqual(open(management), ['a', 'b', 'd'], 'whoever posts; a job without any input takes them')
  assert.deepEqual(
    [...resources.jobs()].map((each) => resources.hasRestInput(each)),
    [true, true, false, false],
  )

  resources.apply({ i1: restApi('i1', 'two') }, true, testAuthor)
  assert.deepEqual([seen(one), seen(two)], [[], ['a', 'b', 'c']], 'bound to another key')
  assert.deepEqual([open(one), open(two)], [[], ['a', 'b']])
  resources.apply({ c: job('c', { pipeline_integrations: [input('i2')] }) }, true, testAuthor)
  assert.deepEqual(open(two), ['a', 'b', 'c'], 'enabled')
  resources.setJobStatus(id('c'), 'STOPPED', testAuthor)
  assert.deepEqual(seen(two), ['a', 'b', 'c'], 'a stopped job is seen as well')
  const gone = id('a')
  resources.delete({ type: 'job', title: 'a' }, testAuthor)
  assert.equal(resources.canSee(two, gone), false, 'deleted')
})
