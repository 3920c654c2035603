/** Runs tasks one after the other, or on several threads if the options ask for them. */
import { Worker } from 'node:worker_threads'
import { built } from '../harness/paths.js'
import { nameOf, TaskRunner, type Done, type Task } from './task.js'

/** Writes the progress of the runs to standard error. */
class Progress {
  readonly #total: number
  readonly #startedAt = performance.now()
  #done = 0

  constructor(total: number) {
    this.#total = total
  }

  report(task: Task): void {
    this.#done++
    const seconds = (performance.now() - this.#startedAt) / 1000
    const left = Math.round((seconds / this.#done) * (this.#total - this.#done))
    console.error(`${this.#done}/${this.#total}  ${seconds.toFixed(0)} s, about ${left} s left  ${nameOf(task)}`)
  }
}

/** The results, in the order of the tasks. */
export async function runTasks(tasks: readonly Task[], folder: string, workers: number): Promise<Done[]> {
  const progress = new Progress(tasks.length)
  if (workers === 1) {
    const runner = new TaskRunner(folder)
    return tasks.flatMap((task) => {
      const done = runner.run(task)
      progress.report(task)
      return done === null ? [] : [done]
    })
  }
  const results = new Array<Done | null>(tasks.length)
  const queue = [...tasks.entries()]
  const threads = Array.from(
    { length: Math.min(workers, tasks.length) },
    () =>
      new Promise<void>((resolve, reject) => {
        const thread = new Worker(built('bench/quality/worker.js'), { workerData: folder })
        let current = queue.shift()
        const next = (): void => {
          if (current !== undefined) thread.postMessage(current[1])
          else void thread.terminate().then(() => resolve())
        }
        thread.on('error', reject)
        thread.on('message', (done: Done | null) => {
          if (current === undefined) return
          results[current[0]] = done
          progress.report(current[1])
          current = queue.shift()
          next()
        })
        next()
      }),
  )
  await Promise.all(threads)
  return results.filter((done) => done !== null)
}
