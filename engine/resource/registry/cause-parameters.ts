/** The parameters of the two processors of root cause analysis, as they are checked and published (cause/settings.ts reads them). */
import { causeDefaults, knownNames } from '../../domain/cause/settings.js'
import type { ParameterSpec } from './parameters.js'

function firstOf(names: readonly string[]): string {
  return `Empty: the first of ${names.join(', ')} that has a value.`
}

export const clusteringParameters: readonly ParameterSpec[] = [
  {
    name: 'equal_fields',
    type: 'strings',
    required: false,
    default: [],
    description: 'Paths at which all alerts of a cluster are equal, for example a customer or a site.',
  },
  {
    name: 'id_field',
    type: 'string',
    required: false,
    default: '',
    description: `Path of what an alert is about: a device, a host, a service. ${firstOf(knownNames.id)}`,
  },
  {
    name: 'related_field',
    type: 'string',
    required: false,
    default: '',
    description: `Path of a list of the ids that it is next to, or that it calls. Which side lists the other is told apart. ${firstOf(knownNames.related)}`,
  },
  {
    name: 'time_field',
    type: 'string',
    required: false,
    default: '',
    description: `Path of the time of the alert, ISO 8601 or a number since 1970. ${firstOf(knownNames.time)} Without one, when it came in.`,
  },
  {
    name: 'linkage',
    type: 'string',
    required: false,
    default: causeDefaults.linkage,
    allowed: ['precedence', 'window'],
    description:
      'precedence: an alert joins the cluster of the alert that it is thought to follow from; as long as nothing is known of their ' +
      'kinds, equal or related alerts are thought to. window: an alert joins all that is equal or related within the gap.',
  },
  {
    name: 'gap_s',
    type: 'number',
    required: false,
    minimum: 1,
    default: causeDefaults.gapSeconds,
    description:
      'Seconds between two alerts that are looked at together; a cluster without an alert for so long is closed.',
  },
  {
    name: 'length_s',
    type: 'number',
    required: false,
    minimum: 1,
    default: causeDefaults.lengthSeconds,
    description: "Seconds from a cluster's first alert to its last, at most.",
  },
  {
    name: 'late_s',
    type: 'number',
    required: false,
    minimum: 0,
    default: causeDefaults.lateSeconds,
    description:
      'Seconds that an alert may be behind the stream and still find its cluster. A later one is a cluster of its own.',
  },
]

export const causeParameters: readonly ParameterSpec[] = [
  {
    name: 'kind_fields',
    type: 'strings',
    required: false,
    default: [],
    description:
      'Paths that together say what kind of alert it is: precedence is learned between kinds. ' +
      `${firstOf(knownNames.kind)} Where none has, the decision points.`,
  },
  {
    name: 'cause_window_s',
    type: 'number',
    required: false,
    minimum: 0,
    default: causeDefaults.causeWindowSeconds,
    description: 'Seconds that a cause lies before its symptom, at most. 0: learned from the stream and from feedback.',
  },
]
