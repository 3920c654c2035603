/** Commands that every page has. */
import { useLocation } from 'preact-iso'
import { job } from '../state/jobs.js'
import { type Command, useCommands } from '../state/keys.js'
import { prefer, preferences } from '../state/preferences.js'
import { undo } from '../state/toasts.js'
import { isHelpOpen, isPaletteOpen } from './open.js'
import { placesOfJob, placesOfService } from '../state/places.js'

const themes = ['auto', 'light', 'dark'] as const

export function nextTheme(): void {
  const at = themes.indexOf(preferences.value.theme)
  prefer({ theme: themes[(at + 1) % themes.length] ?? 'auto' })
}

export function useGlobalCommands(): void {
  const { route } = useLocation()
  const places = [...(job.value === null ? [] : placesOfJob(job.value)), ...placesOfService()]
  const going: Partial<Record<Command, () => void>> = {}
  for (const { command, href } of places) going[command] = () => route(href)
  useCommands({
    ...going,
    undo: () => void undo(),
    theme: nextTheme,
    help: () => (isHelpOpen.value = true),
    palette: () => (isPaletteOpen.value = true),
  })
}
