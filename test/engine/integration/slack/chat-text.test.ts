/** Hostile values, as each dialect gets them: they are read, and do nothing. `·` stands for a zero-width space. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenedParameters } from '../../../../engine/integration/contract.js'
import { chatDialects, chatText, dialectOf, type ChatDialect } from '../../../../engine/integration/slack/chat-text.js'
import { slack } from '../../../../engine/integration/slack/slack.js'
import { decided, never, openSink, outgoing } from '../../../support/outgoing.js'
import { HttpReceiver } from '../../../support/servers/receiver.js'

type Row = readonly [hostile: string, shown: Readonly<Record<ChatDialect, string>>]

const same = (text: string): Record<ChatDialect, string> => ({ slack: text, mattermost: text, rocketchat: text })

const rows: readonly Row[] = [
  // Names, times and addresses stay as they are.
  [
    'svc_backup 10.0.0.1 12:30:05 C:\\a 50 % (a-b) 2+2=4',
    {
      ...same('svc_backup 10.0.0.1 12:30:05 C:\\a 50 % (a-b) 2+2=4'),
      mattermost: 'svc_backup 10.0.0.1 12:30:05 C:\\\\a 50 % \\(a-b\\) 2+2=4',
    },
  ],
  [
    '*bold* **bold**',
    { slack: '∗bold∗ ∗∗bold∗∗', mattermost: '\\*bold\\* \\*\\*bold\\*\\*', rocketchat: '∗bold∗ ∗∗bold∗∗' },
  ],
  [
    '_it_ __it__ a_b',
    { slack: 'ˍitˍ ˍˍitˍˍ a_b', mattermost: '\\_it\\_ \\_\\_it\\_\\_ a_b', rocketchat: 'ˍitˍ ˍˍitˍˍ a_b' },
  ],
  ['~gone~ ~~gone~~', { slack: '∼gone∼ ∼∼gone∼∼', mattermost: '~·gone~· ~·~·gone~·~·', rocketchat: '∼gone∼ ∼∼gone∼∼' }],
  [
    '`code` ```block```',
    { slack: 'ˋcodeˋ ˋˋˋblockˋˋˋ', mattermost: '\\`code\\` \\`\\`\\`block\\`\\`\\`', rocketchat: 'ˋcodeˋ ˋˋˋblockˋˋˋ' },
  ],
  ['\\*bold\\*', { slack: '\\∗bold\\∗', mattermost: '\\\\\\*bold\\\\\\*', rocketchat: '\\∗bold\\∗' }],
  ['@channel @all @here', same('@·channel @·all @·here')],
  [
    '<!channel> <@U1> <#C1>',
    {
      slack: '&lt;!channel&gt; &lt;@·U1&gt; &lt;#·C1&gt;',
      mattermost: '&lt;\\!channel&gt; &lt;@·U1&gt; &lt;#·C1&gt;',
      rocketchat: '<·!channel> <·@·U1> <·#·C1>',
    },
  ],
  [
    '&lt;!here&gt;',
    { slack: '&amp;lt;!here&amp;gt;', mattermost: '&amp;lt;\\!here&amp;gt;', rocketchat: '&lt;!here&gt;' },
  ],
  [
    'go to ~town and #town',
    { slack: 'go to ∼town and #·town', mattermost: 'go to ~·town and #·town', rocketchat: 'go to ∼town and #·town' },
  ],
  ['https://evil.example/a_b?c', same('https:·//evil.·example/a_b?c')],
  ['www.evil.example evil.example/x ann@evil.example', same('www.·evil.·example evil.·example/x ann@·evil.·example')],
  [
    '[Reset](https://evil.example)',
    {
      slack: '[Reset]·(https:·//evil.·example)',
      mattermost: '\\[Reset\\]\\(https:·//evil.·example\\)',
      rocketchat: '[Reset]·(https:·//evil.·example)',
    },
  ],
  [
    '![x](//evil.example/pixel)',
    {
      slack: '![x]·(//evil.·example/pixel)',
      mattermost: '\\!\\[x\\]\\(//evil.·example/pixel\\)',
      rocketchat: '![x]·(//evil.·example/pixel)',
    },
  ],
  [
    '<https://evil.example|Reset>',
    {
      slack: '&lt;https:·//evil.·example|Reset&gt;',
      mattermost: '&lt;https:·//evil.·example\\|Reset&gt;',
      rocketchat: '<·https:·//evil.·example|Reset>',
    },
  ],
  [
    'x ||hidden|| \\(x\\) \\[y\\]',
    {
      slack: 'x ||hidden|| \\(x\\) \\[y\\]',
      mattermost: 'x \\|\\|hidden\\|\\| \\\\\\(x\\\\\\) \\\\\\[y\\\\\\]',
      rocketchat: 'x |·|hidden|·| \\·(x\\) \\·[y\\]',
    },
  ],
  ['> quote', { slack: '·&gt; quote', mattermost: '·&gt; quote', rocketchat: '·> quote' }],
  ['# head', same('·#· head')],
  ['- item', same('·- item')],
  ['1. item', same('·1. item')],
  [
    'a\r\n\r\n> b\n*Drop* (99 %)',
    {
      slack: 'a &gt; b ∗Drop∗ (99 %)',
      mattermost: 'a &gt; b \\*Drop\\* \\(99 %\\)',
      rocketchat: 'a > b ∗Drop∗ (99 %)',
    },
  ],
  ['a\u2028b\u0000c\u202etxt.exe', same('a b c txt.·exe')],
]

for (const dialect of chatDialects) {
  test(`hostile values are text in ${dialect}`, () => {
    for (const [hostile, shown] of rows)
      assert.equal(chatText(hostile, dialect).replaceAll('\u200b', '·'), shown[dialect], hostile)
  })
}

test('the dialect is recognised by the URL of the webhook', () => {
  for (const [url, dialect] of [
    ['https://hooks.slack.com/services/T0/B0/x', 'slack'],
    ['https://chat.example/hooks/abc', 'mattermost'],
    ['https://example.com/mattermost/hooks/abc/', 'mattermost'],
    ['https://chat.example/hooks/64f/abc', 'rocketchat'],
    ['https://chat.example/in', 'slack'],
  ])
    assert.equal(dialectOf(new URL(url!)), dialect, url)
})

test('a message keeps the markup of its template, and takes the dialect that the integration names', async (context) => {
  const receiver = await HttpReceiver.open()
  context.after(() => receiver.close())
  const texts = async (connection: OpenedParameters): Promise<string> => {
    const sink = openSink(slack, 'post_decision', connection, {
      text: '*<https://siem.example/{{event_id}}|{{title}}>*',
    })
    const event = decided('e_1', {}, { title: '*x* @all' })
    const [outcome] = await sink.deliver([outgoing('e_1', { event })], never)
    await sink.close()
    assert.equal(outcome?.outcome, 'delivered')
    return JSON.parse(receiver.received.at(-1)!.body).text
  }
  const url = `${receiver.url}/hooks/abc`
  assert.equal(await texts({ url }), '*<https://siem.example/e_1|\\*x\\* @\u200ball>*')
  assert.equal(await texts({ url, dialect: 'slack' }), '*<https://siem.example/e_1|∗x∗ @\u200ball>*')
})
