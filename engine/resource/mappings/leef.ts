/** The Log Event Extended Format: the attributes that IBM defines, as the parser of Tenzir names what is around them. */
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
    { path: 'attributes.cat', meaning: 'What the kind leaves open, such as success or failure.' },
    { path: 'attributes.sev', meaning: 'How grave it is: 1 to 10.' },
    { path: 'attributes.policy', meaning: 'Which policy it was about.' },
    { path: 'attributes.proto', meaning: 'The protocol.' },
    { path: 'attributes.dstPort', meaning: 'The service that was spoken to.' },
    { path: 'attributes.role', meaning: 'What the account may do.' },
  ],
  avoid: [
    { path: 'attributes.devTime', meaning: 'Another one for each event.' },
    { path: 'attributes.srcPort', meaning: 'Chance.' },
    { path: 'attributes.srcBytes', meaning: 'Hardly ever the same twice.' },
    { path: 'attributes.dstBytes', meaning: 'Hardly ever the same twice.' },
  ],
}
