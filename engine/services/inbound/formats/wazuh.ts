/**
 * Alerts of Wazuh: as its manager writes them (alerts.json), as its indexer keeps them (`_source`), and as its
 * integration with Shuffle sends them (`all_fields`).
 */
import { at, eventOf, firstText, isObject, type InboundFormat, type DocumentJson } from './format.js'

function alertIn(document: DocumentJson): DocumentJson {
  const { all_fields: fields, _source: source } = document
  return isObject(fields) ? fields : isObject(source) ? source : document
}

export const wazuh: InboundFormat = {
  name: 'wazuh',
  recognizes(document) {
    const alert = alertIn(document)
    return isObject(alert.rule) && at(alert, 'rule', 'level') !== undefined && isObject(alert.manager ?? alert.agent)
  },
  items: (document) => [alertIn(document)],
  event: (item, whole) =>
    eventOf(item, firstText(item.id, whole._id, whole.id), at(item, 'rule', 'description'), at(item, 'rule', 'level')),
}
