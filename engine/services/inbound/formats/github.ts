/**
 * Webhooks of GitHub: alerts of Dependabot, of code scanning and of secret scanning, and all others.
 *
 * 1. A delivery that is sent again has the same id in `X-GitHub-Delivery`.
 * 2. The name of the event is in a header, so it is added to the body as `github_event`.
 * 3. A `ping` is no event.
 */
import { at, eventOf, firstText, type InboundFormat, type DocumentJson } from './format.js'

const NAME = 'x-github-event'

function severityOf({ alert }: DocumentJson): unknown {
  return (
    at(alert, 'security_advisory', 'severity') ??
    at(alert, 'rule', 'security_severity_level') ??
    at(alert, 'rule', 'severity')
  )
}

export const github: InboundFormat = {
  name: 'github',
  recognizes: (_document, header) => header(NAME) !== '',
  items: (document) => (Object.hasOwn(document, 'zen') && Object.hasOwn(document, 'hook_id') ? [] : [document]),
  event(item, _whole, header) {
    const { alert } = item
    const title = firstText(
      at(alert, 'security_advisory', 'summary'),
      at(alert, 'rule', 'description'),
      at(alert, 'secret_type_display_name'),
      header(NAME),
    )
    const event = firstText(header(NAME))
    const body = event === null ? item : { ...item, github_event: event }
    return eventOf(body, firstText(header('x-github-delivery')), title, severityOf(item))
  },
}
