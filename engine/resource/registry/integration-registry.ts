/**
 * The registry of kinds of integrations.
 *
 * Owns: the form of an entry, and finding one. Leaves out: the entries (registry-entries.ts), their publication
 * (integration-metadata.ts), the code of an integration (integration/).
 *
 * 1. Ids and names are unique. A built-in kind has no connection parameters.
 * 2. Every built-in kind has exactly one integration, and its title is the kind's name.
 * 3. A secret is a string and has no default.
 */
import { assert, must } from '../../assert.js'
import type { IntegrationRole, JobCategory } from '../../domain/job/job.js'
import type { ParameterSpec } from './parameters.js'

export interface RoleSpec {
  readonly role: IntegrationRole
  readonly parameters: readonly ParameterSpec[]
}

export interface IntegrationKind {
  readonly id: string
  /** The value of `integration_type`. */
  readonly name: string
  /** Kinds of one family are the same under several names. An integration may change from one to another. */
  readonly family?: string
  readonly description: string
  /** One integration of it always exists, under its name. Nobody can add, change or delete one. */
  readonly builtIn: boolean
  /** It exchanges data with other systems. */
  readonly outside?: true
  /** As an input, it takes the events that clients post. */
  readonly takesPosts: boolean
  readonly connection: readonly ParameterSpec[]
  readonly roles: readonly RoleSpec[]
  /** The pipelines of these categories always have it. */
  readonly addedTo: readonly JobCategory[]
}

function plain(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_')
}

function parametersOf({ connection, roles }: IntegrationKind): ParameterSpec[] {
  return [...connection, ...roles.flatMap((role) => role.parameters)]
}

export class IntegrationRegistry {
  readonly all: readonly IntegrationKind[]
  readonly #byId: ReadonlyMap<string, IntegrationKind>
  readonly #byWord: ReadonlyMap<string, IntegrationKind>

  constructor(kinds: readonly IntegrationKind[]) {
    this.all = kinds
    this.#byId = new Map(kinds.map((kind) => [kind.id, kind]))
    this.#byWord = new Map(kinds.flatMap((kind) => [kind.id, kind.name].map((word) => [plain(word), kind] as const)))
    assert(this.#byId.size === kinds.length, 'ids of kinds are unique')
    for (const kind of kinds)
      assert(!kind.builtIn || kind.connection.length === 0, 'a built-in kind has no connection parameters')
    for (const { secret, type, default: value } of kinds.flatMap(parametersOf)) {
      assert(
        secret === undefined || (type === 'string' && value === undefined),
        'a secret is a string without a default',
      )
    }
  }

  /** The kind with that id, which must exist. */
  byId(id: string): IntegrationKind {
    return must(this.#byId.get(id), `integration kind ${id}`)
  }

  /** The kind that `integration_type` names, by a name or the id, in any case; or null. */
  byName(text: string): IntegrationKind | null {
    return this.#byWord.get(plain(text)) ?? null
  }

  /** Connection parameters of the kind that a document names, else of the stored kind; empty where it is unknown. */
  connectionOf(name: string | undefined, before: string | undefined): readonly ParameterSpec[] {
    const kind = name === undefined ? before && this.#byId.get(before) : this.byName(name)
    return kind ? kind.connection : []
  }

  /** Names of the kinds of which integrations can be created. */
  creatable(): string[] {
    return this.all.filter((kind) => !kind.builtIn).map(({ name }) => name)
  }

  /** The processors in every pipeline of that category. */
  processorsOf(category: JobCategory): IntegrationKind[] {
    return this.all.filter((kind) => kind.addedTo.includes(category))
  }
}

/** The kind's specification for that role, or null where it does not have the role. */
export function roleOf(kind: IntegrationKind, role: IntegrationRole): RoleSpec | null {
  return kind.roles.find((spec) => spec.role === role) ?? null
}

/** Whether an integration of the one kind may become one of the other. */
export function isAlike(one: IntegrationKind, other: IntegrationKind): boolean {
  return one.id === other.id || (one.family !== undefined && one.family === other.family)
}
