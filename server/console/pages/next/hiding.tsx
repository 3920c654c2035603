/**
 * Whether the answers of the model and of colleagues are hidden until the person has answered.
 *
 * 1. What is drawn at random, audits among it, is measured by: an answer that follows another one measures nothing.
 *    So there the other answers are hidden, unless the person says otherwise.
 */
import { preferences, prefer, type Hides } from '../../state/preferences.js'
import { t } from '../../texts.js'
import type { Waiting } from './queue.js'

const choices: readonly Hides[] = ['drawn', 'always', 'never']

export function isHidden({ pickedBy }: Pick<Waiting, 'pickedBy'>): boolean {
  const { hides } = preferences.value
  return hides === 'always' || (hides === 'drawn' && pickedBy === 'uniform')
}

export function HidingChoice() {
  return (
    <label class="hiding dim" title={t('next.hide_why')}>
      {t('next.hide')}
      <select
        value={preferences.value.hides}
        onChange={({ currentTarget: { value } }) => prefer({ hides: value as Hides })}
      >
        {choices.map((one) => (
          <option key={one} value={one}>
            {t(`next.hide.${one}`)}
          </option>
        ))}
      </select>
    </label>
  )
}

/** In place of the answers. */
export function HiddenAnswer({ item }: { readonly item: Waiting }) {
  return <p class="answer dim">{t(item.pickedBy === 'uniform' ? 'next.hidden_drawn' : 'next.hidden')}</p>
}
