/** The record of an event: against raw msgpackr of the same body. */
import { Packr } from 'msgpackr'
import { noDecision } from '../../engine/decide/decision.js'
import { ShapeTable } from '../../engine/event/shapes.js'
import { encodeRecord, type RecordHeader } from '../../engine/store/event-record.js'
import type { Fixture, Stage } from './fixture.js'

export function recordStages({ bodies }: Fixture): Stage[] {
  const shapes = new ShapeTable()
  const packr = new Packr()
  const header: RecordHeader = {
    ...noDecision,
    pending: false,
    lacksPoints: false,
    hasFeedback: false,
    hasClientId: false,
    bucketId: Buffer.alloc(16, 1),
  }
  return [
    {
      name: 'record: shape and MessagePack',
      run: (i) => {
        const shaped = shapes.shape(bodies[i] as Record<string, unknown>)
        return encodeRecord(header, { shaped, extras: null, clientId: null })
      },
      floor: { name: 'raw msgpackr', run: (i) => packr.pack(bodies[i]) },
    },
  ]
}
