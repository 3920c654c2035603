/** A query that finds nothing: which conditions there are, each with a way to leave it out. */
import { Empty } from '../../parts/feedback.js'
import { t } from '../../texts.js'
import { conditionsOf, notANumber, toggled } from './query.js'
import type { View } from '../../first-requests.js'

interface NothingProps {
  readonly view: View
  readonly show: (view: View) => void
}

export function Nothing({ view, show }: NothingProps) {
  const conditions = conditionsOf(view.query)
  const misread = notANumber(view.query)
  if (conditions.length === 0 && view.time === '')
    return <Empty title={t('events.none')} text={t('events.none_yet')} icon="search" />
  const text = misread === null ? t('events.none_found') : t('events.not_a_number_text', misread)
  return (
    <Empty title={t('events.none')} text={text} icon="search">
      <div class="row center">
        {conditions.length < 2
          ? null
          : conditions.map((condition) => (
              <button
                key={condition}
                type="button"
                onClick={() => show({ ...view, query: toggled(view.query, condition) })}
              >
                {t('events.without')} <code class="bidi">{condition}</code>
              </button>
            ))}
        {view.time === '' ? null : (
          <button type="button" onClick={() => show({ ...view, time: '' })}>
            {t('events.time.any')}
          </button>
        )}
        <button type="button" onClick={() => show({ ...view, query: '', time: '' })}>
          {t('events.show_all')}
        </button>
      </div>
    </Empty>
  )
}
