/** The Common Event Format, as the decoder of Filebeat and of Elastic Agent parses it. */
import type { Mapping } from './mapping.js'

export const cef: Mapping = {
  id: 'cef',
  name: 'Common Event Format (CEF)',
  description: 'Messages in CEF, parsed by the decode_cef processor of Filebeat or Elastic Agent.',
  documentation: 'https://www.elastic.co/docs/reference/beats/filebeat/exported-fields-cef',
  timeField: '@timestamp',
  titleField: 'cef.name',
  severityField: 'cef.severity',
  points: [
    { path: 'cef.device.vendor', meaning: 'Who makes the product.' },
    { path: 'cef.device.product', meaning: 'The product.' },
    { path: 'cef.device.event_class_id', meaning: 'The kind of the event, in its product.' },
    { path: 'cef.severity', meaning: 'How severe it is: 0 to 10, or a word.' },
    { path: 'cef.extensions.deviceAction', meaning: 'What the product did about it.' },
    { path: 'cef.extensions.deviceEventCategory', meaning: 'The subject.' },
    { path: 'cef.extensions.eventOutcome', meaning: 'Whether it succeeded.' },
    { path: 'cef.extensions.applicationProtocol', meaning: 'The protocol.' },
    { path: 'cef.extensions.destinationPort', meaning: 'The service that was contacted.' },
  ],
  avoid: [
    { path: 'cef.extensions.externalId', meaning: 'Different for each event.' },
    { path: 'cef.extensions.sourcePort', meaning: 'Random.' },
    { path: 'cef.extensions.message', meaning: 'Almost always different.' },
  ],
}
