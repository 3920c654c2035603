/**
 * The OpenAPI 3.1 document, made from the table of routes and from the schemas that validate requests.
 *
 * Owns: the conversion of a route to an operation object. Leaves out: the routes (routes/), the schemas (schemas/).
 * A schema exported from schemas/ becomes a component under its exported name; other schemas are written inline.
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
  400: 'The body is not valid JSON, or it names a label that does not exist.',
  401: 'The key is missing or unknown.',
  403: 'The key or the user lacks the scope.',
  404: 'Not found, or the key may not see it.',
  409: 'Not possible in the current state.',
  413: 'The body is over the limit.',
  422: 'The request does not match its schema.',
  429: 'Too many requests, or busy; `Retry-After` says when to try again.',
  431: 'Path, query and headers are over 4 KiB together. The answer has no error body, and the connection closes.',
  503: 'Not available now; `Retry-After` says when to try again.',
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

/** The pattern of record keys that allows any text. */
const ANY_KEY = '^.*$'

/**
 * A copy of a schema with references to named schemas. A pattern for any key becomes the equivalent
 * `additionalProperties`, because client generators ignore patterns.
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

/** uWebSockets.js sends this status itself, before any handler runs. */
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

/** The schema of an answer that is not JSON. Client generators ignore an answer without a type. */
function fileSchema(mediaType = ''): Json {
  return mediaType.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' }
}

/** An error with its own body is also published as a problem (RFC 9457). */
function response(status: number, doc: ResponseDoc): Json {
  if (doc.schema === undefined && doc.mediaType === undefined) return { description: doc.description }
  const media = {
    schema: doc.schema === undefined ? fileSchema(doc.mediaType) : published(doc.schema),
    ...(doc.example === undefined ? {} : { example: doc.example }),
  }
  const problem = status < 400 ? {} : { [problemJson]: { schema: { $ref: '#/components/schemas/ProblemBody' } } }
  return { description: doc.description, content: { [doc.mediaType ?? json]: media, ...problem } }
}

/** Error statuses that follow from the properties of an operation. It can really answer with each of them. */
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

/** Path and query parameters. A description moves from the schema to the parameter, where viewers show it. */
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

/** The ways to present a key; includes the empty one if the key is optional. */
function security({ scope, looksAtKey }: RouteDoc): Json[] {
  if (scope === null && looksAtKey === undefined) return []
  return [{ apiKey: [] }, { neutralApiKey: [] }, { bearer: [] }, ...(scope === null ? [{}] : [])]
}

function operationObject(route: RouteDoc): Json {
  const more = Object.entries(route.moreScopes ?? {}).map(([scope, what]) => ` It also needs \`${scope}\` ${what}.`)
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

/** The document for a service with this name. */
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
      description: 'Receives events, answers each with a decision and a confidence, and learns from feedback.',
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
          description: 'The key or token, for senders that cannot set another header.',
        },
      },
      schemas: Object.fromEntries([...names].map(([schema, schemaName]) => [schemaName, published(schema, true)])),
    },
  }
}
