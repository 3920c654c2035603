/** Many trials of corruption.ts, in processes that may crash. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Trial } from './corruption.js'
import { childFile } from '../child-files.js'
import { shortLived } from '../support/short-lived.js'

const program = fileURLToPath(childFile('corruption-child'))

/** Runs trials 0 to count - 1 on the directory and leaves it as it was. A process that crashed missed its byte. */
export async function corrupt(
  dir: string,
  seed: number,
  count: number,
  seen: (trial: Trial) => void = () => {},
): Promise<Trial[]> {
  const trials: Trial[] = []
  while (trials.length < count) {
    const args = [dir, String(seed), String(trials.length), String(count)]
    const child = fork(program, args, { execArgv: [...shortLived] })
    child.on('message', (trial: Trial) => {
      trials.push(trial)
      seen(trial)
    })
    const ended = await new Promise<string>((resolve) =>
      child.once('exit', (code, signal) => resolve(signal ?? String(code))),
    )
    if (trials.length === count) break
    // The byte is still changed: no more trials are possible on this directory.
    const number = trials.length
    trials.push({
      number,
      file: '?',
      page: -1,
      kind: 'leaf',
      at: -1,
      from: -1,
      to: -1,
      fate: 'missed',
      what: `the process ended with ${ended}`,
    })
    break
  }
  return trials
}
