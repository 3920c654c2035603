/** Hostile values, as each case system gets them. `·` stands for a zero-width space. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { outsideKind } from '../../../../engine/integration/registry.js'
import { CaseServer, dialects } from '../../../support/servers/case-servers.js'
import { decided, never, openSink, outgoing } from '../../../support/outgoing.js'

/** What everybody shows letter by letter, once a text is marked as plain. */
const harmless = [
  '*bold* _it_ -del- +ins+ h1. head',
  '[Reset](https://evil.example) [Reset|https://evil.example] "Reset":https://evil.example',
  '![x](https://evil.example/pixel) !https://evil.example/pixel!',
  '{{include(Secrets)}} {color:red}x{color} ||a||b||',
]

type Row = readonly [hostile: string, shown: Readonly<Record<string, string>>]

/** What would end the block of a system, or act within it; absent: as it is. */
const rows: readonly Row[] = [
  ...harmless.map((text): Row => [text, {}]),
  ['{noformat} {NoFormat:title=x}', { jira: '{·noformat} {·NoFormat:title=x}' }],
  ['[~admin] [~accountid:1]', { jira: '[·~admin] [·~accountid:1]' }],
  ['</pre><a href="//evil.example">x</a><!-- <b>', { redmine: '<·/pre><·a href="//evil.example">x<·/a><·!-- <·b>' }],
  ['@admin ann@example.com (@admin)', { redmine: '@·admin ann@example.com (@·admin)' }],
  ['```\n# out\n````', {}],
  [
    '[code]<script>x</script>[/code] [ CODE ]',
    {
      servicenow: '[·code]<script>x</script>[·/code] [· CODE ]',
      redmine: '[code]<·script>x<·/script>[/code] [ CODE ]',
    },
  ],
  [
    'a\rb\u0000c\u202etxt.exe\u2028d',
    Object.fromEntries(Object.keys(dialects).map((name) => [name, 'a\nb c txt.exe\nd'])),
  ],
]

for (const name of Object.keys(dialects)) {
  describe(`hostile values in ${name}`, () => {
    it('are plain text in a case, whatever they contain', async (context) => {
      const server = await CaseServer.open(name)
      context.after(() => server.close())
      const parameters = { ...server.parameters, once_per: 'event', description: 'x {{text}} y' }
      const sink = openSink(outsideKind(name)!, 'case_creation', server.connection, parameters)
      context.after(() => sink.close())
      for (const [text, shown] of rows) {
        const event = decided('e1', {}, { text, title: text })
        const [outcome] = await sink.deliver([outgoing('e1', { event })], never)
        assert.equal(outcome?.outcome, 'delivered', text)
        const { title, text: stored } = server.cases.pop()!
        assert.equal(stored.replaceAll('\u200b', '·'), `x ${shown[name] ?? text} y`)
        assert.doesNotMatch(title, /[\r\n\u0000\u202e]/)
      }
    })

    it('are plain text in a note', async (context) => {
      const server = await CaseServer.open(name)
      context.after(() => server.close())
      const sink = openSink(outsideKind(name)!, 'case_creation', server.connection, server.parameters)
      context.after(() => sink.close())
      for (const [text, shown] of rows) {
        const event = (eventId: string, resultLabel: string, ingestMicros: number) =>
          outgoing(eventId, {
            event: decided(eventId, { result: resultLabel, resultLabel, bucketId: text, ingestMicros }),
          })
        await sink.deliver([event('e0', 'Drop', 1e15), event(text, 'Escalate', 2e15)], never)
        assert.deepEqual(
          server.cases.pop()!.notes.map((note) => note.replaceAll('\u200b', '·')),
          [
            `The decision is now Escalate (91.5 %), event ${shown[name] ?? text}. ` +
              'The alert has come 2 times since 2001-09-09 01:46 UTC.',
          ],
        )
      }
    })
  })
}

it('a code block has a fence longer than any in its text', async (context) => {
  const server = await CaseServer.open('thehive')
  context.after(() => server.close())
  const sink = openSink(outsideKind('thehive')!, 'case_creation', server.connection, { description: '{{text}}' })
  context.after(() => sink.close())
  await sink.deliver([outgoing('e1', { event: decided('e1', {}, { text: '`````' }) })], never)
  assert.equal(JSON.parse(server.http.received.at(-1)!.body).description, '``````\n`````\n``````')
})
