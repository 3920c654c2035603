/** A cause store in memory that packs rows as the store does: the cost of a stream without a disk. */
import type { CauseStore, CausePart } from '../../engine/domain/cause/cause-store.js'
import { pack, unpack } from '../../engine/store/pack.js'

export class MemoryCauseStore implements CauseStore {
  readonly rows = new Map<string, Buffer>()
  readonly members: [cluster: number, alert: number][] = []

  get(part: CausePart, number: number): unknown {
    const bytes = this.rows.get(`${part} ${number}`)
    return bytes === undefined ? undefined : unpack(bytes)
  }

  *all(part: CausePart): Iterable<{ number: number; row: unknown }> {
    for (const [key, bytes] of this.rows) {
      if (key.startsWith(`${part} `)) yield { number: Number(key.slice(part.length + 1)), row: unpack(bytes) }
    }
  }

  put(part: CausePart, number: number, row: unknown): void {
    this.rows.set(`${part} ${number}`, Buffer.from(pack(row)))
  }

  putMember(cluster: number, alert: number): void {
    this.members.push([cluster, alert])
  }

  deleteMember(): void {}
}
