/**
 * What is wrong with a document, in words: errors of TypeBox as issues in wire form.
 *
 * 1. A message never quotes the input.
 * 2. A value that may have several forms has one message: of the form that it was meant to have, where its type tells
 *    that, else with all forms. TypeBox reports what is wrong with it in each form.
 */
import type { TObject, TSchema } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'
import { cutText, limits, nearestName, type Issue } from '../../engine/index.js'

type Problem = TLocalizedValidationError

/** Path segments of a JSON pointer. */
function pointerSegments(pointer: string): string[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** What is at that place of a document or a schema. */
function at(value: unknown, pointer: string): unknown {
  let found = value
  for (const step of pointerSegments(pointer)) found = (found as Readonly<Record<string, unknown>>)[step]
  return found
}

/** The message of an error. For a pattern it is the description of the field, because people cannot read patterns. */
function messageOf({ keyword, message, instancePath, params }: Problem, schema: TObject): string {
  if (keyword === 'enum')
    return `must be one of: ${(params as { allowedValues: readonly unknown[] }).allowedValues.join(', ')}`
  if (keyword !== 'pattern') return message
  const { description } = (schema.properties[pointerSegments(instancePath)[0] ?? ''] ?? {}) as { description?: string }
  return description === undefined ? 'has the wrong format' : `must be as described: ${description}`
}

/** Unknown fields of one object that an answer names. */
const UNKNOWN_FIELDS_MAX = 20

/** The unknown fields of an object that must have none, each with the known one that was probably meant. */
function unknownFields({ params, schemaPath }: Problem, loc: readonly string[], schema: TObject): Issue[] {
  const fields = Object.entries((at(schema, schemaPath.slice(1)) as Partial<TObject>).properties ?? {})
  const known = fields.map(([name]) => name)
  const within = fields.flatMap(([name, { properties = {} }]: [string, Partial<TObject>]) =>
    Object.keys(properties).map((inner) => `${name}.${inner}`),
  )
  const { additionalProperties: names } = params as { additionalProperties: readonly string[] }
  return names.slice(0, UNKNOWN_FIELDS_MAX).map((name) => {
    const nearest = nearestName(name, [...known, ...within])
    const msg = nearest === null ? `is not known; known are: ${known.join(', ')}` : `is not known; use ${nearest}`
    return { loc: [...loc, cutText(name, limits.nameCharsMax)], msg, type: 'unknown_field' }
  })
}

/** What a schema says that the form of a value is. */
interface Form {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly items?: Form
  readonly properties?: Readonly<Record<string, unknown>>
  readonly anyOf?: readonly Form[]
}

/** Where a schema has its forms. */
const FORMS = '/anyOf'

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function typesOf({ type, enum: values = [], anyOf }: Form): string[] {
  if (anyOf !== undefined) return anyOf.flatMap(typesOf)
  return type === undefined ? values.map(typeOf) : [type === 'integer' ? 'number' : type]
}

function formText({ type, enum: values, items, properties, anyOf }: Form): string {
  if (anyOf !== undefined) return anyOf.map(formText).join(', or ')
  if (values !== undefined) return values.join(', ')
  if (type === 'object') return `an object with ${Object.keys(properties ?? {}).join(', ')}`
  if (type === 'array') return items === undefined ? 'a list' : `a list of these: ${formText(items)}`
  return type ?? 'another form'
}

/** One error for the value, or those of the form that its type is of. `inner` are the errors in all forms. */
function ofOneForm(union: Problem, inner: readonly Problem[], value: unknown, schema: TObject): Problem[] {
  const forms = at(schema, union.schemaPath.slice(1) + FORMS) as readonly (TSchema & Form)[]
  const type = typeOf(at(value, union.instancePath))
  const meant = forms.flatMap((form, index) => (typesOf(form).includes(type) ? [index] : []))
  if (meant.length === 1) {
    const ofForm = inner.filter(({ schemaPath }) => isUnder(schemaPath, union, String(meant[0])))
    return withoutOtherForms(ofForm, value, schema, union.schemaPath)
  }
  return [{ ...union, message: `must be one of: ${formText({ anyOf: forms })}` }]
}

function isUnder(schemaPath: string, union: Problem, form = ''): boolean {
  return `${schemaPath}/`.startsWith(`${union.schemaPath}${FORMS}/${form === '' ? '' : `${form}/`}`)
}

/**
 * The outermost value of several forms, of those inside `within`. TypeBox stops at a few errors, so the error of the
 * value itself may be missing: it follows from that of one form.
 */
function unionOf(problems: readonly Problem[], within: string): Problem | undefined {
  const unions = problems.flatMap((one): Problem[] => {
    const [, schemaPath] = /^(.*)\/anyOf\/\d+$/.exec(one.schemaPath) ?? []
    const isOfForm = schemaPath !== undefined && ['type', 'enum', 'anyOf'].includes(one.keyword)
    const around: Problem[] = isOfForm ? [{ ...one, keyword: 'anyOf', params: {}, schemaPath }] : []
    return one.keyword === 'anyOf' ? [one, ...around] : around
  })
  return unions
    .filter(({ schemaPath }) => schemaPath.length > within.length)
    .sort((one, other) => one.schemaPath.length - other.schemaPath.length)[0]
}

/** Values of several forms have the errors of one, or one error. `within`: the union whose form is looked at. */
function withoutOtherForms(problems: readonly Problem[], value: unknown, schema: TObject, within = ''): Problem[] {
  const union = unionOf(problems, within)
  if (union === undefined) return [...problems]
  const isInner = (one: Problem): boolean =>
    isUnder(one.schemaPath, union) && `${one.instancePath}/`.startsWith(`${union.instancePath}/`)
  const isItself = ({ keyword, schemaPath, instancePath }: Problem): boolean =>
    keyword === 'anyOf' && schemaPath === union.schemaPath && instancePath === union.instancePath
  const others = problems.filter((one) => !isItself(one) && !isInner(one))
  const own = ofOneForm(union, problems.filter(isInner), value, schema)
  return [...own, ...withoutOtherForms(others, value, schema, within)]
}

/** Errors of TypeBox as issues in wire form. */
export function issuesOf(
  errors: readonly Problem[],
  value: unknown,
  { root, schema }: { readonly root: string; readonly schema: TObject },
): Issue[] {
  const issues: Issue[] = []
  for (const error of withoutOtherForms(errors, value, schema)) {
    // Each unknown field is an error of its own, beside one for all of them.
    if (error.schemaPath.endsWith('/additionalProperties')) continue
    const loc = [root, ...pointerSegments(error.instancePath)]
    if (error.keyword === 'additionalProperties') issues.push(...unknownFields(error, loc, schema))
    else if (error.keyword === 'required') {
      const { requiredProperties } = error.params as { requiredProperties: readonly string[] }
      for (const name of requiredProperties)
        issues.push({ loc: [...loc, name], msg: 'Field required', type: 'missing' })
    } else {
      issues.push({ loc, msg: messageOf(error, schema), type: error.keyword })
    }
  }
  return issues
}
