/** Warnings of a job or of a file: what happened, the first example, what to do. */
import type { WarningBody } from '../../client/index.js'
import { t } from '../texts.js'
import { Sentence } from './sentence.js'

type Shown = Pick<WarningBody, 'msg' | 'action' | 'example'>

export function Warnings({ of, mayMend }: { readonly of: readonly Shown[]; readonly mayMend: boolean }) {
  if (of.length === 0) return null
  return (
    <section class="panel">
      <h2 class="warn">{t('job.warnings')}</h2>
      <ul class="stack">
        {of.map(({ msg, action, example }) => (
          <li key={msg}>
            <p class="sentence">
              <Sentence text={msg} />
            </p>
            {example === undefined || example === '' ? null : (
              <p class="dim">
                {t('job.warning.example')} <code>{example}</code>
              </p>
            )}
            {mayMend ? (
              <p class="dim">
                <Sentence text={action} />
              </p>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  )
}
