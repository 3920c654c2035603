/**
 * The OpenAPI 3.1 document, made from the table of routes and from the schemas that validate requests.
 *
 * Owns: the conversion of a route to an operation object. Leaves out: the routes (routes/), the schemas (schemas/),
 * their names (openapi-components.ts).
 */
import { keyHeader } from './http/auth.js'
import { json, ndjson, problemJson } from './http/reply.js'
import type { ResponseDoc, Route, RouteDoc } from './http/route.js'
import { COMPONENTS, componentsOf, published, type SchemaJson } from './openapi-components.js'

const errorDescriptions: Readonly<Record<number, string>> = {
  400: 'The body is not valid JSON, or it names a label that does not exist.',
  401: 'The key is missing or unknown.',
  403: 'The key or the user lacks the scope.',
  404: 'Not found, or the key may not see it.',
  409: 'Not possible in the current state.',
  406: 'No answer has a form that `Accept` names.',
  413: 'The body is over the limit.',
  415: 'The body is in a coding that is not read, or has another media type than the operation takes.',
  422: 'The request does not match its schema.',
  429: 'Too many requests, or busy; `Retry-After` says when to try again.',
  431: 'Path, query and headers are over 20 KiB together. The answer has no error body, and the connection closes.',
  503: 'Not available now; `Retry-After` says when to try again.',
  507: 'The disk is full.',
}

/** uWebSockets.js sends this status itself, before any handler runs. */
const HEADERS_TOO_LARGE = 431

function errorResponse(status: number): SchemaJson {
  if (status === HEADERS_TOO_LARGE) return { description: errorDescriptions[status] as string }
  const name = status === 422 ? 'ValidationErrorBody' : 'ErrorBody'
  return {
    description: errorDescriptions[status] ?? 'Refused.',
    ...(status === 429 || status === 503 || status === 507
      ? { headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' } } }
      : {}),
    content: {
      [json]: { schema: { $ref: COMPONENTS + name } },
      [problemJson]: { schema: { $ref: `${COMPONENTS}ProblemBody` } },
    },
  }
}

/** The schema of an answer that is not JSON. Client generators ignore an answer without a type. */
function fileSchema(mediaType = ''): SchemaJson {
  return mediaType.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' }
}

/** An error with its own body is also published as a problem (RFC 9457). */
function response(status: number, doc: ResponseDoc): SchemaJson {
  if (doc.schema === undefined && doc.mediaType === undefined) return { description: doc.description }
  const media = {
    schema: doc.schema === undefined ? fileSchema(doc.mediaType) : published(doc.schema),
    ...(doc.example === undefined ? {} : { example: doc.example }),
  }
  const also = Object.entries(doc.also ?? {}).map(([type, schema]) => [type, { schema: published(schema) }] as const)
  const problem = status < 400 ? {} : { [problemJson]: { schema: { $ref: `${COMPONENTS}ProblemBody` } } }
  return {
    description: doc.description,
    content: { [doc.mediaType ?? json]: media, ...Object.fromEntries(also), ...problem },
  }
}

/** Error statuses that follow from the properties of an operation. It can really answer with each of them. */
function commonErrors(route: RouteDoc): number[] {
  const { scope, moreScopes, query, body, bodyMediaType = json, isProbe, busyIs503 } = route
  const readsDocument = body !== undefined && bodyMediaType === json
  return [
    ...(readsDocument ? [400, 413] : []),
    ...(body === undefined ? [] : [415]),
    ...(scope === null ? [] : busyIs503 === true ? [401] : [401, 429]),
    ...((scope === null || scope === 'public') && moreScopes === undefined ? [] : [403]),
    ...(readsDocument || query !== undefined ? [422] : []),
    ...(isProbe === true ? [] : [503]),
    HEADERS_TOO_LARGE,
  ]
}

function responses(route: RouteDoc): SchemaJson {
  const errors = [...new Set([...commonErrors(route), ...(route.errors ?? [])])]
  return {
    ...Object.fromEntries(errors.map((status) => [String(status), errorResponse(status)])),
    ...Object.fromEntries(
      Object.entries(route.responses).map(([status, doc]) => [status, response(Number(status), doc)]),
    ),
  }
}

/** Path and query parameters. A description moves from the schema to the parameter, where viewers show it. */
function parameters(route: RouteDoc): SchemaJson[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: name === 'job_id' ? 'integer' : 'string' },
  }))
  const inQuery = Object.entries(route.query?.properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = published(property) as SchemaJson
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

/** A stream may be sent as bytes, too: client generators know no NDJSON, and would leave the operation out. */
const octets: SchemaJson = { 'application/octet-stream': { schema: fileSchema() } }

function requestBody(route: RouteDoc): SchemaJson {
  if (route.body === undefined) return {}
  const required = ((route.body as { required?: readonly string[] }).required ?? []).length > 0
  const media = {
    schema: published(route.body),
    ...(route.bodyExample === undefined ? {} : { example: route.bodyExample }),
  }
  const mediaType = route.bodyMediaType ?? json
  return { requestBody: { required, content: { [mediaType]: media, ...(mediaType === ndjson ? octets : {}) } } }
}

/** The ways to present a key; includes the empty one if the key is optional. */
function security({ scope, looksAtKey }: RouteDoc): SchemaJson[] {
  if (scope === null && looksAtKey === undefined) return []
  return [{ apiKey: [] }, { neutralApiKey: [] }, { bearer: [] }, ...(scope === null ? [{}] : [])]
}

function operationObject(route: RouteDoc): SchemaJson {
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
    ...(route.isIdempotent === true ? { 'x-idempotent': true } : {}),
    parameters: parameters(route),
    ...requestBody(route),
    responses: responses(route),
  }
}

/** Components for a service with this name: the section of an exported event is under it. */
function named(components: SchemaJson, name: string): SchemaJson {
  const event = components.ServiceEvent as { properties: SchemaJson; required: string[] }
  const { service, ...properties } = event.properties
  const required = event.required.map((key) => (key === 'service' ? name : key))
  return { ...components, ServiceEvent: { ...event, required, properties: { ...properties, [name]: service } } }
}

/** The document for a service with this name. */
export function openApiDocument(routes: readonly Route[], name: string): SchemaJson {
  const paths: Record<string, SchemaJson> = {}
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
      schemas: named(componentsOf(paths), name),
    },
  }
}
