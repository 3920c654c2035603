/** Schema and metadata of integrations and jobs (C2.10, C3.9). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeJob, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

const schemaPath = '/api/v2/resources/integration/parameters/schema'
const metadataPath = '/api/v2/resources/integration/metadata'
const jobPath = '/api/v2/resources/job/metadata'

test('the schema of parameters is listed for all types, for one by either name, and for a role', async () => {
  const all = await client.get(schemaPath)
  assert.equal(all.status, 200)
  assert.equal(all.body.type, 'object')
  const rest = all.body.properties['External REST API']
  assert.deepEqual(rest.required, ['api_key', 'data_type'])
  assert.equal(rest.properties.data_type.type, 'string')
  assert.ok(rest.properties.api_key.description)
  for (const query of ['type=External%20REST%20API', 'integration_type=external_rest_api']) {
    const one = await client.get(`${schemaPath}?${query}`)
    assert.deepEqual(one.body, { type: 'object', properties: { 'External REST API': rest } })
  }
  const role = await client.get(`${schemaPath}?integration_type=External+REST+API&role=input`)
  const { properties } = role.body.properties['External REST API']
  assert.deepEqual(Object.keys(properties), ['exposed_rest_api_job_tag', 'max_batch_size'])
  assert.equal(properties.max_batch_size.type, 'number')
})

test('an integration can be made from its schema', async () => {
  const { body } = await client.get(schemaPath)
  const [name, schema] = Object.entries<any>(body.properties).find(([, each]) => each.required.length > 0)!
  const values: Record<string, unknown> = { api_key: 'key', data_type: 'alerts' }
  const parameters = Object.fromEntries(schema.required.map((each: string) => [each, values[each]]))
  const answer = await client.post('/api/v2/resources', {
    key: { type: 'api_key', properties: { name: 'by schema' } },
    i: { type: 'integration', properties: { title: 'By schema', integration_type: name, parameters } },
  })
  assert.equal(answer.status, 200, answer.text)
})

test('metadata has every type in short, and one in full with the id that listed integrations have', async () => {
  const { jobId } = await makeJob(client)
  assert.ok(jobId > 0)
  const { body } = await client.get(metadataPath)
  const ids = body.integration_types.map(({ id }: { id: string }) => id)
  for (const listed of (await client.get('/api/v2/integrations')).body) assert.ok(ids.includes(listed.subcategory_id))
  for (const type of body.integration_types) {
    assert.deepEqual(type.pipeline_role_identifiers, type.roles)
    assert.deepEqual(
      type.roles_details.map(({ id }: { id: string }) => id),
      type.roles,
    )
    const full = await client.get(`${metadataPath}?type=${encodeURIComponent(type.name)}`)
    const { connection_parameters: connection, pipeline_parameters: pipeline, ...rest } = full.body
    assert.deepEqual(rest, type)
    assert.equal(connection.type, 'object')
    assert.deepEqual(Object.keys(pipeline), type.roles)
  }
  const outputs = await client.get(`${metadataPath}?role=output`)
  const withOutput = body.integration_types.filter(({ roles }: { roles: string[] }) => roles.includes('output'))
  assert.deepEqual(outputs.body.integration_types, withOutput)
  for (const id of ['internal_storage', 'search_engine', 'wazuh', 'splunk', 'webhook', 'nats'])
    assert.ok(
      withOutput.some((one: { id: string }) => one.id === id),
      id,
    )
})

test('job metadata has the categories, and one with the parameters of its jobs', async () => {
  const { body } = await client.get(jobPath)
  assert.deepEqual(
    body.job_categories.map(({ name }: { name: string }) => name),
    ['Decision intelligence', 'Event centric decision intelligence', 'Automated root cause analysis'],
  )
  for (const { id, name } of body.job_categories) {
    const full = await client.get(`${jobPath}?category=${encodeURIComponent(name)}`)
    assert.deepEqual((await client.get(`${jobPath}?category=${id}`)).body, full.body)
    assert.deepEqual(full.body.parameters.title, {
      type: 'string',
      required: true,
      description: 'Identifies the job.',
    })
    assert.deepEqual([full.body.parameters.decision_points.type, 'field_mappings' in full.body], ['array', false])
    const schema = full.body.parameters_schema
    assert.deepEqual(schema.required, ['title'])
    assert.ok(schema.properties.decision_points.description)
    assert.equal(schema.properties.advanced_settings.properties.custom_labels.default.length, 3)
    const mapped = await client.get(`${jobPath}?category=${id}&field_mappings=True`)
    assert.ok(mapped.body.field_mappings.length >= 8)
  }
})

test('integrations are listed as resources list them', async () => {
  const { body } = await client.get('/api/v2/integrations')
  assert.deepEqual(body, (await client.get('/api/v2/resources?resource_type=integration')).body)
})

test('a word that names nothing is 422 with its place, a key without the scope 403, none 401', async () => {
  const { key } = await makeJob(client)
  for (const [path, place] of [
    [`${schemaPath}?type=nothing`, 'type'],
    [`${schemaPath}?integration_type=nothing`, 'type'],
    [`${schemaPath}?role=dancer`, 'role'],
    [`${schemaPath}?type=Internal+storage&role=input`, 'role'],
    [`${metadataPath}?type=nothing`, 'type'],
    [`${metadataPath}?role=dancer`, 'role'],
    [`${jobPath}?category=nothing`, 'category'],
  ] as const) {
    const answer = await client.get(path)
    assert.equal(answer.status, 422, path)
    assert.deepEqual(answer.body.detail[0].loc, ['query', place], path)
  }
  for (const path of [schemaPath, metadataPath, jobPath, '/api/v2/integrations']) {
    assert.equal((await client.withKey(key).get(path)).status, 403, path)
    assert.equal((await client.get(path, { key: null })).status, 401, path)
  }
})
