/** A query that finds nothing: which conditions there are, each with a way to leave it out. */
import { Empty } from '../../parts/feedback.js'
import { t } from '../../texts.js'
import type { View } from '../../first-requests.js'
import { conditionsOf, without } from './query.js'

interface NothingProps {
  readonly view: View
  readonly show: (view: View) => void
  /** What the service says against the query; null: it was read. */
  readonly refusal: string | null
}

export function Nothing({ view, show, refusal }: NothingProps) {
  const conditions = conditionsOf(view.query)
  if (conditions.length === 0 && view.time === '')
    return <Empty title={t('events.none')} text={t('events.none_yet')} icon="search" />
  return (
    <Empty
      title={t(refusal === null ? 'events.none' : 'events.not_read')}
      text={refusal ?? t('events.none_found')}
      icon="search"
    >
      <div class="row center">
        {conditions.length < 2
          ? null
          : conditions.map((condition, at) => (
              <button key={at} type="button" onClick={() => show({ ...view, query: without(view.query, at) })}>
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
