/** Resources: the declarative set-up (CONTRACT.md#resources). */
import type { Static } from 'typebox'
import {
  isRefusal,
  limits,
  Refusal,
  valuesMaxOf,
  type ResourceQuery as EngineQuery,
  type ResourceRef as EngineRef,
} from '../../engine/index.js'
import { stillAuthorized } from '../http/auth.js'
import { collectBody } from '../http/body.js'
import { replyError } from '../http/error-reply.js'
import { originOf } from '../http/origin.js'
import { replyJson } from '../http/reply.js'
import { operation, type GuardedRoute, type Route } from '../http/route.js'
import { booleanOf, Checker, parseJson } from '../http/validate.js'
import { worked } from '../schemas/common.js'
import {
  ApplyAnswer,
  ApplyQuery,
  DeleteAnswer,
  DeleteQuery,
  ResourceDocument,
  ResourceList,
  ResourceQuery,
} from '../schemas/resources.js'
import { warningWire } from './jobs.js'

const tag = 'Resources'
const applyQuery = new Checker(ApplyQuery, 'query')

/** `origin`: the address at which the client reaches the console. */
function refWire(ref: EngineRef, origin: string) {
  return {
    type: ref.type,
    resource_name: ref.resourceName,
    title: ref.title,
    internal_id: ref.internalId,
    url: `${origin}${ref.url}`,
    ...(ref.value === undefined ? {} : { value: ref.value }),
  }
}

/** The `overwrite` in a body, if it is the parameter and not a resource with that name. */
function overwriteIn(document: unknown): boolean | undefined {
  if (typeof document !== 'object' || document === null || !Object.hasOwn(document, 'overwrite')) return undefined
  const { overwrite } = document as { overwrite: unknown }
  if (overwrite === null || typeof overwrite === 'object') return undefined
  const value = booleanOf(overwrite)
  if (value !== undefined) return value
  const issue = { loc: ['body', 'overwrite'], msg: 'must be a boolean', type: 'type' }
  throw new Refusal('invalid_body', 'overwrite: must be a boolean', { issues: [issue] })
}

/** Adds `body` to the places of issues: the engine's places begin at the top of the document. */
function inBody(error: unknown): unknown {
  if (!isRefusal(error) || error.code === 'invalid_body' || error.context.issues === undefined) return error
  const issues = error.context.issues.map((issue) => ({ ...issue, loc: ['body', ...issue.loc] }))
  return new Refusal(error.code, error.message, { ...error.context, issues })
}

function engineQuery(query: Static<typeof ResourceQuery>): EngineQuery {
  if (query.title !== undefined && query.id !== undefined) {
    const issue = { loc: ['query', 'title'], msg: 'title and id are mutually exclusive', type: 'mutually_exclusive' }
    throw new Refusal('invalid_body', 'title and id are mutually exclusive', { issues: [issue] })
  }
  return {
    ...(query.resource_type === undefined ? {} : { type: query.resource_type }),
    ...(query.title === undefined ? {} : { title: query.title }),
    ...(query.id === undefined ? {} : { id: query.id }),
  }
}

const apply: GuardedRoute = {
  method: 'POST',
  path: '/api/v2/resources',
  operationId: 'applyResources',
  tag,
  summary: 'Create or update a set of resources',
  description:
    'Either all resources are applied, or none. Existing resources are found by title, and overwritten unless ' +
    '`overwrite` is false.',
  scope: 'write:resources',
  moreScopes: { 'write:api_keys': 'to make a key' },
  query: ApplyQuery,
  body: ResourceDocument,
  bodyExample: {
    resources: {
      key: { type: 'api_key', properties: { name: 'siem' } },
      rest: {
        type: 'integration',
        properties: {
          title: 'SIEM alerts',
          integration_type: 'External REST API',
          parameters: { api_key: "{{api_keys(name='siem')}}", data_type: 'alerts' },
        },
      },
      job: {
        type: 'job',
        properties: {
          title: 'Phishing',
          category: 'Decision intelligence',
          decision_points: ['rule.name', 'event.action'],
          pipeline_integrations: [{ resource: 'rest', integration_type: 'input', enabled: true }],
        },
      },
    },
  },
  responses: { 200: { description: 'What was created and what was updated.', schema: ApplyAnswer } },
  errors: [409, 507],
  serve(exchange, _params, app) {
    const query = applyQuery.checkQuery(exchange.query())
    const origin = originOf(exchange, app.servesTls)
    collectBody(exchange, limits.bodyBytesMax)
      .then(async (bytes) => {
        const document = parseJson(bytes, valuesMaxOf(limits.bodyBytesMax), limits.itemsNamesMax)
        const overwrite = query.overwrite ?? overwriteIn(document) ?? true
        const { created, updated, warnings } = await app.service.applyResources(
          document,
          overwrite,
          stillAuthorized(exchange, app, 'write:resources'),
        )
        const shown = (refs: readonly EngineRef[]) => refs.map((ref) => refWire(ref, origin))
        const told = warnings.map((warning) => warningWire(warning, ['body']))
        replyJson(exchange, 200, { request: worked, created: shown(created), updated: shown(updated), warnings: told })
      })
      .catch((error: unknown) => replyError(exchange, inBody(error)))
  },
}

const list = operation({
  method: 'GET',
  path: '/api/v2/resources',
  operationId: 'listResources',
  tag,
  summary: 'List resources',
  scope: 'read:resources',
  query: ResourceQuery,
  responses: { 200: { description: 'An array, empty when nothing matches.', schema: ResourceList } },
  handle: ({ app, query }) => app.service.listResources(engineQuery(query)),
})

const remove = operation({
  method: 'DELETE',
  path: '/api/v2/resources',
  operationId: 'deleteResource',
  tag,
  summary: 'Delete resources',
  description: 'The events, models and feedback of a deleted job are deleted in the background.',
  scope: 'delete:resources',
  moreScopes: { 'write:api_keys': 'to delete a key' },
  query: DeleteQuery,
  responses: { 200: { description: 'The deleted resources, and those changed by force.', schema: DeleteAnswer } },
  errors: [404, 409, 507],
  async handle({ app, principal, query, origin }) {
    const from = origin()
    const deletion = { ...engineQuery(query), force: query.force ?? false }
    const { deleted, updated } = await app.service.deleteResource(deletion, principal)
    return {
      request: worked,
      deleted: deleted.map((ref) => refWire(ref, from)),
      updated: updated.map((ref) => refWire(ref, from)),
    }
  },
})

export const resourceRoutes: readonly Route[] = [apply, list, remove]
