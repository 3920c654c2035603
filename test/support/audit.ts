/** The audit log as tests read it. */
import { decodeChained, type ChainedEntry } from '../../engine/services/audit/audit-tables.js'
import type { Environment } from '../../engine/store/environment.js'
import type { AuditEntry } from '../../engine/api/audit-service.js'

/** Every entry, in the order of the chain. */
export function auditEntries(environment: Environment): ChainedEntry[] {
  return [...environment.range('audit', {})].map(({ value }) => decodeChained(value).entry)
}

/** `action type title` of every entry. */
export function auditLines(environment: Environment): string[] {
  return auditEntries(environment).map(({ action, object }) => `${action} ${object.type} ${object.title}`)
}

export function anEntry(more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    atMicros: 1_700_000_000_000_000,
    by: { kind: 'management', name: 'ann' },
    action: 'updated',
    object: { type: 'job', id: '1', title: 'a job' },
    ...more,
  }
}
