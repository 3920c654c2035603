/**
 * Elastic: alerts that a rule of Kibana sends by its webhook connector, hits of a search, and documents in the Elastic
 * Common Schema.
 *
 * 1. Names with dots stay as they are: paths find them in either form (domain/event/path.ts).
 * 2. An `event.id` is unique in its data set at most: logs of one connection of Zeek have the same. So the data set is
 *    part of the id where it is named.
 */
import { idOfParts } from '../../../domain/event/client-id.js'
import { Path, valueAt } from '../../../domain/event/path.js'
import { at, eventOf, firstText, isObject, text, type InboundFormat, type DocumentJson } from './format.js'

const paths = {
  alertId: new Path('kibana.alert.uuid'),
  alertRule: new Path('kibana.alert.rule.name'),
  alertSeverity: new Path('kibana.alert.severity'),
  dataset: new Path('event.dataset'),
  id: new Path('event.id'),
  rule: new Path('rule.name'),
  severity: new Path('event.severity'),
  version: new Path('ecs.version'),
}

function isAlert(document: unknown): boolean {
  return valueAt(document, paths.alertId) !== undefined || valueAt(document, paths.alertRule) !== undefined
}

/** The documents in a body: `alerts` or `context.alerts` of an action, `hits.hits` of a search. */
function listIn(document: DocumentJson): readonly unknown[] | null {
  for (const list of [document.alerts, at(document, 'context', 'alerts'), at(document, 'hits', 'hits')])
    if (Array.isArray(list)) return list
  return null
}

/** A hit with its `_id`, or a document. */
function opened(item: DocumentJson): DocumentJson {
  return isObject(item._source) ? item._source : item
}

function withoutMeta({ _id: _, _index: __, ...document }: DocumentJson): DocumentJson {
  return document
}

export const elastic: InboundFormat = {
  name: 'elastic',
  hasVersions: true,
  recognizes(document) {
    const list = listIn(document)
    if (list === null) return isAlert(document)
    return list.some((item) => isAlert(item) || (isObject(item) && isObject(item._source) && '_index' in item))
  },
  items: (document) => listIn(document) ?? [document],
  event(item) {
    const body = opened(item)
    return eventOf(
      withoutMeta(body),
      firstText(valueAt(body, paths.alertId), item._id, body._id, valueAt(body, paths.id)),
      firstText(valueAt(body, paths.alertRule), valueAt(body, paths.rule)),
      valueAt(body, paths.alertSeverity) ?? valueAt(body, paths.severity),
    )
  },
}

/** True for a document with fields of `event`, nested or with dots in their names. */
function hasEvent(document: DocumentJson): boolean {
  return isObject(document.event) || Object.keys(document).some((name) => name.startsWith('event.'))
}

export const ecs: InboundFormat = {
  name: 'ecs',
  recognizes(document) {
    return text(valueAt(document, paths.version)) !== undefined || (hasEvent(document) && '@timestamp' in document)
  },
  event(item) {
    const body = withoutMeta(opened(item))
    const own = firstText(valueAt(body, paths.id))
    const dataset = firstText(valueAt(body, paths.dataset))
    const id = own === null ? firstText(item._id) : idOfParts(dataset === null ? [own] : [own, dataset], '@')
    return eventOf(body, id, firstText(valueAt(body, paths.rule), body.message), valueAt(body, paths.severity))
  },
}
