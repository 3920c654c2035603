/** What the reader of a file has warned of, as whoever sends its events tells the job. */
import { Type } from 'typebox'
import { fileFindingKinds } from '../../../engine/index.js'
import { Exact } from '../common.js'

const [COUNT_MAX, EXAMPLE_CHARS_MAX] = [1e12, 10_000]

export const FileWarningKind = Type.Enum([...fileFindingKinds])

export const FileWarning = Exact({
  type: FileWarningKind,
  count: Type.Integer({ minimum: 1, maximum: COUNT_MAX, description: 'How often it was seen in the file.' }),
  example: Type.String({
    maxLength: EXAMPLE_CHARS_MAX,
    description: 'The first one, as it came. A long one is cut.',
  }),
})

export const FileWarnings = Exact({
  warnings: Type.Array(FileWarning, { minItems: 1, maxItems: fileFindingKinds.length }),
})
