/** What is accepted and will probably not do what its author wants (CONTRACT.md#warnings). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Check } from 'typebox/schema'
import { Job } from '../../../server/schemas/jobs.js'
import { ApplyAnswer } from '../../../server/schemas/resources.js'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

interface Warning {
  readonly type: string
  readonly loc: readonly string[]
  readonly msg: string
  readonly action: string
}

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

async function apply(document: object): Promise<readonly Warning[]> {
  const { status, body, text } = await client.post('/api/v2/resources', document)
  assert.equal(status, 200, text)
  assert.ok(Check(ApplyAnswer, body), text)
  return body.warnings
}

async function warningsOf(jobId: number): Promise<readonly Warning[]> {
  const { body, text } = await client.get(`/api/v1/jobs/${jobId}`)
  assert.ok(Check(Job, body), text)
  return body.warnings
}

function places(warnings: readonly Warning[]): string[] {
  return warnings.map(({ type, loc }) => `${type} ${loc.join('.')}`)
}

async function send(jobId: number, events: number, bodyOf: (i: number) => object, from = 0): Promise<void> {
  const lines = Array.from({ length: events }, (_, i) =>
    JSON.stringify({ job_id: jobId, event_id: `e${from + i}`, raw_body: bodyOf(i) }),
  )
  await client.bulk(lines.join('\n'))
}

test('labels of a root cause job that are known by their positions alone are warned of', async () => {
  const { jobId, title } = await makeJob(client, { category: 'Automated root cause analysis', decision_points: [] })
  const setLabels = (labels: readonly object[]): Promise<readonly Warning[]> => {
    const properties = { title, advanced_settings: { custom_labels: labels } }
    return apply({ job: { type: 'job', properties } })
  }
  assert.deepEqual(await warningsOf(jobId), [])
  const named = ['Wirkung', 'Auslöser', 'Rest'].map((name) => ({ name }))
  const [told, ...more] = await setLabels(named)
  assert.deepEqual(
    [told?.type, told?.loc, more],
    ['label_by_position', ['body', 'job', 'properties', 'advanced_settings', 'custom_labels'], []],
  )
  assert.match(told?.msg ?? '', /`Wirkung` as root_cause, `Auslöser` as symptom, `Rest` as irrelevant/)
  assert.deepEqual(places(await warningsOf(jobId)), ['label_by_position advanced_settings.custom_labels'])
  const roles = ['symptom', 'root_cause', 'irrelevant']
  assert.deepEqual(await setLabels(named.map((label, at) => ({ ...label, role: roles[at] }))), [])
  const [shown] = (await client.get(`/api/v2/resources?resource_type=job&id=${jobId}`)).body
  assert.deepEqual(
    shown[title].properties.advanced_settings.custom_labels.map(({ role }: { role: string }) => role),
    roles,
  )
  assert.deepEqual(shown[title].properties.warnings, [])
})

test('a job without an input step or decision points is warned of where it is made and where it is read', async () => {
  const bare = { type: 'job', properties: { title: 'Bare', category: 'Decision intelligence' } }
  const told = await apply({ resources: { bare } })
  assert.deepEqual(places(told), [
    'no_input body.resources.bare.properties.pipeline_integrations',
    'no_decision_points body.resources.bare.properties.decision_points',
  ])
  for (const { msg, action } of told) assert.ok(msg.endsWith('.') && action.endsWith('.'), `${msg} ${action}`)
  const [shown] = (await client.get('/api/v2/resources?resource_type=job&title=Bare')).body
  const { id, warnings } = shown.Bare.properties
  assert.deepEqual(places(warnings), ['no_input pipeline_integrations', 'no_decision_points decision_points'])
  assert.deepEqual(await warningsOf(id), warnings)
  const rootCause = { type: 'job', properties: { title: 'Causes', category: 'Automated root cause analysis' } }
  assert.deepEqual(
    (await apply({ rootCause })).map(({ type }) => type),
    ['no_input'],
  )
  const { jobId } = await makeJob(client)
  assert.deepEqual(await warningsOf(jobId), [])
})

test('an input step that is disabled is no input', async () => {
  const { title } = await makeJob(client)
  const [{ [title]: job }] = (await client.get(`/api/v2/resources?resource_type=job&title=${title}`)).body
  const steps = job.properties.pipeline_integrations.map((step: { integration_type: string }) =>
    step.integration_type === 'input' ? { ...step, enabled: false } : step,
  )
  const [warning] = await apply({ j: { type: 'job', properties: { title, pipeline_integrations: steps } } })
  assert.equal(warning?.type, 'no_input')
  assert.match(warning.action, /Enable/)
})

test('unknown properties are warned of with the nearest known name, and what clients send is not', async () => {
  const label = (name: string): object => ({ name, color: '#123456' })
  const told = await apply({
    resources: {
      key: { type: 'api_key', properties: { name: 'unknown properties', comment: 'x' } },
      input: {
        type: 'integration',
        properties: {
          title: 'Unknown',
          integration_type: 'External REST API',
          parameters: { api_key: 'unknown properties', data_type: 'a', datatype: 'b' },
        },
      },
      job: {
        type: 'job',
        decision_points: ['a'],
        properties: {
          title: 'Unknown',
          labels: ['a', 'b', 'c'],
          decisionPoints: ['a'],
          decision_ponits: ['a'],
          name: 'x',
          zzz: 1,
          advanced_settings: { custom_labels: ['a', 'b', 'c'].map(label), auto_retrain: { chron: '* * * * *' } },
          pipeline_integrations: [{ resource: 'input', integration_type: 'input', parameter: {} }],
        },
      },
    },
  })
  const found = told
    .filter(({ type }) => type === 'unknown_property')
    .map(({ loc, action }) => `${loc.slice(2).join('.')}: ${action}`)
  const inJob = 'job.properties'
  assert.deepEqual(found.sort(), [
    'input.properties.parameters.datatype: Use `data_type`.',
    'job.decision_points: Use `properties.decision_points`.',
    `${inJob}.advanced_settings.auto_retrain.chron: Use \`cron\`.`,
    ...[0, 1, 2].map((i) => `${inJob}.advanced_settings.custom_labels.${i}.color: Use \`hex_color\`.`),
    `${inJob}.decisionPoints: Use \`decision_points\`.`,
    `${inJob}.decision_ponits: Use \`decision_points\`.`,
    `${inJob}.labels: Use \`advanced_settings.custom_labels\`.`,
    `${inJob}.name: Use \`title\`.`,
    `${inJob}.pipeline_integrations.0.parameter: Use \`parameters\`.`,
    `${inJob}.zzz: Remove it.`,
    'key.properties.comment: Remove it.',
  ])
})

test('what existing clients send, and what GET shows, is known (C3.7)', async () => {
  const { title } = await makeJob(client, {
    feedback_columns: ['a'],
    advanced_settings: {
      monitoring_settings: { throttling: { any: 1 }, monitors: [{ name: 'x', active: true, interval_check: 5 }] },
      auto_retrain: {
        enabled: false,
        cron: '',
        blockers: {
          consensus_flipping: true,
          low_confidence_score: true,
          undecided_consensus: true,
          consensus_low_score: true,
          outliers: true,
          consensus_changes: true,
        },
      },
    },
  })
  const [{ [title]: job }] = (await client.get(`/api/v2/resources?resource_type=job&title=${title}`)).body
  const [step] = job.properties.pipeline_integrations
  const more = { ...step, auto_id: 1, storage_tag: 'a', storage_tag_display_name: 'A' }
  const properties = { ...job.properties, pipeline_integrations: [more] }
  assert.deepEqual(await apply({ j: { type: 'job', properties, depends_on: [] } }), [])
  const all = (await client.get('/api/v2/resources')).body
  const told = await apply(all)
  assert.deepEqual(
    told.filter(({ type }) => type === 'unknown_property'),
    [],
  )
})

test('decision points that most events lack, or that are new with each, are warned of until mended', async () => {
  const { jobId, title } = await makeJob(client, { decision_points: ['rule.nmae', 'alert.id', 'host'] })
  await send(jobId, 500, (i) => ({ rule: { name: `r${i % 5}` }, alert: { id: `id-${i}` }, host: `h${i % 200}` }))
  const found = await warningsOf(jobId)
  assert.deepEqual(places(found), [
    'lacking_decision_point decision_points.0',
    'unique_decision_point decision_points.1',
  ])
  assert.match(found[0]?.msg ?? '', /^500 of the latest 500 events have no value at `rule\.nmae`\.$/)
  assert.match(found[1]?.msg ?? '', /^`alert\.id` is new with nearly every event: about \d+ values in 500 events\.$/)
  const again = await apply({ j: { type: 'job', properties: { title } } })
  assert.deepEqual(
    again.map(({ loc, msg }) => [loc.slice(0, 4), msg]),
    found.map(({ msg }) => [['body', 'j', 'properties', 'decision_points'], msg]),
  )
  const others = ['rule.name', 'hosts']
  const told = await apply({ j: { type: 'job', properties: { title, decision_points: others } } })
  assert.deepEqual(places(told), ['lacking_decision_point body.j.properties.decision_points.1'])
  await apply({ j: { type: 'job', properties: { title, decision_points: ['rule.name', 'host'] } } })
  await send(jobId, 500, (i) => ({ rule: { name: `r${i % 5}` }, host: `h${i % 7}` }), 500)
  assert.deepEqual(await warningsOf(jobId), [])
})

test('a warning is logged once when it appears and once when it is gone, not with each event', async () => {
  const { jobId, title } = await makeJob(client, { title: 'Logged once', decision_points: ['no.such'] })
  await send(jobId, 20, () => ({ a: 1 }))
  const linesOf = async (): Promise<string[]> => {
    const { text } = await client.get('/api/monitoring/api/v1/logs/export-all')
    assert.ok(text.length > 0)
    const { readdirSync, readFileSync } = await import('node:fs')
    const { join } = await import('node:path')
    const folder = join(service.dataDir, 'logs')
    const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    return lines.filter((line) => line.includes(title) && line.includes('lacking_decision_point'))
  }
  await eventually(linesOf, (lines) => lines.length > 0)
  await send(jobId, 20, () => ({ a: 1 }), 20)
  await new Promise((resolve) => setTimeout(resolve, 2_200))
  assert.equal((await linesOf()).length, 1)
  await apply({ j: { type: 'job', properties: { title, decision_points: ['a'] } } })
  const [, gone] = await eventually(linesOf, (lines) => lines.length > 1)
  assert.match(gone ?? '', /a warning of a job is gone/)
})

test('a root cause job whose fields have unknown names finds them by their values, and says so', async () => {
  const { jobId } = await makeJob(client, {
    category: 'Automated root cause analysis',
    decision_points: ['ww', 'gauge'],
  })
  const start = Date.UTC(2026, 0, 1)
  // Each incident is a failure: no alert is alone.
  const bodyOf = (i: number): object => ({
    zq: new Date(start + Math.floor(i / 3) * 400_000 + (i % 3) * 5_000).toISOString(),
    xx: `P${((Math.floor(i / 3) * 7) % 12) + (i % 3 === 2 ? 1 : 0)}`,
    yy: [`P${((Math.floor(i / 3) * 7) % 12) + (i % 3 === 2 ? 2 : 1)}`],
    ww: ['filter blocked', 'overheated', 'no flow'][i % 3],
    gauge: (i * 7919) % 1_000,
  })
  assert.deepEqual(await warningsOf(jobId), [])
  await send(jobId, 600, bodyOf)
  const [told, ...more] = await eventually(
    () => warningsOf(jobId),
    (warnings) => warnings.length > 0,
  )
  assert.deepEqual([told?.type, told?.loc, more], ['found_fields', ['pipeline_integrations'], []])
  assert.match(told?.msg ?? '', /`zq` as the time, `xx` as what an alert is about, .*`ww` as its kind/)
  assert.match(told?.action ?? '', /`time_field`, `id_field`, `related_field`, `kind_fields`/)
  const labelOf = async (i: number): Promise<string> => {
    const { body } = await client.get(`/api/v1/events/${jobId}/e${i}/export`)
    return body.service_event.service.suggestion.result_label
  }
  assert.deepEqual(await Promise.all([597, 598, 599].map(labelOf)), ['Root cause', 'Symptom', 'Symptom'])
})

test('a root cause job in whose events no field is a kind says what it lacks', async () => {
  const { jobId } = await makeJob(client, { category: 'Automated root cause analysis', decision_points: [] })
  await send(jobId, 100, (i) => ({ '@timestamp': new Date(i * 60_000).toISOString(), host: 'a', text: `line ${i}` }))
  const [told] = await eventually(
    () => warningsOf(jobId),
    (warnings) => warnings.length > 0,
  )
  assert.equal(told?.type, 'lacking_fields')
  assert.match(told?.msg ?? '', /No field is the kind of an alert/)
  assert.match(told?.action ?? '', /`kind_fields`/)
})
