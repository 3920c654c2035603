/** All field mappings of the service. */
import { alertmanager } from './alertmanager.js'
import { cef } from './cef.js'
import { crowdstrike } from './crowdstrike.js'
import { ecs } from './ecs.js'
import { elastic } from './elastic.js'
import { github } from './github.js'
import { guardduty } from './guardduty.js'
import { leef } from './leef.js'
import type { Mapping } from './mapping.js'
import { defender, sentinel } from './microsoft.js'
import { ocsf } from './ocsf.js'
import { sigma } from './sigma.js'
import { splunk } from './splunk.js'
import { suricata } from './suricata.js'
import { wazuh } from './wazuh.js'
import { windowsEvent } from './windows-event.js'

export const mappings: readonly Mapping[] = [
  ecs,
  ocsf,
  wazuh,
  elastic,
  splunk,
  sentinel,
  defender,
  crowdstrike,
  guardduty,
  github,
  suricata,
  windowsEvent,
  cef,
  leef,
  alertmanager,
  sigma,
]
