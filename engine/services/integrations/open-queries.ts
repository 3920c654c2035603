/** Queries to the thread of the integrations that are not answered yet. */
import { Refusal } from '../../errors.js'

interface Asking {
  resolve(answer: unknown): void
  reject(refusal: Refusal): void
}

export class OpenQueries {
  readonly #asking = new Map<number, Asking>()
  #lastId = 0

  /** Sends a query under a new id; resolves to its answer. */
  ask<Answer>(send: (id: number) => void): Promise<Answer> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#asking.set(id, { resolve: resolve as (answer: unknown) => void, reject })
      send(id)
    })
  }

  answered(id: number, answer: unknown): void {
    this.#asking.get(id)?.resolve(answer)
    this.#asking.delete(id)
  }

  refused(id: number, refusal: Refusal): void {
    this.#asking.get(id)?.reject(refusal)
    this.#asking.delete(id)
  }

  /** The thread has ended: nothing is answered any more. */
  refuseAll(): void {
    for (const { reject } of this.#asking.values()) reject(unavailable())
    this.#asking.clear()
  }
}

export function unavailable(): Refusal {
  return new Refusal('integrations_unavailable', 'the integrations are being started; try again shortly')
}
