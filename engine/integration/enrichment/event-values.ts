/** The values of one field of an event that a look-up asks about. */
import { DecisionPoints } from '../../domain/event/decision-points.js'
import type { ScalarValue } from '../../domain/event/point-value.js'
import type { ParameterSpec } from '../../resource/registry/parameters.js'

const VALUES_MAX = 16
const VALUE_CHARS_MAX = 1_024

export const eventFieldParameter: ParameterSpec = {
  name: 'event_field',
  type: 'string',
  required: true,
  description: 'The field of the event whose value is looked up, such as source.ip.',
}

export class RequestedValues {
  readonly #point: DecisionPoints

  constructor(field: string) {
    this.#point = new DecisionPoints([field], 'kept')
  }

  /** The values as texts, at most 16. Empty and very long ones are left out. */
  of(document: Readonly<Record<string, unknown>>): string[] {
    const [value] = this.#point.valuesOf(document)
    if (value === null || value === undefined) return []
    const values = Array.isArray(value) ? (value as readonly ScalarValue[]) : [value as ScalarValue]
    return values
      .map((one) => String(one).trim())
      .filter((text) => text !== '' && text.length <= VALUE_CHARS_MAX)
      .slice(0, VALUES_MAX)
  }
}
