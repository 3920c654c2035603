/**
 * What all nodes of a cluster must have equal, and to which cluster a data directory belongs.
 *
 * Owns: the value `facts` of the cluster, and `cluster.json` of the data directory.
 *
 * 1. The first node writes the facts. Every other node compares its own with them, and does not start where they
 *    differ.
 * 2. A node with the data of one process may be the first: its data is imported, and then the facts are written. So no
 *    node joins before all of it is there.
 * 3. A directory belongs to one cluster for good. The facts hold a hash of the sealing key, not the key.
 */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../errors.js'
import type { ClusterKeys } from '../../runtime/log/jetstream/cluster-keys.js'
import { LogUnavailable } from '../../runtime/log/turn-log.js'
import { DATA_FORMAT, sealingKey } from '../../store/directory/data-dir.js'

const KEY = 'facts'
const FILE = 'cluster.json'

interface Facts {
  readonly id: string
  readonly format: number
  readonly shards: number
  readonly name: string
  readonly sealing: string
}

/** Who a data directory is in which cluster. */
export interface NodeFile {
  readonly cluster: string
  readonly node: string
  /** Its data is being imported: the cluster has not begun. */
  readonly isImporting?: boolean
}

/** The node of this directory; null where it belongs to no cluster. */
export function nodeFileOf(dataDir: string): NodeFile | null {
  const file = join(dataDir, FILE)
  if (!existsSync(file)) return null
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as NodeFile
  } catch {
    throw new Refusal('data_dir_invalid', `${FILE} in the data directory ${dataDir} cannot be read`)
  }
}

/** Refuses to use the directory of a node outside of its cluster: what is written there would not be in the log. */
export function mustBeNoNode(dataDir: string): void {
  if (nodeFileOf(dataDir) === null) return
  throw new Refusal(
    'data_dir_invalid',
    `the data directory ${dataDir} belongs to a node of a cluster: set SERVICE_CLUSTER, or restore a backup elsewhere`,
  )
}

/** Gives a new data directory the sealing key that all nodes share. @throws Refusal data_dir_invalid. */
export function placeSealingKey(dataDir: string, key: string | undefined): void {
  const file = join(dataDir, 'sealing.key')
  if (!existsSync(file)) {
    if (key === undefined)
      throw new Refusal(
        'data_dir_invalid',
        'all nodes of a cluster share one sealing key: set SERVICE_CLUSTER_SEALING_KEY, ' +
          `or copy sealing.key into ${dataDir}`,
      )
    writeFileSync(file, key, { mode: 0o600, flush: true })
  } else if (key !== undefined && readFileSync(file, 'latin1').trim().toLowerCase() !== key.toLowerCase())
    throw new Refusal(
      'data_dir_invalid',
      `sealing.key in the data directory ${dataDir} is another key than SERVICE_CLUSTER_SEALING_KEY; ` +
        'they must be equal',
    )
}

function sealingHashOf(dataDir: string): string {
  return createHash('sha256').update('decision-service').update(sealingKey(dataDir)).digest('hex')
}

function factsOf(id: string, dataDir: string, { shards, name }: Pick<Facts, 'shards' | 'name'>): Facts {
  return { id, format: DATA_FORMAT, shards, name, sealing: sealingHashOf(dataDir) }
}

/**
 * Refuses an empty directory under a name that no cluster has, where a cluster with another name has its sealing key:
 * it would begin a cluster of its own beside that one. `clusters`: by name, the keys of each.
 * @throws Refusal data_dir_invalid; rejects with LogUnavailable.
 */
export async function refuseWrongName(
  dataDir: string,
  name: string,
  clusters: () => Promise<ReadonlyMap<string, Pick<ClusterKeys, 'get'>>>,
): Promise<void> {
  if (hasData(dataDir) || nodeFileOf(dataDir) !== null) return
  const all = await clusters()
  if (((await all.get(name)?.get(KEY)) ?? null) !== null) return
  const sealing = sealingHashOf(dataDir)
  // Another node may have begun the cluster with this name since the look above.
  for (const [other, keys] of all)
    if (other !== name && ((await keys.get(KEY))?.value as Partial<Facts> | undefined)?.sealing === sealing)
      throw new Refusal(
        'data_dir_invalid',
        `the cluster with the sealing key of this node has the name ${other}, and this node has ${name}: set ` +
          'SERVICE_NAME, or give another cluster its own key',
      )
}

function hasData(dataDir: string): boolean {
  return readdirSync(dataDir).some((name) => name.endsWith('.mdb'))
}

/**
 * Joins the directory to the cluster. The caller holds its lock. `importData` makes the data of one process the
 * beginning of a new cluster.
 * @throws Refusal data_dir_invalid, data_dir_newer; rejects with LogUnavailable, and as `importData` does.
 */
export async function joinDirectory(
  keys: Pick<ClusterKeys, 'get' | 'put'>,
  dataDir: string,
  own: Pick<Facts, 'shards' | 'name'>,
  importData: (node: NodeFile) => Promise<void>,
): Promise<NodeFile> {
  const file = nodeFileOf(dataDir)
  const isOfOneProcess = file === null && hasData(dataDir)
  const node = file?.node ?? randomBytes(6).toString('hex')
  const mine = factsOf(file?.cluster ?? randomBytes(8).toString('hex'), dataDir, own)
  let found = (await keys.get(KEY))?.value as Facts | undefined
  if (found === undefined) {
    if (file !== null && file.isImporting !== true)
      throw differs(dataDir, 'belongs to a cluster whose streams are gone; restore a backup elsewhere')
    if (isOfOneProcess || file !== null) {
      const importing: NodeFile = { cluster: mine.id, node, isImporting: true }
      writeNodeFile(dataDir, importing)
      await importData(importing)
    }
    const isFirst = (await keys.put(KEY, mine, 0)) !== null
    found = isFirst ? mine : ((await keys.get(KEY))?.value as Facts | undefined)
    // Another node is about to write them.
    if (found === undefined) throw new LogUnavailable('the facts of the cluster are being written')
  }
  const isImported = nodeFileOf(dataDir)?.isImporting === true
  if (isOfOneProcess || isImported) mustHaveBegun(dataDir, mine, found)
  mustBeEqual(dataDir, mine, found)
  if (file !== null && file.cluster !== found.id)
    throw differs(dataDir, 'belongs to another cluster; give this node its own directory')
  const made: NodeFile = { cluster: found.id, node }
  if (file === null || isImported) writeNodeFile(dataDir, made)
  return made
}

function writeNodeFile(dataDir: string, file: NodeFile): void {
  writeFileSync(join(dataDir, FILE), JSON.stringify(file), { mode: 0o600, flush: true })
}

/** Refuses data that the cluster has not begun with. It can be used as before. */
function mustHaveBegun(dataDir: string, mine: Facts, found: Facts): void {
  if (found.id === mine.id) return
  rmSync(join(dataDir, FILE), { force: true })
  throw differs(
    dataDir,
    "has data that is not in the cluster's log, and the cluster has begun without it; " +
      'begin a new cluster with this node, or give it an empty directory',
  )
}

function differs(dataDir: string, how: string): Refusal {
  return new Refusal('data_dir_invalid', `the data directory ${dataDir} ${how}`)
}

function mustBeEqual(dataDir: string, mine: Facts, found: Facts): void {
  if (found.format > mine.format)
    throw new Refusal(
      'data_dir_newer',
      `the cluster has format ${found.format}, made by a newer version; this one has format ${mine.format}: update it`,
    )
  if (found.shards !== mine.shards)
    throw differs(
      dataDir,
      `has ${mine.shards} shards, and the cluster ${found.shards}: set SERVICE_SHARDS on all nodes`,
    )
  if (found.name !== mine.name)
    throw new Refusal(
      'data_dir_invalid',
      `the nodes of a cluster have one name: this one is ${mine.name}, the cluster ${found.name} (SERVICE_NAME)`,
    )
  if (found.sealing !== mine.sealing)
    throw differs(dataDir, 'has another sealing.key than the cluster: all nodes need the same one')
}
