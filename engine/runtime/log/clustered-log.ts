/** The log of all shards of an owner: one log of records each. */
import { must } from '../../assert.js'
import { LoggedTurns } from './logged-turns.js'
import type { RecordLog, TurnLog } from './turn-log.js'

/** `writer` is 8 bytes in hexadecimal, of this time of being the owner alone. */
export function clusteredLog(logs: readonly RecordLog[], writer: string): TurnLog {
  return {
    runner: (shard) =>
      new LoggedTurns({ ...shard, log: must(logs[shard.shard], 'the log of shard', shard.shard), writer }).run,
  }
}
