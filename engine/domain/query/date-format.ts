/** Dates as keys of buckets: ISO 8601 with milliseconds, or a pattern of `yyyy MM dd HH mm ss SSS`. */
import type { JsonReader } from './json-reader.js'

const PARTS = /yyyy|uuuu|MM|dd|HH|mm|ss|SSS|XXX|Z|'[^']*'|[a-zA-Z]+|[^a-zA-Z']+/g
const isoNames = ['strict_date_optional_time', 'date_optional_time', 'strict_date_time', 'date_time', 'iso8601']

/** The text of an instant, `offsetMinutes` east of UTC. @throws Refusal invalid_body for an unsupported pattern. */
export function dateKeyText(micros: number, offsetMinutes: number, format?: JsonReader): string {
  const pattern = format?.text()
  const ms = Math.floor(micros / 1000)
  if (pattern === 'epoch_millis') return String(ms)
  if (pattern === 'epoch_second') return String(Math.floor(ms / 1000))
  const local = new Date(ms + offsetMinutes * 60_000)
  if (Number.isNaN(local.getTime())) return String(ms)
  const iso = local.toISOString()
  const zone = zoneText(offsetMinutes)
  if (pattern === undefined || isoNames.includes(pattern)) return `${iso.slice(0, -1)}${zone}`
  return pattern.replace(PARTS, (part) => {
    switch (part) {
      case 'yyyy':
      case 'uuuu':
        return iso.slice(0, 4)
      case 'MM':
        return iso.slice(5, 7)
      case 'dd':
        return iso.slice(8, 10)
      case 'HH':
        return iso.slice(11, 13)
      case 'mm':
        return iso.slice(14, 16)
      case 'ss':
        return iso.slice(17, 19)
      case 'SSS':
        return iso.slice(20, 23)
      case 'XXX':
      case 'Z':
        return zone
      default:
        if (part.startsWith("'")) return part.slice(1, -1)
        if (/[a-z]/i.test(part))
          format?.fail(
            `${part} in a date format is not supported; supported: yyyy MM dd HH mm ss SSS XXX 'text'`,
            'unsupported',
          )
        return part
    }
  })
}

function zoneText(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'Z'
  const minutes = Math.abs(offsetMinutes)
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
