/** Log levels: one for the whole service, and others for single components. */
import { components, isComponent, type Component } from './components.js'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

export type LogLevel = (typeof logLevels)[number]

/** A level for every component. */
export type LogLevels = Readonly<Record<Component, LogLevel>>

export function isLogLevel(text: string): text is LogLevel {
  return (logLevels as readonly string[]).includes(text)
}

/** The same level for all components. */
export function levelForAll(level: LogLevel): LogLevels {
  return Object.fromEntries(components.map((component) => [component, level])) as Record<Component, LogLevel>
}

/** Parses `info`, or `info,api=debug,trainer=warn`; null where the text is not of that form. */
export function parseLogLevels(text: string): LogLevels | null {
  const levels: Record<Component, LogLevel> = { ...levelForAll('info') }
  for (const [place, part] of text
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .entries()) {
    const [name = '', level, ...rest] = part.split('=').map((each) => each.trim())
    if (place === 0 && level === undefined && isLogLevel(name)) Object.assign(levels, levelForAll(name))
    else if (isComponent(name) && level !== undefined && isLogLevel(level) && rest.length === 0) levels[name] = level
    else return null
  }
  return levels
}
