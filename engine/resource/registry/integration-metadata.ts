/**
 * Metadata of integrations and job categories as clients read it: JSON Schemas of parameters, names and descriptions
 * (C2.10, C3.9), with wire names.
 *
 * Owns: the form of these answers. Leaves out: their contents (registry-entries.ts, categories.ts, job-shapes.ts).
 *
 * 1. Everything is generated from the entries that check documents.
 * 2. The name of a kind is a valid `integration_type`, a key of the schemas and a name in the metadata. Each kind has
 *    one id and one name.
 */
import type { IntegrationRole } from '../../domain/job/job.js'
import { Refusal } from '../../errors.js'
import type { IntegrationMetadataQuery, IntegrationMetadataService } from '../../api/integration-metadata-service.js'
import { categoryByName, describeCategories, describeCategory } from './categories.js'
import { isAutomation, NO_AUTOMATION } from '../job-shapes.js'
import { roleOf, type IntegrationKind, type IntegrationRegistry, type RoleSpec } from './integration-registry.js'
import { parametersSchema } from './parameters.js'

type Document = Record<string, unknown>

const BUILT_IN = 'It is built in; no others can be created.'

interface RoleDetails {
  readonly name: string
  readonly description: string
}

/** What each role of an integration in a pipeline is for (CONTRACT.md#resources). */
const roleDetails: Readonly<Record<IntegrationRole, RoleDetails>> = {
  input: { name: 'Input', description: 'Where the events of the job come from.' },
  processor: { name: 'Processor', description: 'Groups events and decides. The category of the job adds it.' },
  output: { name: 'Output', description: 'Where events and their decisions are kept.' },
  enrichment: {
    name: 'Enrichment',
    description: 'Adds facts from elsewhere to an event, as enrichment.<name>.<field>, before it is decided.',
  },
  case_creation: { name: 'Case creation', description: 'Opens a case for an event in another system.' },
  post_decision: { name: 'Post decision', description: 'Acts on an event after it is decided.' },
}

function unknownName(parameter: string, known: readonly string[]): Refusal {
  return misfit(parameter, `must be one of: ${known.join(', ')}`)
}

function misfit(parameter: string, msg: string): Refusal {
  return new Refusal('invalid_resources', `${parameter} ${msg}`, {
    issues: [{ loc: ['query', parameter], msg, type: 'enum' }],
  })
}

function connectionSchema(kind: IntegrationKind): Document {
  const description = kind.builtIn ? `${kind.description} ${BUILT_IN}` : kind.description
  return parametersSchema(kind.connection, description)
}

function roleSchema(name: string, spec: RoleSpec): Document {
  return parametersSchema(spec.parameters, `${name} as ${spec.role}. ${roleDetails[spec.role].description}`)
}

function summary(kind: IntegrationKind): Document {
  const roles = kind.roles.map(({ role }) => role)
  return {
    id: kind.id,
    name: kind.name,
    description: kind.description,
    creatable: !kind.builtIn,
    roles,
    roles_details: roles.map((role) => ({ id: role, ...roleDetails[role] })),
    pipeline_role_identifiers: roles,
  }
}

export class IntegrationMetadata implements IntegrationMetadataService {
  readonly #kinds: IntegrationRegistry

  constructor(kinds: IntegrationRegistry) {
    this.#kinds = kinds
  }

  parameterSchema(query: IntegrationMetadataQuery): Document {
    const { role } = query
    const schemaOf = (kind: IntegrationKind): Document => {
      const spec = role === undefined ? null : roleOf(kind, role)
      return spec === null ? connectionSchema(kind) : roleSchema(kind.name, spec)
    }
    return {
      type: 'object',
      properties: Object.fromEntries(this.#chosen(query).map((kind) => [kind.name, schemaOf(kind)])),
    }
  }

  integrationMetadata(query: IntegrationMetadataQuery): Document {
    const chosen = this.#chosen(query)
    const [kind] = chosen
    if (query.type === undefined || kind === undefined) return { integration_types: chosen.map(summary) }
    const specs = kind.roles.filter(({ role }) => query.role === undefined || role === query.role)
    return {
      ...summary(kind),
      connection_parameters: connectionSchema(kind),
      pipeline_parameters: Object.fromEntries(specs.map((spec) => [spec.role, roleSchema(kind.name, spec)])),
    }
  }

  jobMetadata(category?: string, withMappings = false): Document {
    if (category === undefined) return describeCategories()
    const found = categoryByName(category)
    if (found === null) {
      if (isAutomation(category)) throw misfit('category', NO_AUTOMATION)
      throw unknownName(
        'category',
        describeCategories().job_categories.map(({ name }) => name),
      )
    }
    return describeCategory(found, this.#kinds.processorsOf(found), withMappings)
  }

  /** The kinds that a query selects. @throws Refusal invalid_resources for an unknown name. */
  #chosen({ type, role }: IntegrationMetadataQuery): readonly IntegrationKind[] {
    const fits = (kind: IntegrationKind): boolean => role === undefined || roleOf(kind, role) !== null
    if (type === undefined) return this.#kinds.all.filter(fits)
    const kind = this.#kinds.byName(type)
    if (kind === null)
      throw unknownName(
        'type',
        this.#kinds.all.map(({ name }) => name),
      )
    if (!fits(kind))
      throw unknownName(
        'role',
        kind.roles.map((spec): IntegrationRole => spec.role),
      )
    return [kind]
  }
}
