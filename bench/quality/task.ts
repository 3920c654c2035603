/** A run as plain data: what a thread gets, and what it returns. */
import { followChurn, type ChurnRun, type ChurnTask } from './churn.js'
import { classify, type ClassificationRun, type ClassificationTask } from './classify.js'
import { runCoarse, type CoarseRun, type CoarseTask } from './coarse.js'
import { loadDataset, type Dataset } from './dataset.js'
import { followDrift, type DriftRun, type DriftTask } from './drift.js'
import { findOutliers, type OutlierRun, type OutlierTask } from './outliers.js'
import { shifted, type Shift } from './shift.js'

export type Task =
  | ({ readonly kind: 'classification'; readonly set: string } & ClassificationTask)
  | ({ readonly kind: 'outliers'; readonly set: string } & OutlierTask)
  | ({ readonly kind: 'drift'; readonly set: string } & DriftTask)
  | ({ readonly kind: 'shift'; readonly set: string; readonly shift: Shift } & ClassificationTask)
  | ({ readonly kind: 'churn'; readonly set: string } & ChurnTask)
  | ({ readonly kind: 'coarse'; readonly set: string } & CoarseTask)

export type Done =
  | { readonly task: Extract<Task, { kind: 'classification' }>; readonly run: ClassificationRun }
  | { readonly task: Extract<Task, { kind: 'outliers' }>; readonly run: OutlierRun }
  | { readonly task: Extract<Task, { kind: 'drift' }>; readonly run: DriftRun }
  | { readonly task: Extract<Task, { kind: 'shift' }>; readonly run: ClassificationRun }
  | { readonly task: Extract<Task, { kind: 'churn' }>; readonly run: ChurnRun }
  | { readonly task: Extract<Task, { kind: 'coarse' }>; readonly run: CoarseRun }

/** Runs tasks; keeps the set of the last one. */
export class TaskRunner {
  readonly #folder: string
  #dataset: Dataset | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Null where the set has no such test. */
  run(task: Task): Done | null {
    if (this.#dataset?.name !== task.set) this.#dataset = loadDataset(this.#folder, task.set)
    const dataset = this.#dataset
    switch (task.kind) {
      case 'classification':
        return { task, run: classify(dataset, task) }
      case 'outliers':
        return { task, run: findOutliers(dataset, task) }
      case 'drift':
        return { task, run: followDrift(dataset, task) }
      case 'churn':
        return { task, run: followChurn(dataset, task) }
      case 'shift': {
        const moved = shifted(dataset, task.shift, task.seed)
        const enough = moved !== null && moved.protocol.pick('random', task.seed).length >= task.labels
        return enough ? { task, run: classify(moved, task) } : null
      }
      case 'coarse':
        return { task, run: runCoarse(dataset, task) }
    }
  }
}

function protocolOf(task: Task): string {
  switch (task.kind) {
    case 'classification':
      return task.strategy
    case 'outliers':
      return `without ${task.heldOut}`
    case 'drift':
      return `feedback on one in ${task.pace}`
    case 'shift':
      return `shift by ${task.shift}`
    case 'churn':
      return 'trained again'
    case 'coarse':
      return `coarse, ${task.analysts} analysts`
  }
}

/** The name of a task in the progress output. */
export function nameOf(task: Task): string {
  return `${task.set}, ${protocolOf(task)}, ${task.labels} labels, seed ${task.seed}`
}
