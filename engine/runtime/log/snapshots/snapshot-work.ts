/**
 * The work of a snapshot: copies of environments become objects, and objects become environments again.
 *
 * Owns: copying, checking and placing the files. Leaves out: when that is (services/cluster/snapshots/), the thread
 * (snapshot-thread.ts).
 *
 * 1. An environment is copied entry by entry from one moment, while others write to it. Its position in the log is in
 *    the copy. So a copy needs no pause, and may be made on any node.
 * 2. The ledger of integrations is copied behind the catalog, which has the position of both: rows of the ledger may be
 *    applied twice.
 * 3. A copy is checked page by page before it is stored, and what was stored is read back. Damage on one disk does not
 *    become a snapshot.
 * 4. A file takes its place by a rename, when it is whole and on disk, and the one with the position last. A process
 *    that dies meanwhile begins again.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../../errors.js'
import { openWhole } from '../../../store/directory/environments.js'
import { syncDirectory } from '../../../store/directory/make-directory.js'
import { isMade } from '../../../store/directory/whole-files.js'
import type { Environment } from '../../../store/environment.js'
import { freeBytes } from '../../../store/lmdb/free-space.js'
import { COPIED_BYTES } from '../../../store/lmdb/lmdb-copy.js'
import { walkPages } from '../../../store/pages/page-walk.js'
import { catalogPosition } from '../catalog/logged-environment.js'
import { ObjectDamaged } from '../jetstream/object-bucket.js'
import type { SnapshotFile } from './snapshot-list.js'
import type { SnapshotObjects } from './snapshot-objects.js'

/** The copies of a data directory that are being made or restored. */
const FOLDER = 'snapshot.partial'
const ROOM_BYTES_MIN = 2 * COPIED_BYTES
const PIECE_BYTES = 1024 ** 2

export interface MakeTask {
  readonly kind: 'make'
  readonly dataDir: string
  /** The first has the position. Others may not be there. */
  readonly environments: readonly string[]
  /** The beginning of the names of its objects. */
  readonly prefix: string
  /** Not 0: the work has to stop. */
  readonly ending: Int32Array
  /** It is not stored where it has not applied more than this. */
  readonly after: number
}

export interface RestoreTask {
  readonly kind: 'restore'
  readonly dataDir: string
  readonly files: readonly SnapshotFile[]
  readonly environments: readonly string[]
  readonly ending: Int32Array
}

/** What was stored; no files where there is nothing new. */
export interface Made {
  readonly sequence: number
  readonly files: readonly SnapshotFile[]
}

/** `damage`: what is wrong with the snapshot; null where it was restored. */
export interface Restored {
  readonly damage: string | null
}

/** The position of an environment: that of a shard and that of the catalog are alike. */
export function positionOf(environment: Pick<Environment, 'get'>): number {
  return catalogPosition(environment)
}

/** How far a copy in the data directory has applied its log; null where there is none. */
export async function positionIn(dataDir: string, environment: string): Promise<number | null> {
  if (!isMade(dataDir, environment)) return null
  const opened = openWhole(dataDir, environment)
  try {
    return positionOf(opened)
  } finally {
    await opened.close()
  }
}

function mustGoOn(ending: Int32Array): void {
  if (Atomics.load(ending, 0) !== 0) throw new Refusal('draining', 'the snapshot was given up')
}

/** A folder of its own for each part, empty. */
function freshFolder(dataDir: string, environment: string): string {
  const folder = join(dataDir, FOLDER, environment)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Rejects with Refusal draining, backup_refused, and as the objects do. */
export async function makeSnapshot(task: MakeTask, objects: SnapshotObjects): Promise<Made> {
  const { dataDir, prefix, ending } = task
  const [first = ''] = task.environments
  const folder = freshFolder(dataDir, first)
  const stored: SnapshotFile[] = []
  try {
    const environments = task.environments.filter((name) => isMade(dataDir, name))
    for (const name of environments) await copy(task, name, folder)
    const sequence = (await positionIn(folder, first)) ?? 0
    if (sequence <= task.after) return { sequence, files: [] }
    for (const environment of environments) {
      const path = join(folder, `${environment}.mdb`)
      const [problem] = walkPages(path).problems
      if (problem !== undefined) throw new Error(`${environment}.mdb of this node is damaged: ${problem.what}`)
      const object = `${prefix}.${environment}`
      const file = await store(path, { object, environment }, objects, ending)
      stored.push(file)
      await mustRead(file, objects, ending)
    }
    return { sequence, files: stored }
  } catch (error) {
    for (const { object } of stored) await objects.delete(object).catch(() => {})
    throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function copy({ dataDir, ending }: MakeTask, name: string, folder: string): Promise<void> {
  const environment = openWhole(dataDir, name)
  try {
    environment.takeSnapshot()
    environment.copyTo(folder, name, () => {
      mustGoOn(ending)
      if (freeBytes(folder) < ROOM_BYTES_MIN)
        throw new Refusal('backup_refused', 'there is no room for a snapshot in the data directory')
    })
  } finally {
    await environment.close()
  }
}

async function store(
  path: string,
  { object, environment }: Pick<SnapshotFile, 'object' | 'environment'>,
  objects: SnapshotObjects,
  ending: Int32Array,
): Promise<SnapshotFile> {
  const sha = createHash('sha256')
  let bytes = 0
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
      mustGoOn(ending)
      sha.update(piece)
      bytes += piece.length
      yield piece
    }
  }
  await objects.put(object, pieces())
  return { environment, object, bytes, sha256: sha.digest('hex') }
}

/** Reads an object, and throws ObjectDamaged where it is not what the list says. */
async function mustRead(
  { object, bytes, sha256 }: SnapshotFile,
  objects: SnapshotObjects,
  ending: Int32Array,
  take: (piece: Uint8Array) => void = () => {},
): Promise<void> {
  const sha = createHash('sha256')
  let read = 0
  for await (const piece of objects.get(object)) {
    mustGoOn(ending)
    sha.update(piece)
    read += piece.length
    take(piece)
  }
  if (read !== bytes || sha.digest('hex') !== sha256)
    throw new ObjectDamaged(`${object} has another hash than when it was stored`)
}

/** Puts the files of a snapshot in place. Nobody has the environments open. Rejects with LogUnavailable and Refusal. */
export async function restoreSnapshot(task: RestoreTask, objects: SnapshotObjects): Promise<Restored> {
  const { dataDir, files, environments, ending } = task
  const folder = freshFolder(dataDir, environments[0] ?? '')
  try {
    for (const file of files) {
      const to = openSync(join(folder, `${file.environment}.mdb`), 'wx', 0o600)
      try {
        await mustRead(file, objects, ending, (piece) => writeAll(to, piece))
        fsyncSync(to)
      } finally {
        closeSync(to)
      }
    }
    for (const name of [...environments].reverse()) place(dataDir, folder, name)
    return { damage: null }
  } catch (error) {
    if (error instanceof ObjectDamaged) return { damage: error.message }
    throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function place(dataDir: string, folder: string, name: string): void {
  const [from, to] = [join(folder, `${name}.mdb`), join(dataDir, `${name}.mdb`)]
  // What the lock file says belongs to the old file.
  rmSync(`${to}-lock`, { force: true })
  if (existsSync(from)) renameSync(from, to)
  else rmSync(to, { force: true })
  syncDirectory(dataDir)
}

function writeAll(file: number, piece: Uint8Array): void {
  for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at)
}
