import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allKinds } from '../../../../engine/integration/registry.js'
import type { ResourceStore } from '../../../../engine/resource/resource-store.js'
import { openResourceStore } from '../../../support/resource-store.js'
import { assertRefused } from '../../../support/engine/refusal.js'
import { testAuthor } from '../../../support/author.js'

const labels = (...names: string[]): object => ({ custom_labels: names.map((name) => ({ name })) })

/** A job with the labels A, B and C, and a webhook. */
function bench(): ResourceStore {
  const { resources } = openResourceStore(1, 8, allKinds)
  resources.apply(
    {
      hook: {
        type: 'integration',
        properties: { title: 'hook', integration_type: 'Webhook', parameters: { url: 'https://soar.example' } },
      },
    },
    true,
    testAuthor,
  )
  put(resources, { advanced_settings: labels('A', 'B', 'C') })
  return resources
}

function put(resources: ResourceStore, properties: object): void {
  resources.apply({ j: { type: 'job', properties: { title: 'j', ...properties } } }, true, testAuthor)
}

/** A step that tells of the decisions that the text names. */
function step(decisions: string): object {
  return { pipeline_integrations: [{ resource: 'hook', integration_type: 'post_decision', parameters: { decisions } }] }
}

function decisionsOf(resources: ResourceStore): unknown {
  return resources.jobByTitle('j')?.pipeline.find(({ role }) => role === 'post_decision')?.parameters.decisions
}

test('a step names labels of its job, by name, id or place; another word is refused at its place', () => {
  const resources = bench()
  for (const text of ['A', ' a , B', 'label_0,class_2', '']) {
    put(resources, step(text))
    assert.equal(decisionsOf(resources), text)
  }
  const { context } = assertRefused('invalid_resources', () => put(resources, step('B, Nonsense')))
  assert.deepEqual(context.issues, [
    {
      loc: ['j', 'properties', 'pipeline_integrations', 0, 'parameters', 'decisions'],
      msg: 'names "Nonsense", which is no label of the job; its labels are A, B, C',
      type: 'invalid_value',
    },
  ])
})

test('labels that are called otherwise are so in the steps that name them, whether the document has the step or not', () => {
  const resources = bench()
  put(resources, step('a, label_1, C'))
  put(resources, { advanced_settings: labels('A2', 'B', 'C') })
  assert.equal(decisionsOf(resources), 'A2, label_1, C')
  put(resources, { advanced_settings: labels('C', 'A2', 'B'), ...step('A2, label_1, C') })
  assert.equal(decisionsOf(resources), 'A2, label_1, C')
  put(resources, {
    advanced_settings: { custom_labels: [{ name: 'x, y', id: 'label_0' }, { name: 'B', id: 'drop' }, { name: 'C' }] },
    ...step('A2, label_1, C'),
  })
  assert.equal(decisionsOf(resources), 'label_0, drop, C')
})

test('a step that is stored with another word is no reason to refuse its job', () => {
  const resources = bench()
  put(resources, step('A'))
  const job = resources.jobByTitle('j')
  assert.ok(job !== null && job !== undefined)
  // As versions stored it that looked at no words.
  Object.assign(job.pipeline.find(({ role }) => role === 'post_decision')?.parameters ?? {}, { decisions: 'Nonsense' })
  put(resources, { description: 'another', ...step('Nonsense') })
  assert.equal(decisionsOf(resources), 'Nonsense')
})
