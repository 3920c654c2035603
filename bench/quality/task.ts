/** A run as plain data: what a thread gets, and what it returns. */
import { classify, type ClassificationRun, type ClassificationTask } from './classify.js'
import { runCoarse, type CoarseRun, type CoarseTask } from './coarse.js'
import { loadDataset, type Dataset } from './dataset.js'
import { followDrift, type DriftRun, type DriftTask } from './drift.js'
import { findOutliers, type OutlierRun, type OutlierTask } from './outliers.js'

export type Task =
  | ({ readonly kind: 'classification'; readonly set: string } & ClassificationTask)
  | ({ readonly kind: 'outliers'; readonly set: string } & OutlierTask)
  | ({ readonly kind: 'drift'; readonly set: string } & DriftTask)
  | ({ readonly kind: 'coarse'; readonly set: string } & CoarseTask)

export type Done =
  | { readonly task: Extract<Task, { kind: 'classification' }>; readonly run: ClassificationRun }
  | { readonly task: Extract<Task, { kind: 'outliers' }>; readonly run: OutlierRun }
  | { readonly task: Extract<Task, { kind: 'drift' }>; readonly run: DriftRun }
  | { readonly task: Extract<Task, { kind: 'coarse' }>; readonly run: CoarseRun }

/** Runs tasks; keeps the set of the last one. */
export class TaskRunner {
  readonly #folder: string
  #dataset: Dataset | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  run(task: Task): Done {
    if (this.#dataset?.name !== task.set) this.#dataset = loadDataset(this.#folder, task.set)
    const dataset = this.#dataset
    switch (task.kind) {
      case 'classification':
        return { task, run: classify(dataset, task) }
      case 'outliers':
        return { task, run: findOutliers(dataset, task) }
      case 'drift':
        return { task, run: followDrift(dataset, task) }
      case 'coarse':
        return { task, run: runCoarse(dataset, task) }
    }
  }
}

function howOf(task: Task): string {
  switch (task.kind) {
    case 'classification':
      return task.strategy
    case 'outliers':
      return `without ${task.heldOut}`
    case 'drift':
      return `feedback on one in ${task.pace}`
    case 'coarse':
      return `coarse, ${task.analysts} analysts`
  }
}

/** The name of a task in the progress output. */
export function nameOf(task: Task): string {
  const how = howOf(task)
  return `${task.set}, ${how}, ${task.labels} labels, seed ${task.seed}`
}
