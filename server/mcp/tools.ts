/** The table of tools, in the order in which agents see them. */
import type { Scope } from '../../engine/index.js'
import type { Tool } from './tool.js'
import { eventTools } from './tools/events.js'
import { jobTools } from './tools/jobs.js'
import { labelTools } from './tools/labels.js'
import { modelTools } from './tools/models.js'
import { runningTools } from './tools/running.js'
import { setupTools } from './tools/setup.js'
import { trialTools } from './tools/trials.js'

export const tools: readonly Tool[] = [
  ...jobTools,
  ...eventTools,
  ...labelTools,
  ...runningTools,
  ...modelTools,
  ...trialTools,
  ...setupTools,
]

const byName = new Map(tools.map((tool) => [tool.name, tool]))

/** The tool of that name, if the scopes allow it. */
export function toolFor(name: string, scopes: ReadonlySet<Scope>): Tool | undefined {
  const tool = byName.get(name)
  return tool !== undefined && isAllowed(tool, scopes) ? tool : undefined
}

/** True if each scope that the tool needs is there. Every known key has `public`. */
export function isAllowed(tool: Tool, scopes: ReadonlySet<Scope>): boolean {
  return tool.scopes.every((scope) => scope === 'public' || scopes.has(scope))
}
