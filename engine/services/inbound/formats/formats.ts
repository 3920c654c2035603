/** All formats of webhooks, and which one a document has. The special ones come before the general ones. */
import { alertmanager } from './alertmanager.js'
import { aws } from './aws.js'
import { cef } from './cef.js'
import { crowdstrike } from './crowdstrike.js'
import { ecs, elastic } from './elastic.js'
import type { HeaderOf, InboundFormat, DocumentJson } from './format.js'
import { github } from './github.js'
import { leef } from './leef.js'
import { microsoft } from './microsoft.js'
import { ocsf } from './ocsf.js'
import { plain } from './plain.js'
import { splunk } from './splunk.js'
import { wazuh } from './wazuh.js'

const formats: readonly InboundFormat[] = [
  github,
  alertmanager,
  splunk,
  aws,
  microsoft,
  crowdstrike,
  elastic,
  wazuh,
  cef,
  leef,
  ocsf,
  ecs,
  plain,
]

const byName = new Map(formats.map((format) => [format.name, format]))

export function formatNamed(name: string): InboundFormat | undefined {
  return byName.get(name)
}

/** The format of that name; by the document for `auto` and any other name. */
export function formatOf(name: string, document: DocumentJson, header: HeaderOf): InboundFormat {
  return byName.get(name) ?? formats.find((format) => format.recognizes(document, header)) ?? plain
}
