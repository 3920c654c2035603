/** The audit log: who changed what and when (CONTRACT.md#monitoring). */
import type { Static } from 'typebox'
import { isoMicros, Refusal, type AuditQuery, type AuditRecord } from '../../../engine/index.js'
import { operation, type Route } from '../../http/route.js'
import { AuditLogPage, AuditLogQuery, AuditNoted, AuditTerms, AuditVerdict } from '../../schemas/audit.js'
import { momentOf } from '../moment.js'

const tag = 'Monitoring'
const base = '/api/monitoring/api/v1/audit'
const SIZE = 50

function recordWire(record: AuditRecord) {
  const { sequence, atMicros, by, analyst, action, object, job, changes, details, hash } = record
  return {
    sequence,
    timestamp: isoMicros(atMicros),
    user: by.name,
    user_kind: by.kind,
    analyst: analyst ?? null,
    action,
    object_type: object.type,
    object_id: object.id,
    object_title: object.title,
    job_id: job?.id ?? null,
    job_title: job?.title ?? null,
    changes: changes ?? {},
    details: details ?? {},
    hash,
  }
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function engineQuery(query: Static<typeof AuditLogQuery>): AuditQuery {
  const fromMicros = momentOf('start_date', query.start_date)
  const toMicros = momentOf('end_date', query.end_date)
  return {
    page: query.page ?? 0,
    size: query.size ?? SIZE,
    order: query.sort_order ?? 'desc',
    ...(query.after === undefined ? {} : { after: query.after }),
    ...(query.user === undefined ? {} : { user: query.user }),
    ...(query.analyst === undefined ? {} : { analyst: query.analyst }),
    ...(query.action === undefined ? {} : { actions: list(query.action) }),
    ...(query.object_type === undefined ? {} : { objectTypes: list(query.object_type) }),
    ...(query.object_id === undefined ? {} : { objectId: query.object_id }),
    ...(query.job_id === undefined ? {} : { jobId: query.job_id }),
    ...(fromMicros === undefined ? {} : { fromMicros }),
    ...(toMicros === undefined ? {} : { toMicros }),
    ...(query.search === undefined ? {} : { text: query.search }),
  }
}

const logs = operation({
  method: 'GET',
  path: `${base}/logs`,
  operationId: 'listAuditLogs',
  tag,
  summary: 'List who changed what and when',
  description: 'An entry must match all parameters. Feedback is in the log as soon as it is acknowledged.',
  scope: 'read:platform_monitoring',
  query: AuditLogQuery,
  responses: { 200: { description: 'A page of entries.', schema: AuditLogPage } },
  async handle({ app, query }) {
    const wanted = engineQuery(query)
    const { records, total, exact, next } = await app.service.audit.entries(wanted)
    const { page, size } = wanted
    return { audit_logs: records.map(recordWire), total_count: total, total_count_is_exact: exact, page, size, next }
  },
})

const terms = operation({
  method: 'GET',
  path: `${base}/filterable_fields_terms`,
  operationId: 'listAuditTerms',
  tag,
  summary: 'List what the audit log can be filtered by',
  description: 'The fields and their values, each with its number of entries.',
  scope: 'read:platform_monitoring',
  responses: { 200: { description: 'Fields and values.', schema: AuditTerms } },
  async handle({ app, principal }) {
    const titles = new Map(app.service.jobViews(principal, false).map(({ id, title }) => [String(id), title]))
    const fields = await app.service.audit.terms()
    return {
      fields: fields.map(({ field, terms: values, complete }) => ({
        field,
        terms: values.map(({ value, count }) => ({
          value,
          title: field === 'job_id' ? (titles.get(value) ?? null) : null,
          count,
        })),
        complete,
      })),
    }
  },
})

const verify = operation({
  method: 'GET',
  path: `${base}/verify`,
  operationId: 'verifyAuditLog',
  tag,
  summary: 'Verify that the audit log is unchanged',
  description:
    'Checks the whole chain and names the first broken entry. Pass `sequence` and `hash` of an entry noted earlier ' +
    'to prove that the history up to it is unchanged.',
  scope: 'read:platform_monitoring',
  query: AuditNoted,
  responses: { 200: { description: 'The result.', schema: AuditVerdict } },
  async handle({ app, query: { sequence, hash } }) {
    if ((sequence === undefined) !== (hash === undefined)) {
      const missing = sequence === undefined ? 'sequence' : 'hash'
      const issue = { loc: ['query', missing], msg: 'sequence and hash must be given together', type: 'missing' }
      throw new Refusal('invalid_body', 'sequence and hash must be given together', { issues: [issue] })
    }
    const noted = sequence === undefined || hash === undefined ? undefined : { count: sequence, hash }
    const { intact, entries, head, broken } = await app.service.audit.verify(noted)
    return { intact, entries, head, broken }
  },
})

export const auditRoutes: readonly Route[] = [logs, terms, verify]
