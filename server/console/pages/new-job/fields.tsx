/** The fields of a sample: which may decide, and which are chosen. */
import type { Signal } from '@preact/signals'
import type { FieldStatistics, SampledField } from '../../../client/index.js'
import { number, percent, t, type TextKey } from '../../texts.js'
import { bucketsOf } from './setup.js'

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

export function Fields({ sample, chosen, answers }: FieldsProps) {
  const fields = [...sample.fields].sort((a, b) => rankOf(a) - rankOf(b))
  const { buckets, largest } = bucketsOf(sample.fields.filter(({ field }) => chosen.value.has(field)))
  return (
    <section class="panel stack">
      <header class="row">
        <h2 class="grow">{t('new_job.points')}</h2>
        <output class="figure">{t('new_job.buckets', { buckets, largest: percent(100 * largest) })}</output>
      </header>
      <p>{t('new_job.points_text')}</p>
      <div class="table-wrap fields">
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
    </section>
  )
}
