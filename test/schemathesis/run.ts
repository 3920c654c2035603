/**
 * `npm run test:schemathesis`: property-based requests over the whole OpenAPI document, against a service of its own.
 *
 * It fails on a server error, and on an answer that the document does not promise: status, media type, headers, schema,
 * methods, keys. It installs schemathesis from its registry into .build/schemathesis, which may be deleted at any time.
 * It needs Python 3.10 or newer. Arguments go to schemathesis, for instance `-- --max-examples 300 --seed 1`.
 *
 * It does not require that everything which breaks a schema is refused, nor that everything which fits is taken. The
 * service is lenient on purpose: existing clients send numbers as text, and unknown fields.
 */
import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pythonEnvironment, runShown } from '../../bench/harness/python.js'
import { makeJob, type Client } from '../support/client.js'
import { ADMIN_PASSWORD, MANAGEMENT_KEY, spawnService } from '../support/service.js'

const here = dirname(fileURLToPath(import.meta.url))
const source = here.replace('/.build/', '/')
const home = join(source, '../../.build/schemathesis')
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
  'use_after_free',
]

/** One of everything, and the values that name it. */
async function prepare(client: Client): Promise<Record<string, unknown[]>> {
  const { jobId, title } = await makeJob(client)
  const stopped = await makeJob(client)
  assert.equal((await client.post(`/api/v2/jobs/${stopped.jobId}/stop`)).status, 200)
  const labels = ['Drop', 'Escalate']
  for (const [i, label] of labels.entries()) {
    const event = {
      job_id: jobId,
      raw_body: { rule: label, source: { ip: `192.0.2.${i}` }, '@timestamp': '2026-01-31T09:05:00Z' },
    }
    assert.equal((await client.post(`/api/v1/events/e${i}`, event)).status, 201)
    assert.equal((await client.put(`/api/v1/events/${jobId}/e${i}/feedback`, { feedback: label })).status, 200)
  }
  assert.equal((await client.post(`/api/v1/events/e0`, { job_id: stopped.jobId, raw_body: { rule: 'a' } })).status, 201)
  const tokens: string[] = []
  for (const username of ['ann', 'bob', 'cleo']) {
    const password = ADMIN_PASSWORD
    assert.equal((await client.post('/api/v2/users', { username, password, role: 'analyst' })).status, 201)
    tokens.push((await client.post('/api/v2/token', { username, password })).body.token_id)
  }
  return {
    job_id: [jobId, stopped.jobId],
    event_id: ['e0', 'e1'],
    job_name: [title],
    feedback: [...labels, 'label_2'],
    username: ['ann', 'bob', 'cleo'],
    password: [ADMIN_PASSWORD],
    current_password: [ADMIN_PASSWORD],
    token_id: tokens,
    file: ['swagger-ui.css'],
    job_ids: [[jobId], jobId],
    job_titles: [[title], title],
  }
}

const bin = pythonEnvironment(home, join(source, 'requirements.txt'))
const service = await spawnService()
let status: number
try {
  const env = {
    ...process.env,
    KNOWN_VALUES: JSON.stringify(await prepare(service.client)),
    PYTHONPATH: source,
    SCHEMATHESIS_HOOKS: 'hooks',
  }
  status = runShown(
    join(bin, 'st'),
    [
      'run',
      `${service.baseUrl}/openapi.json`,
      '--header',
      `x-service-api-key: ${MANAGEMENT_KEY}`,
      '--checks',
      CHECKS.join(','),
      '--continue-on-failure',
      '--output-truncate',
      'true',
      '--warnings',
      'off',
      '--max-examples',
      '50',
      ...process.argv.slice(2),
    ],
    home,
    env,
  )
} finally {
  const log = service.started
    .output()
    .split('\n')
    .filter((line) => !/^(Listening|Pages|Documentation)/.test(line))
    .join('\n')
    .trim()
  if (log !== '') console.log(`The service printed:\n${log.slice(0, 5_000)}`)
  await service.close()
}
process.exit(status)
