/**
 * What all nodes of a cluster must have equal, and to which cluster a data directory belongs.
 *
 * Owns: the value `facts` of the cluster, and `cluster.json` of the data directory.
 *
 * 1. The first node writes the facts. Every other node compares its own with them, and does not start where they
 *    differ.
 * 2. A directory belongs to one cluster for good. The facts hold a hash of the sealing key, not the key.
 */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../errors.js'
import type { ClusterKeys } from '../../runtime/log/jetstream/cluster-keys.js'
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

function factsOf(id: string, dataDir: string, { shards, name }: Pick<Facts, 'shards' | 'name'>): Facts {
  const sealing = createHash('sha256').update('decision-service').update(sealingKey(dataDir)).digest('hex')
  return { id, format: DATA_FORMAT, shards, name, sealing }
}

/**
 * Joins the directory to the cluster. The caller holds its lock.
 * @throws Refusal data_dir_invalid, data_dir_newer; rejects with LogUnavailable.
 */
export async function joinDirectory(
  keys: Pick<ClusterKeys, 'get' | 'put'>,
  dataDir: string,
  own: Pick<Facts, 'shards' | 'name'>,
): Promise<NodeFile> {
  const file = nodeFileOf(dataDir)
  if (file === null && readdirSync(dataDir).some((name) => name.endsWith('.mdb')))
    throw new Refusal(
      'data_dir_invalid',
      `the data directory ${dataDir} has data that is not in the cluster's log; a node begins with an empty directory`,
    )
  const mine = factsOf(file?.cluster ?? randomBytes(8).toString('hex'), dataDir, own)
  let found = (await keys.get(KEY))?.value as Facts | undefined
  if (found === undefined) {
    if (file !== null) throw differs(dataDir, 'belongs to a cluster whose streams are gone; restore a backup elsewhere')
    const isFirst = (await keys.put(KEY, mine, 0)) !== null
    found = isFirst ? mine : ((await keys.get(KEY))?.value as Facts)
  }
  mustBeEqual(dataDir, mine, found)
  if (file !== null) {
    if (file.cluster !== found.id)
      throw differs(dataDir, 'belongs to another cluster; give this node its own directory')
    return file
  }
  const made: NodeFile = { cluster: found.id, node: randomBytes(6).toString('hex') }
  writeFileSync(join(dataDir, FILE), JSON.stringify(made), { mode: 0o600, flush: true })
  return made
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
