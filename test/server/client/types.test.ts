/** The published types, as a program outside of the repository sees them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../../support/source-tree.js'

const program = `
import { createClient, ApiError, type EventView, type Job } from 'decision-service/client'
const client = createClient({ baseUrl: 'http://service.test', key: 'k' })
export const job: Job = await client.getJob({ job_id: 1 })
export const view: EventView = await client.getEvent({ job_id: 1, event_id: 'a' })
export const count: number = (await client.queryEvents({ body: {} })).total_count
export const titles: string[] = (await client.listJobs()).map(({ title }) => title)
for await (const cluster of client.items('listClusters', { job_id: 1 })) cluster.cluster_id.trim()
for await (const page of client.pages('listAuditLogs')) page.audit_logs[0]?.sequence.toFixed()
for await (const result of client.events.bulk([{ job_id: 1, raw_body: { a: 1 } }])) {
  if ('error' in result) result.status_code.toFixed()
  else result.confidence_score.toFixed()
}
export const { service_event } = await client.exportEvent({ job_id: 1, event_id: 'a' })
service_event.service.confidence_score.toFixed()
await client.applyResources({ body: { resources: { a: { type: 'job', properties: { title: 'x' } } } } })
export const refused = (error: unknown) => error instanceof ApiError && error.code
// @ts-expect-error: the event id is missing
await client.getEvent({ job_id: 1 })
// @ts-expect-error: the parameters are missing
await client.getJob()
// @ts-expect-error: no resource has this type
await client.applyResources({ body: { resources: { a: { type: 'jobs', properties: { title: 'x' } } } } })
// @ts-expect-error: the operation has no pages
client.items('getJob')
`

test('a program that uses the package compiles in the strictest mode, without types of Node.js', () => {
  const folder = mkdtempSync(join(tmpdir(), 'decision-service-client-'))
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules/decision-service'), 'junction')
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    writeFileSync(join(folder, 'program.ts'), program)
    const options = '--noEmit --strict --exactOptionalPropertyTypes --target es2022 --module nodenext --lib es2022,dom'
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const args = [compiler, ...options.split(' '), '--types', '', '--ignoreConfig', 'program.ts']
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, stdout)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
