/** The thread of the integrations, seen from the main thread, where it dies. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Integrations } from '../../../../engine/services/integrations/integrations.js'
import { afterwards } from '../../../support/afterwards.js'
import { jobFedBySearch } from '../../../support/resource-store.js'
import { eventually } from '../../../support/client.js'
import { openParts } from '../../../support/engine/wired.js'
import { testAuthor } from '../../../support/author.js'
import { childFile } from '../../../child-files.js'

test('an answer to a thread that has died is not taken for one to the thread in its place', async (context) => {
  const parts = await openParts(context)
  const { resources, shards, batches } = parts
  resources.apply(jobFedBySearch(true), true, testAuthor)
  const { id: jobId, pipeline } = resources.jobByTitle('a job')!
  const { integrationId } = pipeline.find(({ role }) => role === 'input')!
  const heard: string[] = []
  const integrations = new Integrations({
    dataDir: parts.dataDir,
    serviceNames: [JSON.stringify({ jobId, integrationId, role: 'input' })],
    timeZone: 'UTC',
    resources,
    shards,
    batches,
    privateHosts: [],
    module: childFile('asking-thread'),
    hasAlerts: () => false,
    job: (id) => resources.job(id),
    failed: (what, error) => heard.push(`${what} ${(error as Error).message}`.trim()),
  })
  afterwards(context, () => integrations.close())
  await shards.stillWhile(async () => {
    integrations.rewire()
    await eventually(
      async () => heard,
      (all) => all.includes('asked'),
    )
  })
  await eventually(
    async () => heard,
    ({ length }) => length > 1,
  )
  assert.deepEqual(heard, ['asked', 'answered [0]'])
})
