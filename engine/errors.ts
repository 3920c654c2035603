/**
 * Refusals: errors that are part of the contract.
 *
 * Owns: the list of codes. Leaves out: HTTP statuses (server/http/error-reply.ts), bugs, which are ordinary errors and
 * fail their turn (assert.ts).
 *
 * 1. Callers compare codes, never text.
 * 2. Between threads a refusal is sent as code, message and context, because its class would be lost.
 * 3. No message contains a key, a password or the body of an event.
 */

/** Every code. `retryable`: trying again later can help. */
export const refusals = {
  invalid_json: { retryable: false },
  invalid_body: { retryable: false },
  body_too_large: { retryable: false },
  event_too_deep: { retryable: false },
  event_too_wide: { retryable: false },
  forbidden_field: { retryable: false },
  number_too_large: { retryable: false },
  event_id_too_long: { retryable: false },
  unauthorized: { retryable: false },
  wrong_password: { retryable: false },
  too_many_attempts: { retryable: true },
  rate_limited: { retryable: true },
  forbidden: { retryable: false },
  job_not_found: { retryable: false },
  event_not_found: { retryable: false },
  model_not_found: { retryable: false },
  model_not_kept: { retryable: false },
  model_active: { retryable: false },
  model_misfit: { retryable: false },
  replay_not_found: { retryable: false },
  challenger_not_found: { retryable: false },
  challenger_refused: { retryable: false },
  task_not_found: { retryable: false },
  wrong_undo_token: { retryable: false },
  view_not_found: { retryable: false },
  contract_not_found: { retryable: false },
  gate_not_found: { retryable: false },
  gate_without_model: { retryable: false },
  job_stopped: { retryable: false },
  input_disabled: { retryable: false },
  bucket_not_found: { retryable: false },
  cluster_not_found: { retryable: false },
  invalid_cursor: { retryable: false },
  override_not_found: { retryable: false },
  vote_not_found: { retryable: false },
  queries_busy: { retryable: true },
  streams_busy: { retryable: true },
  websocket_unavailable: { retryable: false },
  origin_refused: { retryable: false },
  bodies_busy: { retryable: true },
  answers_busy: { retryable: true },
  integrations_unavailable: { retryable: true },
  letter_not_found: { retryable: false },
  resource_not_found: { retryable: false },
  user_not_found: { retryable: false },
  assigned_otherwise: { retryable: false },
  user_exists: { retryable: false },
  last_administrator: { retryable: false },
  token_not_found: { retryable: false },
  unknown_label: { retryable: false },
  not_enough_feedback: { retryable: false },
  training_in_progress: { retryable: false },
  invalid_resources: { retryable: false },
  unresolved_reference: { retryable: false },
  dependency_cycle: { retryable: false },
  resource_exists: { retryable: false },
  resource_in_use: { retryable: false },
  limit_exceeded: { retryable: false },
  query_too_large: { retryable: false },
  query_timeout: { retryable: true },
  mailbox_full: { retryable: true },
  draining: { retryable: true },
  not_ready: { retryable: true },
  store_full: { retryable: true },
  store_failed: { retryable: true },
  turn_failed: { retryable: false },
  log_unavailable: { retryable: true },
  container_not_found: { retryable: false },
  not_restartable: { retryable: false },
  watchdog_not_found: { retryable: false },
  watchdog_of_job: { retryable: false },
  backup_in_progress: { retryable: false },
  backup_refused: { retryable: false },
  data_dir_in_use: { retryable: false },
  data_dir_newer: { retryable: false },
  data_dir_invalid: { retryable: false },
} as const satisfies Record<string, { readonly retryable: boolean }>

/** The code of a refusal. */
export type RefusalCode = keyof typeof refusals

/** One place where a document is invalid (S2). */
export interface Issue {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
}

/** More about a refusal. */
export interface RefusalContext {
  /** The places where a document is invalid. */
  readonly issues?: readonly Issue[]
  /** One more sentence for people. */
  readonly details?: string
  /** When to try again, if known; at least 1. */
  readonly retryAfterSeconds?: number
}

/** An expected error with a code. It has no stack, because recording one costs more than refusing an invalid event. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly context: RefusalContext

  constructor(code: RefusalCode, message: string, context: RefusalContext = {}) {
    // Not every engine of browsers has it.
    const stacks: { stackTraceLimit?: number | undefined; name: string } = Error
    const { stackTraceLimit } = stacks
    stacks.stackTraceLimit = 0
    super(message)
    stacks.stackTraceLimit = stackTraceLimit
    this.name = 'Refusal'
    this.code = code
    this.context = context
  }

  get retryable(): boolean {
    return refusals[this.code].retryable
  }
}

/** True for a Refusal, and, where `code` is given, only for one with that code. */
export function isRefusal(error: unknown, code?: RefusalCode): error is Refusal {
  return error instanceof Refusal && (code === undefined || error.code === code)
}
