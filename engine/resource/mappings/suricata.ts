/** Alerts of Suricata in its extensible event format (EVE JSON). */
import type { Mapping } from './mapping.js'

export const suricata: Mapping = {
  id: 'suricata_eve',
  name: 'Suricata EVE',
  description: 'Lines of eve.json with the event_type alert.',
  documentation: 'https://docs.suricata.io/en/latest/output/eve/eve-json-format.html',
  timeField: 'timestamp',
  titleField: 'alert.signature',
  severityField: 'alert.severity',
  points: [
    { path: 'alert.signature_id', meaning: 'The signature that matched.' },
    { path: 'alert.category', meaning: 'What the signature is about.' },
    { path: 'alert.severity', meaning: 'How grave it is: 1 is the gravest.' },
    { path: 'alert.action', meaning: 'Whether it was let through.' },
    { path: 'proto', meaning: 'The protocol of transport.' },
    { path: 'app_proto', meaning: 'The protocol within.' },
    { path: 'dest_port', meaning: 'The service that was spoken to.' },
    { path: 'in_iface', meaning: 'Where in the network it was seen.' },
  ],
  avoid: [
    { path: 'flow_id', meaning: 'Another one for each connection.' },
    { path: 'src_port', meaning: 'Chance.' },
    { path: 'src_ip', meaning: 'Too many values.' },
    { path: 'payload', meaning: 'Hardly ever the same twice.' },
  ],
}
