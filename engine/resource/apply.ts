/**
 * Plans a whole document: what it would change, or why it is refused.
 *
 * Owns: the rules of the set: titles differ, references resolve, dependencies have no cycle, existing resources need
 * `overwrite`, limits hold. Leaves out: what each resource becomes (plan.ts), commits (resource-store.ts).
 */
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { cutText } from '../domain/event/input/cut-text.js'
import type { ApplyOutcome } from '../api/decision-service.js'
import { Issues } from './document-issues.js'
import { orderResources } from './order.js'
import { DocumentPlan, type PlanDeps, type PlannedApply } from './plan.js'
import { References } from './references.js'
import type { ResourceInput } from './shapes.js'
import type { ResourceState } from './state.js'

/** True where a resource of that type and title is stored, or the job that gets that title. */
function exists(state: ResourceState, { type, properties }: ResourceInput): boolean {
  if (type === 'api_key') return state.apiKeys.has(properties.title)
  if (type === 'integration') return state.integrationsByTitle.has(properties.title)
  return state.jobsByTitle.has(properties.title) || state.jobsByTitle.has(properties.renamedFrom ?? '')
}

function refuseDuplicates(inputs: readonly ResourceInput[], issues: Issues): void {
  const seen = new Set<string>()
  for (const { type, properties, inside } of inputs) {
    const key = `${type} ${properties.title}`
    if (seen.has(key)) {
      issues.add(inside, `another ${type} in the request has the same title`, 'duplicate')
    }
    seen.add(key)
  }
  const left = new Set<string>()
  for (const { type, properties, inside } of inputs) {
    if (type !== 'job' || properties.renamedFrom === undefined || properties.renamedFrom === properties.title) continue
    const title = cutText(properties.renamedFrom, 100)
    if (seen.has(`job ${properties.renamedFrom}`) || left.has(properties.renamedFrom))
      issues.add([...inside, 'renamed_from'], `another job in the request is "${title}", too`, 'duplicate')
    left.add(properties.renamedFrom)
  }
}

function refuseTooMany(state: ResourceState, outcome: ApplyOutcome): void {
  const counts = [
    ['job', state.jobs.size, limits.jobsMax],
    ['integration', state.integrations.size, limits.integrationsMax],
    ['api_key', state.apiKeys.size, limits.apiKeysMax],
  ] as const
  for (const [type, have, most] of counts) {
    const made = outcome.created.filter((ref) => ref.type === type).length
    if (made > 0 && have + made > most) {
      throw new Refusal('limit_exceeded', `there can be at most ${most} of type ${type}`)
    }
  }
}

/**
 * Plans the parsed resources of a document.
 * @throws Refusal invalid_resources, unresolved_reference, dependency_cycle, resource_exists, limit_exceeded.
 */
export function planApply(
  state: ResourceState,
  inputs: readonly ResourceInput[],
  overwrite: boolean,
  deps: PlanDeps,
): PlannedApply {
  const issues = new Issues()
  refuseDuplicates(inputs, issues)
  issues.refuse('invalid_resources')
  const references = new References(inputs, state)
  const dependencies = new Map(inputs.map((input) => [input, references.dependencies(input, issues)]))
  issues.refuse('unresolved_reference')
  const ordered = orderResources(inputs, dependencies)
  const existing = overwrite ? [] : ordered.filter((input) => exists(state, input))
  if (existing[0] !== undefined) {
    const names = existing.slice(0, 10).map((input) => `${input.type} "${input.properties.title}"`)
    throw new Refusal('resource_exists', `${names[0]} already exists`, { details: `existing: ${names.join(', ')}` })
  }
  const plan = new DocumentPlan(state, references, deps)
  for (const input of ordered) plan.add(input)
  plan.issues.refuse('invalid_resources')
  const planned = plan.finish()
  refuseTooMany(state, planned.outcome)
  return planned
}
