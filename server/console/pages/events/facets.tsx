/** Values of fields, with how often they are there. A field is counted when it is opened. */
import { useSignal } from '@preact/signals'
import { Failed, Skeleton } from '../../parts/feedback.js'
import { Icon } from '../../parts/icon.js'
import { Label } from '../../parts/label.js'
import { Form } from '../../parts/form.js'
import { serviceField } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { hasBuckets, type ShownJob } from '../../state/jobs.js'
import { shortNumber, t, type TextKey } from '../../texts.js'
import { conditionOf, hasCondition } from './query.js'
import { readFacet } from './source.js'
import { serviceName } from './view.js'
import type { View } from '../../first-requests.js'

interface FacetsProps {
  readonly of: ShownJob
  readonly view: View
  readonly toggle: (condition: string) => void
  readonly isOpen: boolean
}

function Values({ of, view, toggle, field }: FacetsProps & { readonly field: string }) {
  const facet = useData(
    JSON.stringify([view.jobId, view.query, view.time, field]),
    (signal) => readFacet(view, field, signal),
    {
      isKept: true,
    },
  )
  if (facet.error !== null) return <Failed error={facet.error} retry={facet.reload} />
  if (facet.value === null) return <Skeleton lines={3} />
  const { values, isPartial } = facet.value
  if (values.length === 0) return <p class="dim none">{t('facets.none')}</p>
  return (
    <ul class={facet.isLoading ? 'stale' : ''}>
      {values.map(({ value, count }) => {
        const condition = conditionOf(field, value, serviceName())
        return (
          <li key={value}>
            <button type="button" aria-pressed={hasCondition(view.query, condition)} onClick={() => toggle(condition)}>
              <span class="grow ellipsis bidi" title={value}>
                {field.endsWith('.result_label') || field.endsWith('.consensus') ? (
                  <Label of={of} label={value} />
                ) : value === '' ? (
                  t('facets.empty')
                ) : (
                  value
                )}
              </span>
              <span class="dim">{shortNumber(count)}</span>
            </button>
          </li>
        )
      })}
      {isPartial ? <li class="dim">{t('facets.partial')}</li> : null}
    </ul>
  )
}

function Facet(props: FacetsProps & { readonly field: string; readonly name: string; readonly isFirst: boolean }) {
  const isOpen = useSignal(props.isFirst)
  return (
    <details open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        <Icon name="chevron-right" />
        <span class="ellipsis" title={props.name}>
          {props.name}
        </span>
      </summary>
      {isOpen.value ? <Values {...props} /> : null}
    </details>
  )
}

const own: readonly (readonly [field: string, text: TextKey])[] = [
  ['result_label', 'facets.decision'],
  ['consensus', 'facets.consensus'],
  ['bucket_state', 'facets.state'],
  ['outlier_flag', 'facets.outlier'],
]

export function Facets(props: FacetsProps) {
  const { of, isOpen } = props
  const added = useSignal<readonly string[]>([])
  const fields = own.filter(([name]) => name !== 'bucket_state' || hasBuckets(of))
  return (
    <aside class={isOpen ? 'facets open' : 'facets'} aria-label={t('facets.title')}>
      {fields.map(([name, text], at) => (
        <Facet key={name} {...props} field={serviceField(name)} name={t(text)} isFirst={at === 0} />
      ))}
      {of.features.map((field) => (
        <Facet key={field} {...props} field={field} name={field} isFirst={false} />
      ))}
      {added.value.map((field) => (
        <Facet key={field} {...props} field={field} name={field} isFirst />
      ))}
      <Form
        submit={(_, form) => {
          const input = form.elements.namedItem('field') as HTMLInputElement
          const field = input.value.trim()
          if (field !== '' && !of.features.includes(field) && !added.value.includes(field))
            added.value = [...added.value, field]
          input.value = ''
        }}
      >
        <input name="field" aria-label={t('facets.add')} placeholder={t('facets.add')} spellcheck={false} />
      </Form>
    </aside>
  )
}
