/** The record of an event: against raw msgpackr of the same body. */
import { Packr } from 'msgpackr'
import { noDecision } from '../../engine/domain/decide/decision.js'
import { BodyWriter } from '../../engine/domain/event/body-writer.js'
import { noBasis } from '../../engine/domain/decide/decision-basis.js'
import { ShapeTree } from '../../engine/domain/event/shape-tree.js'
import { Words } from '../../engine/domain/event/words.js'
import { encodeRecord, type RecordHeader } from '../../engine/store/event-record.js'
import type { Fixture, Stage } from './fixture.js'

export function recordStages({ bodies }: Fixture): Stage[] {
  const writer = new BodyWriter(new ShapeTree(), new Words())
  const packr = new Packr()
  const header: RecordHeader = {
    ...noDecision,
    pending: false,
    lacksPoints: false,
    hasFeedback: false,
    hasClientId: false,
    bucketId: Buffer.alloc(16, 1),
    enrichments: 'none',
    autonomy: 'none',
    basis: noBasis,
  }
  return [
    {
      name: 'record: of a parsed body',
      run: (i) => {
        const length = writer.write(bodies[i] as Record<string, unknown>)
        return encodeRecord(header, { body: writer.out.subarray(0, length), extras: null, clientId: null })
      },
      floor: { name: 'raw msgpackr', run: (i) => packr.pack(bodies[i]) },
    },
  ]
}
