/**
 * A tool: what an agent can do, by outcome rather than by operation of the API.
 *
 * Owns: the two forms of a tool. A read answers at once. A write says first what it would do, and does it when its
 * token comes back (dry-runs.ts). Leaves out: the steps of a call (call-tool.ts), the protocol (handler.ts).
 *
 * 1. A tool uses the API with the caller's key, so it can do nothing that the key cannot do.
 * 2. What comes from events is in the structured content, as `untrusted`, and in no sentence (untrusted.ts).
 */
import type { Static, TObject } from 'typebox'
import type { Scope } from '../../engine/index.js'
import type { Calls, Client } from '../client/index.js'

/** Arguments that fit the schema and make no sense together. The message is a sentence for the agent. */
/** The name of the server, over HTTP and over standard input alike. */
export const SERVER_NAME = 'decision-service'

export class InvalidCall extends Error {
  override readonly name = 'InvalidCall'
}

/** The call of a tool. */
export interface ToolCall<I> {
  readonly client: Client
  readonly input: I
  readonly signal: AbortSignal
}

interface ToolDoc<I extends TObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The operations that it uses: the key needs their scopes. */
  readonly operations: readonly (keyof Calls)[]
  readonly scopes: readonly Scope[]
  readonly input: I
}

/** What a read answers. */
export interface Found<O> {
  /** A sentence without a word from an event. */
  readonly summary: string
  readonly content: O
}

/** What a write would do. */
export interface WritePlan {
  /** How many things it changes: what the second call may not exceed. */
  readonly count: number
  /** What it would do, as a sentence without a word from an event. */
  readonly effect: string
  /** True if there is nothing to do. */
  readonly isVoid?: boolean
}

/** What a write did. */
export interface Done {
  /** What happened, as a sentence. */
  readonly effect: string
  readonly result?: Readonly<Record<string, unknown>>
}

export interface ReadTool<I extends TObject = TObject, O extends TObject = TObject> extends ToolDoc<I> {
  readonly kind: 'read'
  readonly output: O
  read(call: ToolCall<Static<I>>): Promise<Found<Static<O>>>
}

export interface WriteTool<I extends TObject = TObject> extends ToolDoc<I> {
  readonly kind: 'write'
  /** It destroys data or overrules people: a person confirms it where the client can ask. */
  readonly isDestructive: boolean
  /** Called again with the same arguments, it changes nothing more. */
  readonly isIdempotent: boolean
  plan(call: ToolCall<Static<I>>): Promise<WritePlan>
  act(call: ToolCall<Static<I>>): Promise<Done>
}

export type Tool = ReadTool | WriteTool

/** Types the input and the output of a read by its schemas. */
export function readTool<I extends TObject, O extends TObject>(tool: Omit<ReadTool<I, O>, 'kind'>): ReadTool {
  return { ...tool, kind: 'read' } as unknown as ReadTool
}

/** Types the input of a write by its schema. */
export function writeTool<I extends TObject>(tool: Omit<WriteTool<I>, 'kind'>): WriteTool {
  return { ...tool, kind: 'write' } as unknown as WriteTool
}
