/** The event log of Windows, as Winlogbeat and Elastic Agent ship it. */
import type { Mapping } from './mapping.js'

export const windowsEvent: Mapping = {
  id: 'windows_event_log',
  name: 'Windows event log',
  description: 'Entries of the Windows event log as Winlogbeat and Elastic Agent ship them.',
  documentation: 'https://www.elastic.co/guide/en/beats/winlogbeat/current/exported-fields-winlog.html',
  timeField: '@timestamp',
  titleField: 'event.action',
  severityField: 'log.level',
  points: [
    { path: 'winlog.event_id', meaning: 'What happened.' },
    { path: 'winlog.channel', meaning: 'The log that it is in.' },
    { path: 'winlog.provider_name', meaning: 'What wrote it.' },
    { path: 'event.outcome', meaning: 'Whether it succeeded.' },
    { path: 'winlog.event_data.LogonType', meaning: 'How somebody signed in.' },
    { path: 'winlog.event_data.SubStatus', meaning: 'Why signing in failed.' },
    { path: 'winlog.event_data.AuthenticationPackageName', meaning: 'How the account was authenticated.' },
    { path: 'winlog.event_data.TargetDomainName', meaning: 'The domain of the account.' },
    { path: 'winlog.event_data.ProcessName', meaning: 'The program.' },
  ],
  avoid: [
    { path: 'winlog.record_id', meaning: 'A counter.' },
    { path: 'winlog.activity_id', meaning: 'Different for each activity.' },
    { path: 'message', meaning: 'Contains all other fields, so it is always different.' },
    { path: 'winlog.event_data.TargetLogonId', meaning: 'Different for each session.' },
  ],
}
