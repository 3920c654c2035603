/**
 * Keys that an object has twice: the last one counts, as in JSON.parse, and the job warns where it is another value.
 *
 * Owns: what is told of them. Leaves out: finding them (json.ts).
 */
import { Refusal } from '../../../errors.js'
import { writeJson, type JsonPath } from '../json.js'

const NAMES_MAX = 8
/** Names of requests around the fields of an event. */
const around: ReadonlySet<string> = new Set(['events', 'raw_body'])

/** A finding (finding.ts). */
export interface RepeatedKey {
  readonly kind: 'repeated_key'
  readonly field: string
  readonly count: number
  readonly example: string
}

export class RepeatedKeys {
  #count = 0
  #field = ''
  #example = ''
  /** The envelope has its `job_id` twice, with different values. */
  hasTwoJobs = false

  /** To be called by parseJson. */
  readonly note = (path: JsonPath, before: unknown, after: unknown): void => {
    const [was, is] = [writeJson(before), writeJson(after)]
    if (was === is) return
    if (path.length === 1 && path[0] === 'job_id') this.hasTwoJobs = true
    if (this.#count++ > 0) return
    const names = path.filter((part) => typeof part === 'string')
    while (names.length > 1 && around.has(names[0] as string)) names.shift()
    this.#field = names.slice(0, NAMES_MAX).join('.')
    this.#example = `${was}, ${is}`
  }

  /** What the job is told of the first one; null for nothing. */
  get finding(): RepeatedKey | null {
    return this.#count === 0 ? null : { kind: 'repeated_key', field: this.#field, count: 1, example: this.#example }
  }

  /**
   * An event that names two jobs is for neither: readers of the request might choose differently.
   * @throws Refusal invalid_body.
   */
  mustBeOfOneJob(): void {
    if (!this.hasTwoJobs) return
    const msg = 'Input should have one job_id: it has two that differ'
    throw new Refusal('invalid_body', `job_id: ${msg}`, {
      issues: [{ loc: ['body', 'job_id'], msg, type: 'value_error' }],
    })
  }
}
