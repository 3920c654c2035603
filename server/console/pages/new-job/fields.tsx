/** The fields of a sample: which may decide, and which are chosen. */
import { type Signal, useSignal } from '@preact/signals'
import type { FieldStatistics, SampledField } from '../../../client/index.js'
import { count, number, percent, t, type TextKey } from '../../texts.js'
import { Icon } from '../../parts/icon.js'
import { bucketsOf, mixingOf } from './figures.js'

interface FieldsProps {
  readonly sample: FieldStatistics
  readonly chosen: Signal<ReadonlySet<string>>
  /** The field that has the answers. */
  readonly answers: string | null
}

const heads = ['field', 'examples', 'coverage', 'values', 'kind', 'why'] as const

function Row({
  of,
  events,
  chosen,
  answers,
}: { readonly of: SampledField; readonly events: number } & Omit<FieldsProps, 'sample'>) {
  const toggle = (): void => {
    const next = new Set(chosen.value)
    if (!next.delete(of.field)) next.add(of.field)
    chosen.value = next
  }
  return (
    <tr>
      <td data-head={t('new_job.head.field')}>
        <label class="row">
          <input
            type="checkbox"
            checked={chosen.value.has(of.field)}
            disabled={of.codes === null || of.field === answers}
            onChange={toggle}
          />
          <code>{of.field}</code>
        </label>
      </td>
      <td class="examples" data-head={t('new_job.head.examples')}>
        {of.examples.join(' · ')}
      </td>
      <td class="number" data-head={t('new_job.head.coverage')}>
        {percent((100 * of.events) / events)}
      </td>
      <td class="number" data-head={t('new_job.head.values')}>
        {number(of.values)}
      </td>
      <td data-head={t('new_job.head.kind')}>
        <span class={of.codes === null ? 'tag warn' : 'tag'}>{t(`new_job.kind.${of.kind}` as TextKey)}</span>{' '}
        {of.leakage === null ? null : <span class="tag warn">{t(`new_job.leakage.${of.leakage}`)}</span>}
      </td>
      <td class="why" data-head={t('new_job.head.why')}>
        {of.reason}
      </td>
    </tr>
  )
}

/** Suggested fields come first, then those that may decide. */
function rankOf(of: SampledField): number {
  return of.suggested ? 0 : of.codes === null ? 2 : 1
}

/** Fewer fields leave unlike events in one bucket. */
const POINTS_MIN = 3
const POINTS_MAX = 12
/** Rows that are shown at first, and the number of fields from which on they can be looked for. */
const SHOWN = 20
/** A share of mixed events that is worth a warning. */
const MIXED_MIN = 0.005

/** What is to be thought of before the job is made: too few fields, too many, answers that share buckets. */
function Doubts({ sample, chosen, answers }: FieldsProps) {
  const points = sample.fields.filter(({ field }) => chosen.value.has(field))
  const left = sample.fields.filter(({ field, codes }) => codes !== null && field !== answers).length - points.length
  const { answered, mixed } = mixingOf(points, sample.fields.find(({ field }) => field === answers) ?? null)
  const doubts = [
    ...(points.length > 0 && points.length < POINTS_MIN && left > 0
      ? [count('new_job.few_points', points.length)]
      : []),
    ...(points.length > POINTS_MAX ? [t('new_job.many_points', { n: points.length })] : []),
    ...(points.length > 0 && answered > 0 && mixed > MIXED_MIN * answered
      ? [t('new_job.mixed', { mixed, answered, field: answers ?? '' })]
      : []),
  ]
  return (
    <>
      {doubts.map((text) => (
        <p key={text} class="warn" role="status">
          <Icon name="triangle-alert" /> {text}
        </p>
      ))}
    </>
  )
}

export function Fields({ sample, chosen, answers }: FieldsProps) {
  const wanted = useSignal('')
  const isAll = useSignal(false)
  const sorted = [...sample.fields].sort((a, b) => rankOf(a) - rankOf(b))
  const words = wanted.value.toLowerCase().split(/\s+/)
  const found = sorted.filter((of) => {
    const text = [of.field, ...of.examples].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const fields = isAll.value ? found : found.slice(0, SHOWN)
  const { buckets, largest } = bucketsOf(sample.fields.filter(({ field }) => chosen.value.has(field)))
  return (
    <section class="panel stack">
      <header class="row">
        <h2 class="grow">{t('new_job.points')}</h2>
        <output class="figure">{t('new_job.buckets', { buckets, largest: percent(100 * largest) })}</output>
      </header>
      <p>{t('new_job.points_text')}</p>
      <Doubts sample={sample} chosen={chosen} answers={answers} />
      {sorted.length > SHOWN ? (
        <input
          type="search"
          aria-label={t('new_job.find_field')}
          placeholder={t('new_job.find_field')}
          value={wanted.value}
          onInput={({ currentTarget: { value } }) => (wanted.value = value)}
        />
      ) : null}
      <div class="table-wrap">
        <table class="rows">
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} class={head === 'coverage' || head === 'values' ? 'number' : ''}>
                  {t(`new_job.head.${head}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {fields.map((of) => (
              <Row key={of.field} of={of} events={sample.events} chosen={chosen} answers={answers} />
            ))}
          </tbody>
        </table>
      </div>
      {found.length > fields.length ? (
        <button type="button" onClick={() => (isAll.value = true)}>
          {t('new_job.all_fields', { n: found.length })}
        </button>
      ) : null}
    </section>
  )
}
