/**
 * A process that keeps one shard in LMDB, with its log in JetStream: first it follows, and when it is told to, it takes
 * over and posts events until it is killed or refused.
 *
 * Arguments: data directory, name of the log, prefix of event ids, servers. On standard output, a line each:
 * `following`, `writing`, `ack ID`, `fenced`.
 */
import { mkdirSync, writeSync } from 'node:fs'
import { isRefusal } from '../../../engine/errors.js'
import { lastTime } from '../../../engine/actor/event-table.js'
import { Follower } from '../../../engine/runtime/log/follower.js'
import { connectToCluster } from '../../../engine/runtime/log/jetstream/cluster-connection.js'
import { JetStreamLog } from '../../../engine/runtime/log/jetstream/jetstream-log.js'
import { openShard } from '../../../engine/store/directory/environments.js'
import type { LmdbEnvironment } from '../../../engine/store/lmdb/lmdb.js'
import { jobSettings, TestShard } from '../../support/engine/shard.js'

const [dataDir, name, prefix, ...servers] = process.argv.slice(2) as [string, string, string, ...string[]]
/** Clients at a time. */
const CLIENTS = 6

function say(line: string): void {
  writeSync(1, `${line}\n`)
}

mkdirSync(dataDir, { recursive: true })
const connection = await connectToCluster({ servers })
const log = await JetStreamLog.open(connection, { name, of: 0, limitMs: 20_000 })
const environment = openShard(dataDir, 0)
const copy = new TestShard<LmdbEnvironment>(environment)

const ending = new AbortController()
const follower = new Follower(copy.asLogged(), log)
const following = follower.follow(ending.signal)
say('following')
await new Promise((resolve) => process.stdin.once('data', resolve))
ending.abort()
await following
await follower.catchUp()

const shard = new TestShard<LmdbEnvironment>(environment, undefined, undefined, log)
// Every process counts as another writer.
shard.beginAs(process.hrtime.bigint().toString(16).padStart(16, '0').slice(-16))
await shard.logged?.catchUp()
shard.take(Math.max(0, lastTime(environment) + 1 - shard.take()))
say('writing')
let posted = 0
await Promise.all(
  Array.from({ length: CLIENTS }, async () => {
    for (;;) {
      const id = `${prefix}-${posted++}`
      try {
        await shard.ingest(jobSettings(), { host: `h${posted % 9}` }, id)
        say(`ack ${id}`)
      } catch (error) {
        if (!isRefusal(error, 'log_unavailable')) throw error
        if (/another process/.test(error.message)) {
          say('fenced')
          process.exit(0)
        }
      }
    }
  }),
)
