/** The list of runs: what the protocols of the sets allow and the options ask for. */
import { readProtocol, strategies, type Protocol } from './dataset.js'
import type { QualityOptions } from './options.js'
import type { Task } from './task.js'

/** The outlier tests need labels: an outlier differs from what is known. */
const OUTLIER_LABELS_MIN = 100
/** The numbers of labels at which drift is followed. */
const DRIFT_LABELS: readonly number[] = [100, 300]
/** Feedback on none, one in 20 and one in 5 decisions. */
const DRIFT_PACES = [0, 20, 5] as const
/** The numbers of votes on coarse decision points. */
const COARSE_LABELS: readonly number[] = [30, 100, 300, 1_000]
const COARSE_ANALYSTS = [1, 3] as const

function tasksOfSet(set: string, protocol: Protocol, options: QualityOptions): Task[] {
  const { parts, single } = options
  const runs = [...new Array(options.seeds).keys()].flatMap((seed) =>
    options.labels.map((labels) => ({ seed, labels })),
  )
  return runs.flatMap(({ seed, labels }): Task[] => {
    const common = { set, labels, seed, single }
    const enough = (lines: readonly number[] | undefined): boolean => lines !== undefined && lines.length >= labels
    const classified = parts.has('classification') ? strategies.filter((one) => options.strategies.includes(one)) : []
    const outlying = parts.has('outliers') && labels >= OUTLIER_LABELS_MIN ? protocol.outlierClasses : []
    // Without time order there is no drift to follow.
    const follows = parts.has('drift') && protocol.inOrder && DRIFT_LABELS.includes(labels)
    const coarse = parts.has('coarse') && COARSE_LABELS.includes(labels)
    return [
      ...classified
        .filter((strategy) => enough(protocol.pick(strategy, seed)))
        .map((strategy) => ({ kind: 'classification' as const, strategy, ...common })),
      ...outlying
        .filter((heldOut) => enough(protocol.outlierLines(heldOut, seed)?.train))
        .map((heldOut) => ({ kind: 'outliers' as const, heldOut, ...common })),
      ...(follows && enough(protocol.pick('random', seed)) ? DRIFT_PACES : []).map((pace) => {
        return { kind: 'drift' as const, pace, ...common }
      }),
      // Whether a set has groups is known once its events are read.
      ...options.shifts
        .filter((shift) => shift !== 'time' || protocol.inOrder)
        .map((shift) => ({ kind: 'shift' as const, shift, strategy: 'random' as const, ...common })),
      ...(parts.has('churn') && protocol.pick('random', seed).length > labels
        ? [{ kind: 'churn' as const, ...common }]
        : []),
      ...(coarse && enough(protocol.pick('random', seed)) ? COARSE_ANALYSTS : []).map((analysts) => {
        return { kind: 'coarse' as const, analysts, set, labels, seed }
      }),
    ]
  })
}

/** The runs, one set after the other. */
export function planTasks(options: QualityOptions): Task[] {
  return options.sets.flatMap((set) => tasksOfSet(set, readProtocol(options.data, set), options))
}
