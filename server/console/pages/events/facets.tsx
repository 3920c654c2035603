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
import { columnName } from './columns.js'
import { useFieldNames } from './columns-menu.js'
import { choiceOf, choicesOf, toggled, type Choice } from './query.js'
import { readFacet } from './source.js'
import { serviceName } from './view.js'
import type { View } from '../../first-requests.js'

interface FacetsProps {
  readonly of: ShownJob
  readonly view: View
  readonly show: (view: View) => void
  readonly isOpen: boolean
  /** The query cannot be read: the rows say why. */
  readonly isRefused: boolean
}

function areLabels(field: string): boolean {
  return field === serviceField('result_label') || field === serviceField('consensus')
}

/** The confidence is counted by ten percent. */
function isBands(field: string): boolean {
  return field === serviceField('confidence_score')
}

function bandOf(from: number): string {
  return from >= 90 ? '[90 TO 100]' : `[${from} TO ${from + 10}}`
}

interface ValueProps extends FacetsProps {
  readonly field: string
  readonly choice: Choice
  /** As it is shown; null: the events have none. */
  readonly value: string | null
  readonly n: number
  readonly isChosen: boolean
}

function Value({ of, view, show, field, choice, value, n, isChosen }: ValueProps) {
  const shown = value === null ? t('facets.missing') : value === '' ? t('facets.empty') : value
  return (
    <li>
      <button
        type="button"
        aria-pressed={isChosen}
        onClick={() => show({ ...view, query: toggled(view.query, field, choice, serviceName()) })}
      >
        <span class="grow ellipsis bidi" title={shown}>
          {areLabels(field) && value !== null ? <Label of={of} label={value} /> : isBands(field) ? `${shown} %` : shown}
        </span>
        <span class="dim">{shortNumber(n)}</span>
      </button>
    </li>
  )
}

/** The text of a choice whose value is not among those that were counted. */
function textOf(choice: Choice): string | null {
  return choice === null ? null : choice.replace(/^"(.*)"$/s, '$1').replace(/\\(.)/g, '$1')
}

function Values(props: FacetsProps & { readonly field: string }) {
  const { view, field } = props
  const facet = useData(
    JSON.stringify([view.jobId, view.query, view.time, field]),
    (signal) => readFacet(view, field, signal),
    {
      isKept: true,
    },
  )
  if (props.isRefused) return <p class="dim none">{t('events.not_read')}</p>
  if (facet.error !== null) return <Failed error={facet.error} retry={facet.reload} />
  if (facet.value === null) return <Skeleton lines={3} />
  const { values, isPartial } = facet.value
  const chosen = choicesOf(view.query, field, serviceName())
  const isOfLabels = areLabels(field)
  const shown = values.map(({ value, count, isCut }) => {
    const choice = value === null ? null : isBands(field) ? bandOf(Number(value)) : choiceOf(value, isCut)
    // A label may be typed in small letters.
    const typed = chosen.find((one) => isOfLabels && one?.toLowerCase() === choice?.toLowerCase())
    return { value, n: count, choice: typed ?? choice }
  })
  const others = chosen.filter((choice) => shown.every((one) => one.choice !== choice))
  if (shown.length + others.length === 0) return <p class="dim none">{t('facets.none')}</p>
  return (
    <ul class={facet.isLoading ? 'stale' : ''}>
      {[...shown, ...others.map((choice) => ({ value: textOf(choice), n: 0, choice }))].map((one) => (
        <Value key={String(one.choice)} {...props} {...one} isChosen={chosen.includes(one.choice)} />
      ))}
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
  const isAdding = useSignal(false)
  const names = useFieldNames(of.job_id, isAdding.value)
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
        <Facet key={field} {...props} field={field} name={columnName(field)} isFirst />
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
        <input
          name="field"
          list="facet-fields"
          aria-label={t('facets.add')}
          placeholder={t('facets.add')}
          spellcheck={false}
          onFocus={() => (isAdding.value = true)}
        />
        <datalist id="facet-fields">
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </Form>
    </aside>
  )
}
