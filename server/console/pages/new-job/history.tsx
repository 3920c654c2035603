/** What events of a file bring along: the answers of people, and their ids. */
import { type Signal, useComputed } from '@preact/signals'
import { ANSWER_VALUES_MAX, answerAt, labelsOfAnswers } from '../../../../engine/domain/event/input/answers.js'
import type { FieldStatistics, SampledField } from '../../../client/index.js'
import { count, number, t } from '../../texts.js'
import type { SampleEvent } from './read-events.js'

export interface DraftLabel {
  readonly name: string
  readonly color: string
  readonly unused: boolean
}

/** The column with the answers, and the place of the label of each value; without a place it is no answer. */
export interface Answers {
  readonly field: string
  /** By value, the commonest first: how many events have it. */
  readonly counts: ReadonlyMap<string, number>
  readonly places: ReadonlyMap<string, number>
}

function countsOf(field: string, events: readonly SampleEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const event of events) {
    const answer = answerAt(event, field)
    if (answer !== null) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  }
  return new Map([...counts].sort((a, b) => b[1] - a[1]).slice(0, ANSWER_VALUES_MAX))
}

/** The answers of a column, and the labels that follow from them. */
export function answersOf(
  field: string,
  events: readonly SampleEvent[],
  colors: readonly string[],
): { readonly answers: Answers; readonly labels: DraftLabel[] } {
  const counts = countsOf(field, events)
  const { labels, places } = labelsOfAnswers(field, counts)
  return {
    answers: { field, counts, places },
    labels: labels.map((label, at) => ({ ...label, color: colors[at] as string })),
  }
}

interface HistoryProps {
  readonly sample: FieldStatistics
  readonly events: readonly SampleEvent[]
  readonly answers: Signal<Answers | null>
  readonly idField: Signal<string | null>
  readonly labels: Signal<readonly DraftLabel[]>
  readonly choose: (field: string | null) => void
}

/** A field of few values may have answers. */
function mayAnswer({ codes, values }: SampledField): boolean {
  return codes !== null && values > 1 && values <= ANSWER_VALUES_MAX
}

/** A field that most events have another value of may be their id. */
function mayBeId({ kind, values, events }: SampledField, all: number): boolean {
  return kind !== 'time' && events === all && values > 0.8 * events
}

function Choice(props: {
  readonly label: string
  readonly value: string | null
  readonly none: string
  readonly fields: readonly SampledField[]
  readonly choose: (field: string | null) => void
}) {
  const names = props.fields.map(({ field }) => field)
  if (props.value !== null && !names.includes(props.value)) names.unshift(props.value)
  return (
    <label>
      {props.label}
      <select
        value={props.value ?? ''}
        onChange={({ currentTarget: { value } }) => props.choose(value === '' ? null : value)}
      >
        <option value="">{props.none}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

function Values({ answers, labels }: Pick<HistoryProps, 'answers' | 'labels'>) {
  const of = answers.value
  if (of === null) return null
  const put = (value: string, place: string): void => {
    const places = new Map(of.places)
    if (place === '') places.delete(value)
    else places.set(value, Number(place))
    answers.value = { ...of, places }
  }
  return (
    <div class="table-wrap">
      <table class="rows">
        <thead>
          <tr>
            <th>{t('new_job.answers.value', { field: of.field })}</th>
            <th class="number">{t('new_job.head.coverage')}</th>
            <th>{t('new_job.answers.label')}</th>
          </tr>
        </thead>
        <tbody>
          {[...of.counts].map(([value, events]) => (
            <tr key={value}>
              <td data-head={t('new_job.answers.value', { field: of.field })}>{value}</td>
              <td class="number" data-head={t('new_job.head.coverage')}>
                {number(events)}
              </td>
              <td data-head={t('new_job.answers.label')}>
                <select
                  aria-label={t('new_job.answers.label_of', { value })}
                  value={String(of.places.get(value) ?? '')}
                  onChange={({ currentTarget }) => put(value, currentTarget.value)}
                >
                  {labels.value.map(({ name }, at) => (
                    <option key={at} value={String(at)}>
                      {name}
                    </option>
                  ))}
                  <option value="">{t('new_job.answers.no_answer')}</option>
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function History({ sample, events, answers, idField, labels, choose }: HistoryProps) {
  const answered = useComputed(() => {
    const of = answers.value
    if (of === null) return { events: 0, labels: 0 }
    const mapped = [...of.counts].filter(([value]) => of.places.has(value))
    return {
      events: mapped.reduce((sum, [, n]) => sum + n, 0),
      labels: new Set(mapped.map(([value]) => of.places.get(value))).size,
    }
  })
  return (
    <section class="panel stack">
      <h2>{t('new_job.history')}</h2>
      <div class="row ends">
        <Choice
          label={t('new_job.answers.which')}
          value={answers.value?.field ?? null}
          none={t('new_job.answers.none')}
          fields={sample.fields.filter(mayAnswer)}
          choose={choose}
        />
        <Choice
          label={t('new_job.id.which')}
          value={idField.value}
          none={t('new_job.id.none')}
          fields={sample.fields.filter((field) => mayBeId(field, sample.events))}
          choose={(field) => (idField.value = field)}
        />
      </div>
      {answers.value === null ? null : (
        <>
          <p>
            {count('new_job.answers.has', answered.value.events, {
              field: answers.value.field,
              all: number(events.length),
            })}{' '}
            {answered.value.labels < 2 ? t('new_job.answers.one_label') : t('new_job.answers.trains')}
          </p>
          <Values answers={answers} labels={labels} />
        </>
      )}
    </section>
  )
}
