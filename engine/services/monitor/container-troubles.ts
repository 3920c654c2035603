/** What a container suffers from, in a sentence, and how badly. */
import { statfsSync } from 'node:fs'
import type { ContainerHealth } from '../../api/container-service.js'
import { clockBehind } from './machine-clock.js'

/** How a container is, and why. */
export interface Trouble {
  readonly health: ContainerHealth
  readonly reason: string
}

export const well: Trouble = { health: 'healthy', reason: '' }

/** Share of free space below which the disk is reported. */
const FREE_SHARE_LOW = 0.05

/** The worse of two troubles; the first where they are as bad. */
export function worseOf(one: Trouble, other: Trouble): Trouble {
  const order: readonly ContainerHealth[] = ['healthy', 'degraded', 'unhealthy']
  return order.indexOf(other.health) > order.indexOf(one.health) ? other : one
}

export function clockTrouble(behindSeconds: number): Trouble {
  return behindSeconds === 0 ? well : { health: 'degraded', reason: clockBehind(behindSeconds) }
}

/** What the worst of the steps suffers from. */
export function stepTrouble(
  steps: readonly { readonly state: string; readonly jobTitle: string; readonly reason: string }[],
): Trouble {
  const bad =
    steps.find(({ state }) => state === 'invalid' || state === 'full' || state === 'stopped') ??
    steps.find(({ state }) => state === 'open' || state === 'retrying')
  if (bad === undefined) return well
  return {
    health: bad.state === 'retrying' ? 'degraded' : 'unhealthy',
    reason: `${bad.state} for ${bad.jobTitle === '' ? 'watchdogs' : bad.jobTitle}: ${bad.reason}`,
  }
}

/** Share of the disk that the service may still use, 0 to 1. */
export function freeShare(dataDir: string): number {
  const { blocks, bavail } = statfsSync(dataDir)
  return blocks === 0 ? 1 : bavail / blocks
}

export function diskTrouble(dataDir: string): Trouble {
  const free = freeShare(dataDir)
  if (free >= FREE_SHARE_LOW) return well
  return { health: free === 0 ? 'unhealthy' : 'degraded', reason: `${(free * 100).toFixed(1)} % of the disk are free` }
}
