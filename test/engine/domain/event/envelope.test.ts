import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseEnvelope, sectionFields } from '../../../../engine/domain/event/envelope.js'
import { assertRefused } from '../../../support/engine/refusal.js'

const names = ['service', 'arcanna']

function parse(body: unknown) {
  return parseEnvelope(JSON.stringify(body), names)
}

describe('envelope', () => {
  it('takes the body, the id and what the client said beside it', () => {
    const { rawBody, eventId, extras } = parse({
      job_id: 1,
      raw_body: { a: 1 },
      event_id: 'e',
      title: 'T',
      severity: 3,
      storage_tag: 's',
    })
    assert.deepEqual(rawBody, { a: 1 })
    assert.equal(eventId, 'e')
    assert.deepEqual(extras, { title: 'T', severity: 3, storage_tag: 's' })
  })

  it('has no extras where the client said nothing', () => {
    assert.equal(parse({ raw_body: {} }).extras, null)
    assert.equal(parse({ raw_body: {}, title: null, unknown: 1 }).extras, null)
    const numbers = { title: 4625, severity: 3, storage_tag: 7 }
    assert.deepEqual(parse({ raw_body: {}, ...numbers }).extras, { ...numbers, title: '4625', storage_tag: '7' })
  })

  it('keeps scalars only beside the body, so that nothing escapes the bounds of an event', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const { extras } = parseEnvelope(
      `{"raw_body":{},"title":${deep},"severity":{"__proto__":1},"storage_tag":"s"}`,
      names,
    )
    assert.deepEqual(extras, { title: undefined, severity: undefined, storage_tag: 's' })
  })

  it('an id may be a number; null and empty are none; anything else is refused', () => {
    assert.equal(parse({ raw_body: {}, event_id: 17 }).eventId, '17')
    assert.equal(parse({ raw_body: {}, event_id: null }).eventId, null)
    assert.equal(parse({ raw_body: {}, event_id: '' }).eventId, null)
    assertRefused('invalid_body', () => parse({ raw_body: {}, event_id: {} }))
  })

  it('refuses what is not JSON', () => {
    for (const text of ['', '{', 'undefined', '{"raw_body":{}', '{"raw_body":{}}}', "{'raw_body':{}}"]) {
      assertRefused('invalid_json', () => parseEnvelope(text, names))
    }
  })

  it('refuses what would take long to parse, without parsing it', () => {
    assertRefused('event_too_wide', () => parseEnvelope(`{"x":[${'[],'.repeat(600_000)}no JSON`, names))
  })

  it('refuses a body that is not an object, with its place', () => {
    for (const body of [null, 1, 'x', [], true]) assertRefused('invalid_body', () => parse(body))
    for (const rawBody of [null, undefined, 1, 'x', [], true]) {
      const refusal = assertRefused('invalid_body', () => parse({ raw_body: rawBody }))
      assert.deepEqual(refusal.context.issues?.[0]?.loc, ['body', 'raw_body'])
    }
  })

  for (const name of names) {
    it(`drops the old result of an exported event under ${name}`, () => {
      const section = Object.fromEntries(sectionFields.map((field) => [field, 'old']))
      const foreign = {
        outlier_flag: true,
        knowledge_base_state: 'new',
        attention: { low_confidence_score: { attention_required: true } },
      }
      assert.deepEqual(parse({ raw_body: { a: 1, [name]: { ...section, ...foreign } } }).rawBody, { a: 1 })
    })

    it(`keeps the client's own fields under ${name}, beside an old result and without one`, () => {
      const own = { name: 'sshd', port: 22 }
      assert.deepEqual(
        parse({ raw_body: { [name]: { ...own, result: 'label_0', inference_status: 'OK', model: null } } }).rawBody,
        { [name]: own },
      )
      const alike = { ...own, result: 'failed', model: 'T14', consensus: 1 }
      assert.deepEqual(parse({ raw_body: { [name]: alike } }).rawBody, { [name]: alike })
    })

    it(`keeps a field of the client's called ${name} that is no object`, () => {
      for (const value of ['nginx', 1, null, ['a'], false])
        assert.deepEqual(parse({ raw_body: { [name]: value } }).rawBody, { [name]: value })
    })
  }
})
