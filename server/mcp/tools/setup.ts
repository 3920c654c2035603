/**
 * Tools that set up jobs and integrations, and delete resources.
 *
 * No tool makes a key: its value would be in the words of a model.
 */
import { Type, type Static } from 'typebox'
import { limits } from '../../../engine/index.js'
import type { ApplyAnswer, Client, Resource, ResourceType } from '../../client/index.js'
import { Exact, Name } from '../../schemas/common.js'
import { writeTool, type Done, type WritePlan, type Tool } from '../tool.js'
import { counted } from './fields.js'

const Step = Exact({
  integration: Type.String({ minLength: 1, maxLength: limits.nameCharsMax, description: 'Title of an integration.' }),
  role: Type.Enum(['input', 'output', 'enrichment', 'case_creation', 'post_decision']),
  enabled: Type.Optional(Type.Boolean()),
  parameters: Type.Optional(Type.Object({}, { additionalProperties: true })),
})

/** Resources with that title, as the list shows them. */
async function existing(client: Client, resource_type: ResourceType, title: string): Promise<number> {
  return (await client.listResources({ resource_type, title })).length
}

async function planOf(client: Client, type: 'job' | 'integration', title: string): Promise<WritePlan> {
  const isThere = (await existing(client, type, title)) > 0
  return { count: 1, effect: isThere ? `Changes the ${type} of that title.` : `Creates a new ${type}.` }
}

/** What was set up; a new key's value is left out. */
function doneOf({ created, updated, warnings }: ApplyAnswer): Done {
  const refs = (list: ApplyAnswer['created']) =>
    list.map(({ type, title, internal_id, url }) => ({ type, title, internal_id, url }))
  return {
    effect: `${created.length} created, ${updated.length} changed, ${counted(warnings.length, 'warning')}.`,
    result: { created: refs(created), updated: refs(updated), warnings: warnings.slice(0, 20) },
  }
}

const setupJob = writeTool({
  name: 'setup_job',
  title: 'Set up a job',
  description:
    'Creates a job, or changes the one with that title. Good decision points tell the kind of an alert and have few ' +
    'values: the rule, the action, the kind of host. Ids, times and addresses are bad ones.',
  operations: ['listResources', 'applyResources'],
  scopes: ['write:resources', 'read:resources'],
  input: Exact({
    title: Name,
    category: Type.Optional(
      Type.Enum([
        'Decision intelligence',
        'Event centric decision intelligence',
        'Automated root cause analysis',
      ] as const),
    ),
    description: Type.Optional(Type.String({ maxLength: limits.textCharsMax })),
    decision_points: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: limits.decisionPointCharsMax }), { maxItems: 64 }),
    ),
    labels: Type.Optional(
      Type.Array(Name, { minItems: 3, maxItems: 3, description: 'The three labels; default: those of the category.' }),
    ),
    steps: Type.Optional(Type.Array(Step, { maxItems: 50, description: 'Integrations; others of the job stay.' })),
  }),
  isDestructive: false,
  isIdempotent: true,
  plan: ({ client, input }) => planOf(client, 'job', input.title),
  async act({ client, input }) {
    const { title, category, description, decision_points, labels, steps } = input
    const properties = {
      title,
      ...(category === undefined ? {} : { category }),
      ...(description === undefined ? {} : { description }),
      ...(decision_points === undefined ? {} : { decision_points }),
      ...(labels === undefined ? {} : { advanced_settings: { custom_labels: labels.map((name) => ({ name })) } }),
      ...(steps === undefined ? {} : { pipeline_integrations: steps.map(stepOf) }),
    }
    return await apply(client, { job: { type: 'job', properties } })
  },
})

function stepOf({ integration, role, enabled = true, parameters }: Static<typeof Step>) {
  return { resource: integration, integration_type: role, enabled, ...(parameters === undefined ? {} : { parameters }) }
}

async function apply(client: Client, resources: Record<string, unknown>): Promise<Done> {
  return doneOf(await client.applyResources({ body: { resources: resources as Record<string, Resource> } }))
}

const setupIntegration = writeTool({
  name: 'setup_integration',
  title: 'Set up an integration',
  description:
    'Creates an integration, or changes the one with that title. Give no secret: what you write may be kept by the ' +
    'model and its host. A person adds secrets in the console.',
  operations: ['listResources', 'applyResources'],
  scopes: ['write:resources', 'read:resources'],
  input: Exact({
    title: Name,
    integration_type: Type.Optional(Type.String({ maxLength: limits.nameCharsMax })),
    parameters: Type.Optional(Type.Object({}, { additionalProperties: true })),
  }),
  isDestructive: false,
  isIdempotent: true,
  plan: ({ client, input }) => planOf(client, 'integration', input.title),
  act: ({ client, input }) => apply(client, { integration: { type: 'integration', properties: input } }),
})

const deleteResources = writeTool({
  name: 'delete_resources',
  title: 'Delete a job, an integration or a key',
  description: 'Deletes one resource; a job goes with all of its events. Only on the request of a person.',
  operations: ['listResources', 'getManagedJob', 'deleteResource'],
  scopes: ['delete:resources', 'read:resources'],
  input: Exact({
    resource_type: Type.Enum(['job', 'integration', 'api_key'] as const),
    id: Type.String({ minLength: 1, maxLength: 64, description: 'The internal id.' }),
    force: Type.Optional(Type.Boolean({ description: 'Also if others use it; it is taken out of them.' })),
  }),
  isDestructive: true,
  isIdempotent: true,
  async plan({ client, input: { resource_type, id } }) {
    const found = await client.listResources({ resource_type, id })
    const more = resource_type === 'job' ? await eventsOf(client, id) : ''
    const effect =
      found.length === 0 ? `There is no such ${resource_type}.` : `Deletes the ${resource_type} ${id}${more}.`
    return { count: found.length, effect, isVoid: found.length === 0 }
  },
  async act({ client, input: { resource_type, id, force = false } }) {
    const { deleted, updated } = await client.deleteResource({ resource_type, id, force })
    return {
      effect: `${counted(deleted.length, 'resource')} deleted, ${updated.length} changed.`,
      result: { deleted: deleted.length, updated: updated.length },
    }
  },
})

async function eventsOf(client: Client, id: string): Promise<string> {
  const { processed_documents_count: events } = await client.getManagedJob({ job_id: Number(id) })
  return ` with ${counted(events, 'event')}`
}

export const setupTools: readonly Tool[] = [setupJob, setupIntegration, deleteResources]
