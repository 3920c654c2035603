/**
 * A copy that differs from those of the other nodes: its node stops, and does not start with it again.
 *
 * Owns: the file that says so in the data directory. Leaves out: how it is noticed (comparison.ts), restoring
 * (snapshots/).
 *
 * 1. The file is there before the node ends. Only restoring the copy removes it.
 * 2. Snapshots that this node made are suspect, too: they count as damaged from then on.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../../errors.js'
import type { SnapshotPart } from '../snapshots/snapshot-part.js'

const FILE = 'differing.json'

/** Parts of this directory that differ, by name. */
export function differingParts(dataDir: string): readonly string[] {
  const file = join(dataDir, FILE)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : []
}

/** Notes that the copy of a part differs; returns what the node says when it ends. */
export async function noteDiffering(
  { dataDir, node }: { readonly dataDir: string; readonly node: string },
  part: SnapshotPart,
  record: number,
): Promise<string> {
  const parts = [...new Set([...differingParts(dataDir), part.name])]
  writeFileSync(join(dataDir, FILE), JSON.stringify(parts), { mode: 0o600, flush: true })
  for (const snapshot of await part.list.read())
    if (snapshot.node === node) await part.list.damaged(snapshot).catch(() => {})
  return sentence(part.name, `behind record ${record} of its log`)
}

/** Removes the copies that differ, so that they are restored. @throws Refusal data_dir_invalid where it may not. */
export function dropDiffering(dataDir: string, parts: readonly SnapshotPart[], mayRestore: boolean): void {
  const names = differingParts(dataDir)
  if (names.length === 0) return
  if (!mayRestore) throw new Refusal('data_dir_invalid', sentence(names.join(', '), 'as was found before'))
  for (const { name, environments } of parts)
    if (names.includes(name))
      for (const environment of environments) rmSync(join(dataDir, `${environment}.mdb`), { force: true })
  rmSync(join(dataDir, FILE))
}

function sentence(what: string, where: string): string {
  return (
    `the copy of ${what} on this node differs from those of the other nodes, ${where}; ` +
    'start it once with SERVICE_CLUSTER_RESTORE=true, which restores the copy from a snapshot'
  )
}
