/** The page of an address that leads nowhere, or to what the person may not see. */
import { addresses } from '../addresses.js'
import { Empty } from '../parts/feedback.js'
import { t } from '../texts.js'

export default function NotFound() {
  return (
    <Empty isPage title={t('not_found.title')} text={t('not_found.text')} icon="search">
      <a class="button" href={addresses.jobs}>
        {t('place.jobs')}
      </a>
    </Empty>
  )
}
