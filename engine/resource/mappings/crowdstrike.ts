/** Detections in the event stream of CrowdStrike Falcon. */
import type { Mapping } from './mapping.js'

export const crowdstrike: Mapping = {
  id: 'crowdstrike_falcon',
  name: 'CrowdStrike Falcon detections',
  description: 'Events of the Falcon event stream, such as EppDetectionSummaryEvent and DetectionSummaryEvent.',
  documentation: 'https://www.elastic.co/docs/reference/beats/filebeat/exported-fields-crowdstrike',
  timeField: 'metadata.eventCreationTime',
  titleField: 'event.Name',
  severityField: 'event.SeverityName',
  points: [
    { path: 'event.Name', meaning: 'What was found; DetectName in older events.' },
    { path: 'event.Tactic', meaning: 'The tactic.' },
    { path: 'event.Technique', meaning: 'The technique.' },
    { path: 'event.SeverityName', meaning: 'How severe it is.' },
    { path: 'event.FileName', meaning: 'The program.' },
    { path: 'event.PatternDispositionDescription', meaning: 'What was done about it.' },
    { path: 'metadata.eventType', meaning: 'The kind of the event.' },
  ],
  avoid: [
    { path: 'event.CompositeId', meaning: 'Different for each detection.' },
    { path: 'event.CommandLine', meaning: 'Almost always different.' },
    { path: 'event.ProcessId', meaning: 'Random.' },
    { path: 'metadata.offset', meaning: 'A counter.' },
  ],
}
