import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageKind } from '../../../engine/actor/message.js'
import { encodeNote } from '../../../engine/actor/notes.js'
import { encodeTaskCommand } from '../../../engine/actor/reprocess-tasks.js'
import { job } from '../../support/resource-store.js'
import { openParts } from '../../support/engine/wired.js'
import { everything } from '../../support/engine/shard.js'
import { testAuthor } from '../../support/author.js'

test('who still means a job that was deleted leaves no row of it', async (context) => {
  const { resources, shards, upkeep } = await openParts(context)
  resources.apply({ resources: { job: job('a job') } }, false, testAuthor)
  const meant = resources.jobByTitle('a job')!
  const body = Buffer.from('{"raw_body": {"host": {"name": "a"}}}')
  const event = { job: meant, kind: 'ingest', idInBody: false, body } as const
  await shards.ask(meant, 'resume', null)
  const before = new Promise((resolve, reject) =>
    shards.post({ ...event, eventId: 'before', receiver: { ingested: resolve, refused: reject } }),
  )
  resources.delete({ type: 'job', title: 'a job' }, testAuthor)
  upkeep.forget(meant.id)
  await before
  const orders: [MessageKind, Uint8Array][] = [
    ['resume', body],
    ['task', encodeTaskCommand({ op: 'create', selection: everything, requestedBy: 'x', by: testAuthor })],
    [
      'note',
      encodeNote({
        notes: 'late',
        savedObjects: null,
        author: 'agent',
        workflowName: null,
        workflowId: null,
        sessionId: null,
      }),
    ],
  ]
  for (const [kind, order] of orders) {
    await assert.rejects(shards.ask(meant, kind, 'before', order), { code: 'job_not_found' })
    await assert.rejects(shards.insist(meant, kind, order), { code: 'job_not_found' })
  }
  const nobody = { ingested: () => {}, refused: () => {} }
  assert.throws(() => shards.post({ ...event, eventId: 'late', receiver: nobody }), { code: 'job_not_found' })
  await shards.whenIdle()
  assert.deepEqual([...shards.reader(meant.shard).storedJobs()], [])
})
