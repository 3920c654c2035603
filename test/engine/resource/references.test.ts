import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseReference, writeReference } from '../../../engine/resource/references.js'
import { apiKey, input, job, openResourceStore, restApi } from '../../support/resource-store.js'
import { assertRefused } from '../../support/engine/refusal.js'
import { testAuthor } from '../../support/author.js'

test('expressions are read with either quote, with spaces and with escapes', () => {
  const title = (text: string): unknown => {
    const expression = parseReference(text)
    return expression === null || expression === 'malformed' ? expression : expression.value
  }
  assert.equal(title("{{integrations(title='My input')}}"), 'My input')
  assert.equal(title('{{ integrations ( title = "My input" ) }}'), 'My input')
  assert.equal(title('{{integrations(internal_id=12)}}'), '12')
  assert.equal(title("{{api_keys(name='Bob's key')}}"), "Bob's key")
  assert.equal(title("{{api_keys(name='Bob\\'s \\\\ key')}}"), "Bob's \\ key")
  assert.equal(title('My input'), null)
  for (const bad of ['{{}}', '{{jobs(title="a")}}', "{{integrations(title='a'}}", '{{integrations(colour="a")}}']) {
    assert.equal(title(bad), 'malformed', bad)
  }
})

test('any title survives being written and read', () => {
  for (const title of ["it's", 'say "x"', 'back\\slash', "\\'", "a')}} b", '\n', '{{x}}', '✓']) {
    const expression = parseReference(writeReference('integration', title))
    assert.deepEqual(expression, { type: 'integration', byId: false, value: title })
  }
})

test('a step finds its integration by identifier, title, title expression and id expression', () => {
  const { resources } = openResourceStore()
  resources.apply({ k: apiKey('k'), i: restApi('Stored', 'k') }, true, testAuthor)
  const id = resources.list({ title: 'Stored' }).map((each) => (each as { id: number }).id)[0]
  const forms = { a: 'Stored', b: "{{integrations(title='Stored')}}", c: `{{integrations(internal_id=${id})}}` }
  for (const [title, resource] of Object.entries(forms)) {
    resources.apply({ x: job(title, { pipeline_integrations: [input(resource)] }) }, true, testAuthor)
    assert.equal(resources.jobByTitle(title)?.pipeline[0]?.integrationId, id, resource)
  }
  resources.apply(
    { new: restApi('New', 'k'), x: job('d', { pipeline_integrations: [input('new')] }) },
    true,
    testAuthor,
  )
  const made = resources.jobByTitle('d')?.pipeline[0]?.integrationId
  assert.notEqual(made, id)
  resources.apply(
    { Stored: restApi('New', 'k'), x: job('e', { pipeline_integrations: [input('Stored')] }) },
    true,
    testAuthor,
  )
  assert.equal(resources.jobByTitle('e')?.pipeline[0]?.integrationId, made, 'an identifier goes before a stored title')
})

test('a key is found by expression, id, identifier and name', () => {
  const { resources } = openResourceStore()
  const key = resources.apply({ k: apiKey('stored') }, true, testAuthor).created[0]
  const forms = ["{{api_keys(name='stored')}}", `{{api_keys(internal_id='${key?.internalId}')}}`, 'stored', 'fresh']
  for (const [index, reference] of forms.entries()) {
    const integration = restApi(`i${index}`, '') as { properties: { parameters: Record<string, unknown> } }
    integration.properties.parameters.api_key = reference
    resources.apply({ i: integration, fresh: apiKey('new') }, true, testAuthor)
    const [shown] = resources.list({ title: `i${index}` }) as [{ parameters: { api_key: string } }]
    assert.equal(shown.parameters.api_key, `{{api_keys(name='${reference === 'fresh' ? 'new' : 'stored'}')}}`)
  }
})

test('everything that names nothing is told with its place', () => {
  const { resources } = openResourceStore()
  const pipeline_integrations = [input('i'), input('ghost'), input('{{bad}}')]
  const set = { i: restApi('i', 'nobody'), j: { ...job('j', { pipeline_integrations }), depends_on: ['i', 'x'] } }
  const { context } = assertRefused('unresolved_reference', () => resources.apply({ resources: set }, true, testAuthor))
  assert.deepEqual(
    context.issues?.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`),
    [
      `resources.i.properties.parameters.api_key: "{{api_keys(name='nobody')}}" names no api_key that exists`,
      'resources.j.depends_on.1: "x" is not in this request',
      'resources.j.properties.pipeline_integrations.1.resource: "ghost" names no integration that exists',
      'resources.j.properties.pipeline_integrations.2.resource: "{{bad}}" is not a reference',
    ],
  )
})

test('a text that names nothing is quoted as far as a name may be long', () => {
  const { resources } = openResourceStore()
  const set = { j: { ...job('j'), depends_on: ['x'.repeat(100_000)] } }
  const { context } = assertRefused('unresolved_reference', () => resources.apply(set, true, testAuthor))
  assert.deepEqual(
    context.issues?.map(({ msg }) => msg),
    [`"${'x'.repeat(255)}…" is not in this request`],
  )
})

test('a key value in the place of a reference is not repeated in the message', () => {
  const { resources } = openResourceStore()
  const integration = restApi('i', '') as { properties: { parameters: Record<string, unknown> } }
  integration.properties.parameters.api_key = 'a-secret-value'
  const refusal = assertRefused('unresolved_reference', () => resources.apply({ i: integration }, true, testAuthor))
  assert.ok(!JSON.stringify([refusal.message, refusal.context]).includes('a-secret-value'))
})
