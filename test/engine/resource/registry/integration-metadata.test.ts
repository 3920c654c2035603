import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/schema'
import { jobCategories } from '../../../../engine/domain/job/job.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { IntegrationMetadata } from '../../../../engine/resource/registry/integration-metadata.js'
import { builtInKinds } from '../../../../engine/resource/registry/registry-entries.js'
import { job, openResourceStore } from '../../../support/resource-store.js'
import { assertRefused } from '../../../support/engine/refusal.js'
import { kindsForTests, search } from '../../../support/registry.js'
import { randomSet } from '../../../support/resource-sets.js'
import { testAuthor } from '../../../support/author.js'

interface Schema {
  readonly required?: readonly string[]
  readonly properties: Readonly<Record<string, Schema & Record<string, unknown>>>
}

const integrationMetadata = new IntegrationMetadata(builtInKinds)
const more = new IntegrationMetadata(kindsForTests)
const schemaOf = (...query: Parameters<IntegrationMetadata['parameterSchema']>): Schema => {
  return more.parameterSchema(...query) as unknown as Schema
}

test('the schema has every type, one type, or one type in one role', () => {
  const all = integrationMetadata.parameterSchema({}) as unknown as Schema
  assert.deepEqual(
    Object.keys(all.properties),
    builtInKinds.all.map(({ name }) => name),
  )
  assert.deepEqual(all.properties['External REST API']?.required, ['api_key', 'data_type'])
  assert.equal(all.properties['External REST API']?.properties.api_key?.type, 'string')
  const one = integrationMetadata.parameterSchema({ type: 'external_rest_api' }) as unknown as Schema
  assert.deepEqual(Object.keys(one.properties), ['External REST API'])
  const role = integrationMetadata.parameterSchema({ type: 'External REST API', role: 'input' }) as unknown as Schema
  const parameters = role.properties['External REST API']?.properties ?? {}
  assert.deepEqual(Object.keys(parameters), ['exposed_rest_api_job_tag', 'max_batch_size'])
  assert.equal(parameters.max_batch_size?.minimum, 1)
  assert.deepEqual(Object.keys(schemaOf({ role: 'output' }).properties), ['Internal storage', 'Search engine'])
})

test('a secret is marked, an enumeration and a default are told', () => {
  const connection = schemaOf({ type: 'Search engine' }).properties['Search engine']
  assert.equal(connection?.properties.password?.writeOnly, true)
  assert.deepEqual(connection?.properties.schema?.enum, ['http', 'https'])
  const input = schemaOf({ type: 'Search engine', role: 'input' }).properties['Search engine']
  assert.equal(input?.properties.datetime?.default, '@timestamp')
})

test('what the schema requires is what a document misses, and what it enumerates is what fits', () => {
  const { resources } = openResourceStore(1, 8, kindsForTests)
  const connection = schemaOf({ type: 'Search engine' }).properties['Search engine']
  const put = (document: unknown): string[] => {
    const { context } = assertRefused('invalid_resources', () => resources.apply({ i: document }, true, testAuthor))
    return (context.issues ?? []).map(({ loc }) => String(loc.at(-1)))
  }
  const bare = { type: 'integration', properties: { title: 'x', integration_type: 'Search engine' } }
  assert.deepEqual(put(bare), connection?.required)
  assert.deepEqual(put(search('x', { schema: 'ftp' })), ['schema'])
  resources.apply({ i: search('x') }, true, testAuthor)
})

test('metadata has all types in short, or one in full', () => {
  const { integration_types: types } = more.integrationMetadata({}) as { integration_types: Record<string, unknown>[] }
  assert.equal(types.length, kindsForTests.all.length)
  const short = types.find(({ id }) => id === 'search_engine')
  assert.deepEqual(short?.roles, ['input', 'output', 'enrichment'])
  assert.deepEqual(short?.pipeline_role_identifiers, short?.roles)
  assert.equal(short?.creatable, true)
  assert.deepEqual(
    (short?.roles_details as { id: string }[] | undefined)?.map(({ id }) => id),
    short?.roles,
  )
  const full = more.integrationMetadata({ type: 'search engine' })
  const { connection_parameters: connection, pipeline_parameters: pipeline, ...rest } = full
  assert.deepEqual(rest, short)
  assert.deepEqual(connection, schemaOf({ type: 'search_engine' }).properties['Search engine'])
  assert.deepEqual(Object.keys(pipeline as object), ['input', 'output', 'enrichment'])
  const one = more.integrationMetadata({ type: 'search engine', role: 'input' })
  assert.deepEqual(Object.keys(one.pipeline_parameters as object), ['input'])
  const inputs = integrationMetadata.integrationMetadata({ role: 'input' }) as { integration_types: { id: string }[] }
  assert.deepEqual(
    inputs.integration_types.map(({ id }) => id),
    ['external_rest_api'],
  )
})

test('a word that names nothing is refused with the words that do', () => {
  for (const [parameter, ask] of [
    ['type', () => integrationMetadata.parameterSchema({ type: 'Fortune teller' })],
    ['role', () => integrationMetadata.parameterSchema({ type: 'Internal storage', role: 'input' })],
    ['type', () => integrationMetadata.integrationMetadata({ type: 'Fortune teller' })],
    ['category', () => integrationMetadata.jobMetadata('Guessing')],
  ] as const) {
    const { context, message } = assertRefused('invalid_resources', ask)
    assert.deepEqual(
      context.issues?.map(({ loc }) => loc),
      [['query', parameter]],
    )
    assert.match(message, /must be one of: \w/)
  }
})

test('every category is told with its processors and the schema of its jobs', () => {
  const { job_categories: categories } = integrationMetadata.jobMetadata() as {
    job_categories: { id: string; name: string }[]
  }
  assert.deepEqual(
    categories.map(({ name }) => name),
    jobCategories,
  )
  for (const { id, name } of categories) {
    const byName = integrationMetadata.jobMetadata(name) as unknown as {
      processors: unknown[]
      parameters: Record<string, { type: string; required: boolean; description: string }>
      parameters_schema: Schema
      field_mappings?: unknown[]
    }
    assert.deepEqual(integrationMetadata.jobMetadata(id), byName)
    assert.equal(byName.field_mappings, undefined)
    const { field_mappings: mappings, ...rest } = integrationMetadata.jobMetadata(name, true) as typeof byName
    assert.deepEqual([rest, mappings!.length >= 8], [byName, true])
    assert.equal(byName.processors.length, name === 'Automated root cause analysis' ? 2 : 1)
    const { properties } = byName.parameters_schema
    assert.deepEqual(byName.parameters_schema.required, ['title'])
    assert.deepEqual(Object.keys(byName.parameters), Object.keys(properties))
    for (const [field, { type, required, description }] of Object.entries(byName.parameters)) {
      assert.deepEqual([type, required], [properties[field]!.type, field === 'title'], field)
      assert.match(description, /\.$/, field)
    }
    for (const field of [
      'decision_points',
      'advanced_settings',
      'feedback_columns',
      'pipeline_integrations',
      'description',
      'remove_missing_pipeline_integrations',
    ])
      assert.ok(properties[field], field)
    const advanced = properties.advanced_settings?.properties ?? {}
    const labels = advanced.custom_labels?.default as unknown
    const { resources } = openResourceStore()
    resources.apply({ j: job('j', { category: name, advanced_settings: { custom_labels: labels } }) }, true, testAuthor)
    resources.apply({ k: job('k', { category: name }) }, true, testAuthor)
    assert.deepEqual(resources.jobByTitle('j')?.labels, resources.jobByTitle('k')?.labels)
    assert.deepEqual(Object.keys(advanced.auto_retrain?.properties.blockers?.properties ?? {}).sort(), [
      'consensus_changes',
      'consensus_flipping',
      'consensus_low_score',
      'low_confidence_score',
      'outliers',
      'undecided_consensus',
    ])
  }
})

test('every job that is shown fits the schema of its category', () => {
  const checkers = new Map(
    jobCategories.map((name) => {
      return [name, Compile(integrationMetadata.jobMetadata(name).parameters_schema as object)]
    }),
  )
  let shown = 0
  for (let seed = 0; seed < 40; seed++) {
    const { resources } = openResourceStore(seed)
    resources.apply(randomSet(new SeededRandom(seed)), true, testAuthor)
    for (const { title, category } of resources.jobs()) {
      const [found] = JSON.parse(JSON.stringify(resources.list({ type: 'job', title }))) as Record<
        string,
        { properties: unknown }
      >[]
      const checker = checkers.get(category)
      const properties = found?.[title]?.properties
      assert.ok(checker?.Check(properties), `seed ${seed}: ${JSON.stringify(checker?.Errors(properties))}`)
      shown++
    }
  }
  assert.ok(shown > 50)
  assert.ok(!checkers.get('Decision intelligence')?.Check({ title: 'x', category: 'Automated root cause analysis' }))
  assert.ok(!checkers.get('Decision intelligence')?.Check({ title: 'x', decision_points: 'host' }))
})
