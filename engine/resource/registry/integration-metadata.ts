/**
 * The catalogue of integrations and of job categories as clients read it: JSON Schemas of parameters, and metadata
 * (C2.10, C3.9). Wire names included.
 *
 * Owns: the shapes of these answers. Leaves out: what is in the catalogue (registry-entries.ts, categories.ts, job-shapes.ts).
 *
 * 1. Everything is made of the very entries that documents are checked against.
 * 2. What is accepted as `integration_type` is a key of the schemas and a name in the metadata: a kind with several names is
 *    there under each, and where it is asked for by one, under that. Clients know listed integrations by the last name of an id.
 */
import { Refusal } from '../../errors.js'
import type { IntegrationRole } from '../../domain/job/job.js'
import type { IntegrationMetadataService, IntegrationMetadataQuery } from '../../api/integration-metadata-service.js'
import { categoryByName, describeCategories, describeCategory } from './categories.js'
import { roleOf, type IntegrationKind, type IntegrationRegistry, type RoleSpec } from './integration-registry.js'
import { parametersSchema } from './parameters.js'
import { roleDetails } from './roles.js'

type Document = Record<string, unknown>

const BUILT_IN = 'It is there from the start; none can be created.'

function notThere(parameter: string, known: readonly string[]): Refusal {
  const msg = `must be one of: ${known.join(', ')}`
  return new Refusal('invalid_resources', `${parameter} ${msg}`, {
    issues: [{ loc: ['query', parameter], msg, type: 'enum' }],
  })
}

/** A kind under one of its names. */
interface Named {
  readonly kind: IntegrationKind
  readonly name: string
}

function connectionSchema(kind: IntegrationKind): Document {
  const description = kind.builtIn ? `${kind.description} ${BUILT_IN}` : kind.description
  return parametersSchema(kind.connection, description)
}

function roleSchema(name: string, spec: RoleSpec): Document {
  return parametersSchema(spec.parameters, `${name} as ${spec.role}. ${roleDetails[spec.role].description}`)
}

function summary({ kind, name }: Named): Document {
  const roles = kind.roles.map(({ role }) => role)
  return {
    id: kind.id,
    name,
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
    const schemaOf = ({ kind, name }: Named): Document => {
      const spec = role === undefined ? null : roleOf(kind, role)
      return spec === null ? connectionSchema(kind) : roleSchema(name, spec)
    }
    return {
      type: 'object',
      properties: Object.fromEntries(this.#chosen(query).map((named) => [named.name, schemaOf(named)])),
    }
  }

  integrationMetadata(query: IntegrationMetadataQuery): Document {
    const chosen = this.#chosen(query)
    const [named] = chosen
    if (query.type === undefined || named === undefined) return { integration_types: chosen.map(summary) }
    const { kind, name } = named
    const specs = kind.roles.filter(({ role }) => query.role === undefined || role === query.role)
    return {
      ...summary(named),
      connection_parameters: connectionSchema(kind),
      pipeline_parameters: Object.fromEntries(specs.map((spec) => [spec.role, roleSchema(name, spec)])),
    }
  }

  jobMetadata(category?: string, withMappings = false): Document {
    if (category === undefined) return describeCategories()
    const found = categoryByName(category)
    if (found === null)
      throw notThere(
        'category',
        describeCategories().job_categories.map(({ name }) => name),
      )
    return describeCategory(found, this.#kinds.processorsOf(found), withMappings)
  }

  /** The kinds that a query names. @throws Refusal invalid_resources where there is none. */
  #chosen({ type, role }: IntegrationMetadataQuery): readonly Named[] {
    const fits = (kind: IntegrationKind): boolean => role === undefined || roleOf(kind, role) !== null
    if (type === undefined) {
      return this.#kinds.all
        .filter(fits)
        .flatMap((kind) => [kind.name, ...(kind.otherNames ?? [])].map((name) => ({ kind, name })))
    }
    const kind = this.#kinds.byName(type)
    if (kind === null)
      throw notThere(
        'type',
        this.#kinds.all.map(({ name }) => name),
      )
    if (!fits(kind))
      throw notThere(
        'role',
        kind.roles.map((spec): IntegrationRole => spec.role),
      )
    return [{ kind, name: this.#kinds.nameOf(kind, type) }]
  }
}
