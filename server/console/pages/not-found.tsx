/** The page of an address that leads nowhere, or to what the person may not see. */
import { addresses } from '../addresses.js'
import { Empty } from '../parts/feedback.js'
import { t } from '../texts.js'

/** The page is there, and is for others. */
export function Forbidden({ scope }: { readonly scope: string }) {
  return (
    <Empty isPage title={t('forbidden.title')} text={t('forbidden.text', { scope })} icon="lock">
      <a class="button" href={addresses.jobs}>
        {t('place.jobs')}
      </a>
    </Empty>
  )
}

export default function NotFound() {
  return (
    <Empty isPage title={t('not_found.title')} text={t('not_found.text')} icon="search">
      <a class="button" href={addresses.jobs}>
        {t('place.jobs')}
      </a>
    </Empty>
  )
}
