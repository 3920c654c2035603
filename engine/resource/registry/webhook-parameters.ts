/** Parameters of an integration that takes webhooks in the form of their sender (services/inbound/). */
import type { ParameterSpec } from './parameters.js'

/** The formats, and `auto`: each document shows its own. */
export const webhookFormats = [
  'auto',
  'json',
  'alertmanager',
  'cef',
  'crowdstrike',
  'ecs',
  'elastic',
  'github',
  'guardduty',
  'leef',
  'ocsf',
  'sentinel',
  'splunk',
  'wazuh',
] as const

/** The ARN of a topic of Amazon SNS; the group is its region. */
export const snsTopic = /^arn:aws(?:-cn|-us-gov)?:sns:([a-z0-9-]+):\d{12}:[\w-]{1,256}(?:\.fifo)?$/

/** An HTTP header. */
const HEADER = /^[a-z0-9-]{1,64}$/i

export const webhookParameters: readonly ParameterSpec[] = [
  {
    name: 'webhook_format',
    type: 'string',
    required: false,
    allowed: webhookFormats,
    description: 'The format of webhooks. Default: `auto`, by what a webhook looks like.',
  },
  {
    name: 'webhook_items',
    type: 'string',
    required: false,
    description: 'The path of a list in each webhook; each of its items is an event. Default: as the format says.',
  },
  {
    name: 'webhook_event_id',
    type: 'string',
    required: false,
    description:
      'The id of an event: a path such as `alert.id`, or a template such as `{{host.name}}-{{rule.id}}`. Default: as ' +
      'the format says.',
  },
  {
    name: 'webhook_secret',
    type: 'string',
    required: false,
    secret: true,
    signs: true,
    description: 'The secret that the sender signs with (HMAC-SHA256). With it, only signed webhooks count.',
  },
  {
    name: 'webhook_signature_header',
    type: 'string',
    required: false,
    check: (name) => (HEADER.test(name) ? null : 'must be the name of a header'),
    description: 'The header of the signature. Default: `X-Hub-Signature-256`, as GitHub sends it.',
  },
  {
    name: 'sns_topic_arn',
    type: 'string',
    required: false,
    check: (topic) =>
      snsTopic.test(topic) ? null : 'must be the ARN of a topic, such as arn:aws:sns:eu-west-1:123456789012:alerts',
    description: 'A topic of Amazon SNS. With it, only messages of this topic count, signed by SNS.',
  },
]
