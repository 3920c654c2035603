/**
 * Refusals in wire form (S2): status, body, headers.
 *
 * Owns: the map from codes to statuses. Leaves out: the codes (engine/errors.ts).
 *
 * 422 is always `{detail: [{loc, msg, type}]}`; other statuses are `{error}`, with `details` if there are any. An
 * exception that is not a refusal is a bug: the client gets 500, and only the log gets the error.
 */
import { STATUS_CODES } from 'node:http'
import { isRefusal, Refusal, type Issue, type RefusalCode } from '../../engine/index.js'
import type { Exchange } from './exchange.js'
import { json, problemJson, statusLine } from './reply.js'
import type { Headers } from './send.js'

/** The status of each refusal. */
export const statusOf: Readonly<Record<RefusalCode, number>> = {
  invalid_json: 400,
  invalid_body: 422,
  body_too_large: 413,
  event_too_deep: 413,
  event_too_wide: 413,
  forbidden_field: 422,
  number_too_large: 422,
  event_id_too_long: 422,
  unauthorized: 401,
  wrong_password: 401,
  too_many_attempts: 429,
  rate_limited: 429,
  forbidden: 403,
  job_not_found: 404,
  event_not_found: 404,
  model_not_found: 404,
  model_not_kept: 409,
  model_active: 409,
  model_misfit: 409,
  replay_not_found: 404,
  challenger_not_found: 404,
  challenger_refused: 409,
  task_not_found: 404,
  wrong_undo_token: 403,
  view_not_found: 404,
  contract_not_found: 404,
  gate_not_found: 404,
  gate_without_model: 409,
  job_stopped: 409,
  input_disabled: 409,
  bucket_not_found: 404,
  cluster_not_found: 404,
  invalid_cursor: 422,
  override_not_found: 404,
  vote_not_found: 404,
  queries_busy: 429,
  streams_busy: 429,
  websocket_unavailable: 501,
  origin_refused: 403,
  bodies_busy: 429,
  answers_busy: 429,
  integrations_unavailable: 503,
  letter_not_found: 404,
  resource_not_found: 404,
  user_not_found: 404,
  assigned_otherwise: 409,
  user_exists: 409,
  last_administrator: 409,
  token_not_found: 404,
  unknown_label: 400,
  not_enough_feedback: 409,
  training_in_progress: 409,
  invalid_resources: 422,
  unresolved_reference: 422,
  dependency_cycle: 422,
  resource_exists: 409,
  resource_in_use: 409,
  limit_exceeded: 409,
  query_too_large: 422,
  query_timeout: 503,
  mailbox_full: 429,
  draining: 503,
  not_ready: 503,
  turn_failed: 500,
  log_unavailable: 503,
  store_full: 507,
  store_failed: 503,
  container_not_found: 404,
  not_restartable: 409,
  watchdog_not_found: 404,
  watchdog_of_job: 409,
  backup_in_progress: 409,
  backup_refused: 409,
  data_dir_in_use: 500,
  data_dir_newer: 500,
  data_dir_invalid: 500,
}

const UNAVAILABLE = 503

/** Seconds to wait before a retry, if the refusal does not say. */
const retryAfterSeconds: Partial<Record<RefusalCode, number>> = {
  mailbox_full: 1,
  queries_busy: 1,
  streams_busy: 10,
  bodies_busy: 1,
  answers_busy: 5,
  query_timeout: 5,
  integrations_unavailable: 1,
  draining: 5,
  not_ready: 1,
  store_failed: 5,
  log_unavailable: 5,
  store_full: 30,
}

/** The place of a refusal that has no issues of its own. */
const placeOf: Partial<Record<RefusalCode, readonly string[]>> = {
  forbidden_field: ['body', 'raw_body'],
  number_too_large: ['body', 'raw_body'],
  event_id_too_long: ['path', 'event_id'],
  invalid_cursor: ['query', 'after'],
}

/** An issue in wire form: `loc` is an array of strings (CONTRACT.md#errors). */
export interface WireIssue {
  readonly loc: readonly string[]
  readonly msg: string
  readonly type: string
}

function wireIssues(refusal: Refusal): WireIssue[] {
  const { code, context, message } = refusal
  const issues: readonly Issue[] = context.issues ?? [{ loc: placeOf[code] ?? ['body'], msg: message, type: code }]
  return issues.map((issue) => ({ loc: issue.loc.map(String), msg: issue.msg, type: issue.type }))
}

/** The body of an error answer, in the ordinary form. */
export function errorDocument(refusal: Refusal): unknown {
  if (statusOf[refusal.code] === 422) return { detail: wireIssues(refusal) }
  const details = refusal.context.details
  return details === undefined ? { error: refusal.message } : { error: refusal.message, details }
}

/** The body of an error answer in the form of RFC 9457. */
export function problemDocument(refusal: Refusal, isBusy = false): unknown {
  const status = isBusy ? UNAVAILABLE : statusOf[refusal.code]
  const { details } = refusal.context
  return {
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    detail: details === undefined ? refusal.message : `${refusal.message}: ${details}`,
    code: refusal.code,
    ...(status === 422 ? { errors: wireIssues(refusal) } : {}),
  }
}

/** True where a newer event, key or job would have made another answer. */
function isOfUnknown({ code }: Refusal): boolean {
  return code === 'unauthorized' || code === 'forbidden' || statusOf[code] === 404
}

/**
 * Answers with a refusal. A sender that gives up after 429 is told 503 for all that a retry can mend (S37). Where the
 * exchange may lack the newest, what is not known here is 503: the client would take 404 for a loss, and 401 for a
 * wrong key.
 */
export function replyRefusal(exchange: Exchange, given: Refusal): void {
  const refusal =
    exchange.mayLackNewest && isOfUnknown(given)
      ? new Refusal('not_ready', `${given.message}; this node may not have the newest now: try again`)
      : given
  const isBusy = exchange.busyIs503 && refusal.retryable
  const seconds = refusal.context.retryAfterSeconds ?? retryAfterSeconds[refusal.code] ?? (isBusy ? 1 : undefined)
  const headers: Headers = seconds === undefined ? [] : [['Retry-After', String(seconds)]]
  const status = statusLine(isBusy ? UNAVAILABLE : statusOf[refusal.code])
  if (exchange.wantsProblem) {
    exchange.reply(status, problemJson, JSON.stringify(problemDocument(refusal, isBusy)), headers)
  } else {
    exchange.reply(status, json, JSON.stringify(errorDocument(refusal)), headers)
  }
}

/** Answers with an error of HTTP alone: an unknown path or method. */
export function replyHttpError(exchange: Exchange, status: number, message: string, headers: Headers = []): void {
  if (exchange.wantsProblem) {
    const document = { type: 'about:blank', title: STATUS_CODES[status], status, detail: message }
    exchange.reply(statusLine(status), problemJson, JSON.stringify(document), headers)
  } else {
    exchange.reply(statusLine(status), json, JSON.stringify({ error: message }), headers)
  }
}

/** Answers for any thrown value. */
export function replyError(exchange: Exchange, error: unknown): void {
  if (isRefusal(error)) return replyRefusal(exchange, error)
  exchange.failed(error)
  replyHttpError(exchange, 500, 'internal error')
}
