/**
 * The warnings of a job that follow from its findings (domain/event/finding.ts): one sentence for what happened, one
 * for what to do.
 *
 * 1. A sentence never holds an example: sentences are logged, and logs carry no bodies. The example stands beside it.
 */
import type { Warning } from '../../api/warning.js'
import { currentFindings, type FindingKind, type StoredFinding } from '../../domain/event/finding.js'

interface Sentences {
  /** The field of its findings is who sent the events, and not a field of them. */
  readonly of?: 'source'
  /** What happened; `place` is " at `field`" or " from `source`", or empty. */
  message(count: string, place: string): string
  readonly action: string
}

const sentences: Readonly<Record<FindingKind, Sentences>> = {
  invalid_utf8: {
    message: (count, at) => `${count} had bytes${at} that are not UTF-8. They are stored as U+FFFD.`,
    action: 'Let the sender write UTF-8, or name its charset in `Content-Type`.',
  },
  charset: {
    message: (count) =>
      `${count.replace('event', 'line')} had characters that are not UTF-8. They are read as Windows-1252.`,
    action: 'If a character looks wrong, save the file in UTF-8, and send it again.',
  },
  line_format: {
    message: (count) => `${count} came as lines of CEF, LEEF or syslog, and got the fields of that format.`,
    action: 'If the file is a table, say so with `--format csv`, or give it a line of names.',
  },
  broken_part: {
    message: (count) => `${count.replace('event', 'part')} of files could not be read, and were left out.`,
    action: 'Mend them, and send them again. Whoever sent the file was told the lines.',
  },
  same_name: {
    message: (count) =>
      `${count.replace('event', 'column')} had the name of another one. Each is taken under a name of its own.`,
    action: 'Give each column a name of its own.',
  },
  no_name: {
    message: (count) => `${count.replace('event', 'value')} in columns without a name were left out.`,
    action: 'Give the columns names.',
  },
  partial_export: {
    message: (count) =>
      `${count} came from an export with decision points only. Other fields of the events are not in it.`,
    action: 'For whole events, export NDJSON with `raw_body=true`.',
  },
  skipped_index: {
    message: (_count, at) => `An input reads no documents${at}, an index of its pattern.`,
    action: 'Leave the index out of `index_pattern`, or give it `_source` and the date field that the input reads by.',
  },
  odd_item: {
    message: (count) => `${count} came as something that is no JSON object. Each is stored as \`{"message": ...}\`.`,
    action: 'Let the sender send an object for each event.',
  },
  refused_part: {
    of: 'source',
    message: (count, from) => `${count.replace('event', 'part')} of requests${from} could not be read or stored.`,
    action: 'The answers to these requests say which parts, and why. Send them again when they are mended.',
  },
  repeated_id: {
    of: 'source',
    message: (count, from) =>
      `${count}${from} had the id of another event of the same request. ` +
      'Each is stored under that id and a hash of its content.',
    action:
      'Let the sender give each event an id of its own, or name a field that differs ' +
      '(`webhook_event_id`, `--id-field`).',
  },
  ignored_id: {
    of: 'source',
    message: (count, from) => `${count}${from} had an \`event_id\` that is not the id in the path. The path counts.`,
    action: 'Let the sender give the id in one of the two places, or the same in both.',
  },
  unread_time: {
    message: (count, at) => `${count} had a time${at} that could not be read. They are dated by their arrival.`,
    action:
      'Let the sender write ISO 8601 or a count since 1970, or name the right field in ' +
      '`advanced_settings.time_field` of the job.',
  },
  time_ahead: {
    message: (count, at) =>
      `${count} had a time${at} that was more than an hour ahead of the service's clock. It is kept as sent.`,
    action: 'Set the clock and the time zone of the sender right, and check the clock of the service.',
  },
  repeated_key: {
    message: (count, at) => `${count} had a key twice in one object${at}. The last value counts, the others are lost.`,
    action: 'Let the sender write each key once.',
  },
  replaced_event: {
    of: 'source',
    message: (count, from) =>
      `${count}${from} took the place of an earlier event with the same id and other content. ` +
      'The earlier version of each is gone.',
    action:
      'If these are new versions of one event, this is right. ' +
      'Else let the sender give each event an id of its own.',
  },
}

/** Findings as warnings. Of old ones nothing is told: they did not come again before the job's latest event. */
export function findingWarnings(findings: readonly StoredFinding[], lastEventMicros: number | null): Warning[] {
  return currentFindings(findings, lastEventMicros ?? 0).map(
    ({ kind, field, count, example, firstMicros, lastMicros }) => {
      const { of, message, action } = sentences[kind]
      const place = field === '' ? '' : ` ${of === 'source' ? 'from' : 'at'} \`${field}\``
      return {
        type: kind,
        place: field === '' || of === 'source' ? [] : [field],
        message: message(count === 1 ? '1 event' : `${count} events`, place),
        action,
        seen: { count, example, firstMicros, lastMicros },
      }
    },
  )
}
