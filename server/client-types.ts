/**
 * The types and the table of operations of the client (client/), made from the OpenAPI document, which is made from the
 * schemas that validate requests.
 *
 * Owns: TypeScript from JSON Schema, as far as the schemas go. Leaves out: writing the files (build-client.ts).
 */

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
  readonly 'x-idempotent'?: boolean
}

/** What is read of an OpenAPI document. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Row extends Operation {
  readonly method: string
  readonly path: string
}

const JSON_TYPE = 'application/json'
const NDJSON = 'application/x-ndjson'
const EVENTS = 'text/event-stream'
const primitives: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

function rowsOf({ paths }: Document): Row[] {
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
    )
    .filter(isForPrograms)
}

/** Pages and their files are for browsers: the client has no methods for them. */
function isForPrograms(row: Row): boolean {
  const [mediaType] = answerOf(row)
  return mediaType !== 'text/html' && mediaType !== '*/*'
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

function keyOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
}

function comment(text: string | undefined, indent = ''): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */\n`
}

function member(name: string, schema: Schema, isRequired: boolean, description = schema.description): string {
  const [mark, orNone] = isRequired ? ['', ''] : ['?', ' | undefined']
  return `${comment(description, '  ')}  ${keyOf(name)}${mark}: ${typeOf(schema)}${orNone}\n`
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(([name, schema]) => member(name, schema, required.includes(name)))
  const isRecord = members.length === 0 && typeof additionalProperties === 'object'
  const rest = additionalProperties === undefined || additionalProperties === false
  const index = rest ? '' : `  [key: string]: ${isRecord ? typeOf(additionalProperties) : 'unknown'}\n`
  return `{\n${members.join('')}${index}}`
}

/** The TypeScript type of a schema. @throws Error for a schema of a form that no schema of ours has. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' | ')
  if (schema.type === undefined) return 'unknown'
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? {})
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`
  }
  if (schema.type === 'object') return objectType(schema)
  const primitive = primitives[schema.type]
  if (primitive === undefined) throw new Error(`the schema type ${schema.type} has no TypeScript type`)
  return primitive
}

function component([name, schema]: [string, Schema]): string {
  const isInterface = schema.type === 'object' && schema.properties !== undefined
  const head = isInterface ? `interface ${name}` : `type ${name} =`
  return `${comment(schema.description)}export ${head} ${typeOf(schema)}\n`
}

/** The media type and the schema of the good answer; one that leads a browser elsewhere has no more than a text. */
function answerOf({ responses }: Row): [mediaType: string, schema: Schema] {
  const [, good] = (Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [
    '303',
    { content: { 'text/html': {} } },
  ]) as [string, { content: Content }]
  const [mediaType, media] = Object.entries(good.content)[0] as [string, { schema?: Schema }]
  return [mediaType, media.schema ?? {}]
}

function resultOf(row: Row): string {
  const [mediaType, schema] = answerOf(row)
  if (mediaType === JSON_TYPE || mediaType === NDJSON || mediaType === EVENTS) return typeOf(schema)
  return mediaType.startsWith('text/') ? 'string' : 'Blob'
}

function paramsOf({ parameters, requestBody }: Row): string {
  const members = parameters.map((one) => member(one.name, one.schema, one.required, one.description))
  if (requestBody !== undefined) {
    const [media] = Object.values(requestBody.content) as [{ schema: Schema }]
    members.push(member('body', media.schema, requestBody.required))
  }
  return `{\n${members.join('')}}`
}

/** A row of the table: method, path, `t` for text or `b` for bytes, and `!` for a POST that may be repeated. */
function tableRow(row: Row): string {
  const [mediaType] = answerOf(row)
  const isJson = mediaType === JSON_TYPE || mediaType === NDJSON
  const kind = isJson ? '' : mediaType.startsWith('text/') ? 't' : 'b'
  const flags = kind + (row['x-idempotent'] === true ? '!' : '')
  return `${row.method} ${row.path}${flags === '' ? '' : ` ${flags}`}`
}

interface List {
  readonly name: string
  readonly page: string
  readonly items: string
  readonly item: string
  readonly inBody: boolean
}

/** How an operation is read page by page; null if it has no pages. Its items are in the first array of its answer. */
function listOf(row: Row, schemas: Document['components']['schemas']): List | null {
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? {})
  const [, answer] = answerOf(row)
  const [media] = Object.values(row.requestBody?.content ?? {})
  const inQuery = row.parameters.some((one) => one.in === 'query' && ['page', 'after'].includes(one.name))
  const fields = resolved(media?.schema ?? {}).properties ?? {}
  const inBody = fields.page !== undefined || fields.after !== undefined
  if (!inQuery && !inBody) return null
  const [items, schema] = Object.entries(resolved(answer).properties ?? {}).find(
    ([, { type }]) => type === 'array',
  ) as [string, Schema]
  return { name: row.operationId, page: typeOf(answer), items, item: typeOf(schema.items ?? {}), inBody }
}

/** The files of the client: declarations, and the table that they declare. */
export function clientFiles(document: Document): { readonly declarations: string; readonly table: string } {
  const rows = rowsOf(document)
  const { schemas } = document.components
  const lists = rows.map((row) => listOf(row, schemas)).filter((list) => list !== null)
  const calls = rows.map((row) => {
    const call = `${row.operationId}: { params: ${paramsOf(row)}; result: ${resultOf(row)} }`
    return `${comment(row.summary, '  ')}  ${call}\n`
  })
  const pages = lists.map(({ name, page, item }) => `  ${name}: { page: ${page}; item: ${item} }\n`)
  const operations = Object.fromEntries(rows.map((row) => [row.operationId, tableRow(row)]))
  const listed = Object.fromEntries(lists.map(({ name, items, inBody }) => [name, { items, inBody }]))
  return {
    declarations: [
      '// Made by the build from the OpenAPI document.\n',
      ...Object.entries(schemas).map(component),
      '/** Parameters and result of each operation. */\n',
      `export interface Calls {\n${calls.join('')}}\n`,
      '/** Operations that answer page by page. */\n',
      `export interface Lists {\n${pages.join('')}}\n`,
      'export declare const operations: Readonly<Record<keyof Calls, string>>\n',
      'export interface ListRow { readonly items: string; readonly inBody: boolean }\n',
      'export declare const lists: Readonly<Record<keyof Lists, ListRow>>\n',
    ].join(''),
    table:
      `export const operations = ${JSON.stringify(operations, null, 1)}\n` +
      `export const lists = ${JSON.stringify(listed, null, 1)}\n`,
  }
}
