/**
 * The client: a method for each operation of the API, lists page by page, and the stream of events.
 *
 * The methods come from the table of operations, which the build makes from the OpenAPI document, as their types do.
 */
import { operations, type Calls, type Lists, type ResultLine, type StreamMessage } from '#client-operations'
import type { Line } from './batches.js'
import { bulk, type BulkOptions } from './bulk.js'
import { history, type HistoryOptions, type HistoryPart, type OldEvents } from './history.js'
import { itemsOf, pagesOf } from './pages.js'
import { requestOf, type Params } from './request.js'
import { stream as follow, type StreamOptions, type StreamParams } from './stream.js'
import { Transport, type CallOptions, type ClientOptions } from './transport.js'

type Lines = Iterable<Line> | AsyncIterable<Line>

/** What extends parameters of which none is required. Such a call may leave them out. */
type Nothing = Record<never, never>

type Method<C extends { params: object; result: unknown }> = Nothing extends C['params']
  ? (params?: C['params'], options?: CallOptions) => Promise<C['result']>
  : (params: C['params'], options?: CallOptions) => Promise<C['result']>

/** A method for each operation, named as in the OpenAPI document. Parameters of path and query stand beside `body`. */
export type Methods = {
  readonly [K in keyof Calls as K extends 'postEventLines' | 'streamEvents' ? never : K]: Method<Calls[K]>
}

type ListParams<K extends keyof Lists> = Nothing extends Calls[K]['params']
  ? [params?: Calls[K]['params'], options?: CallOptions]
  : [params: Calls[K]['params'], options?: CallOptions]

export interface Client extends Methods {
  readonly events: {
    /** Sends a stream of events. Gives one result for each line that is not blank, in order. */
    bulk(lines: Lines, options?: BulkOptions): AsyncGenerator<ResultLine, void, void>
    /**
     * Sends old events with the answers that people gave. Tells of each part what came of it. An event that is refused
     * keeps no other away.
     */
    history(jobId: number, events: OldEvents, options?: HistoryOptions): AsyncGenerator<HistoryPart, void, void>
    /** What happens in jobs, as it happens. Goes on where a connection broke off. */
    stream(params?: StreamParams, options?: StreamOptions): AsyncGenerator<StreamMessage, void, void>
  }
  /** The same as `events.stream`, named as the other operations. */
  streamEvents(params?: StreamParams, options?: CallOptions): AsyncGenerator<StreamMessage, void, void>
  /** The same as `events.bulk`, named as the other operations. */
  postEventLines(params: { readonly body: Lines }, options?: BulkOptions): AsyncGenerator<ResultLine, void, void>
  /** Pages of a list. */
  pages<K extends keyof Lists>(name: K, ...call: ListParams<K>): AsyncGenerator<Lists[K]['page'], void, void>
  /** What is on the pages of a list. */
  items<K extends keyof Lists>(name: K, ...call: ListParams<K>): AsyncGenerator<Lists[K]['item'], void, void>
}

async function readAnswer(kind: string, response: Response): Promise<unknown> {
  if (kind === 't') return response.text()
  return kind === 'b' ? response.blob() : response.json()
}

/** A client of one service. @throws TypeError if the address or the key cannot be. */
export function createClient(options: ClientOptions = {}): Client {
  const transport = new Transport(options)
  const call = async (name: keyof Calls, params: Params = {}, callOptions: CallOptions = {}): Promise<unknown> => {
    const request = requestOf(name, operations[name], params)
    return transport.send(request, callOptions, (response) => readAnswer(request.answer, response))
  }
  const pages = (name: keyof Lists, params: Params = {}, callOptions?: CallOptions) =>
    pagesOf(name, params, (each) => call(name, each, callOptions))
  async function* items(name: keyof Lists, params?: Params, callOptions?: CallOptions) {
    for await (const page of pages(name, params, callOptions)) yield* itemsOf(name, page)
  }
  const methods = Object.keys(operations).map((name) => [
    name,
    (params?: Params, callOptions?: CallOptions) => call(name as keyof Calls, params, callOptions),
  ])
  const streamEvents = (params?: StreamParams, callOptions?: CallOptions) => follow(transport, params, callOptions)
  const stream = (lines: Lines, callOptions?: BulkOptions) => bulk(transport, lines, callOptions)
  return Object.freeze({
    ...Object.fromEntries(methods),
    events: Object.freeze({
      bulk: stream,
      history: (jobId: number, events: OldEvents, callOptions?: HistoryOptions) =>
        history(transport, jobId, events, callOptions),
      stream: streamEvents,
    }),
    streamEvents,
    postEventLines: ({ body }: { body: Lines }, callOptions?: BulkOptions) => stream(body, callOptions),
    pages,
    items,
  }) as unknown as Client
}
