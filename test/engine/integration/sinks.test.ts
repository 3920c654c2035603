/** Every sink passes the same suite, each against a small real server of its protocol. */
import type { OpenedParameters } from '../../../engine/integration/contract.js'
import { outsideKind } from '../../../engine/integration/registry.js'
import { searchEngine } from '../../../engine/integration/search-engine/search-engine.js'
import { slack } from '../../../engine/integration/slack/slack.js'
import { syslog } from '../../../engine/integration/syslog/syslog.js'
import { webhook } from '../../../engine/integration/webhook/webhook.js'
import { caseContract, sinkContract, type Behaviour, type Counterpart } from '../../contracts/sink.js'
import { firstCertificate } from '../../support/servers/certificates.js'
import { eventually } from '../../support/client.js'
import { behaving } from '../../support/behaviours.js'
import { CaseServer } from '../../support/servers/case-servers.js'
import { KafkaServer } from '../../support/servers/kafka-server.js'
import { NatsServer, type NatsBehaviour } from '../../support/servers/nats-server.js'
import { HttpReceiver, type Answering, type Received } from '../../support/servers/receiver.js'
import { SearchServer } from '../../support/servers/search-server.js'
import { SyslogServer } from '../../support/servers/syslog-server.js'

const httpBehaviours = Object.keys(behaving) as Behaviour[]

/** A counterpart over HTTP; `idOf` finds the event id in a request. */
async function httpCounterpart(
  connection: (url: string) => OpenedParameters,
  idsOf: (received: Received) => string[],
): Promise<Counterpart> {
  const receiver = await HttpReceiver.open()
  return {
    connection: connection(receiver.url),
    behave: (how) => void (receiver.answer = behaving[how]),
    taken: (count) =>
      eventually(
        async () => receiver.received.flatMap(idsOf),
        (ids) => ids.length >= count,
      ),
    close: () => receiver.close(),
  }
}

sinkContract({
  name: 'webhook',
  kind: webhook,
  role: 'post_decision',
  hostParameter: 'url',
  behaviours: httpBehaviours,
  secrets: ['hush', 'Bearer'],
  open: () =>
    httpCounterpart(
      (url) => ({ url: `${url}/hook`, secret: 'hush', authorization: 'Bearer hush' }),
      ({ body }) => [JSON.parse(body).data.event_id],
    ),
})

sinkContract({
  name: 'slack',
  kind: slack,
  role: 'post_decision',
  hostParameter: 'url',
  behaviours: httpBehaviours,
  secrets: ['T000/B000'],
  parameters: { text: '{{event_id}} {{title}} {{source.ip}}' },
  open: () =>
    httpCounterpart(
      (url) => ({ url: `${url}/services/T000/B000` }),
      ({ body }) => [JSON.parse(body).text.split(' ')[0]],
    ),
})

const bulkWrong: Partial<Record<Behaviour, Answering>> = {
  refusing: (_, response) =>
    void response.end(
      '{"errors":true,"items":[{"index":{"status":400,"error":{"type":"mapper_parsing_exception","reason":"no"}}}]}',
    ),
}

sinkContract({
  name: 'search engine',
  kind: searchEngine,
  role: 'output',
  hostParameter: 'hosts',
  behaviours: httpBehaviours,
  secrets: ['changeme-now'],
  async open() {
    const server = await SearchServer.open()
    const working = server.http.answer
    return {
      connection: server.connection,
      behave: (how) => void (server.http.answer = how === 'well' ? working : (bulkWrong[how] ?? behaving[how])),
      taken: (count) =>
        eventually(
          async () => [...server.documents.values()].map(({ source }) => String(source.event_id)),
          (ids) => ids.length >= count,
        ),
      close: () => server.close(),
    }
  },
})

sinkContract({
  name: 'wazuh',
  kind: outsideKind('wazuh')!,
  role: 'output',
  hostParameter: 'hosts',
  behaviours: httpBehaviours,
  secrets: ['changeme-now'],
  async open() {
    const server = await SearchServer.open()
    const working = server.http.answer
    // Every requested alert exists.
    const well: Answering = (received, response) => {
      const ids = received.path.includes('_search') ? (JSON.parse(received.body).query.ids.values as string[]) : []
      for (const id of ids) server.put('wazuh-alerts-4.x-2026.01.05', id, { timestamp: '2026-01-05T06:00:00Z' })
      working(received, response)
    }
    return {
      connection: server.connection,
      behave: (how) => void (server.http.answer = how === 'well' ? well : behaving[how]),
      taken: (count) =>
        eventually(
          async () => [...server.documents.values()].flatMap(({ source }: any) => source.service?.event_id ?? []),
          (ids) => ids.length >= count,
        ),
      close: () => server.close(),
    }
  },
})

for (const [name, secret] of [
  ['thehive', 'hive-key-1'],
  ['jira', 'jira-token-1'],
  ['servicenow', 'snow-pass-1'],
  ['redmine', 'red-key-1'],
] as const) {
  sinkContract({
    name,
    kind: outsideKind(name)!,
    role: 'case_creation',
    hostParameter: 'url',
    secrets: [secret],
    parameters: { project: 'SEC', once_per: 'event', title: '{{title}}', description: '({{event_id}})' },
    // A refused search is skipped, so only a refused creation refuses the event.
    behaviours: httpBehaviours,
    async open() {
      const server = await CaseServer.open(name)
      const working = server.http.answer
      return {
        connection: server.connection,
        behave: (how) => void (server.http.answer = how === 'well' ? working : behaving[how]),
        taken: (count) =>
          eventually(
            async () => server.cases.map(({ text }) => /\((.*)\)/.exec(text)![1]!),
            (ids) => ids.length >= count,
          ),
        close: () => server.close(),
      }
    },
  })
  caseContract(name, outsideKind(name)!, () => CaseServer.open(name))
}

sinkContract({
  name: 'nats',
  kind: outsideKind('nats')!,
  role: 'output',
  hostParameter: 'servers',
  behaviours: ['well', 'silent', 'refusing', 'broken', 'half'],
  secrets: ['hush-token'],
  async open() {
    const server = await NatsServer.open()
    server.token = 'hush-token'
    return {
      connection: { servers: server.address, protocol: 'plain', token: 'hush-token' },
      behave: (how) => void (server.behaviour = how as NatsBehaviour),
      taken: (count) =>
        eventually(
          async () => server.messages.map(({ payload }) => JSON.parse(payload.toString()).event_id),
          (ids) => ids.length >= count,
        ),
      close: () => server.close(),
    }
  },
})

sinkContract({
  name: 'kafka',
  kind: outsideKind('kafka')!,
  role: 'output',
  hostParameter: 'servers',
  behaviours: ['well', 'silent', 'refusing', 'broken', 'half'],
  secrets: ['hush-password'],
  parameters: { topic: 't' },
  async open() {
    const server = await KafkaServer.open()
    server.make('t', 3)
    return {
      connection: { servers: `127.0.0.1:${server.port}`, protocol: 'plain', password: 'hush-password' },
      behave: (how) => void (server.behaviour = how as NatsBehaviour),
      taken: (count) =>
        eventually(
          async () => [...server.stored.toString().matchAll(/"event_id":"([^"]*)"/g)].map(([, id]) => id!),
          (ids) => ids.length >= count,
        ),
      close: () => server.close(),
    }
  },
})

/** A syslog receiver; over TLS if it has a certificate. */
async function syslogCounterpart(tls: typeof firstCertificate | null): Promise<Counterpart> {
  const server = await SyslogServer.open(tls)
  return {
    connection: {
      host: '127.0.0.1',
      port: server.port,
      ...(tls === null ? { protocol: 'tcp' } : { protocol: 'tls', ca_certificate: tls.cert }),
    },
    behave: () => {},
    taken: (count) =>
      eventually(
        async () => server.eventIds,
        (ids) => ids.length >= count,
      ),
    close: () => server.close(),
  }
}

for (const [format, tls] of [
  ['cef', null],
  ['json', null],
  ['text', null],
  ['cef', firstCertificate],
] as const) {
  sinkContract({
    name: `syslog with ${format}${tls === null ? '' : ' over TLS'}`,
    kind: syslog,
    role: 'post_decision',
    hostParameter: 'host',
    behaviours: ['well'],
    parameters: { format },
    open: () => syslogCounterpart(tls),
  })
}
