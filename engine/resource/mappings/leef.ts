/** The Log Event Extended Format: the attributes of IBM, in the fields that the parser of Tenzir makes. */
import type { Mapping } from './mapping.js'

export const leef: Mapping = {
  id: 'leef',
  name: 'Log Event Extended Format (LEEF)',
  description:
    'Messages in LEEF 1.0 and 2.0, as the read_leef operator and the parse_leef function of Tenzir parse them.',
  documentation: 'https://docs.tenzir.com/reference/operators/read_leef',
  timeField: 'attributes.devTime',
  titleField: null,
  severityField: 'attributes.sev',
  points: [
    { path: 'vendor', meaning: 'Who makes the product.' },
    { path: 'product_name', meaning: 'The product.' },
    { path: 'event_class_id', meaning: 'The kind of the event, in its product.' },
    { path: 'attributes.cat', meaning: 'A detail of the kind, such as success or failure.' },
    { path: 'attributes.sev', meaning: 'How severe it is: 1 to 10.' },
    { path: 'attributes.policy', meaning: 'The policy that applied.' },
    { path: 'attributes.proto', meaning: 'The protocol.' },
    { path: 'attributes.dstPort', meaning: 'The service that was contacted.' },
    { path: 'attributes.role', meaning: 'The role of the account.' },
  ],
  avoid: [
    { path: 'attributes.devTime', meaning: 'Different for each event.' },
    { path: 'attributes.srcPort', meaning: 'Random.' },
    { path: 'attributes.srcBytes', meaning: 'Almost always different.' },
    { path: 'attributes.dstBytes', meaning: 'Almost always different.' },
  ],
}
