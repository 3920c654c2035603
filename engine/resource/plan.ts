/**
 * Plans the records that the resources of a document create and change.
 *
 * Owns: what each resource becomes, in an order that satisfies their references. Leaves out: the rules of the set
 * (apply.ts), the fields of a job (job-plan.ts), commits (resource-store.ts).
 *
 * 1. Planning changes nothing. It reads the state, and collects Changes and `issues`.
 * 2. Existing resources are found by title (keys by name), a job also by the title that it has had (`renamed_from`). An
 *    existing key is not issued again: its value is unknown.
 * 3. An unchanged resource is reported as `updated` and not written. So the same document again writes nothing.
 */
import { isDeepStrictEqual } from 'node:util'
import { must } from '../assert.js'
import { limits } from '../limits.js'
import { isoMicros, type Clock } from '../clock.js'
import type { Random } from '../rng.js'
import { cutText } from '../domain/event/input/cut-text.js'
import type { JobSettings } from '../domain/job/job.js'
import type { ApplyOutcome, ResourceRef } from '../api/decision-service.js'
import type { Warning } from '../api/warning.js'
import type { Sealer } from './access/sealing.js'
import { hashSecret, makeKeyId, makeSecret } from './access/secrets.js'
import { Issues, type DocumentPlace } from './document-issues.js'
import { mergeJob, type JobIdentity } from './job-plan.js'
import type { ApiKeyRecord, IntegrationRecord } from './records.js'
import type { References } from './references.js'
import { isAlike } from './registry/integration-registry.js'
import { readParameters } from './registry/parameters.js'
import { refer } from './resource-names.js'
import type { ResourceInput, ResourceInputOf } from './shapes.js'
import { Changes, type ResourceState } from './state.js'
import { unknownParameters } from './unknown-properties.js'

/** The warning of a rename whose job is not there. */
function noJobRenamed(inside: DocumentPlace, title: string, renamedFrom: string): Warning {
  return {
    type: 'second_job',
    place: [...inside, 'renamed_from'],
    message: `No job is called "${cutText(renamedFrom, 100)}", so "${cutText(title, 100)}" has no events yet.`,
    action:
      'If another job was meant, delete the new one, and send the document again with its title in `renamed_from`.',
  }
}

/** The warning of a document that was read from one job and makes another: a title is what finds a job. */
function secondJob(inside: DocumentPlace, title: string, { id, title: was }: JobSettings): Warning {
  return {
    type: 'second_job',
    place: [...inside, 'title'],
    message:
      `The document was read from job ${id}, "${cutText(was, 100)}". No job is called "${cutText(title, 100)}", so ` +
      'there is a second one now, without events and votes.',
    action:
      'If a new name was meant, delete the second job, and send the document again with ' +
      `\`"renamed_from": ${JSON.stringify(cutText(was, 100))}\`.`,
  }
}

/** What planning needs for new records. */
export interface PlanDeps {
  readonly clock: Clock
  /** Returns an ingest time in microseconds: later than every event so far, earlier than every event to come. */
  readonly stamp: () => number
  readonly random: Random
  /** Number of shards that jobs are spread over. */
  readonly shards: number
  /** Seals the secrets of integrations. */
  readonly sealer: Sealer
  /** Base-2 logarithm of scrypt's cost for new passwords; default PASSWORD_COST_DEFAULT. */
  readonly passwordCost?: number | undefined
}

export interface PlannedApply {
  readonly changes: Changes
  readonly outcome: ApplyOutcome
}

/** The plan of one document. */
export class DocumentPlan {
  readonly #changes = new Changes()
  readonly #created: ResourceRef[] = []
  readonly #updated: ResourceRef[] = []
  readonly #warnings: Warning[] = []
  readonly issues = new Issues()
  readonly #state: ResourceState
  readonly #references: References
  readonly #deps: PlanDeps
  readonly #now: string
  /** Planned integrations by title, changed or not. */
  readonly #integrations = new Map<string, IntegrationRecord>()
  readonly #builtIns = new Map<string, IntegrationRecord>()
  #nextJobId: number
  #nextIntegrationId: number

  constructor(state: ResourceState, references: References, deps: PlanDeps) {
    this.#state = state
    this.#references = references
    this.#deps = deps
    this.#now = isoMicros(deps.clock.nowMicros())
    this.#nextJobId = state.counters.nextJobId
    this.#nextIntegrationId = state.counters.nextIntegrationId
    for (const record of state.integrations.values()) {
      if (state.kinds.byId(record.kind).builtIn) this.#builtIns.set(record.kind, record)
    }
  }

  add(input: ResourceInput): void {
    this.#warn(input.warnings)
    if (input.type === 'api_key') this.#addKey(input)
    else if (input.type === 'integration') this.#addIntegration(input)
    else this.#addJob(input)
  }

  #warn(warnings: readonly Warning[]): void {
    this.#warnings.push(...warnings.slice(0, limits.resourceWarningsMax - this.#warnings.length))
  }

  /** The planned changes, with the counters of ids where they changed. */
  finish(): PlannedApply {
    const { nextJobId, nextIntegrationId } = this.#state.counters
    if (this.#nextJobId !== nextJobId || this.#nextIntegrationId !== nextIntegrationId) {
      this.#changes.counters = { nextJobId: this.#nextJobId, nextIntegrationId: this.#nextIntegrationId }
    }
    return {
      changes: this.#changes,
      outcome: { created: this.#created, updated: this.#updated, warnings: this.#warnings },
    }
  }

  #addKey({ identifier, properties }: ResourceInputOf<'api_key'>): void {
    const before = this.#state.apiKeys.get(properties.title)
    if (before !== undefined) {
      this.#updated.push(refer('api_key', before, identifier))
      return
    }
    const { random } = this.#deps
    const value = makeSecret(random)
    const record: ApiKeyRecord = {
      id: makeKeyId(random),
      name: properties.title,
      kind: 'input',
      hash: hashSecret(value),
      createdAt: this.#now,
    }
    this.#changes.apiKeys.set(record.name, record)
    this.#created.push({ ...refer('api_key', record, identifier), value })
  }

  #addIntegration(input: ResourceInputOf<'integration'>): void {
    const { title, kind: kindName, parameters } = input.properties
    const before = this.#state.integrationsByTitle.get(title)
    const { inside: place } = input
    const { kinds } = this.#state
    const kind = kindName === undefined ? before && kinds.byId(before.kind) : kinds.byName(kindName)
    if (kind === null || kind === undefined || (kind.builtIn && before === undefined)) {
      const msg = `must be one of the types of integrations: ${kinds.creatable().join(', ')}`
      this.issues.add([...place, 'integration_type'], msg, 'invalid_value')
      return
    }
    if (before !== undefined && !isAlike(kinds.byId(before.kind), kind)) {
      const msg = `is ${kinds.byId(before.kind).name} and cannot change; create another integration for another type`
      this.issues.add([...place, 'integration_type'], msg, 'invalid_value')
      return
    }
    const given = readParameters({
      specs: kind.connection,
      given: parameters,
      before: before?.connection ?? null,
      sealer: this.#deps.sealer,
      report: this.issues.under([...place, 'parameters']),
    })
    this.#warn(unknownParameters([...place, 'parameters'], parameters, kind.connection))
    for (const { name, type } of kind.connection) {
      if (type === 'api_key' && Object.hasOwn(parameters, name) && typeof given[name] === 'string') {
        given[name] = must(this.#references.resolve('api_key', given[name]), 'a reference that was resolved')
      }
    }
    const id = before?.id ?? this.#nextIntegrationId++
    const record = { id, title, kind: kind.id, connection: given, createdAt: before?.createdAt ?? this.#now }
    this.#integrations.set(title, record)
    if (!isDeepStrictEqual(record, before)) this.#changes.integrations.set(id, record)
    const list = before === undefined ? this.#created : this.#updated
    list.push(refer('integration', record, input.identifier))
  }

  #addJob(input: ResourceInputOf<'job'>): void {
    const before = this.#jobBefore(input)
    const id = before?.id ?? this.#nextJobId++
    const identity: JobIdentity = before ?? { id, shard: id % this.#deps.shards, createdAt: this.#now }
    const context = {
      integrationOf: (resource: string) => this.#integrationOf(resource),
      kindOf: (integrationId: number) =>
        this.#state.kinds.byId(must(this.#state.integrations.get(integrationId), `integration ${integrationId}`).kind),
      builtIn: (kind: string) => must(this.#builtIns.get(kind), `built-in integration ${kind}`),
      kinds: this.#state.kinds,
      sealer: this.#deps.sealer,
      stamp: this.#deps.stamp,
      place: input.inside,
      issues: this.issues,
      warn: (warnings: readonly Warning[]) => this.#warn(warnings),
    }
    const merged = mergeJob(input.properties, before, identity, context)
    let job: JobSettings = merged
    if (before !== null && !isDeepStrictEqual(merged, before)) job = { ...merged, revision: before.revision + 1 }
    if (!isDeepStrictEqual(job, before)) this.#changes.jobs.set(id, job)
    const list = before === null ? this.#created : this.#updated
    list.push({ ...refer('job', job, input.identifier), place: input.inside })
  }

  /** The job that the document is about: of its title, or of the title that it had before. Null: it is a new one. */
  #jobBefore({ properties, inside }: ResourceInputOf<'job'>): JobSettings | null {
    const { title, renamedFrom, readFrom } = properties
    const named = this.#state.jobsByTitle.get(title)
    const renamed = renamedFrom === undefined ? undefined : this.#state.jobsByTitle.get(renamedFrom)
    if (named !== undefined && renamed !== undefined && named !== renamed) {
      const msg =
        `"${cutText(renamed.title, 100)}" is job ${renamed.id}, and "${cutText(title, 100)}" is job ${named.id}: ` +
        'two jobs do not become one. Choose another title, or delete one of them first'
      this.issues.add([...inside, 'renamed_from'], msg, 'duplicate')
    }
    const before = named ?? renamed ?? null
    if (before !== null) return before
    if (renamedFrom !== undefined) this.#warn([noJobRenamed(inside, title, renamedFrom)])
    const source = this.#state.jobs.get(Number(readFrom.id))
    if (source !== undefined && source.createdAt === readFrom.createdAt) this.#warn([secondJob(inside, title, source)])
    return null
  }

  #integrationOf(resource: string): IntegrationRecord | null {
    const title = must(this.#references.resolve('integration', resource), 'a reference that was resolved')
    return this.#integrations.get(title) ?? this.#state.integrationsByTitle.get(title) ?? null
  }
}
