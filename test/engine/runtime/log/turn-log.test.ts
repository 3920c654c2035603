/** What holds for every log of turns: an engine with its threads, over the store alone and over a log of records. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { EventView } from '../../../../engine/api/decision-service.js'
import { FileLog } from '../../../../engine/runtime/log/file-log.js'
import { Follower } from '../../../../engine/runtime/log/follower.js'
import { LoggedTurns } from '../../../../engine/runtime/log/logged-turns.js'
import { embeddedLog, type TurnLog } from '../../../../engine/runtime/log/turn-log.js'
import { openShard } from '../../../../engine/store/directory/environments.js'
import { afterwards } from '../../../support/afterwards.js'
import { testAuthor } from '../../../support/author.js'
import { temporaryDirectory } from '../../../support/engine/files.js'
import { TestShard } from '../../../support/engine/shard.js'
import { openParts, type EngineParts } from '../../../support/engine/wired.js'
import { job } from '../../../support/resource-store.js'

/** Posts events in a stream; resolves with their views. */
function stream({ resources, shards }: EngineParts, from: number, count: number): Promise<EventView[]> {
  const settings = resources.jobByTitle('a job')!
  return Promise.all(
    Array.from({ length: count }, (_, i) => {
      const body = Buffer.from(JSON.stringify({ raw_body: { host: { name: `h${(from + i) % 50}` } } }))
      return new Promise<EventView>((ingested, refused) =>
        shards.post({
          job: settings,
          kind: 'ingest',
          eventId: `e${from + i}`,
          idInBody: false,
          body,
          receiver: { ingested, refused },
        }),
      )
    }),
  )
}

/** Logs of turns, each with what has to be true of it behind a run. */
const logs: readonly [name: string, open: (file: FileLog) => TurnLog][] = [
  ['the store', () => embeddedLog],
  [
    'a log of records',
    (file) => ({ runner: (shard) => new LoggedTurns({ ...shard, log: file, writer: '0123456789abcdef' }).run }),
  ],
]

describe('an engine whose turns become durable in', () => {
  for (const [name, open] of logs)
    it(`${name} answers each event, keeps it over restarts of a thread, and takes large turns`, async (test) => {
      const folder = temporaryDirectory(test)
      const file = new FileLog(join(folder, 'log'))
      afterwards(test, () => file.close())
      const parts = await openParts(test, undefined, undefined, open(file))
      parts.resources.apply({ resources: { job: job('a job') } }, false, testAuthor)
      const views = await stream(parts, 0, 3_000)
      await parts.shards.restartThread(0)
      views.push(...(await stream(parts, 3_000, 500)))
      assert.equal(new Set(views.map(({ eventId }) => eventId)).size, 3_500)
      const settings = parts.resources.jobByTitle('a job')!
      assert.equal(parts.shards.reader(0).stats(settings).events, 3_500)
      const { dataDir } = parts
      await parts.close()
      if (name === 'the store') return assert.equal(await file.last(), 0)
      const stored = openShard(dataDir, 0)
      const [whole, copy] = [new TestShard(stored), new TestShard()]
      await new Follower(copy.asLogged(), file).catchUp()
      assert.deepEqual(copy.rows(), whole.rows())
      await stored.close()
    })
})
