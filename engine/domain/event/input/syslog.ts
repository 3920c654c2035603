/**
 * Lines of syslog: RFC 5424, RFC 3164 with its number in brackets or without, and the same with a time of ISO 8601.
 *
 * 1. The time is kept as it is written, at `@timestamp`. Without a year it is read by the arrival of the event.
 * 2. Structured data stay in the message.
 */
const PRIORITY = /^<(\d{1,3})>/
const RFC_5424 = /^1 (\S+) (\S+) (\S+) (\S+) (\S+) /
const RFC_3164 =
  /^([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*) (\S+) (?:([^\s:[\]]+)(?:\[(\d+)\])?: ?)?/
const LOWEST_BITS = 8
const PRIORITY_MAX = 191

function present(value: string | undefined): string | undefined {
  return value === '-' || value === '' ? undefined : value
}

/** A line as a document; null if it is none of syslog. */
export function parseSyslog(line: string): Readonly<Record<string, unknown>> | null {
  const first = PRIORITY.exec(line)
  const priority = first === null ? null : Number(first[1])
  if (priority !== null && priority > PRIORITY_MAX) return null
  const rest = line.slice(first?.[0].length ?? 0)
  const modern = priority === null ? null : RFC_5424.exec(rest)
  const found = modern ?? RFC_3164.exec(rest)
  if (found === null) return null
  const [time, host, name, pid] = found.slice(1).map(present)
  const message = rest.slice(found[0].length).replace(/^(?:- )?\ufeff?/, '')
  // A line without its number is only one of syslog if it names a program: others begin with a time, too.
  if (priority === null && name === undefined) return null
  const process = { ...(name === undefined ? {} : { name }), ...(pid === undefined ? {} : { pid }) }
  const syslog =
    priority === null
      ? null
      : { facility: { code: Math.floor(priority / LOWEST_BITS) }, severity: { code: priority % LOWEST_BITS } }
  return {
    ...(time === undefined ? {} : { '@timestamp': time }),
    ...(host === undefined ? {} : { host: { name: host } }),
    ...(Object.keys(process).length === 0 ? {} : { process }),
    ...(syslog === null ? {} : { log: { syslog } }),
    message,
  }
}
