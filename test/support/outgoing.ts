/** Outgoing events and tools for tests of integrations. */
import { ManualClock, type Clock } from '../../engine/clock.js'
import type {
  DecidedEvent,
  OpenedParameters,
  Outgoing,
  OutsideKind,
  Sink,
  Tools,
} from '../../engine/integration/contract.js'
import { HostPolicy } from '../../engine/integration/http/host-policy.js'
import type { IntegrationRole } from '../../engine/domain/job/job.js'

export function decided(
  eventId = 'e1',
  more: Partial<DecidedEvent> = {},
  body: Record<string, unknown> = {},
): DecidedEvent {
  const section = { result: 'label_1', result_label: 'Drop', confidence_score: 91.5 }
  return {
    jobId: 7,
    jobTitle: 'Alert triage',
    eventId,
    ingestMicros: 1_700_000_000_000_000,
    result: 'label_1',
    resultLabel: 'Drop',
    confidenceScore: 91.5,
    outlier: false,
    bucketId: '00112233445566778899aabbccddeeff',
    serviceName: 'service',
    document: { rule: { id: '4625' }, ...body, service: section },
    ...more,
  }
}

export function outgoing(eventId = 'e1', more: Partial<Outgoing> = {}): Outgoing {
  return { id: `7.${eventId}`, reason: 'decided', event: decided(eventId), reference: null, ...more }
}

export function toolsFor(privateHosts: readonly string[] = ['127.0.0.1'], clock: Clock = new ManualClock()): Tools {
  return { policy: new HostPolicy(privateHosts), clock, serviceName: 'service', timeZone: 'UTC' }
}

export function openSink(
  kind: OutsideKind,
  role: IntegrationRole,
  connection: OpenedParameters,
  parameters: OpenedParameters = {},
): Sink {
  return kind.openSink!(role, withDefaults(kind, connection), parameters, toolsFor())
}

/** The connection, with the kind's defaults for what is not given. */
export function withDefaults(kind: OutsideKind, connection: OpenedParameters): OpenedParameters {
  const defaults = Object.fromEntries(
    kind.entry.connection.flatMap(({ name, default: value }) =>
      value === undefined || typeof value === 'object' ? [] : [[name, value]],
    ),
  )
  return { ...defaults, ...connection }
}

export const never = new AbortController().signal
