/**
 * The steps of a call: check the arguments, dry run, confirmation, the change, the audit entry.
 *
 * Owns: the order of these steps, and what an agent is told. Leaves out: the tools (tools/), tokens (dry-runs.ts), the
 * protocol (handler.ts).
 *
 * 1. A write changes nothing without the token of its own dry run.
 * 2. A destructive write asks a person first where the client can ask. Declined is declined: the token is spent.
 * 3. If more would change than was shown, nothing does.
 * 4. Each call is in the audit log before it is answered, with the name of the client.
 */
import { Type, type TObject } from 'typebox'
import { isRefusal, type AuditService, type Principal } from '../../engine/index.js'
import { ServiceError, type Client } from '../client/index.js'
import { Checker } from '../http/validate.js'
import type { Checked, DryRuns, Intent } from './dry-runs.js'
import { AsIs, Count } from './tools/fields.js'
import { InvalidCall, type Tool, type ToolCall, type WriteTool } from './tool.js'

/** The caller of a tool. */
export interface Caller {
  readonly principal: Principal
  /** The API with the key of the caller. */
  readonly client: Client
  /** The name of the client program, as it gives it. */
  readonly agent: string
  /** What a person answered to the confirmation, if that was asked for already. */
  readonly confirmation: 'accepted' | 'declined' | 'missing'
  /** True if the client can ask a person. */
  readonly canAsk: boolean
  readonly signal: AbortSignal
}

export type ToolOutcome =
  | { readonly kind: 'answer'; readonly text: string; readonly content: Readonly<Record<string, unknown>> }
  | { readonly kind: 'error'; readonly text: string }
  /** A person has to be asked. */
  | { readonly kind: 'ask'; readonly message: string }

/** How a call ended, for the audit log. */
type Ending = 'answered' | 'dry run' | 'confirmation requested' | 'declined' | 'done' | 'refused'

interface Ended {
  readonly outcome: ToolOutcome
  readonly ending: Ending
}

/** The token is an argument of every write. */
const token = Type.Optional(
  Type.String({
    maxLength: 256,
    description: 'From the dry run of the same call. Without it nothing changes: the answer says what would.',
  }),
)

/** What every write answers. */
export const WriteAnswer = Type.Object({
  changed: Type.Boolean({ description: 'False: this was a dry run, or there was nothing to do.' }),
  count: Type.Union([Count], { description: 'How many things it changes.' }),
  effect: Type.String(),
  token: Type.Optional(Type.String({ description: 'For the second call, with the same arguments.' })),
  expires_at: Type.Optional(Type.String()),
  result: Type.Optional(AsIs),
})

/** The arguments of a tool. */
export function inputOf(tool: Tool): TObject {
  if (tool.kind === 'read') return tool.input
  return Type.Object({ ...tool.input.properties, token }, { additionalProperties: false })
}

const checkers = new Map<Tool, Checker<TObject>>()

function checked(tool: Tool, input: unknown): Record<string, unknown> {
  let checker = checkers.get(tool)
  if (checker === undefined) checkers.set(tool, (checker = new Checker(inputOf(tool), 'body')))
  return checker.check(input) as Record<string, unknown>
}

export class ToolCalls {
  readonly #dryRuns: DryRuns
  readonly #audit: Pick<AuditService, 'toolCalled'>

  constructor(dryRuns: DryRuns, audit: Pick<AuditService, 'toolCalled'>) {
    this.#dryRuns = dryRuns
    this.#audit = audit
  }

  /** Runs the tool. Rejects with bugs alone, and if the audit log cannot be written. */
  async call(tool: Tool, given: unknown, caller: Caller): Promise<ToolOutcome> {
    const { outcome, ending } = await this.#run(tool, given, caller).catch((error: unknown) => {
      const text = sentenceOf(error)
      if (text === null) throw error
      return { outcome: { kind: 'error', text }, ending: 'refused' } satisfies Ended
    })
    this.#audit.toolCalled(caller.principal, { tool: tool.name, agent: caller.agent, ending, jobId: jobIdOf(given) })
    return outcome
  }

  async #run(tool: Tool, given: unknown, caller: Caller): Promise<Ended> {
    const { token: presented, ...input } = checked(tool, given)
    const call: ToolCall<Record<string, unknown>> = { client: caller.client, input, signal: caller.signal }
    if (tool.kind === 'write') return await this.#write(tool, call, caller, presented as string | undefined)
    const { summary, content } = await tool.read(call)
    return { outcome: { kind: 'answer', text: summary, content: { ...content } }, ending: 'answered' }
  }

  async #write(
    tool: WriteTool,
    call: ToolCall<Record<string, unknown>>,
    caller: Caller,
    presented: string | undefined,
  ): Promise<Ended> {
    const { count, effect, isVoid = false } = await tool.plan(call)
    if (isVoid) return answered('dry run', `${effect} Nothing changes.`, { changed: false, count, effect })
    const intent: Intent = { caller: idOf(caller.principal), tool: tool.name, input: call.input }
    const problem = presented === undefined ? '' : problemOf(this.#dryRuns.check(presented, intent), count)
    if (presented === undefined || problem !== '') return this.#dryRun(intent, count, effect, problem)
    if (tool.isDestructive && caller.canAsk && caller.confirmation === 'missing')
      return { outcome: { kind: 'ask', message: effect }, ending: 'confirmation requested' }
    const isFirst = this.#dryRuns.use(presented)
    if (tool.isDestructive && caller.confirmation === 'declined')
      return answered('declined', 'A person declined. Nothing was changed.', { changed: false, count, effect })
    if (!isFirst) return this.#dryRun(intent, count, effect, 'the token was used already')
    const done = await tool.act(call)
    return answered('done', done.effect, {
      changed: true,
      count,
      effect: done.effect,
      ...(done.result === undefined ? {} : { result: done.result }),
    })
  }

  #dryRun(intent: Intent, count: number, effect: string, problem: string): Ended {
    const minted = this.#dryRuns.mint(intent, count)
    const why = problem === '' ? '' : `Nothing was changed: ${problem}. `
    const text = `${why}Dry run: ${effect} To do it, call ${intent.tool} again with the same arguments and the token.`
    const expires_at = new Date(minted.expiresMs).toISOString()
    return answered('dry run', text, { changed: false, count, effect, token: minted.token, expires_at })
  }
}

function answered(ending: Ending, text: string, content: Readonly<Record<string, unknown>>): Ended {
  return { outcome: { kind: 'answer', text, content }, ending }
}

/** Why a token does not allow so many changes; '' if it does. */
function problemOf(token: Checked, count: number): string {
  if (!token.ok) return token.why
  return count > token.count ? `more would change now than was shown (${count} instead of ${token.count})` : ''
}

function idOf({ kind, name, tokenId = '' }: Principal): string {
  return JSON.stringify([kind, name, tokenId])
}

function jobIdOf(given: unknown): number | undefined {
  const { job_id: id } = Object(given) as { job_id?: unknown }
  return Number.isSafeInteger(id) ? (id as number) : undefined
}

/** What an agent is told of an error; null for a bug. */
function sentenceOf(error: unknown): string | null {
  if (isRefusal(error)) {
    const places = (error.context.issues ?? []).map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`)
    return places.length > 0 ? places.join('; ') : error.message
  }
  if (error instanceof ServiceError) {
    const places = error.issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
    // The message begins with the name of the operation, which agents do not know.
    const message = error.message.replace(/^\w+: /, '')
    return places.length > 0 ? `${message}: ${places.join('; ')}` : message
  }
  return error instanceof InvalidCall ? error.message : null
}
