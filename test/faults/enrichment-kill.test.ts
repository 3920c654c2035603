/** A process that is killed while events wait for enrichment. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ShardCheck } from '../../engine/services/verify/verify-shard.js'
import { openShard } from '../../engine/store/directory/environments.js'
import { afterwards } from '../support/afterwards.js'
import { temporaryDirectory } from '../support/engine/files.js'
import { recount } from '../support/engine/recount.js'
import { SearchServer } from '../support/servers/search-server.js'
import { until } from '../support/until.js'
import { EngineChild, type Ready } from './child.js'
import { checkJobs } from '../../engine/services/verify/verify-job.js'

const ROUNDS = 2
const EVENTS = 300

async function started(
  directory: string,
  port: number,
  test: TestContext,
): Promise<{ child: EngineChild; ready: Ready & { ready: true } }> {
  const child = new EngineChild(directory, undefined, port)
  afterwards(test, () => child.kill())
  const ready = await child.ready
  assert.ok(ready?.ready === true, JSON.stringify(ready))
  return { child, ready }
}

describe('a process that is killed while events wait for enrichment', () => {
  it('enriches them at the next start: each exists, is decided once, and has what was found', async (test) => {
    const server = await SearchServer.open()
    afterwards(test, () => server.close())
    for (let i = 0; i < 4; i++) server.put('cmdb', `h${i}`, { host: `h${i}`, team: `team ${i}` })
    const working = server.http.answer
    let requests = 0
    server.http.answer = (received, response) => {
      // Some answers are slow, some never come: the kills fall among them.
      if (++requests % 5 === 0) return void response.destroy()
      setTimeout(() => working(received, response), (requests % 3) * 20)
    }
    const directory = temporaryDirectory(test)
    const sent: string[] = []
    const acknowledged: string[] = []
    let jobId = 0
    for (let round = 0; round < ROUNDS; round++) {
      const { child, ready } = await started(directory, server.http.port, test)
      ;({ jobId } = ready)
      const before = requests
      const posted = Array.from({ length: EVENTS }, async (_, i) => {
        const eventId = `e${round}-${i}`
        sent.push(eventId)
        const outcome = await child.ask({ ask: 'ingest', eventId, body: { host: `h${i % 4}`, i } })
        if (outcome !== null) acknowledged.push(eventId)
      })
      // The counterpart is asked meanwhile.
      await until(() => requests > before)
      await sleep(150 * round)
      await child.kill()
      await Promise.all(posted)
    }
    server.http.answer = working
    const { child } = await started(directory, server.http.port, test)
    // Events that were stored before the kill and never answered wait for enrichment, too.
    const pending = async (): Promise<boolean> => {
      const views = await Promise.all(sent.map((eventId) => child.ask({ ask: 'event', eventId })))
      return views.some(
        (view) => view === null || ('result' in view && (view.result as { status: string }).status !== 'OK'),
      )
    }
    while (await pending()) await sleep(50)
    await child.close()
    assert.deepEqual(child.failures, [])
    for (let shard = 0; shard < 2; shard++) {
      const environment = openShard(directory, shard)
      if ([...environment.range('stats', {})].length > 0) {
        const { events, stats } = recount(environment, jobId)
        assert.deepEqual([stats.pending, events.size >= acknowledged.length], [0, true])
        for (const id of acknowledged) {
          const body = events.get(id) as { host: string; enrichment?: { cmdb: { found: boolean; team: string } } }
          assert.deepEqual(
            [body.enrichment?.cmdb.found, body.enrichment?.cmdb.team],
            [true, body.host.replace('h', 'team ')],
            id,
          )
        }
        const check = new ShardCheck(environment, 'shard')
        checkJobs(check)
        assert.deepEqual(check.problems, [])
      }
      await environment.close()
    }
  })
})
