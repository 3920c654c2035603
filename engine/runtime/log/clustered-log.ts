/** The log of all shards of an owner: one log of records each. */
import { must } from '../../assert.js'
import type { BlockSum } from '../../actor/log/block-sums.js'
import { LoggedTurns } from './logged-turns.js'
import type { LoggedShard, RecordLog, TurnLog } from './turn-log.js'

export interface ClusteredLog extends TurnLog {
  /** Sequence of the last record of each shard whose turn this owner has run; 0 for none. */
  applied(): number[]
  /** Of what the latest records of a shard's log wrote. */
  sumsOf(shard: number): readonly BlockSum[]
}

/** `writer` is 8 bytes in hexadecimal, of this time of being the owner alone. */
export function clusteredLog(logs: readonly RecordLog[], writer: string): ClusteredLog {
  const writers: (LoggedTurns | undefined)[] = logs.map(() => undefined)
  const opened = new Map<number, LoggedShard>()
  return {
    applied: () => writers.map((one) => one?.applied ?? 0),
    runner: (shard) => {
      opened.set(shard.shard, shard)
      const turns = new LoggedTurns({ ...shard, log: must(logs[shard.shard], 'the log of shard', shard.shard), writer })
      writers[shard.shard] = turns
      return turns.run
    },
    sumsOf: (shard) => opened.get(shard)?.applied().sums ?? [],
  }
}
