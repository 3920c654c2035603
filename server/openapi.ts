/**
 * The OpenAPI 3.1 document, made of the table of routes and of the schemas that validate.
 *
 * Owns: the way from a row to an operation object. Leaves out: the rows (routes/), the schemas (schemas/).
 * A schema that schemas/ exports becomes a component under its exported name; others stand where they are used.
 */
import type { TSchema } from 'typebox'
import { keyHeader } from './http/auth.js'
import { json, problemJson } from './http/reply.js'
import type { ResponseDoc, Route, RouteDoc } from './http/route.js'
import * as alertmanager from './schemas/alertmanager.js'
import * as audit from './schemas/audit.js'
import * as backups from './schemas/backups.js'
import * as integrationMetadata from './schemas/integration-metadata.js'
import * as clusters from './schemas/clusters.js'
import * as common from './schemas/common.js'
import * as consensus from './schemas/consensus.js'
import * as erase from './schemas/erase.js'
import * as events from './schemas/events.js'
import * as integrations from './schemas/integrations.js'
import * as jobs from './schemas/jobs.js'
import * as metrics from './schemas/metrics.js'
import * as monitoring from './schemas/monitoring.js'
import * as queries from './schemas/queries.js'
import * as resources from './schemas/resources.js'
import * as storedEvents from './schemas/stored-events.js'
import * as users from './schemas/users.js'
import * as watchdogs from './schemas/watchdogs.js'

type Json = Record<string, unknown>

const errorDescriptions: Readonly<Record<number, string>> = {
  400: 'The body is not valid JSON, or names something that does not exist.',
  401: 'No key, or an unknown one.',
  403: 'The key lacks the scope.',
  404: 'Not found, or not visible to the key.',
  409: 'Not possible as things stand.',
  413: 'The body is over the limit.',
  422: 'The request breaks its schema.',
  429: 'Busy; Retry-After says when to try again.',
  431: 'The path, the query and the headers together are over 4 KiB. Not in the form of other errors, and the connection is closed.',
  503: 'Not able to serve now; Retry-After says when to try again.',
  507: 'The disk is full.',
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null && '~kind' in value
}

const names = new Map<unknown, string>()
for (const module of [
  common,
  events,
  alertmanager,
  jobs,
  resources,
  integrationMetadata,
  storedEvents,
  audit,
  backups,
  consensus,
  clusters,
  queries,
  users,
  metrics,
  integrations,
  monitoring,
  watchdogs,
  erase,
]) {
  for (const [name, value] of Object.entries(module)) if (isSchema(value)) names.set(value, name)
}

/** The pattern of a record's keys: any text. */
const ANY_KEY = '^.*$'

/**
 * A copy of a schema with the named schemas inside it as references. The values of a record are its `additionalProperties`,
 * which says the same as a pattern for any key: generators of clients know no patterns, and left such values out.
 */
function published(schema: unknown, isRoot = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => published(item))
  if (typeof schema !== 'object' || schema === null) return schema
  const name = names.get(schema)
  if (name !== undefined && !isRoot) return { $ref: `#/components/schemas/${name}` }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, unknown] => {
      return key === 'patternProperties' && ANY_KEY in value
        ? ['additionalProperties', published(value[ANY_KEY])]
        : [key, published(value)]
    }),
  )
}

/** What uWebSockets.js says by itself, before anybody here is asked. */
const HEADERS_TOO_LARGE = 431

function errorResponse(status: number): Json {
  if (status === HEADERS_TOO_LARGE) return { description: errorDescriptions[status] as string }
  const name = status === 422 ? 'ValidationErrorBody' : 'ErrorBody'
  return {
    description: errorDescriptions[status] ?? 'Refused.',
    ...(status === 429 || status === 503 || status === 507
      ? { headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' } } }
      : {}),
    content: {
      [json]: { schema: { $ref: `#/components/schemas/${name}` } },
      [problemJson]: { schema: { $ref: '#/components/schemas/ProblemBody' } },
    },
  }
}

/** Of what is no JSON: without a type, generators of clients take such an answer for none. */
function fileSchema(mediaType = ''): Json {
  return mediaType.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' }
}

/** A refusal that has a body of its own is a problem too where Accept asks for one. */
function response(status: number, doc: ResponseDoc): Json {
  if (doc.schema === undefined && doc.mediaType === undefined) return { description: doc.description }
  const media = {
    schema: doc.schema === undefined ? fileSchema(doc.mediaType) : published(doc.schema),
    ...(doc.example === undefined ? {} : { example: doc.example }),
  }
  const problem = status < 400 ? {} : { [problemJson]: { schema: { $ref: '#/components/schemas/ProblemBody' } } }
  return { description: doc.description, content: { [doc.mediaType ?? json]: media, ...problem } }
}

/** Statuses that follow from what an operation is: each of them it can really answer with. */
function commonErrors(route: RouteDoc): number[] {
  const { scope, moreScopes, query, body, bodyMediaType = json, isProbe } = route
  const readsDocument = body !== undefined && bodyMediaType === json
  return [
    ...(readsDocument ? [400, 413] : []),
    ...(scope === null ? [] : [401, 429]),
    ...((scope === null || scope === 'public') && moreScopes === undefined ? [] : [403]),
    ...(readsDocument || query !== undefined ? [422] : []),
    ...(isProbe === true ? [] : [503]),
    HEADERS_TOO_LARGE,
  ]
}

function responses(route: RouteDoc): Json {
  const answers: [string, Json][] = Object.entries(route.responses).map(([status, doc]) => [
    status,
    response(Number(status), doc),
  ])
  const errors = [...new Set([...commonErrors(route), ...(route.errors ?? [])])].sort((a, b) => a - b)
  return Object.fromEntries([...answers, ...errors.map((status) => [String(status), errorResponse(status)])])
}

/** The description stands with the parameter, where readers of the document show it. */
function parameters(route: RouteDoc): Json[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: name === 'job_id' ? 'integer' : 'string' },
  }))
  const inQuery = Object.entries(route.query?.properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = published(property) as Json
    return {
      name,
      in: 'query',
      required: ((route.query?.required ?? []) as readonly string[]).includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
    }
  })
  return [...inPath, ...inQuery]
}

function requestBody(route: RouteDoc): Json {
  if (route.body === undefined) return {}
  const required = ((route.body as { required?: readonly string[] }).required ?? []).length > 0
  const media = {
    schema: published(route.body),
    ...(route.bodyExample === undefined ? {} : { example: route.bodyExample }),
  }
  return { requestBody: { required, content: { [route.bodyMediaType ?? json]: media } } }
}

/** The ways to present a key; an empty one where none is needed but one is looked at. */
function security({ scope, looksAtKey }: RouteDoc): Json[] {
  if (scope === null && looksAtKey === undefined) return []
  return [{ apiKey: [] }, { neutralApiKey: [] }, { bearer: [] }, ...(scope === null ? [{}] : [])]
}

function operationObject(route: RouteDoc): Json {
  const more = Object.entries(route.moreScopes ?? {}).map(([scope, what]) => ` It takes \`${scope}\` ${what}.`)
  const scope = route.scope === null ? 'No key is needed.' : `Needs the scope \`${route.scope}\`.${more.join('')}`
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, scope].filter(Boolean).join('\n\n'),
    security: security(route),
    'x-scopes': route.scope === null ? [] : [route.scope],
    ...(route.moreScopes === undefined ? {} : { 'x-more-scopes': route.moreScopes }),
    parameters: parameters(route),
    ...requestBody(route),
    responses: responses(route),
  }
}

/** The document for a service of that name. */
export function openApiDocument(routes: readonly Route[], name: string): Json {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = (paths[route.path] ??= {})
    path[route.method.toLowerCase()] = operationObject(route)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Decision service',
      version: '1.0.0',
      description: 'Takes events in, answers each with a decision and a confidence, and learns from feedback.',
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map((route) => route.tag))].map((tag) => ({ name: tag })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: keyHeader(name) },
        neutralApiKey: { type: 'apiKey', in: 'header', name: keyHeader('service') },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The key or token, for senders that know no header of their own.',
        },
      },
      schemas: Object.fromEntries([...names].map(([schema, schemaName]) => [schemaName, published(schema, true)])),
    },
  }
}
