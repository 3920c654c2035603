import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integrationRoles, jobCategories } from '../../../../engine/domain/job/job.js'
import { standardKinds } from '../../../../engine/resource/registry/registry-entries.js'

test('what a person can make is what works', () => {
  assert.deepEqual(standardKinds.creatable(), ['External REST API'])
})

test('names are unique, and every role is one of the six', () => {
  assert.equal(new Set(standardKinds.all.map((kind) => kind.name)).size, standardKinds.all.length)
  for (const { role } of standardKinds.all.flatMap((kind) => kind.roles)) assert.ok(integrationRoles.includes(role))
})

test('root cause analysis has two processors, the others one', () => {
  assert.deepEqual(
    jobCategories.map((category) => standardKinds.processorsOf(category).length),
    [1, 1, 2],
  )
})
