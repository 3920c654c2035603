/** Makes the service of webhooks: its parts, and its way to the outside. */
import { rootCertificates } from 'node:tls'
import type { Clock } from '../../clock.js'
import { HostPolicy } from '../../integration/http/host-policy.js'
import { HttpClient } from '../../integration/http/http-client.js'
import { allKinds } from '../../integration/registry.js'
import type { Sealer } from '../../resource/access/sealing.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import { Webhooks } from './inbound.js'
import { SnsCertificates } from './sns-certificates.js'

/** Milliseconds for an answer of SNS, and bytes of it: the sender waits meanwhile. */
const ANSWER_MS_MAX = 5_000
const ANSWER_BYTES_MAX = 64 * 1024

export interface WebhookParts {
  readonly resources: Pick<ResourceStore, 'integrations' | 'jobs'>
  readonly sealer: Sealer
  readonly privateHosts: readonly string[]
  readonly clock: Clock
}

export function openWebhooks({ resources, sealer, privateHosts, clock }: WebhookParts): Webhooks {
  // Connections are made when they are needed, and most services never need one.
  let client: HttpClient | null = null
  const fetch = async (url: URL): Promise<Uint8Array> => {
    client ??= new HttpClient({ policy: new HostPolicy(privateHosts) })
    const limits = { timeoutMs: ANSWER_MS_MAX, answerBytesMax: ANSWER_BYTES_MAX }
    const { status, body } = await client.send({ method: 'GET', url, ...limits })
    if (status !== 200) throw new Error(`${url.hostname} answered with ${status}`)
    return body
  }
  const nowMs = (): number => clock.nowMicros() / 1000
  return new Webhooks({
    resources: {
      integrations: () => resources.integrations(),
      jobs: () => resources.jobs(),
      takesPosts: (kind) => allKinds.byId(kind).takesPosts,
    },
    sealer,
    certificates: () => new SnsCertificates({ fetch, roots: rootCertificates, nowMs }),
    fetch,
  })
}
