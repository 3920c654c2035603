/** A new step of a pipeline: an integration that is set up, in one of its roles. */
import { useSignal } from '@preact/signals'
import { addresses } from '../../addresses.js'
import type { JobChange } from '../../state/job-document.js'
import { attempt } from '../../state/toasts.js'
import { t } from '../../texts.js'
import { titleOf, type Setup } from './setup.js'

interface AddProps {
  readonly setup: Setup
  readonly save: (change: JobChange, text: string) => Promise<void>
}

export function AddStep({ setup, save }: AddProps) {
  const chosen = useSignal('')
  const rolesOf = (subcategory: string) =>
    (setup.kinds.find(({ id }) => id === subcategory)?.roles ?? []).filter((role) => role !== 'processor')
  const choices = setup.known.flatMap(({ title, subcategory_id: kind }) =>
    rolesOf(kind)
      .filter((role) => !setup.steps.some((step) => titleOf(step) === title && step.integration_type === role))
      .map((role) => ({ title, role, value: JSON.stringify([title, role]) })),
  )
  const current = choices.find(({ value }) => value === chosen.value) ?? choices[0]
  const add = async (): Promise<void> => {
    if (current === undefined) return
    const step = { resource: current.title, integration_type: current.role, enabled: true }
    await attempt(() => save({ pipeline_integrations: [step] }, t('pipeline.added', { title: current.title })))
  }
  return (
    <section class="panel stack">
      <h2>{t('pipeline.add')}</h2>
      {current === undefined ? (
        <p class="dim">
          {t('pipeline.nothing_to_add')} <a href={addresses.integrations}>{t('place.integrations')}</a>
        </p>
      ) : (
        <>
          <div class="row ends">
            <label>
              {t('integrations.head.integration')}
              <select value={current.value} onChange={({ currentTarget: { value } }) => (chosen.value = value)}>
                {choices.map(({ title, role, value }) => (
                  <option key={value} value={value}>
                    {title} · {t(`pipeline.role.${role}`)}
                  </option>
                ))}
              </select>
            </label>
            <button type="button" onClick={() => void add()}>
              {t('pipeline.add')}
            </button>
          </div>
          <p class="dim">{t(`pipeline.means.${current.role}`)}</p>
        </>
      )}
    </section>
  )
}
