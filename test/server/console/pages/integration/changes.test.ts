import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesOf, fieldsOf, shownText } from '../../../../../server/console/pages/integration/changes.js'

const schema = {
  required: ['url'],
  properties: {
    url: { type: 'string' },
    secret: { type: 'string', writeOnly: true },
    verify_tls: { type: 'boolean', default: true },
    ca_certificate: { type: 'string' },
    timeout_seconds: { type: 'number', default: 10 },
    dialect: { type: 'string', enum: ['slack', 'mattermost'] },
    headers: { type: 'array' },
  },
}
const shown = { url: 'https://a.example/', verify_tls: true, ca_certificate: 'one\ntwo', timeout_seconds: 10 }

/** The form as it is shown, with some fields changed; undefined takes a tick away. */
function filled(changed: Readonly<Record<string, string | undefined>> = {}): FormData {
  const form = new FormData()
  for (const [name, parameter] of fieldsOf(schema)) {
    const text = name in changed ? changed[name] : shownText(parameter, shown[name as 'url'])
    if (text !== undefined) form.set(name, text)
  }
  return form
}

test('a form that nobody touched changes nothing, whatever its line breaks are', () => {
  assert.deepEqual(changesOf(schema, shown, filled()), {})
  assert.deepEqual(changesOf(schema, shown, filled({ ca_certificate: 'one\r\ntwo' })), {})
})

test('only what was changed is sent, each in the type of its parameter', () => {
  assert.deepEqual(changesOf(schema, shown, filled({ url: 'https://b.example/', timeout_seconds: '2.5' })), {
    url: 'https://b.example/',
    timeout_seconds: 2.5,
  })
  assert.deepEqual(changesOf(schema, shown, filled({ verify_tls: undefined })), { verify_tls: false })
  assert.deepEqual(changesOf(schema, shown, filled({ ca_certificate: '', dialect: 'slack' })), {
    ca_certificate: '',
    dialect: 'slack',
  })
})

test('a secret is never shown, and stays where its field is empty; so does a number', () => {
  assert.equal(shownText(schema.properties.secret, 'kept'), '')
  assert.deepEqual(changesOf(schema, { ...shown, secret: 'kept' }, filled({ timeout_seconds: '' })), {})
  assert.deepEqual(changesOf(schema, shown, filled({ secret: 'new' })), { secret: 'new' })
})

test('what is not set shows its default where it has one, and a list has no field', () => {
  assert.deepEqual(
    fieldsOf(schema).map(([name, parameter]) => `${name} ${shownText(parameter, undefined)}`),
    ['url ', 'secret ', 'verify_tls true', 'ca_certificate ', 'timeout_seconds 10', 'dialect '],
  )
})
