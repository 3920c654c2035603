/** Whom an event would have reached in a replay: the queue of people, and each step that sends events out. */
import type { Autonomy } from '../../domain/autonomy/passage.js'
import { protectedByDefault } from '../../domain/autonomy/contract.js'
import { reachOf, type Reach } from '../../domain/autonomy/ladder.js'
import type { RuledDecision } from '../../domain/decide/decision.js'
import { sinkRoles, type PipelineStep } from '../../domain/job/job.js'
import type { ReplayTally } from '../../domain/metrics/replay-tally.js'
import { matches, type Condition } from '../../domain/query/condition.js'
import { FieldSet } from '../../domain/query/field.js'
import { compileFilters } from '../../domain/query/filter.js'
import { passes, ruleOf, type Rule } from '../../integration/rule.js'
import type { Environment } from '../../store/environment.js'
import { gatesOf, readAutonomy } from '../../actor/autonomy/gate-state.js'
import type { JobAt } from '../explain/job-at.js'
import { RecordFields } from '../query/record-fields.js'
import type { ReplayTask } from './replay-protocol.js'

interface Output {
  readonly rule: Rule
  /** With the threshold of the replay. */
  readonly changed: Rule
  readonly condition: Condition | null
}

type Passing = RuledDecision & { readonly autonomy: Autonomy }

/** The enabled steps that send events out. */
export class Outputs {
  readonly steps: readonly PipelineStep[]
  readonly #outputs: readonly Output[]
  /** Null where no step has filters. */
  readonly #fields: RecordFields | null

  constructor({ job, terms, serviceNames, nowMicros }: ReplayTask, { environment, codec }: JobAt) {
    const fields = new FieldSet(serviceNames)
    this.steps = job.pipeline.filter(({ role, enabled }) => enabled && sinkRoles.includes(role))
    this.#outputs = this.steps.map((step) => {
      const rule = ruleOf(step.role, step.parameters as Parameters<typeof ruleOf>[1], job.labels)
      const changed = terms.threshold === null ? rule : { ...rule, minConfidence: terms.threshold / 100 }
      const now = { nowMicros, offsetMinutes: 0 }
      return { rule, changed, condition: rule.filters.length === 0 ? null : compileFilters(rule.filters, fields, now) }
    })
    const isFiltered = this.#outputs.some(({ condition }) => condition !== null)
    this.#fields = isFiltered ? new RecordFields(environment, codec, fields) : null
    this.#fields?.ofJob(job)
  }

  /** A step has filters, so the event itself is looked at. */
  get readsRecords(): boolean {
    return this.#fields !== null
  }

  /** Counts who would have got the event. */
  see(
    tally: ReplayTally,
    { micros, record }: { readonly micros: number; readonly record: Uint8Array },
    before: Passing,
    after: Passing,
  ): void {
    this.#fields?.event(micros, record)
    for (const [place, { rule, changed, condition }] of this.#outputs.entries()) {
      if (condition !== null && this.#fields !== null && !matches(condition, this.#fields)) continue
      tally.addOutput(place, passes(rule, before), passes(changed, after))
    }
  }
}

/** Which decisions would be settled: by the open gates of the job, or from the threshold of the replay on. */
export class Settling {
  readonly #reaches: readonly (Reach | undefined)[]
  readonly #protected: readonly number[]
  readonly #threshold: number | null

  constructor(environment: Environment, { job, terms, nowMicros }: ReplayTask) {
    const row = readAutonomy(environment, job.id)
    this.#reaches = job.labels.map((_, label) => (row === null ? undefined : reachOf(gatesOf(row, label), nowMicros)))
    this.#protected = row?.contract.protectedLabels ?? protectedByDefault(job) ?? []
    this.#threshold = terms.threshold
  }

  /** With the gates as they are. */
  isSettled({ label, confidence, outlier }: RuledDecision): boolean {
    return label >= 0 && !outlier && confidence >= (this.#reaches[label]?.settledFrom ?? Number.POSITIVE_INFINITY)
  }

  /** With the threshold of the replay, where it has one. */
  isSettledSo(decision: RuledDecision): boolean {
    if (this.#threshold === null) return this.isSettled(decision)
    const { label, confidence, outlier } = decision
    return label >= 0 && !outlier && !this.#protected.includes(label) && confidence >= this.#threshold
  }
}
