/** The warnings of a root cause job about fields whose names say nothing (domain/cause/field-finder.ts). */
import type { Warning } from '../../api/warning.js'
import type { FieldsRow, Lacking } from '../../domain/cause/field-finder.js'

const place = ['pipeline_integrations']

const lackings: Readonly<Record<Lacking, { readonly message: string; readonly parameter: string }>> = {
  time: { message: 'No field is the time of an alert, so the time of its arrival counts.', parameter: 'time_field' },
  id: { message: 'No field says what an alert is about, so any may follow from any other.', parameter: 'id_field' },
  kind: {
    message: 'No field is the kind of an alert: each is nearly always the same, or nearly always new.',
    parameter: 'kind_fields',
  },
}

/** Alone they join no cluster: without a kind they follow from none, and without an entity they are near none. */
const aloneMessage =
  'No field says what an alert is about, and none is its kind: each is nearly always the same, or nearly always new. ' +
  'So each alert is alone.'

export function fieldWarnings(fields: FieldsRow | null): Warning[] {
  if (fields === null || fields.found === null) return []
  const { found, lacks } = fields
  const roles = [
    ['as the time', 'time_field', found.time === '' ? [] : [found.time]],
    ['as what an alert is about', 'id_field', found.id === '' ? [] : [found.id]],
    ['as what is related to it', 'related_field', found.related === '' ? [] : [found.related]],
    ['as its kind', 'kind_fields', found.kind],
  ] as const
  const used = roles.filter(([, , paths]) => paths.length > 0)
  return [...(used.length > 0 ? [foundWarning(used)] : []), ...(lacks.length > 0 ? [lackingWarning(lacks)] : [])]
}

type Role = readonly [what: string, parameter: string, paths: readonly string[]]

function quoted(names: readonly string[]): string[] {
  return names.map((name) => `\`${name}\``)
}

function foundWarning(used: readonly Role[]): Warning {
  const told = used.map(([what, , paths]) => `${quoted(paths).join(' and ')} ${what}`)
  const parameters = quoted(used.map(([, parameter]) => parameter))
  return {
    type: 'found_fields',
    place,
    message: `The names of fields do not say what they are, so their values do: ${told.join(', ')}.`,
    action: `Name them in the parameters of the processors: ${parameters.join(', ')}.`,
  }
}

function lackingWarning(lacks: readonly Lacking[]): Warning {
  const isAlone = lacks.includes('id') && lacks.includes('kind')
  const told = isAlone ? lacks.filter((each) => each === 'time') : lacks
  const parameters = quoted(lacks.map((each) => lackings[each].parameter))
  return {
    type: 'lacking_fields',
    place,
    message: [...(isAlone ? [aloneMessage] : []), ...told.map((each) => lackings[each].message)].join(' '),
    action: `Name the field in the parameters of the processors: ${parameters.join(', ')}.`,
  }
}
