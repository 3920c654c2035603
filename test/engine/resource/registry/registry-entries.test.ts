import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integrationRoles, jobCategories } from '../../../../engine/domain/job/job.js'
import { builtInKinds } from '../../../../engine/resource/registry/registry-entries.js'

test('what a person can make is what works', () => {
  assert.deepEqual(builtInKinds.creatable(), ['External REST API'])
})

test('names are unique, and every role is one of the six', () => {
  assert.equal(new Set(builtInKinds.all.map((kind) => kind.name)).size, builtInKinds.all.length)
  for (const { role } of builtInKinds.all.flatMap((kind) => kind.roles)) assert.ok(integrationRoles.includes(role))
})

test('root cause analysis has two processors, the others one', () => {
  assert.deepEqual(
    jobCategories.map((category) => builtInKinds.processorsOf(category).length),
    [1, 1, 2],
  )
})
