/** One alert of Prometheus, as Alertmanager lists it in the `alerts` of a webhook (version 4). */
import type { Mapping } from './mapping.js'

export const alertmanager: Mapping = {
  id: 'alertmanager',
  name: 'Prometheus Alertmanager',
  description: 'One alert from a webhook of Alertmanager. Its rule gives it its labels.',
  documentation: 'https://prometheus.io/docs/alerting/latest/configuration/#webhook_config',
  timeField: 'startsAt',
  titleField: 'annotations.summary',
  severityField: 'labels.severity',
  points: [
    { path: 'labels.alertname', meaning: 'The rule that found it.' },
    { path: 'labels.severity', meaning: 'The severity that its rule gives.' },
    { path: 'labels.job', meaning: 'The kind of thing that was monitored.' },
    { path: 'labels.cluster', meaning: 'Where it runs.' },
    { path: 'labels.namespace', meaning: 'Where it runs, in its cluster.' },
    { path: 'labels.service', meaning: 'The service that it is about.' },
  ],
  avoid: [
    { path: 'fingerprint', meaning: 'A hash of all labels: different for each thing that is monitored.' },
    { path: 'labels.instance', meaning: 'Too many values where instances come and go.' },
    { path: 'status', meaning: 'Changes when the alert is over: the same alert would get another bucket.' },
    { path: 'startsAt', meaning: 'Always different.' },
  ],
}
