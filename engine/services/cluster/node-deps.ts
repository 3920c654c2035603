/** What a node of a cluster needs of the process that has made it. */
import type { EngineOptions } from '../../options.js'
import type { EngineLogs } from '../start/engine-logs.js'
import type { ClusterOptions } from './cluster-logs.js'
import type { Following } from './following.js'

/** What a node needs of an engine. */
export interface OwnedEngine {
  /** Refuses changes, and stops what reaches outside. Reads go on. */
  suspend(): Promise<void>
  /** Keys and tokens with these ids were used on other nodes. */
  readonly noteUses: (ids: readonly string[]) => void
  close(): Promise<void>
}

export interface NodeDeps<Engine extends OwnedEngine> {
  readonly options: EngineOptions
  readonly cluster: ClusterOptions
  open(logs: EngineLogs): Promise<Engine>
  /** Serves requests with this engine from now on. */
  serve(engine: Engine): Promise<void>
  /** Serves no more requests with it. Resolves when those under way are answered, or cannot be. */
  release(engine: Engine): Promise<void>
  /** Answers reads from the copies of this node from now on. */
  standBy(following: Following): Promise<void>
  /** Answers no more reads from them: resolves when those under way are over. */
  standDown(): Promise<void>
  /** For operators. */
  told(what: string, details?: Readonly<Record<string, unknown>>): void
  failed(what: string, error: unknown): void
  /** This node cannot go on: the reason, as a sentence. */
  fatal(why: string): void
}
