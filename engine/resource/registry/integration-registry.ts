/**
 * Kinds of integrations: what an entry of the catalogue says, and how one is found.
 *
 * Owns: the shape of an entry and the look-ups. Leaves out: the entries (registry-entries.ts), their publication (integration-metadata.ts),
 * what an integration does (integration/).
 *
 * 1. Ids and names are unique; a built-in kind asks for no connection parameters.
 * 2. Every built-in kind has exactly one integration, with the kind's name as title.
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
  /** The word of `integration_type`. */
  readonly name: string
  /** Other words for it, by which documents of other makers of this API know it; the last is the commonest there. */
  readonly otherNames?: readonly string[]
  readonly description: string
  /** Present from the start, once, under its name; nobody can add, change or remove it. */
  readonly builtIn: boolean
  /** Asks or tells something outside of the service. */
  readonly outside?: true
  /** As input, takes the events that clients send to the input operations. */
  readonly takesPosts: boolean
  readonly connection: readonly ParameterSpec[]
  readonly roles: readonly RoleSpec[]
  /** Categories whose pipelines it is added to by itself. */
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
    this.#byWord = new Map(
      kinds.flatMap((kind) =>
        [kind.id, kind.name, ...(kind.otherNames ?? [])].map((word) => [plain(word), kind] as const),
      ),
    )
    assert(this.#byId.size === kinds.length, 'each kind has an id of its own')
    for (const kind of kinds)
      assert(!kind.builtIn || kind.connection.length === 0, 'a built-in kind needs no connection')
    for (const { secret, type, default: value } of kinds.flatMap(parametersOf)) {
      assert(
        secret === undefined || (type === 'string' && value === undefined),
        'a secret is a string without a default',
      )
    }
  }

  /** The kind with that id, which exists. */
  byId(id: string): IntegrationKind {
    return must(this.#byId.get(id), `integration kind ${id}`)
  }

  /** The kind that `integration_type` names: by a name or the id, in any case. */
  byName(text: string): IntegrationKind | null {
    return this.#byWord.get(plain(text)) ?? null
  }

  /** The name of a kind that a word stands for: its first where the word is its id. */
  nameOf(kind: IntegrationKind, word: string): string {
    return kind.otherNames?.find((name) => plain(name) === plain(word)) ?? kind.name
  }

  /** Connection parameters of the kind that a document names, or else of the one its integration has; none if unknown. */
  connectionOf(name: string | undefined, before: string | undefined): readonly ParameterSpec[] {
    const kind = name === undefined ? before && this.#byId.get(before) : this.byName(name)
    return kind ? kind.connection : []
  }

  /** Names of the kinds that a person can make integrations of. */
  creatable(): string[] {
    return this.all.filter((kind) => !kind.builtIn).map((kind) => kind.name)
  }

  /** The processors that every pipeline of that category has. */
  processorsOf(category: JobCategory): IntegrationKind[] {
    return this.all.filter((kind) => kind.addedTo.includes(category))
  }
}

/** What the kind takes in that role, or null where it does not have the role. */
export function roleOf(kind: IntegrationKind, role: IntegrationRole): RoleSpec | null {
  return kind.roles.find((spec) => spec.role === role) ?? null
}
