import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cefOf } from '../../../engine/integration/syslog/cef.js'
import { chatDialects, chatText } from '../../../engine/integration/slack/chat-text.js'
import { fill, valueAt } from '../../../engine/integration/template.js'
import { decided } from '../../support/outgoing.js'

test('a template names fields, dotted or nested, and a missing one inserts nothing', () => {
  const event = decided('e1', {}, { host: { name: 'web-1' }, 'user.name': 'ann', tags: ['a', { b: 1 }], no: null })
  assert.equal(
    fill('{{event_id}} {{ host.name }} {{user.name}} {{tags}} [{{no}}{{nowhere.at.all}}]', event),
    'e1 web-1 ann ["a",{"b":1}] []',
  )
  assert.equal(fill('{{result_label}} {{confidence_score}} {{ {{x}} }}', event), 'Drop 91.5 {{  }}')
})

test('the page of an event is a link whatever the id is, also in chats', () => {
  for (const id of ['alert-1', 'a/b?c#d', '*_~x~_*', 'evil.example', '../up', 'é \ud800'] as const) {
    const event = decided(id, {}, {})
    const link = fill('https://desk.example{{event_page}}', event)
    for (const dialect of chatDialects)
      assert.equal(
        fill('https://desk.example{{event_page}}', event, (text) => chatText(text, dialect)),
        link,
      )
    const { pathname, search, hash } = new URL(link)
    const [, , jobId, , eventId] = pathname.split('/')
    assert.deepEqual([jobId, decodeURIComponent(eventId as string)], [String(event.jobId), id.toWellFormed()])
    assert.deepEqual([search, hash, pathname.split('/').length], ['', '', 5])
  }
})

test('many blanks after braces are text, and take no minutes', () => {
  const blanks = ' '.repeat(16_000)
  const event = decided('e1', {}, {})
  assert.equal(fill(`{{${blanks}x {{${blanks}event_id${blanks}}}`, event), `{{${blanks}x e1`)
})

test('values of an event are not parsed again, and reach no prototype', () => {
  const event = decided('e1', {}, { a: '{{event_id}} $& <@U1>' })
  assert.equal(fill('{{a}}', event), '{{event_id}} $& <@U1>')
  assert.equal(
    fill('{{a}}', event, (text) => `[${text}]`),
    '[{{event_id}} $& <@U1>]',
  )
  for (const path of ['__proto__', 'constructor.name', 'a.length', 'toString'])
    assert.equal(valueAt(event.document, path), undefined, path)
})

test('CEF escapes pipes in the header, equals signs in the extension, line breaks in both', () => {
  const event = decided(
    'e|1',
    { jobTitle: 'a=b\\c' },
    { title: 'x|y\nz\\', message: 'two\r\nlines=1', severity: 'high', source: { ip: '10.0.0.1' } },
  )
  const line = cefOf(event, '1')
  assert.ok(
    line.startsWith(
      'CEF:0|Decision Service|Decision Service|1|decision:label_1|x\\|y z\\\\|8|rt=1700000000000 externalId=e|1 cat=a\\=b\\\\c ',
    ),
    line,
  )
  assert.ok(
    line.includes('msg=two\\nlines\\=1') &&
      line.includes('src=10.0.0.1') &&
      line.includes('cfp1=91.50') &&
      !line.includes('\n'),
  )
})

test('CEF cuts a long title, but never within an escape, so that the next field stays intact', () => {
  const line = cefOf(decided('e1', {}, { title: `${'a'.repeat(999)}|${'b'.repeat(50)}`, severity: 'high' }), '1')
  assert.ok(line.includes(`|${'a'.repeat(999)}\\||8|rt=`), line.slice(0, 200))
})
