/**
 * From what a client wrote to the job that it means.
 *
 * A path that holds no number names no job: 404, never 422 (C1.5). A body without a proper job_id
 * breaks its schema: 422; one with an integer that no job can have names none: 404.
 */
import { isRefusal, Refusal, type Issue, type JobHandle, type Principal } from '../../engine/index.js'
import type { App } from '../app.js'
import { skimJobId } from '../http/skim.js'
import { parseJson } from '../http/validate.js'

const NUMBER = /^\d{1,15}$/

function unknownJob(): Refusal {
  return new Refusal('job_not_found', 'job not found')
}

/** The job of a path segment. @throws Refusal job_not_found. */
export function jobFromPath(app: App, principal: Principal, segment: string): JobHandle {
  if (!NUMBER.test(segment)) throw unknownJob()
  return app.service.job(principal, Number(segment))
}

/** A job by its id, or by its title, which may be a number, too. @throws Refusal job_not_found. */
export function jobByIdOrTitle(app: App, principal: Principal, text: string): JobHandle {
  if (!NUMBER.test(text)) return app.service.jobByTitle(principal, text)
  try {
    return app.service.job(principal, Number(text))
  } catch (error) {
    if (!isRefusal(error, 'job_not_found')) throw error
    return app.service.jobByTitle(principal, text)
  }
}

function badJobId(msg: string, type: string): Refusal {
  const issue: Issue = { loc: ['body', 'job_id'], msg, type }
  return new Refusal('invalid_body', `job_id: ${msg}`, { issues: [issue] })
}

/** Parses the whole body to find the job id, or what is wrong with it. */
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
  // An integer all the same, and beyond the ids that jobs can have.
  if (typeof id === 'number' ? Number.isInteger(id) : typeof id === 'string' && /^\d+$/.test(id.trim()))
    throw unknownJob()
  throw badJobId('Input should be a valid integer', 'int_type')
}

/**
 * The job id in an event's bytes, without parsing them where it can be helped.
 * @throws Refusal invalid_json, invalid_body, job_not_found.
 */
export function jobIdOf(bytes: Uint8Array): number {
  const skimmed = skimJobId(bytes)
  return skimmed > 0 ? skimmed : jobIdByParsing(bytes)
}
