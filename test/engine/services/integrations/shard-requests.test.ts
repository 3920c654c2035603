/** What the thread of the integrations asks for, over real shards. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packBatch } from '../../../../engine/services/integrations/document-batch.js'
import { ShardRequests } from '../../../../engine/services/integrations/shard-requests.js'
import { jobFedBySearch } from '../../../support/resource-store.js'
import { openParts } from '../../../support/engine/wired.js'
import { testAuthor } from '../../../support/author.js'
import type { TakenIn } from '../../../../engine/integration/delivery/refused-documents.js'

test('nothing comes in by an input that its job does not have any more, whatever it fetched before', async (context) => {
  const parts = await openParts(context)
  const { resources, shards } = parts
  const fed = (enabled: boolean): void => void resources.apply(jobFedBySearch(enabled), true, testAuthor)
  fed(true)
  const [{ id: jobId }, requests] = [resources.jobByTitle('a job')!, new ShardRequests(parts)]
  const { integrationId } = resources.job(jobId)!.pipeline.find(({ role }) => role === 'input')!
  const takeIn = (id: string): Promise<TakenIn> => {
    return requests.takeIn({
      type: 'takeIn',
      id: 1,
      step: { jobId, integrationId, role: 'input' },
      batch: packBatch([{ id, body: Buffer.from('{"rule":"a"}') }]),
    })
  }
  assert.deepEqual(await takeIn('before'), { fresh: 1, replaced: 0, refused: [], busy: null })
  fed(false)
  assert.notEqual((await takeIn('behind')).busy, null)
  assert.equal(shards.event(resources.job(jobId)!, 'before').status, 'OK')
  assert.throws(() => shards.event(resources.job(jobId)!, 'behind'), { code: 'event_not_found' })
  fed(true)
  assert.deepEqual(await takeIn('behind'), { fresh: 1, replaced: 0, refused: [], busy: null })
})
