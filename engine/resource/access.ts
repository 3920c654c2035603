/**
 * Whose a presented key is, and which jobs that one may see (S1).
 *
 * Owns: what is computed from the catalog for every request. Leaves out: the records (state.ts), refusing (server/).
 *
 * 1. A key that was deleted is nobody's from the same moment: `keysChanged` forgets every known secret.
 * 2. The hot path is one look into a map; a secret that is not known costs one SHA-256 and is remembered only when it
 *    belongs to somebody, in two generations of bounded size, so that strangers push nobody out.
 * 3. An input key sees the jobs that have an enabled input step whose integration is bound to it.
 */
import { limits } from '../limits.js'
import type { JobSettings } from '../job/job.js'
import type { Principal, Scope } from '../service.js'
import type { ApiKeyRecord } from './records.js'
import { hashSecret, sameHash } from './secrets.js'
import type { CatalogState } from './state.js'

const everyScope: Readonly<Record<Scope, true>> = {
  public: true,
  'read:resources': true,
  'write:resources': true,
  'delete:resources': true,
  'execute:job_operations': true,
  'write:event_feedback': true,
  'write:event_agentic_notes': true,
  'execute:reprocess_events': true,
  'read:event_export': true,
  'write:events': true,
  'read:event_query': true,
  'write:consensus': true,
  'read:platform_monitoring': true,
}

const scopesOf: Readonly<Record<ApiKeyRecord['kind'], ReadonlySet<Scope>>> = {
  management: new Set(Object.keys(everyScope) as Scope[]),
  input: new Set<Scope>([
    'public',
    'write:events',
    'read:event_export',
    'write:event_feedback',
    'write:event_agentic_notes',
    'execute:job_operations',
  ]),
}

const nothing: ReadonlySet<number> = new Set()

export class Access {
  readonly #state: CatalogState
  #byHash = new Map<string, ApiKeyRecord>()
  #known = new Map<string, Principal>()
  #knownBefore = new Map<string, Principal>()
  #seen = new Map<string, Set<number>>()

  constructor(state: CatalogState) {
    this.#state = state
    this.keysChanged()
    this.bindingsChanged()
  }

  /** Whose the secret is, or null. */
  authenticate(secret: string): Principal | null {
    return this.#known.get(secret) ?? this.#find(secret)
  }

  #find(secret: string): Principal | null {
    if (secret.length > limits.secretCharsMax) return null
    const principal = this.#knownBefore.get(secret) ?? this.#lookUp(hashSecret(secret))
    if (principal === null) return null
    if (this.#known.size >= limits.knownSecretsMax) {
      this.#knownBefore = this.#known
      this.#known = new Map()
    }
    this.#known.set(secret, principal)
    return principal
  }

  #lookUp(hash: string): Principal | null {
    const key = this.#byHash.get(hash)
    if (key === undefined || !sameHash(key.hash, hash)) return null
    return { kind: key.kind, name: key.name, scopes: scopesOf[key.kind] }
  }

  /** True where the principal may see the job; false as well for a job that does not exist. */
  canSee(principal: Principal, jobId: number): boolean {
    if (principal.kind === 'management') return this.#state.jobs.has(jobId)
    return (this.#seen.get(principal.name) ?? nothing).has(jobId)
  }

  /** The connection behind each enabled input of the job that takes posted events. */
  *#restInputsOf(job: JobSettings): Iterable<Readonly<Record<string, unknown>>> {
    for (const step of job.pipeline) {
      if (!step.enabled || step.role !== 'input') continue
      const integration = this.#state.integrations.get(step.integrationId)
      if (integration !== undefined && this.#state.kinds.byId(integration.kind).takesPosts) yield integration.connection
    }
  }

  /** True where clients may post events to the job. */
  hasRestInput(job: JobSettings): boolean {
    for (const _ of this.#restInputsOf(job)) return true
    return false
  }

  /** The data type that the job's first input for posted events declares, or ''. */
  dataTypeOf(job: JobSettings): string {
    for (const connection of this.#restInputsOf(job)) return String(connection['data_type'] ?? '')
    return ''
  }

  /** To be called after every change of an api key. */
  keysChanged(): void {
    this.#byHash = new Map([...this.#state.apiKeys.values()].map((key) => [key.hash, key]))
    this.#known.clear()
    this.#knownBefore.clear()
  }

  /** To be called after every change of a job's pipeline or of an integration. */
  bindingsChanged(): void {
    this.#seen = new Map()
    for (const job of this.#state.jobs.values()) {
      for (const connection of this.#restInputsOf(job)) {
        const name = connection['api_key']
        // A key that was deleted by force left its integrations without one.
        if (typeof name !== 'string') continue
        const jobs = this.#seen.get(name)
        if (jobs === undefined) this.#seen.set(name, new Set([job.id]))
        else jobs.add(job.id)
      }
    }
  }
}
