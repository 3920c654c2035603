/** The parameters of the two processors of root cause analysis. cause/settings.ts reads their values. */
import { causeDefaults, knownNames } from '../../domain/cause/settings.js'
import type { ParameterSpec } from './parameters.js'

function firstOf(names: readonly string[]): string {
  return `Default: the first of ${names.join(', ')} that has a value.`
}

export const clusteringParameters: readonly ParameterSpec[] = [
  {
    name: 'equal_fields',
    type: 'strings',
    required: false,
    default: [],
    description: 'Paths at which all alerts of a cluster have equal values, for example a customer or a site.',
  },
  {
    name: 'id_field',
    type: 'string',
    required: false,
    default: '',
    description: `Path of the thing that an alert is about: a device, a host, a service. ${firstOf(knownNames.id)}`,
  },
  {
    name: 'related_field',
    type: 'string',
    required: false,
    default: '',
    description:
      'Path of a list of ids of neighbours, or of what the thing calls. The direction counts. ' +
      firstOf(knownNames.related),
  },
  {
    name: 'time_field',
    type: 'string',
    required: false,
    default: '',
    description:
      `Path of the time of the alert: ISO 8601 or a number since 1970. ${firstOf(knownNames.time)} ` +
      'Without a value, the time of arrival.',
  },
  {
    name: 'linkage',
    type: 'string',
    required: false,
    default: causeDefaults.linkage,
    allowed: ['precedence', 'window'],
    description:
      'precedence: an alert joins the cluster of the alert that it probably follows from. While nothing is known of ' +
      'their kinds, that is an equal or related alert. window: an alert joins all equal or related alerts within the gap.',
  },
  {
    name: 'gap_s',
    type: 'number',
    required: false,
    minimum: 1,
    default: causeDefaults.gapSeconds,
    description:
      'The longest time in seconds between two related alerts. A cluster without an alert for so long is closed.',
  },
  {
    name: 'length_s',
    type: 'number',
    required: false,
    minimum: 1,
    default: causeDefaults.lengthSeconds,
    description: 'The longest time in seconds from the first alert of a cluster to its last.',
  },
  {
    name: 'late_s',
    type: 'number',
    required: false,
    minimum: 0,
    default: causeDefaults.lateSeconds,
    description:
      'The longest delay in seconds with which an alert still joins its cluster. A later one gets a cluster of its own.',
  },
]

export const causeParameters: readonly ParameterSpec[] = [
  {
    name: 'kind_fields',
    type: 'strings',
    required: false,
    default: [],
    description:
      'Paths that together give the kind of an alert. Precedence is learned between kinds. ' +
      `${firstOf(knownNames.kind)} Without a value, the decision points.`,
  },
  {
    name: 'cause_window_s',
    type: 'number',
    required: false,
    minimum: 0,
    default: causeDefaults.causeWindowSeconds,
    description:
      'The longest time in seconds from a cause to its symptom. 0: it is learned from the stream and from feedback.',
  },
]
