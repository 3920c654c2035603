/** What the form of an integration changes: the parameters whose fields differ from what was shown. */

/** A parameter as the metadata of its type describes it. */
export interface Parameter {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  /** A secret: it is taken, and never shown. */
  readonly writeOnly?: boolean
}

export interface ParameterSchema {
  readonly required?: readonly string[]
  readonly properties: Readonly<Record<string, Parameter>>
}

export type Values = Readonly<Record<string, unknown>>

/** Types that have a field. Others are changed as JSON. */
const withField = new Set(['string', 'number', 'boolean'])

/** The parameters that the form shows, in the order of the schema. */
export function fieldsOf({ properties }: ParameterSchema): readonly (readonly [string, Parameter])[] {
  return Object.entries(properties).filter(([, { type = '' }]) => withField.has(type))
}

/** What a field shows; '' for a secret, and where nothing is set. */
export function shownText({ type, writeOnly, default: otherwise = '' }: Parameter, value: unknown): string {
  if (writeOnly === true) return ''
  return String(value ?? (type === 'string' ? '' : otherwise))
}

/** The changed parameters. A secret without a text stays as it is, and so does a number without one. */
export function changesOf(schema: ParameterSchema, shown: Values, form: FormData): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  for (const [name, parameter] of fieldsOf(schema)) {
    const before = shownText(parameter, shown[name])
    if (parameter.type === 'boolean') {
      const isOn = form.has(name)
      if (isOn !== (before === 'true')) changes[name] = isOn
      continue
    }
    // Forms send the line breaks of a text area as CR LF.
    const text = String(form.get(name) ?? '').replaceAll('\r\n', '\n')
    if (text === before || (text === '' && parameter.type === 'number')) continue
    changes[name] = parameter.type === 'number' ? Number(text) : text
  }
  return changes
}
