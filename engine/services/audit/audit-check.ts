/**
 * Checks the audit log of a data directory that no service uses: for operators, and for kept copies.
 *
 * 1. It changes nothing that is stored, and holds the directory's lock meanwhile.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../errors.js'
import type { AuditProof } from '../../api/audit-service.js'
import { openDataDir } from '../../store/directory/data-dir.js'
import { openCatalog, openShard } from '../../store/directory/environments.js'
import { lockDataDir } from '../../store/directory/data-lock.js'
import { notedHead, untold } from '../../actor/audit-outbox.js'
import { proveChain } from './audit-proof.js'
import { auditTables, decodeTaken, takenKey } from './audit-tables.js'
import { notedInShards } from './audit.js'

export interface AuditCheck extends AuditProof {
  /** Entries that the next start takes from the outboxes into the log. */
  readonly waiting: number
}

/**
 * Walks the chain of a data directory. `noted` is a head that an operator has kept, its hash in hexadecimal.
 * Rejects with Refusal data_dir_in_use, data_dir_newer, data_dir_invalid.
 */
export async function checkAuditLog(
  dataDir: string,
  noted?: { readonly count: number; readonly hash: string },
): Promise<AuditCheck> {
  if (!existsSync(join(dataDir, 'format.json')))
    throw new Refusal('data_dir_invalid', `there is no data directory at ${dataDir}`)
  const lock = await lockDataDir(dataDir)
  try {
    const { shards } = openDataDir(dataDir, 0)
    const catalog = openCatalog(dataDir, auditTables)
    const heads: (Uint8Array | undefined)[] = []
    let waiting = 0
    for (let shard = 0; shard < shards; shard++) {
      const environment = openShard(dataDir, shard)
      heads.push(notedHead(environment))
      for (const _ of untold(environment, decodeTaken(catalog.get('audit_meta', takenKey(shard))), Infinity)) waiting++
      await environment.close()
    }
    const witnesses = notedInShards(heads)
    if (noted !== undefined)
      witnesses.push({ count: noted.count, hash: Buffer.from(noted.hash, 'hex'), place: 'the caller' })
    const proof = proveChain(catalog, witnesses)
    await catalog.close()
    return { ...proof, waiting }
  } finally {
    await lock.release()
  }
}
