import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { cefOf } from '../../../engine/integration/syslog/cef.js'
import { chatDialects, chatText } from '../../../engine/integration/slack/chat-text.js'
import { fill, fillWithin } from '../../../engine/integration/template.js'
import { valueAt } from '../../../engine/domain/event/path.js'
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
  const line = cefOf(decided('e1', {}, { title: `${'a'.repeat(998)}|${'b'.repeat(50)}`, severity: 'high' }), '1')
  assert.ok(line.includes(`|${'a'.repeat(998)}\\|…|8|rt=`), line.slice(0, 200))
})

describe('a text that is too long for its place', () => {
  const long = 'Mallory & friends 👩‍👩‍👧‍👦 '.repeat(200)
  const event = decided('e1', {}, { message: long, short: 'web-1', url: 'https://siem.example/a/b?c=1' })

  it('is cut in its long value, and the link at its end stays', () => {
    const text = fillWithin('{{short}}: {{message}} https://desk.example{{event_page}}', event, 300)
    assert.ok(text.length <= 300 && text.length > 290)
    assert.match(text, /^web-1: Mallory .*… https:\/\/desk\.example\/jobs\/7\/events\/e1$/)
  })

  it('keeps a link that is a value whole', () => {
    const text = fillWithin('{{message}} {{url}}', event, 100)
    assert.ok(text.length <= 100 && text.endsWith('… https://siem.example/a/b?c=1'))
  })

  it('is cut before it is escaped: no dialect of a chat gets half of an escape', () => {
    const nasty = decided('e1', {}, { message: '&<>*_`~|[](){}!\\'.repeat(400) })
    for (const dialect of chatDialects)
      for (let max = 60; max < 90; max++) {
        const fit = (value: string): string => chatText(value, dialect)
        const text = fillWithin('{{message}} x{{event_page}}', nasty, max, { fit })
        assert.ok(text.length <= max && text.endsWith('… x/jobs/7/events/e1'), text)
        // Rocket.Chat knows no entities.
        if (dialect !== 'rocketchat') assert.doesNotMatch(text, /&(?!amp;|lt;|gt;)/)
      }
  })

  it('is cut at its end where the template itself is too long', () => {
    const text = fillWithin(`${'Tom &amp; Jerry '.repeat(20)}{{short}}`, event, 102)
    assert.ok(text.length <= 102 && text.endsWith('…') && text.isWellFormed())
    assert.doesNotMatch(text, /&(?!amp;)/)
  })
})

test('CEF has no half character in a value that is cut', () => {
  const line = cefOf(decided('e1', {}, { message: `${'x'.repeat(998)}👩‍👩‍👧‍👦yz` }), '1')
  assert.match(line, /msg=x{998}…$/)
})
