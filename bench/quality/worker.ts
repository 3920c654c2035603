/** The entry of a thread: runs the tasks that it is sent. */
import { parentPort, workerData } from 'node:worker_threads'
import { TaskRunner, type Task } from './task.js'

const runner = new TaskRunner(workerData as string)
parentPort?.on('message', (task: Task) => parentPort?.postMessage(runner.run(task)))
