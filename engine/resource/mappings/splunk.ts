/** The webhook of an alert of Splunk: the row that it found is in `result`. */
import type { Mapping } from './mapping.js'

export const splunk: Mapping = {
  id: 'splunk',
  name: 'Splunk alert webhook',
  description: 'Alerts that Splunk sends by its webhook action. The fields in result are those of the search.',
  documentation: 'https://docs.splunk.com/Documentation/Splunk/latest/Alert/Webhooks',
  timeField: 'result._time',
  titleField: 'search_name',
  severityField: 'result.severity',
  points: [
    { path: 'search_name', meaning: 'The search that found it.' },
    { path: 'result.signature', meaning: 'The signature, where the search is on a data model.' },
    { path: 'result.severity', meaning: 'The severity that the search gives.' },
    { path: 'result.sourcetype', meaning: 'The kind of log that it was found in.' },
    { path: 'result.action', meaning: 'What was done.' },
    { path: 'result.dest', meaning: 'The host, if there are few.' },
    { path: 'result.user', meaning: 'The account, if there are few.' },
  ],
  avoid: [
    { path: 'sid', meaning: 'Different for each run of the search.' },
    { path: 'results_link', meaning: 'Different for each run of the search.' },
    { path: 'result._raw', meaning: 'Contains times and numbers, so it is always different.' },
    { path: 'result._time', meaning: 'Always different.' },
  ],
}
