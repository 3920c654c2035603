import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Check } from 'typebox/schema'
import { isoMicros } from '../../../engine/clock.js'
import { Refusal } from '../../../engine/errors.js'
import type { EventView } from '../../../engine/api/decision-service.js'
import type { Stored } from '../../../engine/api/event-answer.js'
import { answerRoom, eventBytes, ingestedBytes, putResultLine, refusedLine } from '../../../server/routes/event-wire.js'
import * as schemas from '../../../server/schemas/events.js'

const views: readonly EventView[] = [
  {
    eventId: 'a',
    jobId: 1,
    ingestMicros: 1_700_000_000_123_456,
    status: 'OK',
    errorMessage: null,
    result: 'label_0',
    resultLabel: 'Escalate',
    bucketState: 'in_knowledge_base',
    outlier: false,
    confidenceScore: 97.25,
    autonomy: 'settled',
  },
  {
    eventId: 'quote " slash \\ line\n € \u2028 😀',
    jobId: 123_456,
    ingestMicros: 1_700_000_000_000_000,
    status: 'pending_inference',
    errorMessage: 'it said "no"',
    result: '',
    resultLabel: '"}',
    bucketState: 'new',
    outlier: true,
    confidenceScore: 0,
    autonomy: 'none',
  },
]

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')
const eventText = (view: EventView): string => textOf(eventBytes(view))
const ingestedText = (view: EventView, empty: boolean): string => textOf(ingestedBytes(view, empty))

function resultLine(view: EventView, stored: Stored = 'new'): string {
  const out = Buffer.alloc(answerRoom(view) + 3)
  return textOf(out.subarray(3, putResultLine(out, 3, view, stored)))
}

test('each text is JSON with the fields of its schema', () => {
  for (const view of views) {
    const got = JSON.parse(eventText(view))
    assert.ok(Check(schemas.EventView, got))
    assert.equal(got.autonomy, view.autonomy === 'none' ? undefined : view.autonomy)
    const fields = Object.keys(schemas.EventView.properties)
    const shown = view.autonomy === 'none' ? fields.filter((name) => name !== 'autonomy') : fields
    assert.deepEqual(Object.keys(got).sort(), shown.sort())
    const posted = JSON.parse(ingestedText(view, false))
    assert.ok(Check(schemas.IngestedEvent, posted))
    assert.equal(posted.event_id, view.eventId)
    assert.ok(Check(schemas.ResultLine, JSON.parse(resultLine(view))))
    const { knowledge_base_state: state, ...rest } = got
    assert.equal(state, view.bucketState)
    assert.deepEqual(JSON.parse(resultLine(view)), { ...rest, job_id: view.jobId })
    for (const stored of ['same', 'replaced'] as const) {
      const told = view.errorMessage === null ? { stored } : {}
      assert.deepEqual(JSON.parse(resultLine(view, stored)), { ...rest, job_id: view.jobId, ...told })
      assert.ok(Check(schemas.ResultLine, JSON.parse(resultLine(view, stored))))
    }
    assert.equal(got.ingest_timestamp, isoMicros(view.ingestMicros))
  }
})

test('a line is one line', () => {
  for (const view of views) assert.equal(resultLine(view).indexOf('\n'), resultLine(view).length - 1)
  const line = textOf(refusedLine(new Refusal('invalid_body', 'two\nlines'), 7))
  assert.equal(line.indexOf('\n'), line.length - 1)
  assert.deepEqual(JSON.parse(line), { status: 'ERROR', status_code: 422, job_id: 7, error: 'two\nlines' })
  assert.ok(Check(schemas.ResultLine, JSON.parse(textOf(refusedLine(new Refusal('invalid_json', 'no'), null)))))
})

test('a new event is pending, however fast it was decided', () => {
  assert.equal(JSON.parse(ingestedText(views[0]!, false)).status, 'pending_inference')
})

test('the error message of a new event is null, or empty for the client that needs it', () => {
  assert.equal(JSON.parse(ingestedText(views[0]!, false)).error_message, null)
  assert.equal(JSON.parse(ingestedText(views[0]!, true)).error_message, '')
})

test('ends that are alike in parts are told apart', () => {
  const seen = new Set<string>()
  for (const result of ['label_0', 'label_1']) {
    for (const resultLabel of ['Drop', 'Escalate']) {
      for (const bucketState of ['new', 'pending', 'in_knowledge_base', 'retrain'] as const) {
        for (const [outlier, confidenceScore] of [
          [true, 10.01],
          [false, 10.01],
          [false, 10.02],
          [false, 100],
        ] as const) {
          const view: EventView = {
            ...views[0]!,
            result,
            resultLabel,
            bucketState,
            outlier,
            confidenceScore,
            jobId: seen.size,
          }
          for (const again of [view, { ...view, status: 'pending_inference' as const }]) {
            const { event_id: _, ingest_timestamp: __, job_id, ...said } = JSON.parse(resultLine(again))
            const expected = {
              status: again.status,
              result,
              result_label: resultLabel,
              bucket_state: bucketState,
              autonomy: 'settled',
              outlier,
            }
            assert.deepEqual(said, { ...expected, confidence_score: confidenceScore, error_message: null })
            assert.equal(job_id, again.jobId)
            seen.add(JSON.stringify(said))
          }
        }
      }
    }
  }
  assert.equal(seen.size, 128)
})

test('ingest times are written as everywhere else', () => {
  for (const micros of [
    0, 999_999, 86_399_999_999, 86_400_000_000, 1_700_000_000_000_001, 1_709_251_199_000_010, 4_102_444_800_500_000,
  ]) {
    assert.equal(JSON.parse(eventText({ ...views[0]!, ingestMicros: micros })).ingest_timestamp, isoMicros(micros))
  }
})

test('a confidence is written as JSON has it, whatever its hundredths', () => {
  for (let hundredths = 0; hundredths <= 10_000; hundredths++) {
    const confidenceScore = hundredths / 100
    const text = eventText({ ...views[0]!, confidenceScore })
    assert.ok(text.endsWith(`"confidence_score":${confidenceScore}}`), text)
  }
})
