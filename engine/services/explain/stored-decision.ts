/**
 * A stored decision, computed again from the log and the registry: from the event, the model, the state of the votes,
 * and the basis that is stored with it.
 *
 * 1. The same bytes of a record's header come out, or a difference is named. Where an input is not kept any more, it is
 *    said which one, and nothing is compared.
 */
import { decide, noDecision, type ActiveModel, type Decision } from '../../domain/decide/decision.js'
import { trusted } from '../../domain/decide/decision-basis.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { hasClusters } from '../../domain/job/job.js'
import type { KnownConsensus } from '../../domain/decide/decision.js'
import type { BallotRow } from '../../store/ballot-row.js'
import { decodeBallot } from '../../store/ballot-row.js'
import { HEADER_BYTES, writeHeader, type RecordHeader } from '../../store/record-header.js'
import type { RegistryRow } from '../../store/registry-row.js'
import { stateKey } from '../../store/tables.js'
import { subjectOf, type FoundEvent } from '../../actor/event-table.js'
import { readRegistryRow } from '../../actor/models/registry.js'
import { knownConsensus } from '../../actor/votes/ballots.js'
import { EventValues } from './event-values.js'
import type { JobAt } from './job-at.js'
import type { ExplainedModel } from './opened-models.js'

/** A field of a decision that comes out differently. */
export interface DecisionDifference {
  readonly field: 'label' | 'confidence' | 'outlier' | 'outlier_score' | 'source' | 'model'
  readonly stored: string | number | boolean
  readonly computed: string | number | boolean
}

/** Everything that a decision was made from. */
export interface DecisionInputs {
  readonly row: RegistryRow
  readonly opened: ExplainedModel
  readonly reader: EventValues
  readonly values: PointValues
  /** The votes as the decision knew them; null for none. */
  readonly ballot: BallotRow | null
  /** What the knowledge base made of them; null where the model decided. */
  readonly known: KnownConsensus | null
}

export type ComputedAgain =
  /** Nothing could be computed; `isLost`: something is missing that has to be there. */
  | { readonly inputs: null; readonly reason: string; readonly isLost: boolean }
  | {
      readonly inputs: DecisionInputs
      /** Before the trust watch. */
      readonly own: Decision
      readonly decision: Decision
      /** Empty where the same bytes came out. */
      readonly differences: readonly DecisionDifference[]
    }

export function computeAgain(at: JobAt, event: Pick<FoundEvent, 'micros' | 'record' | 'header'>): ComputedAgain {
  const inputs = inputsOf(at, event)
  if ('reason' in inputs) return inputs
  const own = decideFrom(at, inputs)
  const decision = trusted(own, event.header.basis)
  return { inputs, own, decision, differences: differencesOf(event, decision) }
}

/** The decision of knowledge base and model, before the trust watch. */
export function decideFrom(at: JobAt, { row, opened, values, known }: DecisionInputs): Decision {
  const probabilities = new Float64Array(at.job.labels.length)
  const active: ActiveModel = { model: opened.model, version: row.version, probabilities }
  return decide(active, values, known)
}

type NoInputs = Extract<ComputedAgain, { inputs: null }>

function cannot(reason: string, isLost = false): NoInputs {
  return { inputs: null, reason, isLost }
}

function inputsOf(at: JobAt, event: Pick<FoundEvent, 'micros' | 'record' | 'header'>): DecisionInputs | NoInputs {
  const { header, micros } = event
  const { job, environment } = at
  if (header.pending) return cannot('the event waits for its decision')
  if (header.source === 'untrained') return cannot('the clusters decided it, without a model')
  if (header.modelVersion === 0) return cannot('no model had a part in it')
  const row = readRegistryRow(environment, job.id, header.modelVersion)
  if (row === null) return cannot('the registry does not have the model of the decision', true)
  const opened = at.model(row.version)
  if (opened === null) return cannot('the model of the decision is not kept any more', row.isKept)
  const points = row.origin?.points ?? (row.fingerprint === at.fingerprint ? job.decisionPoints : null)
  if (points === null) return cannot('the decision points have changed since, and those of the model are not known')
  const reader = new EventValues(at, opened.model, points)
  const values = reader.of(event)
  if (values === null) return cannot('the event is in no cluster any more')
  const { votesState } = header.basis
  const subject = subjectOf(header, micros)
  const stored = votesState === 0 ? null : environment.get('states', stateKey(job.id, subject, votesState))
  if (stored === undefined) return cannot('the votes as the decision knew them are not kept any more', true)
  const ballot = stored === null ? null : decodeBallot(stored)
  return {
    row,
    opened,
    reader,
    values,
    ballot,
    known: knownConsensus(ballot, row.throughSeq, header.bucketId !== null),
  }
}

/** What is different in the header that the decision would be stored with. */
function differencesOf(
  { header, record }: Pick<FoundEvent, 'record' | 'header'>,
  decision: Decision,
): readonly DecisionDifference[] {
  const again: RecordHeader = { ...header, ...(header.lacksPoints ? noDecision : decision) }
  const bytes = Buffer.from(record.subarray(0, HEADER_BYTES))
  writeHeader(bytes, again)
  if (Buffer.compare(bytes, record.subarray(0, HEADER_BYTES)) === 0) return []
  const pairs: readonly [DecisionDifference['field'], string | number | boolean, string | number | boolean][] = [
    ['label', header.label, again.label],
    ['confidence', header.confidence, again.confidence],
    ['outlier', header.outlier, again.outlier],
    ['outlier_score', Math.fround(header.outlierScore), Math.fround(again.outlierScore)],
    ['source', header.source, again.source],
    ['model', header.modelVersion, again.modelVersion],
  ]
  return pairs
    .filter(([, stored, computed]) => stored !== computed)
    .map(([field, stored, computed]) => ({ field, stored, computed }))
}

/** Where a difference need not be a fault: the inputs are not those of the decision any more. */
export function mayDiffer({ job }: JobAt): string | null {
  return hasClusters(job.category) ? 'the place of an alert in its cluster may have changed since the decision' : null
}
