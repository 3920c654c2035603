/** The parameters of a step: which decisions pass, from which confidence on, and the rest as JSON. */
import { useSignal } from '@preact/signals'
import type { PipelineStep } from '../../../client/index.js'
import { Confirm } from '../../parts/confirm.js'
import type { JobChange } from '../../state/job-document.js'
import { t } from '../../texts.js'
import { titleOf } from './setup.js'

interface EditProps {
  readonly step: PipelineStep
  readonly close: () => void
  readonly save: (change: JobChange, text: string) => Promise<void>
}

/** Roles that pass on decisions, by a rule. */
const ruled = new Set(['post_decision', 'case_creation', 'output'])

export function EditStep({ step, close, save }: EditProps) {
  const text = useSignal(JSON.stringify(step.parameters ?? {}, null, 2))
  const hasRule = ruled.has(step.integration_type ?? '')
  const parsed = (): Record<string, unknown> | null => {
    try {
      const value: unknown = JSON.parse(text.value)
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
    } catch {
      return null
    }
  }
  const now = parsed()
  const set = (name: string, value: unknown): void => {
    text.value = JSON.stringify({ ...parsed(), [name]: value }, null, 2)
  }
  const apply = async (): Promise<void> => {
    if (now === null) throw new Error(t('pipeline.no_json'))
    const change = { pipeline_integrations: [{ ...step, parameters: now }] }
    await save(change, t('pipeline.changed', { title: titleOf(step) }))
  }
  return (
    <Confirm title={titleOf(step)} verb={t('save')} close={close} act={apply} isReady={now !== null}>
      {hasRule ? (
        <div class="row ends">
          <label>
            {t('pipeline.min_confidence')}
            <input
              class="short"
              type="number"
              min={0}
              max={100}
              value={String(now?.min_confidence ?? '')}
              onInput={({ currentTarget: { value } }) => set('min_confidence', value === '' ? null : Number(value))}
            />
          </label>
          <label>
            {t('pipeline.decisions')}
            <input
              value={String(now?.decisions ?? '')}
              onInput={({ currentTarget: { value } }) => set('decisions', value)}
            />
          </label>
        </div>
      ) : null}
      <label>
        {t('pipeline.parameters')}
        <textarea
          rows={10}
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget: { value } }) => (text.value = value)}
        />
      </label>
      <p class={now === null ? 'bad' : 'dim'}>{t(now === null ? 'pipeline.no_json' : 'pipeline.later_events')}</p>
    </Confirm>
  )
}
