/** `decide audit`: who changed what, and proof that the log is unchanged. */
import type { AuditLogEntry } from '../../client/index.js'
import type { Context, ServiceFlags } from '../context.js'
import { CommandError, UsageError } from '../failure.js'

export interface AuditFlags extends ServiceFlags {
  readonly user?: string | undefined
  readonly action?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly search?: string | undefined
  readonly limit: number
}

const PAGE = 200

export async function listAudit(context: Context, flags: AuditFlags): Promise<void> {
  const { user, action, since, until, search, limit } = flags
  const rows: AuditLogEntry[] = []
  const params = { user, action, start_date: since, end_date: until, search, size: Math.min(PAGE, limit) }
  const { signal } = context.world
  for await (const entry of context.client(flags).items('listAuditLogs', params, { signal })) {
    rows.push(entry)
    if (rows.length >= limit) break
  }
  const columns = [
    { title: 'no', of: (entry: AuditLogEntry) => entry.sequence },
    { title: 'time', of: (entry: AuditLogEntry) => entry.timestamp },
    { title: 'user', of: (entry: AuditLogEntry) => entry.analyst ?? entry.user },
    { title: 'action', of: (entry: AuditLogEntry) => entry.action },
    { title: 'object', of: (entry: AuditLogEntry) => `${entry.object_type} ${entry.object_title || entry.object_id}` },
    { title: 'changed', of: (entry: AuditLogEntry) => Object.keys(entry.changes).join(', ') },
  ]
  context.list(flags, rows, columns, 'No entry matches.')
}

export interface VerifyAuditFlags extends ServiceFlags {
  readonly dataDir?: string | undefined
  readonly head?: string | undefined
}

interface Proof {
  readonly intact: boolean
  readonly entries: number
  readonly head: string
  readonly broken?: { readonly sequence: number; readonly reason: string } | null | undefined
}

const HEAD = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i

async function proofOf(context: Context, flags: VerifyAuditFlags): Promise<Proof> {
  const head = flags.head === undefined ? null : HEAD.exec(flags.head)
  if (flags.head !== undefined && head === null)
    throw new UsageError('--head must be NUMBER:HASH, as this command prints it')
  if (flags.dataDir !== undefined) {
    const { checkAuditLog } = await import('../../../engine/index.js')
    return checkAuditLog(flags.dataDir, head === null ? undefined : { count: Number(head[1]), hash: head[2]! })
  }
  return context.client(flags).verifyAuditLog(head === null ? {} : { sequence: Number(head[1]), hash: head[2]! })
}

export async function verifyAudit(context: Context, flags: VerifyAuditFlags): Promise<void> {
  const { intact, entries, head, broken } = await proofOf(context, flags)
  context.print(flags, { intact, entries, head, broken: broken ?? null }, () => {
    if (intact) return `Intact: ${entries} entries.\nHead: ${entries}:${head}`
    return `BROKEN at entry ${broken?.sequence}: ${broken?.reason}.`
  })
  if (!intact) throw new CommandError('the audit log is not intact')
}
