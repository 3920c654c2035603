/**
 * Collects the garbage of the calling thread. V8 does so by itself when a thread has been idle for some seconds, but
 * not in one that sleeps on a shared counter: its event loop stands still.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { readonly type: 'major'; readonly execution: 'sync' }) => void

let collect: Collect | null = null

export function collectGarbage(): void {
  if (collect === null) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  // The second finds what the first has made unreachable, and gives back the space for young objects.
  for (let i = 0; i < 2; i++) collect({ type: 'major', execution: 'sync' })
}
