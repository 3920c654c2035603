/** Names and values of an event in Next; what does not fit is folded. */
import { useSignal } from '@preact/signals'
import { cutText } from '../../../../engine/domain/event/input/cut-text.js'
import { valueText } from '../../state/events.js'
import { count, t } from '../../texts.js'

const OTHERS_SHOWN = 10
const CHARS_SHOWN = 300

export type Fact = readonly [name: string, value: unknown]

export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === ''
}

export function Facts({ facts, shown }: { readonly facts: readonly Fact[]; readonly shown: number }) {
  const isOpen = useSignal(false)
  return (
    <dl class="facts">
      {(isOpen.value ? facts : facts.slice(0, shown)).map(([name, value], at) => (
        <>
          <dt key={`${name} ${at}`} class="mono">
            {name}
          </dt>
          <dd class="mono bidi">{cutText(valueText(value), CHARS_SHOWN)}</dd>
        </>
      ))}
      {facts.length > shown ? (
        <dd>
          <button type="button" class="plain" onClick={() => (isOpen.value = !isOpen.value)}>
            {isOpen.value ? t('less') : count('more', facts.length - shown)}
          </button>
        </dd>
      ) : null}
    </dl>
  )
}

/** Fields beside the decision points. */
export function OtherFields({ facts }: { readonly facts: readonly Fact[] }) {
  if (facts.length === 0) return null
  return (
    <section>
      <h2 class="small">{t('next.others')}</h2>
      <Facts facts={facts} shown={OTHERS_SHOWN} />
    </section>
  )
}
