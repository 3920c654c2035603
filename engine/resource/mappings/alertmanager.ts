/** Alerts of Prometheus, one by one, as its Alertmanager lists them in the `alerts` of a webhook (version 4). */
import type { Mapping } from './mapping.js'

export const alertmanager: Mapping = {
  id: 'alertmanager',
  name: 'Prometheus Alertmanager',
  description: 'One alert of those that a webhook of Alertmanager brings; its labels are what its rules give it.',
  documentation: 'https://prometheus.io/docs/alerting/latest/configuration/#webhook_config',
  timeField: 'startsAt',
  titleField: 'annotations.summary',
  severityField: 'labels.severity',
  points: [
    { path: 'labels.alertname', meaning: 'The rule that found it.' },
    { path: 'labels.severity', meaning: 'How grave its rule says it is.' },
    { path: 'labels.job', meaning: 'What kind of thing was watched.' },
    { path: 'labels.cluster', meaning: 'Where it runs.' },
    { path: 'labels.namespace', meaning: 'Where it runs, in its cluster.' },
    { path: 'labels.service', meaning: 'The service that it is about.' },
  ],
  avoid: [
    { path: 'fingerprint', meaning: 'Of all labels: another one for each thing that is watched.' },
    { path: 'labels.instance', meaning: 'Too many values where things come and go.' },
    { path: 'status', meaning: 'Changes when the alert is over: the same alert would be another bucket.' },
    { path: 'startsAt', meaning: 'Never the same twice.' },
  ],
}
