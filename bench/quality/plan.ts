/** Which runs there are: what the protocols of the sets allow, and what was asked for. */
import { readProtocol, strategies, type Protocol } from './dataset.js'
import type { QualityOptions } from './options.js'
import type { Task } from './task.js'

/** Outliers need something known to differ from. */
const OUTLIER_LABELS_MIN = 100
/** Where the stream is followed. */
const DRIFT_LABELS: readonly number[] = [100, 300]
/** Feedback on none, one in 20 and one in 5 decisions. */
const DRIFT_PACES = [0, 20, 5] as const

function tasksOfSet(set: string, protocol: Protocol, options: QualityOptions): Task[] {
  const { parts, single } = options
  const tasks: Task[] = []
  for (const seed of new Array(options.seeds).keys())
    for (const labels of options.labels) {
      const enough = (lines: readonly number[] | undefined): boolean => lines !== undefined && lines.length >= labels
      if (parts.has('classification')) {
        for (const strategy of strategies) {
          if (!options.strategies.includes(strategy) || !enough(protocol.pick(strategy, seed))) continue
          tasks.push({ kind: 'classification', set, strategy, labels, seed, single })
        }
      }
      if (parts.has('outliers') && labels >= OUTLIER_LABELS_MIN) {
        for (const heldOut of protocol.outlierClasses) {
          if (enough(protocol.outlierLines(heldOut, seed)?.train))
            tasks.push({ kind: 'outliers', set, heldOut, labels, seed, single })
        }
      }
      // Where time has no order there is no drift to follow.
      if (
        parts.has('drift') &&
        protocol.inOrder &&
        DRIFT_LABELS.includes(labels) &&
        enough(protocol.pick('random', seed))
      ) {
        for (const pace of DRIFT_PACES) tasks.push({ kind: 'drift', set, labels, seed, single, pace })
      }
    }
  return tasks
}

/** The runs, a set after the other. */
export function planTasks(options: QualityOptions): Task[] {
  return options.sets.flatMap((set) => tasksOfSet(set, readProtocol(options.data, set), options))
}
