/**
 * Audit entries for a change of resources: one for each record that was created, changed or deleted.
 *
 * Owns: which fields an entry shows. Leaves out: the author and the log (audit-trail.ts).
 *
 * 1. For a field that may hold a secret, an entry says only that it changed: for parameters that are declared secret,
 *    and for names that sound like a secret. Hashes are never shown.
 * 2. An unchanged record gets no entry.
 */
import { isDeepStrictEqual } from 'node:util'
import { isoMicros } from '../clock.js'
import type { JobSettings } from '../domain/job/job.js'
import type { AuditAction, AuditChange, AuditEntry, AuditObjectType } from '../api/audit-service.js'
import type { Author } from '../api/principal.js'
import type { ApiKeyRecord, IntegrationRecord, TokenRecord, UserRecord } from './records.js'
import type { IntegrationRegistry } from './registry/integration-registry.js'
import type { Changes, ResourceState } from './state.js'

/** The text in place of a hidden value. */
export const HIDDEN = '(hidden)'

const SECRET_NAME = /pass|secret|token|credential|private|hash|salt/i
/** A user and password in an address. */
const USER_IN_ADDRESS = /\/\/[^/@\s]*@/g

type Fields = Readonly<Record<string, unknown>>

/** A record as entries show it. */
interface Shown {
  readonly title: string
  readonly fields: Fields
  /** Compared, and never shown. */
  readonly secrets: Fields
}

function showJob(job: JobSettings, titleOf: (integrationId: number) => string): Shown {
  const { title, description, category, status, feedbackColumns } = job
  return {
    title,
    fields: {
      title,
      description,
      category,
      status,
      decision_points: job.decisionPoints,
      labels: job.labels.map(({ hexColor, isUnused, ...label }) => {
        return { ...label, hex_color: hexColor, ...(isUnused === true ? { unused: true } : {}) }
      }),
      auto_retrain: job.autoRetrain,
      feedback_columns: feedbackColumns,
      pipeline: job.pipeline.map(
        (step) => `${step.role}: ${titleOf(step.integrationId)}${step.enabled ? '' : ' (disabled)'}`,
      ),
    },
    secrets: {
      pipeline_parameters: job.pipeline.map(({ parameters }) => parameters),
      advanced_settings: job.advancedSettings,
    },
  }
}

function showIntegration(record: IntegrationRecord, kinds: IntegrationRegistry): Shown {
  const kind = kinds.byId(record.kind)
  const fields: Record<string, unknown> = { title: record.title, integration_type: kind.name }
  const secrets: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record.connection)) {
    const spec = kind.connection.find((parameter) => parameter.name === name)
    const isPlain = spec !== undefined && spec.secret !== true && !SECRET_NAME.test(name) && typeof value !== 'object'
    if (isPlain) fields[name] = typeof value === 'string' ? value.replaceAll(USER_IN_ADDRESS, '//') : value
    else secrets[name] = value
  }
  return { title: record.title, fields, secrets }
}

/** A key or a user: plain values whose names do not sound like a secret. */
function showPlain(record: ApiKeyRecord | UserRecord): Shown {
  const isPlain = (name: string, value: unknown): boolean => !SECRET_NAME.test(name) && typeof value !== 'object'
  const own = Object.entries(record).filter(([name]) => name !== 'id' && name !== 'createdAt' && !/last/i.test(name))
  return {
    title: record.name,
    fields: Object.fromEntries(own.filter(([name, value]) => isPlain(name, value))),
    secrets: Object.fromEntries(own.filter(([name, value]) => !isPlain(name, value))),
  }
}

function showToken({ user, scopes, expiresMicros }: TokenRecord): Shown {
  return {
    title: user,
    fields: { user, expires_at: isoMicros(expiresMicros), ...(scopes === undefined ? {} : { scopes }) },
    secrets: {},
  }
}

/** The action on a user, where only the password or only `enabled` changed. */
function userAction(before: UserRecord | undefined, after: UserRecord | null): AuditAction | undefined {
  if (before === undefined || after === null) return undefined
  const changed = Object.keys(differences(showPlain(before), showPlain(after)))
  if (changed.join() === 'password') return 'password changed'
  return changed.join() === 'enabled' ? (after.enabled === false ? 'disabled' : 'enabled') : undefined
}

/** The fields that differ. Of a new or deleted record, secrets are left out. */
function differences(before: Shown | null, after: Shown | null): Record<string, AuditChange> {
  const changes: Record<string, AuditChange> = {}
  const names = (of: 'fields' | 'secrets'): Set<string> =>
    new Set([...Object.keys(before?.[of] ?? {}), ...Object.keys(after?.[of] ?? {})])
  for (const name of names('fields')) {
    const change = { before: before?.fields[name] ?? null, after: after?.fields[name] ?? null }
    if (!isDeepStrictEqual(change.before, change.after)) changes[name] = change
  }
  if (before === null || after === null) return changes
  for (const name of names('secrets')) {
    if (!isDeepStrictEqual(before.secrets[name], after.secrets[name])) changes[name] = { before: HIDDEN, after: HIDDEN }
  }
  return changes
}

/** The entries for changes of a state that does not have them yet. */
export function auditOf(state: ResourceState, changes: Changes, by: Author, atMicros: number): AuditEntry[] {
  const entries: AuditEntry[] = []
  for (const { type, id, before, after, job, action } of changed(state, changes, atMicros)) {
    const differing = differences(before, after)
    if (before !== null && after !== null && Object.keys(differing).length === 0) continue
    const title = (after ?? before)?.title ?? ''
    entries.push({
      atMicros,
      by,
      action: action ?? actionOf(before, after),
      object: { type, id, title },
      ...(job === undefined ? {} : { job }),
      changes: differing,
    })
  }
  return entries
}

/** An object before and after a change; null where there is none. */
interface Changed {
  readonly type: AuditObjectType
  readonly id: string
  readonly before: Shown | null
  readonly after: Shown | null
  readonly job?: AuditEntry['job']
  /** Given where it does not follow from the two. */
  readonly action?: AuditAction | undefined
}

function shown<R>(record: R | null | undefined, show: (record: R) => Shown): Shown | null {
  return record === null || record === undefined ? null : show(record)
}

function* changed(state: ResourceState, changes: Changes, atMicros: number): Generator<Changed> {
  const show = (record: IntegrationRecord): Shown => showIntegration(record, state.kinds)
  for (const [id, record] of changes.integrations) {
    const before = shown(state.integrations.get(id), show)
    yield { type: 'integration', id: String(id), before, after: shown(record, show) }
  }
  for (const [name, record] of changes.apiKeys) {
    const before = state.apiKeys.get(name)
    const id = record?.id ?? before?.id ?? name
    yield { type: 'api_key', id, before: shown(before, showPlain), after: shown(record, showPlain) }
  }
  for (const [name, record] of changes.users) {
    const before = state.users.get(name)
    const action = userAction(before, record)
    yield { type: 'user', id: name, before: shown(before, showPlain), after: shown(record, showPlain), action }
  }
  for (const [id, record] of changes.tokens) {
    const before = state.tokens.get(id)
    // An expired token is not revoked: it ended before.
    if (record === null && (before === undefined || before.expiresMicros <= atMicros)) continue
    const action = record === null ? 'token revoked' : 'token issued'
    yield { type: 'token', id, before: shown(before, showToken), after: shown(record, showToken), action }
  }
  const titleBefore = (id: number): string => state.integrations.get(id)?.title ?? `integration ${id}`
  const titleAfter = (id: number): string => changes.integrations.get(id)?.title ?? titleBefore(id)
  for (const [id, record] of changes.jobs) {
    const before = state.jobs.get(id)
    const job = { id, title: record?.title ?? before?.title ?? '' }
    yield {
      type: 'job',
      id: String(id),
      before: shown(before, (one) => showJob(one, titleBefore)),
      after: shown(record, (one) => showJob(one, titleAfter)),
      job,
    }
  }
}

function actionOf(before: Shown | null, after: Shown | null): AuditAction {
  if (before === null) return 'created'
  if (after === null) return 'deleted'
  const [was, is] = [before.fields.status, after.fields.status]
  const others = Object.keys(differences(before, after)).some((name) => name !== 'status')
  if (was === is || others) return 'updated'
  return is === 'STARTED' ? 'started' : 'stopped'
}
