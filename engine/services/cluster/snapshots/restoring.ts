/**
 * Restores copies of a node that its logs cannot complete: it is new, or what it needs next has been purged.
 *
 * Owns: which copies those are, and which snapshot is taken. Leaves out: the work (runtime/log/snapshots/).
 *
 * 1. The newest snapshot that is whole is taken. The list is told of one that is damaged, and nothing more is purged
 *    until another one was made.
 * 2. Where no snapshot completes a copy, the node does not start with less: it ends with a sentence.
 */
import type { Snapshot } from '../../../runtime/log/snapshots/snapshot-list.js'
import type { SnapshotWorker } from '../../../runtime/log/snapshots/snapshot-threads.js'
import { positionIn } from '../../../runtime/log/snapshots/snapshot-work.js'
import { LogGap } from '../../../runtime/log/turn-log.js'
import type { SnapshotPart } from './snapshot-part.js'

/** Those of the parts that have to be restored. Rejects with LogUnavailable. */
export async function missingCopies(dataDir: string, parts: readonly SnapshotPart[]): Promise<SnapshotPart[]> {
  const missing: SnapshotPart[] = []
  for (const part of parts) {
    const position = await positionIn(dataDir, part.environments[0] ?? '')
    const { first } = await part.log.extent()
    // Without any snapshot the log is whole, from its first record on.
    const isWhole = position === null ? first <= 1 && (await part.list.read()).length === 0 : position + 1 >= first
    if (!isWhole) missing.push(part)
  }
  return missing
}

interface RestoreDeps {
  readonly dataDir: string
  readonly worker: Pick<SnapshotWorker, 'restore'>
  /** Not 0: the work has to stop. */
  readonly ending: Int32Array
  told(what: string, details?: Readonly<Record<string, unknown>>): void
}

/** Rejects with LogGap where no snapshot is whole and new enough. */
export async function restoreCopy(part: SnapshotPart, deps: RestoreDeps): Promise<void> {
  const { name, environments, list } = part
  const { dataDir, ending, worker, told } = deps
  const beganMs = performance.now()
  for (;;) {
    const { first } = await part.log.extent()
    const isFit = ({ sequence, isDamaged }: Snapshot): boolean => isDamaged !== true && sequence + 1 >= first
    const snapshot = (await list.read()).find(isFit)
    if (snapshot === undefined)
      throw new LogGap(
        `the log of ${name} begins with record ${first}, and no whole snapshot has what was before; restore a backup`,
      )
    const { sequence, files, madeAt } = snapshot
    const { damage } = await worker.restore({ kind: 'restore', dataDir, environments, files, ending })
    if (damage === null) {
      const seconds = Number(((performance.now() - beganMs) / 1_000).toFixed(1))
      told('a copy was restored from a snapshot', { part: name, sequence, madeAt, seconds })
      return
    }
    told('a snapshot is damaged: the one before is taken', { part: name, sequence, damage })
    await list.damaged(snapshot)
  }
}
