import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientFiles } from '../../server/client-types.js'

const thing = { $ref: '#/components/schemas/Thing' }

const document = {
  components: {
    schemas: {
      Kind: { type: 'string', enum: ['a', 'b'] },
      Thing: {
        type: 'object',
        description: 'A thing.',
        required: ['id', 'kinds'],
        properties: {
          id: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
          kinds: { type: 'array', items: { anyOf: [{ $ref: '#/components/schemas/Kind' }, { type: 'null' }] } },
          '@at': { type: 'string', description: 'When.' },
          any: {},
        },
        additionalProperties: true,
      },
      Counts: { type: 'object', additionalProperties: { type: 'integer' } },
    },
  },
  paths: {
    '/things/{id}': {
      put: {
        operationId: 'setThing',
        summary: 'Set a thing',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'force', in: 'query', required: false, schema: { type: 'boolean' } },
        ],
        requestBody: { required: true, content: { 'application/json': { schema: thing } } },
        responses: { 200: { content: { 'application/json': { schema: thing } } } },
      },
    },
    '/log': {
      post: {
        operationId: 'readLog',
        summary: 'Read the log',
        'x-idempotent': true,
        parameters: [],
        responses: { 200: { content: { 'text/plain': { schema: { type: 'string' } } } } },
      },
    },
  },
}

test('schemas become types', () => {
  const { declarations } = clientFiles(document)
  assert.ok(declarations.includes('export type Kind = "a" | "b"\n'))
  assert.ok(declarations.includes('export type Counts = {\n  [key: string]: number\n}\n'))
  assert.ok(
    declarations.includes(
      '/** A thing. */\nexport interface Thing {\n  id: string | number | null\n  kinds: (Kind | null)[]\n' +
        '  /** When. */\n' +
        '  "@at"?: string | undefined\n  any?: unknown | undefined\n  [key: string]: unknown\n}\n',
    ),
  )
})

test('operations become parameters, a result and a row of the table', () => {
  const { declarations, table } = clientFiles(document)
  assert.ok(
    declarations.includes(
      '  /** Set a thing */\n  setThing: { params: {\n  id: string\n  force?: boolean | undefined\n' +
        '  body: Thing\n}; result: Thing }\n',
    ),
  )
  assert.ok(table.includes('"setThing": "PUT /things/{id}"'))
  assert.ok(table.includes('"readLog": "POST /log t!"'))
})

test('a schema of a form that is not known stops the build', () => {
  const broken = { ...document, components: { schemas: { Thing: { type: 'tuple' } } } }
  assert.throws(() => clientFiles(broken), /tuple/)
})
