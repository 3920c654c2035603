/**
 * Elastic: alerts that a rule of Kibana sends by its webhook connector, hits of a search, and documents in the Elastic
 * Common Schema.
 *
 * 1. Names with dots are nested (dotted.ts): decision points are paths of the schema in either form.
 * 2. An `event.id` is unique in its data set at most: logs of one connection of Zeek have the same. So the data set is
 *    part of the id where it is named.
 */
import { idOfParts } from '../../../domain/event/client-id.js'
import { nested } from './dotted.js'
import { at, eventOf, firstText, isObject, text, type InboundFormat, type DocumentJson } from './format.js'

/** `kibana.alert.rule.name` with dots or nested. */
function alertField(document: unknown, name: string): unknown {
  if (!isObject(document)) return undefined
  return document[`kibana.alert.${name}`] ?? at(nested(document), 'kibana', 'alert', ...name.split('.'))
}

function isAlert(document: unknown): boolean {
  return alertField(document, 'uuid') !== undefined || alertField(document, 'rule.name') !== undefined
}

/** The documents in a body: `alerts` or `context.alerts` of an action, `hits.hits` of a search. */
function listIn(document: DocumentJson): readonly unknown[] | null {
  for (const list of [document.alerts, at(document, 'context', 'alerts'), at(document, 'hits', 'hits')])
    if (Array.isArray(list)) return list
  return null
}

/** A hit with its `_id`, or a document. */
function opened(item: DocumentJson): DocumentJson {
  return nested(isObject(item._source) ? item._source : item)
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
    const alert = at(body, 'kibana', 'alert')
    return eventOf(
      withoutMeta(body),
      firstText(at(alert, 'uuid'), item._id, body._id, at(body, 'event', 'id')),
      firstText(at(alert, 'rule', 'name'), at(body, 'rule', 'name')),
      at(alert, 'severity') ?? at(body, 'event', 'severity'),
    )
  },
}

export const ecs: InboundFormat = {
  name: 'ecs',
  recognizes(document) {
    const body = nested(document)
    return text(at(body, 'ecs', 'version')) !== undefined || (isObject(body.event) && '@timestamp' in body)
  },
  event(item) {
    const body = withoutMeta(opened(item))
    const own = firstText(at(body, 'event', 'id'))
    const dataset = firstText(at(body, 'event', 'dataset'))
    const id = own === null ? firstText(item._id) : idOfParts(dataset === null ? [own] : [own, dataset], '@')
    return eventOf(body, id, firstText(at(body, 'rule', 'name'), body.message), at(body, 'event', 'severity'))
  },
}
