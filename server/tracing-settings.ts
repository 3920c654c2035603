/**
 * The settings of traces. They are the standard variables of OpenTelemetry, so that one configuration serves all
 * services. The exporter reads others of these variables itself (OTEL_EXPORTER_OTLP_CERTIFICATE, ..._COMPRESSION).
 */
import { z } from 'zod'
import { flag, integer, text } from './setting.js'

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })

/** `name=value` pairs, separated by commas; values are percent-encoded (W3C Baggage). */
const headers = z
  .string()
  .transform((list) =>
    list
      .split(',')
      .map((pair) => pair.trim())
      .filter((pair) => pair !== ''),
  )
  .refine(
    (pairs) => pairs.every((pair) => /^[\w!#$%&'*+.^`|~-]+\s*=/.test(pair)),
    'must be name=value pairs, separated by commas',
  )
  .transform((pairs) =>
    Object.fromEntries(
      pairs.map((pair): [string, string] => {
        const at = pair.indexOf('=')
        return [pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]
      }),
    ),
  )

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

const ratio = z
  .string()
  .regex(/^(0|1|0?\.\d+|0\.\d+|1\.0+)$/, 'must be a number from 0 to 1')
  .transform(Number)

export const tracingSettings = {
  otlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    schema: url,
    meaning:
      'Address of a trace collector (OTLP over HTTP, JSON); /v1/traces is appended; without it there are no traces',
  },
  otlpTracesEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    schema: url,
    meaning: 'The same as a complete address, to which nothing is appended',
  },
  otlpHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    schema: headers,
    meaning: 'Headers for the collector: name=value pairs, separated by commas',
    secret: true,
  },
  otlpTimeoutMs: {
    name: 'OTEL_EXPORTER_OTLP_TIMEOUT',
    schema: integer(1, 600_000),
    fallback: '10000',
    meaning: 'Milliseconds for the collector to accept a batch',
  },
  otlpDelayMs: {
    name: 'OTEL_BSP_SCHEDULE_DELAY',
    schema: integer(1, 600_000),
    fallback: '5000',
    meaning: 'Milliseconds between two batches to the collector',
  },
  tracesRatio: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    schema: ratio,
    fallback: '1',
    meaning: 'Share of requests to trace, 0 to 1; the traceparent of a request takes precedence',
  },
  otelServiceName: {
    name: 'OTEL_SERVICE_NAME',
    schema: text,
    fallback: 'decision-service',
    meaning: 'Name of the service in traces',
  },
  otelDisabled: {
    name: 'OTEL_SDK_DISABLED',
    schema: flag,
    fallback: 'false',
    meaning: 'Disables traces, whatever else is set',
  },
} as const
