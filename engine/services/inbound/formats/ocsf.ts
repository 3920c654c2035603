/** Findings and events in the Open Cybersecurity Schema Framework, version 1. */
import { at, eventOf, firstText, isObject, type InboundFormat } from './format.js'

export const ocsf: InboundFormat = {
  name: 'ocsf',
  recognizes: (document) => /^\d+$/.test(firstText(document.class_uid) ?? '') && isObject(document.metadata),
  event: (item) =>
    eventOf(
      item,
      firstText(at(item, 'metadata', 'uid'), at(item, 'finding_info', 'uid'), at(item, 'finding', 'uid')),
      firstText(at(item, 'finding_info', 'title'), at(item, 'finding', 'title'), item.message, item.class_name),
      item.severity_id,
    ),
}
