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
    { path: 'alert.severity', meaning: 'How severe it is: 1 is the most severe.' },
    { path: 'alert.action', meaning: 'Whether it was let through.' },
    { path: 'proto', meaning: 'The transport protocol.' },
    { path: 'app_proto', meaning: 'The application protocol.' },
    { path: 'dest_port', meaning: 'The service that was contacted.' },
    { path: 'in_iface', meaning: 'Where in the network it was seen.' },
  ],
  avoid: [
    { path: 'flow_id', meaning: 'Different for each connection.' },
    { path: 'src_port', meaning: 'Random.' },
    { path: 'src_ip', meaning: 'Too many values.' },
    { path: 'payload', meaning: 'Almost always different.' },
  ],
}
