/**
 * The webhook alert action of Splunk: `{result, sid, search_name, results_link, app, owner}`, with the first row of the
 * search, or each row where the alert triggers for each result.
 *
 * 1. Rows of one search have the same sid, so the event id is the sid and a hash of the row.
 */
import { createHash } from 'node:crypto'
import { writeJson } from '../../../domain/event/json.js'
import { at, eventOf, firstText, type InboundFormat } from './format.js'

export const splunk: InboundFormat = {
  name: 'splunk',
  recognizes: (document) => ['result', 'sid', 'search_name'].every((name) => Object.hasOwn(document, name)),
  event(item) {
    const row = createHash('sha256')
      .update(writeJson(item.result ?? null))
      .digest('hex')
      .slice(0, 16)
    const sid = firstText(item.sid)
    const title = firstText(item.search_name, at(item, 'result', 'search_name'), at(item, 'result', 'source'))
    const severity = firstText(at(item, 'result', 'severity'), at(item, 'result', 'urgency'))
    return eventOf(item, sid === null ? null : `${sid}-${row}`, title, severity)
  },
}
