/** All field mappings of the service. */
import { alertmanager } from './alertmanager.js'
import { cef } from './cef.js'
import { ecs } from './ecs.js'
import { leef } from './leef.js'
import type { Mapping } from './mapping.js'
import { ocsf } from './ocsf.js'
import { sigma } from './sigma.js'
import { suricata } from './suricata.js'
import { wazuh } from './wazuh.js'
import { windowsEvent } from './windows-event.js'

export const mappings: readonly Mapping[] = [ecs, ocsf, wazuh, suricata, windowsEvent, cef, leef, alertmanager, sigma]
