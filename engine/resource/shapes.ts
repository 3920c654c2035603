/**
 * Checks that need one resource only.
 *
 * Owns: the shape of a resource. Leaves out: the document around it (document.ts), the fields of a job (job-shapes.ts),
 * checks of several resources (references.ts, plan.ts).
 *
 * 1. Unknown fields are ignored (C1.3), with a warning (unknown-properties.ts).
 * 2. Issues name their place from the top of the document. All issues are reported together.
 */
import { z } from 'zod'
import { limits } from '../limits.js'
import type { Warning } from '../api/warning.js'
import { documentEntries } from './document.js'
import { Issues, type DocumentPlace } from './document-issues.js'
import { jobProperties, map, name } from './job-shapes.js'
import { KnownProperties } from './unknown-properties.js'

const kindName = z.string().max(limits.nameCharsMax).optional()

/** `integration_type` of POST and `subcategory_id` of GET mean the same. */
const integrationProperties = z
  .object({ title: name, integration_type: kindName, subcategory_id: kindName, parameters: map.optional() })
  .transform((all) => ({
    title: all.title,
    kind: all.integration_type ?? all.subcategory_id,
    parameters: all.parameters ?? {},
  }))

const apiKeyProperties = z.object({ name }).transform((all) => ({ title: all.name }))

const dependencies = z.array(z.string()).max(limits.resourcesPerRequestMax).optional()

const resource = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('api_key'), properties: apiKeyProperties, depends_on: dependencies }),
    z.object({ type: z.literal('integration'), properties: integrationProperties, depends_on: dependencies }),
    z.object({ type: z.literal('job'), properties: jobProperties, depends_on: dependencies }),
  ],
  { error: (issue) => (issue.code === 'invalid_union' ? 'must be api_key, integration or job' : undefined) },
)

const known = {
  api_key: new KnownProperties('api_key', apiKeyProperties),
  integration: new KnownProperties('integration', integrationProperties),
  job: new KnownProperties('job', jobProperties),
}

interface Standing {
  readonly identifier: string
  readonly place: DocumentPlace
  /** Place of the properties. */
  readonly inside: DocumentPlace
  /** Properties that nothing reads. */
  readonly warnings: readonly Warning[]
}

/** One resource of a request, and its place. `properties.title` is the name of an api key. */
export type ResourceInput = z.output<typeof resource> & Standing
export type ResourceInputOf<T extends ResourceInput['type']> = Extract<ResourceInput, { type: T }>

/**
 * The resources of a document, in its order.
 * @throws Refusal invalid_resources, limit_exceeded.
 */
export function parseDocument(document: unknown): ResourceInput[] {
  const issues = new Issues()
  const inputs: ResourceInput[] = []
  for (const { value, ...standing } of documentEntries(document)) {
    const result = resource.safeParse(value)
    if (result.success) {
      const warnings = known[result.data.type].warnings(value, standing.place, standing.inside)
      inputs.push({ ...result.data, ...standing, warnings })
    } else
      for (const { path, message, code } of result.error.issues) {
        const steps = path.filter((part) => typeof part !== 'symbol')
        const [first, ...rest] = steps
        issues.add(
          first === 'properties' ? [...standing.inside, ...rest] : [...standing.place, ...steps],
          message,
          code,
        )
      }
  }
  issues.refuse('invalid_resources')
  return inputs
}
