/** Sessions that outlive their process, in memory. */
import type { SessionKeeper, SessionOwner } from '../../../engine/index.js'

interface Row {
  readonly owner: SessionOwner
  readonly beganMs: number
  usedMs: number
  origin: string | null
}

export function keeperIn(nowMs: () => number): { readonly keeper: SessionKeeper; readonly rows: Map<string, Row> } {
  const rows = new Map<string, Row>()
  const idOf = (value: string): string => `id of ${value}`
  const agesOf: SessionKeeper['agesOf'] = (id) => {
    const row = rows.get(id)
    return row === undefined ? null : { ageMs: nowMs() - row.beganMs, unusedMs: nowMs() - row.usedMs }
  }
  const keeper: SessionKeeper = {
    idOf,
    agesOf,
    keep: (value, owner, origin) => void rows.set(idOf(value), { owner, origin, beganMs: nowMs(), usedMs: nowMs() }),
    find: (value) => {
      const [row, ages] = [rows.get(idOf(value)), agesOf(idOf(value))]
      return row === undefined || ages === null ? null : { owner: row.owner, ...ages }
    },
    origins: () => new Map([...rows].flatMap(([id, { origin }]) => (origin === null ? [] : [[id, origin]]))),
    setOrigin: (id, origin) => void (rows.has(id) && (rows.get(id)!.origin = origin)),
    touch: (value) => void (rows.has(idOf(value)) && (rows.get(idOf(value))!.usedMs = nowMs())),
    end: (id) => void rows.delete(id),
  }
  return { keeper, rows }
}
