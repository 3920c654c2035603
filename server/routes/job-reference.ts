/**
 * Finds the job that a request names.
 *
 * A path segment that is not a number names no job: 404, never 422 (C1.5). A body without a valid `job_id` does not
 * match its schema: 422. A body with an integer that no job can have: 404.
 */
import { isRefusal, Refusal, type Issue, type JobHandle, type Principal } from '../../engine/index.js'
import type { App } from '../app.js'
import { skimJobId } from '../http/skim.js'
import { parseJson } from '../http/validate.js'

const NUMBER = /^\d{1,15}$/

function unknownJob(): Refusal {
  return new Refusal('job_not_found', 'job not found')
}

/** The job that a path segment names. @throws Refusal job_not_found. */
export function jobFromPath(app: App, principal: Principal, segment: string): JobHandle {
  if (!NUMBER.test(segment)) throw unknownJob()
  return app.service.job(principal, Number(segment))
}

/** The job that a path names for its events. @throws Refusal job_not_found, input_disabled. */
export function jobForPosts(app: App, principal: Principal, segment: string): JobHandle {
  return app.service.jobForPosts(principal, jobFromPath(app, principal, segment).id)
}

/** A job by its id or its title; a title may also be a number. @throws Refusal job_not_found. */
export function jobByIdOrTitle(app: App, principal: Principal, text: string): JobHandle {
  if (!NUMBER.test(text)) return app.service.jobByTitle(principal, text)
  try {
    return app.service.job(principal, Number(text))
  } catch (error) {
    if (!isRefusal(error, 'job_not_found')) throw error
    return app.service.jobByTitle(principal, text)
  }
}

/**
 * Resolves when a job may be known here that the refusal says is not, or does not take events; null where it says so
 * rightly. `sinceMs`: when the request came, of `performance.now()`.
 */
export function untilKnown({ catalogCurrent }: App, refusal: unknown, sinceMs?: number): Promise<void> | null {
  return isOfJob(refusal) ? (catalogCurrent?.(sinceMs) ?? null) : null
}

/** True for what is refused because of the job alone, as it is known here. */
export function isOfJob(refusal: unknown): boolean {
  return isRefusal(refusal, 'job_not_found') || isRefusal(refusal, 'input_disabled')
}

function badJobId(msg: string, type: string): Refusal {
  const issue: Issue = { loc: ['body', 'job_id'], msg, type }
  return new Refusal('invalid_body', `job_id: ${msg}`, { issues: [issue] })
}

/** Parses the whole body to find the job id, or its fault. */
function jobIdByParsing(bytes: Uint8Array): number {
  const document = parseJson(bytes)
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    const issue: Issue = { loc: ['body'], msg: 'Input should be an object', type: 'object_type' }
    throw new Refusal('invalid_body', 'the body is not an object', { issues: [issue] })
  }
  const id = Object.hasOwn(document, 'job_id') ? (document as { job_id: unknown }).job_id : undefined
  if (id === undefined || id === null) throw badJobId('Field required', 'missing')
  if (typeof id === 'number' && Number.isSafeInteger(id)) return id
  if (typeof id === 'string' && NUMBER.test(id.trim())) return Number(id.trim())
  // An integer, but larger than any job id.
  if (typeof id === 'number' ? Number.isInteger(id) : typeof id === 'string' && /^\d+$/.test(id.trim()))
    throw unknownJob()
  throw badJobId('Input should be a valid integer', 'int_type')
}

/**
 * The job id in the bytes of an event. They are parsed only if the quick scan (skim.ts) finds none.
 * @throws Refusal invalid_json, invalid_body, job_not_found.
 */
export function jobIdOf(bytes: Uint8Array): number {
  const skimmed = skimJobId(bytes)
  return skimmed > 0 ? skimmed : jobIdByParsing(bytes)
}
