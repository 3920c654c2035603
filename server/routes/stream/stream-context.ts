/** What a stream is served with. */
import type { Principal, StreamQuery } from '../../../engine/index.js'
import type { App } from '../../app.js'
import type { Exchange } from '../../http/exchange.js'

export interface StreamContext {
  readonly exchange: Exchange
  readonly app: App
  readonly principal: Principal
  readonly query: Omit<StreamQuery, 'form'>
  /** @throws Refusal where the key has ended or may no longer read. */
  readonly check: () => void
}
