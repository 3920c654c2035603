/** The section of the form of a job's settings that says what is watched. */
import type { JobDocument } from '../../state/job-document.js'
import { t } from '../../texts.js'
import { NumberField, Section, Switch } from './controls.js'
import { watchdogs, watchdogsOf } from './watchdogs.js'

export function Watchdogs({ document }: { readonly document: JobDocument }) {
  const { monitors, throttling, reminder } = watchdogsOf(document.advanced_settings)
  return (
    <Section title="settings.watchdogs">
      <p class="help">{t('settings.means.monitoring_settings')}</p>
      {watchdogs.map((name) => {
        const monitor = monitors.find((one) => one.name === name)
        return (
          <div key={name} class="watched">
            <Switch
              name={`watchdog ${name}`}
              text={`watchdog.${name}`}
              help={`watchdog.help.${name}`}
              isOn={monitor?.active === true}
            />
            <label>
              {t('settings.interval')}
              <input
                class="short"
                name={`interval ${name}`}
                aria-label={t('settings.interval_of', { name: t(`watchdog.${name}`) })}
                type="number"
                min={10}
                max={86_400}
                placeholder="10"
                defaultValue={monitor?.interval_check === undefined ? '' : String(monitor.interval_check)}
              />
            </label>
            <label class="inline">
              <input
                type="checkbox"
                name={`hours ${name}`}
                aria-label={`${t('settings.working_hours_only')}: ${t(`watchdog.${name}`)}`}
                defaultChecked={monitor?.working_hours_only === true}
              />
              {t('settings.working_hours_only')}
            </label>
          </div>
        )
      })}
      <NumberField
        name="throttling"
        text="settings.throttling"
        help="settings.throttling_help"
        value={throttling}
        min={0}
        max={604_800}
      />
      <NumberField
        name="reminder"
        text="settings.reminder"
        help="settings.reminder_help"
        value={reminder}
        min={0}
        max={604_800}
      />
    </Section>
  )
}
